// SPDX-License-Identifier: MIT
// Constants that say which sanitizers the tests are built with. Some tests cannot run under some
// sanitizers.
#pragma once

namespace zarr::test {

#if defined(__has_feature)
#define ZARR_HAS_FEATURE(feature) __has_feature(feature)
#else
#define ZARR_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || ZARR_HAS_FEATURE(address_sanitizer)
inline constexpr bool kHasAddressSanitizer = true;
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || ZARR_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kHasThreadSanitizer = true;
#else
inline constexpr bool kHasThreadSanitizer = false;
#endif

#undef ZARR_HAS_FEATURE

}  // namespace zarr::test
