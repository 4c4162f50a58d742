// SPDX-License-Identifier: MIT
// Macros and constants that say which sanitizers the code is compiled with. GCC defines macros for
// them, and clang has __has_feature().
#pragma once

#if defined(__has_feature)
#define ZARR_HAS_FEATURE(feature) __has_feature(feature)
#else
#define ZARR_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || ZARR_HAS_FEATURE(address_sanitizer)
#define ZARR_ADDRESS_SANITIZER 1
#else
#define ZARR_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || ZARR_HAS_FEATURE(thread_sanitizer)
#define ZARR_THREAD_SANITIZER 1
#else
#define ZARR_THREAD_SANITIZER 0
#endif

#undef ZARR_HAS_FEATURE

namespace zarr {

inline constexpr bool kHasAddressSanitizer = ZARR_ADDRESS_SANITIZER != 0;
inline constexpr bool kHasThreadSanitizer = ZARR_THREAD_SANITIZER != 0;

}  // namespace zarr
