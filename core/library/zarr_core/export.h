// SPDX-License-Identifier: MIT
// The mark of what a shared zarr_core shows to programs; empty for the static library. CMake
// defines ZARR_CORE_SHARED for who links the shared library, and ZARR_CORE_BUILDING while it is
// built.
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
