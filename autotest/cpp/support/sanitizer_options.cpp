// SPDX-License-Identifier: MIT
// Lets malloc() return null if a request exceeds the available memory. Without these options,
// sanitizers end the process.
extern "C" {
[[gnu::visibility("default")]] const char* __asan_default_options();
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
[[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
}
