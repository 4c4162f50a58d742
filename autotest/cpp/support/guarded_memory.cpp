// SPDX-License-Identifier: MIT
#include "autotest/cpp/support/guarded_memory.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/checked.h"

namespace zarr::test {

namespace {

#ifdef _WIN32

std::size_t PageSize() {
    SYSTEM_INFO info{};
    GetSystemInfo(&info);
    return info.dwPageSize;
}

void* Map(std::size_t size) {
    return VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

bool Protect(void* memory, std::size_t size) {
    DWORD before = 0;
    return VirtualProtect(memory, size, PAGE_NOACCESS, &before) != 0;
}

void Unmap(void* memory, std::size_t /*size*/) { VirtualFree(memory, 0, MEM_RELEASE); }

#else

std::size_t PageSize() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void* Map(std::size_t size) {
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : nullptr;
}

bool Protect(void* memory, std::size_t size) { return mprotect(memory, size, PROT_NONE) == 0; }

void Unmap(void* memory, std::size_t size) { munmap(memory, size); }

#endif

}  // namespace

GuardedMemory::~GuardedMemory() { Free(); }

void GuardedMemory::Free() {
    if (base_ != nullptr) Unmap(base_, mapped_);
    base_ = nullptr;
    usable_ = mapped_ = 0;
}

MutableByteSpan GuardedMemory::Last(std::size_t size) {
    if (base_ == nullptr || size > usable_) {
        Free();
        const std::size_t page = PageSize();
        usable_ = static_cast<std::size_t>(CeilDiv(size, page)) * page;
        mapped_ = usable_ + page;
        void* const memory = Map(mapped_);
        if (memory == nullptr) {
            std::perror("cannot map memory");
            std::abort();
        }
        base_ = static_cast<std::uint8_t*>(memory);
        if (!Protect(base_ + usable_, page)) {
            std::perror("cannot protect memory");
            std::abort();
        }
    }
    return {base_ + usable_ - size, size};
}

ByteSpan GuardedMemory::Copy(ByteSpan bytes) {
    const MutableByteSpan memory = Last(bytes.size);
    if (bytes.size != 0) std::memcpy(memory.data, bytes.data, bytes.size);
    return memory;
}

}  // namespace zarr::test
