// SPDX-License-Identifier: MIT
// Has the sanitizers' allocators return null where there is no memory, as malloc does, instead of
// ending the process.
extern "C" {
[[gnu::visibility("default")]] const char* __asan_default_options();
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
[[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
}
