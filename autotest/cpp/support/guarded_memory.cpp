// SPDX-License-Identifier: MIT
#include "autotest/cpp/support/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/checked.h"

namespace zarr::test {

GuardedMemory::~GuardedMemory() { Free(); }

void GuardedMemory::Free() {
    if (base_ != nullptr) munmap(base_, mapped_);
    base_ = nullptr;
    usable_ = mapped_ = 0;
}

MutableByteSpan GuardedMemory::Last(std::size_t size) {
    if (base_ == nullptr || size > usable_) {
        Free();
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        usable_ = static_cast<std::size_t>(CeilDiv(size, page)) * page;
        mapped_ = usable_ + page;
        void* const memory =
            mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            std::perror("mmap");
            std::abort();
        }
        base_ = static_cast<std::uint8_t*>(memory);
        if (mprotect(base_ + usable_, page, PROT_NONE) != 0) {
            std::perror("mprotect");
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
