// SPDX-License-Identifier: MIT
// Library for LD_PRELOAD that makes memory requests of the driver's plugin fail. Requests that the
// C++ library makes for the plugin fail, too. Requests of GDAL and other libraries succeed.
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> requests{0};       // number of the plugin's requests since zarr_fail_memory()
std::atomic<long> first{0};          // position of the request that fails, counted from 1; 0: none
std::atomic<bool> all_after{false};  // true: all later requests fail, too
thread_local bool is_inside = false;

// Returns true if the plugin requests the memory. The requester is the first caller outside of this
// library and of the C++ library.
bool IsRequestOfPlugin() {
    constexpr int kFrames = 24;
    void* frames[kFrames];
    const int count = backtrace(frames, kFrames);
    for (int i = 1; i < count; ++i) {
        Dl_info info{};
        if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr) return false;
        if (std::strstr(info.dli_fname, "zarr_failing_memory") != nullptr) continue;
        if (std::strstr(info.dli_fname, "libstdc++") != nullptr) continue;
        return std::strstr(info.dli_fname, "gdal_ZarrV2") != nullptr;
    }
    return false;
}

bool IsAllowed() {
    if (first.load() == 0 || is_inside) return true;
    is_inside = true;
    const bool is_counted = IsRequestOfPlugin();
    is_inside = false;
    if (!is_counted) return true;
    const long number = ++requests;
    return all_after ? number < first : number != first;
}

template <class Function>
Function Next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void* Allocate(std::size_t size) {
    if (!IsAllowed()) return nullptr;
    is_inside = true;
    void* const memory = std::malloc(size == 0 ? 1 : size);
    is_inside = false;
    return memory;
}

}  // namespace

// Makes request `number` of the plugin fail, counted from 1. If `number` is 0, no request fails. If
// `all` is not 0, all later requests fail, too. Returns the number of requests since the last call.
extern "C" long zarr_fail_memory(long number, int all) {
    first = 0;
    const long seen = requests.exchange(0);
    all_after = all != 0;
    first = number;
    return seen;
}

extern "C" void* malloc(std::size_t size) {
    static const auto next = Next<void* (*)(std::size_t)>("malloc");
    if (IsAllowed()) return next(size);
    errno = ENOMEM;
    return nullptr;
}

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
    static const auto next = Next<void* (*)(std::size_t, std::size_t)>("aligned_alloc");
    if (IsAllowed()) return next(alignment, size);
    errno = ENOMEM;
    return nullptr;
}

extern "C" void* mmap(void* place, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
    static const auto next = Next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
    if (IsAllowed()) return next(place, size, protection, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

void* operator new(std::size_t size) {
    void* const memory = Allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
