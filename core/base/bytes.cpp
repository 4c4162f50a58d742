// SPDX-License-Identifier: MIT
#include "core/base/bytes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "core/base/sanitizers.h"
#include "core/base/thread_pool.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

Status NoMemory(std::size_t size) {
    return Status::OutOfMemory("cannot allocate " + std::to_string(size) + " bytes");
}

constexpr std::size_t RoundedToLargePages(std::size_t size) {
    return (size + tuning::kLargePage - 1) / tuning::kLargePage * tuning::kLargePage;
}

// Returns how many of `size` bytes to place in large pages. A partly used last page is included
// only if the waste is at most an eighth of `size`.
constexpr std::size_t BytesInLargePages(std::size_t size) {
    const std::size_t whole = RoundedToLargePages(size);
    return whole - size <= size / 8 ? whole : whole - tuning::kLargePage;
}

// Function that allocates a block: malloc(), AllocateFromLine() or Map(), in this order.
enum class Origin { kLibrary, kFromLine, kLargePages };

constexpr Origin OriginOf(std::size_t size) {
// AddressSanitizer detects reads beyond a block only if malloc() allocated the block.
#if !ZARR_ADDRESS_SANITIZER
    if (size > SIZE_MAX / 2) return Origin::kLibrary;  // malloc() always rejects such a size
#if defined(__linux__)
    if (size >= tuning::kLargePage / 2 && BytesInLargePages(size) != 0) return Origin::kLargePages;
#endif
    if (size >= tuning::kAlignedFrom) return Origin::kFromLine;
#endif
    static_cast<void>(size);
    return Origin::kLibrary;
}

// Allocates memory that starts at a cache line (64 bytes). malloc() places large blocks 16 bytes
// into a page, and AMD processors since Zen 3 read files six times slower into such blocks. The
// reason is the instruction REP MOVSB, which is slow if the destination lies up to 31 bytes further
// in its page than the source.
std::uint8_t* AllocateFromLine(std::size_t size) {
    constexpr std::size_t kLine = 64;
    auto* const base = static_cast<std::uint8_t*>(std::malloc(size + kLine));
    if (base == nullptr) return nullptr;
    std::uint8_t* const memory = base + (kLine - reinterpret_cast<std::uintptr_t>(base) % kLine);
    // `base` fits in the gap before `memory`, because malloc() aligns blocks to at least the size
    // of a pointer.
    std::memcpy(memory - sizeof base, &base, sizeof base);
    return memory;
}

void FreeFromLine(std::uint8_t* memory) {
    std::uint8_t* base = nullptr;
    std::memcpy(&base, memory - sizeof base, sizeof base);
    std::free(base);
}

#if defined(__linux__)
// Maps `whole` bytes with mmap(), and requests large pages for the first `large` bytes.
// aligned_alloc() is not used, because glibc before 2.38 does not reuse its freed blocks.
std::uint8_t* Map(std::size_t whole, std::size_t large) {
    void* const mapped = mmap(nullptr, whole + tuning::kLargePage, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* const start = static_cast<std::uint8_t*>(mapped);
    const std::size_t before =
        (tuning::kLargePage - reinterpret_cast<std::uintptr_t>(start) % tuning::kLargePage) %
        tuning::kLargePage;
    if (before != 0) munmap(start, before);
    munmap(start + before + whole, tuning::kLargePage - before);
#if defined(MADV_HUGEPAGE)
    // madvise() only gives a hint to the kernel, so a failure is ignored.
    madvise(start + before, large, MADV_HUGEPAGE);
#endif
    return start + before;
}

void Unmap(std::uint8_t* memory, std::size_t whole) { munmap(memory, whole); }
#else
std::uint8_t* Map(std::size_t /*whole*/, std::size_t /*large*/) { return nullptr; }
void Unmap(std::uint8_t* /*memory*/, std::size_t /*whole*/) {}
#endif

}  // namespace

Status Buffer::Resize(std::size_t size) {
    if (size > capacity_) {
        const bool is_the_librarys =
            OriginOf(capacity_) == Origin::kLibrary && OriginOf(size) == Origin::kLibrary;
        auto* grown = bytes_ != nullptr && is_the_librarys
                          ? static_cast<std::uint8_t*>(std::realloc(bytes_.get(), size))
                          : AllocateBytes(size);
        if (grown == nullptr) return NoMemory(size);
        if (is_the_librarys)
            static_cast<void>(bytes_.release());
        else if (size_ != 0)
            std::memcpy(grown, bytes_.get(), size_);
        bytes_ = {grown, Free{size}};
        capacity_ = size;
    }
    size_ = size;
    return {};
}

Status Buffer::Reset(std::size_t size) {
    if (size > capacity_) {
        bytes_.reset();
        size_ = capacity_ = 0;
    }
    return Resize(size);
}

Status Buffer::Assign(ByteSpan bytes) {
    ZARR_RETURN_IF_ERROR(Reset(bytes.size));
    if (bytes.size != 0) std::memcpy(data(), bytes.data, bytes.size);
    return {};
}

Status Buffer::AssignJoined(const std::vector<ByteSpan>& parts) {
    std::size_t total = 0;
    for (const ByteSpan& part : parts)
        total += part.size;  // cannot overflow, because all parts are in memory together
    ZARR_RETURN_IF_ERROR(Reset(total));
    std::size_t at = 0;
    for (const ByteSpan& part : parts) {
        if (part.size != 0) std::memcpy(data() + at, part.data, part.size);
        at += part.size;
    }
    return {};
}

void BufferPool::SetMaxBytes(std::size_t max_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    max_bytes_ = max_bytes;
    while (bytes_ > max_bytes_) FreeLocked(idle_.begin());
}

std::size_t BufferPool::bytes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_;
}

void BufferPool::FreeLocked(Idle::iterator buffer) {
    bytes_ -= buffer->first;
    idle_.erase(buffer);
}

Status BufferPool::Acquire(std::size_t size, Buffer& buffer) {
    if (size >= tuning::kAlignedFrom) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = idle_.lower_bound(size);
        // A pooled buffer is used only if it is at most a quarter larger than `size`, because a
        // larger buffer would waste memory.
        if (found != idle_.end() && found->first - size <= size / 4) {
            buffer = std::move(found->second);
            FreeLocked(found);
        }
    }
    return buffer.Reset(size);
}

void BufferPool::Release(Buffer buffer) {
    const std::size_t size = buffer.capacity();
    if (size < tuning::kAlignedFrom) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > max_bytes_) return;
    // Evict buffers of other sizes first: a buffer of the current `size` is likely to be needed
    // again.
    while (bytes_ + size > max_bytes_) {
        const auto other = idle_.begin()->first != size ? idle_.begin() : std::prev(idle_.end());
        if (other->first == size) return;
        FreeLocked(other);
    }
    try {
        idle_.emplace(size, std::move(buffer));
        bytes_ += size;
    } catch (const std::bad_alloc&) {
        // Out of memory: the buffer is not pooled, and its destructor frees the memory.
    }
}

std::uint8_t* AllocateBytes(std::size_t size) {
    switch (OriginOf(size)) {
        case Origin::kLargePages:
            return Map(RoundedToLargePages(size), BytesInLargePages(size));
        case Origin::kFromLine:
            return AllocateFromLine(size);
        case Origin::kLibrary:
            break;
    }
    return static_cast<std::uint8_t*>(std::malloc(size));
}

void FreeBytes(std::uint8_t* memory, std::size_t size) {
    if (memory == nullptr) return;
    switch (OriginOf(size)) {
        case Origin::kLargePages:
            return Unmap(memory, RoundedToLargePages(size));
        case Origin::kFromLine:
            return FreeFromLine(memory);
        case Origin::kLibrary:
            break;
    }
    std::free(memory);
}

#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
namespace {

// True if the first, middle and last page of the memory are mapped. These three pages are taken as
// a sample of all pages.
bool HasPages(std::uint8_t* begin, std::size_t size, std::size_t page) {
    const std::array<std::size_t, 3> places{0, size / 2 / page * page, size - page};
    return std::all_of(places.begin(), places.end(), [&](std::size_t place) {
        unsigned char is_there = 0;
        const int failed = mincore(begin + place, page, &is_there);
        return failed != 0 || (is_there & 1U) != 0;
    });
}

// Returns the distance in bytes from the last multiple of `size` to `address`.
std::size_t Misalignment(const std::uint8_t* address, std::size_t size) {
    return reinterpret_cast<std::uintptr_t>(address) % size;
}

}  // namespace

void Populate(MutableByteSpan memory, std::size_t threads) {
    if (memory.size < tuning::kPopulatedFrom) return;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t before = (page - Misalignment(memory.data, page)) % page;
    std::uint8_t* const begin = memory.data + before;
    const std::size_t size = (memory.size - before) / page * page;
    if (HasPages(begin, size, page)) return;
    // Each thread gets whole large pages, so that no two threads fault the same large page.
    const std::size_t lead = Misalignment(begin, tuning::kLargePage);
    const std::size_t share =
        RoundedToLargePages((lead + size) / std::max<std::size_t>(threads, 1));
    const std::size_t parts = (lead + size + share - 1) / share;
    static_cast<void>(ParallelFor(parts, threads, [&](std::size_t i) -> Status {
        const std::size_t from = std::max(lead, i * share) - lead;
        const std::size_t to = std::min(lead + size, (i + 1) * share) - lead;
        // Mapping the pages in advance only saves time, so a failure is ignored.
        madvise(begin + from, to - from, MADV_POPULATE_WRITE);
        return {};
    }));
}
#else
void Populate(MutableByteSpan /*memory*/, std::size_t /*threads*/) {}
#endif

}  // namespace zarr
