// SPDX-License-Identifier: MIT
// Included before each source of the Python package. Binds functions to their older versions in
// glibc and libstdc++, because the package would otherwise need glibc 2.35 and the libstdc++ of
// GCC 12.
#pragma once

#if defined(__x86_64__)
__asm__(".symver hypot,hypot@GLIBC_2.2.5");
__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,"
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
#endif
