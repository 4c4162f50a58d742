// SPDX-License-Identifier: MIT
// Macro that exports a declaration from the shared library zarr_core; empty for the static library.
// CMake defines ZARR_CORE_SHARED for programs that link the shared library. CMake defines
// ZARR_CORE_BUILDING while the shared library is built.
#pragma once

#if !defined(ZARR_CORE_SHARED)
#define ZARR_CORE_EXPORT
#elif !defined(_WIN32)
#define ZARR_CORE_EXPORT __attribute__((visibility("default")))
#elif defined(ZARR_CORE_BUILDING)
#define ZARR_CORE_EXPORT __declspec(dllexport)
#else
#define ZARR_CORE_EXPORT __declspec(dllimport)
#endif
