// SPDX-License-Identifier: MIT
#include "core/store/local_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "core/base/row_converter.h"
#include "core/base/thread_pool.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

// True if the system copies slowly from its page cache to `memory`. On AMD processors since Zen 3,
// REP MOVSB is slow if the destination is up to 31 bytes further in its page than the source.
// malloc() places large blocks 16 bytes into a page.
bool CopiesSlowly(std::uint64_t offset, const std::uint8_t* memory) {
    constexpr std::uintptr_t kPage = 4096;
    constexpr std::uintptr_t kSlow = 32;
    const auto place = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t further = (place - static_cast<std::uintptr_t>(offset)) % kPage;
    return further != 0 && further < kSlow;
}

// Fills `memory` with bytes of the open file `descriptor`, from `offset` on. Reads through a second
// buffer, to which the system copies quickly.
int ReadThroughBuffer(int descriptor, std::uint64_t offset, MutableByteSpan memory) {
    Buffer piece;
    if (!piece.Reset(std::min(memory.size, tuning::kBounceBuffer)).ok() ||
        CopiesSlowly(offset, piece.data()))
        return ReadDescriptor(descriptor, offset, memory);
    int error = 0;
    for (std::size_t done = 0; done < memory.size && error == 0;) {
        const std::size_t size = std::min(memory.size - done, piece.size());
        error = ReadDescriptor(descriptor, offset + done, {piece.data(), size});
        if (error == 0) StreamedCopy(memory.data + done, piece.data(), size);
        done += size;
    }
    EndStreamedCopies();
    return error;
}

int Read(int descriptor, std::uint64_t offset, MutableByteSpan memory) {
    return memory.size >= tuning::kBouncedFrom && CopiesSlowly(offset, memory.data)
               ? ReadThroughBuffer(descriptor, offset, memory)
               : ReadDescriptor(descriptor, offset, memory);
}

}  // namespace

LocalFile::LocalFile(LocalFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      modified_(other.modified_),
      number_(other.number_) {}

LocalFile& LocalFile::operator=(LocalFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    std::swap(modified_, other.modified_);
    std::swap(number_, other.number_);
    return *this;
}

void LocalFile::Close() {
    if (descriptor_ >= 0) CloseDescriptor(descriptor_);
    descriptor_ = -1;
}

int LocalFile::Open(const std::string& path) {
    Close();
    descriptor_ = OpenDescriptor(path, OpenAs::kRead);
    // open() fails with ENXIO for a socket. Callers expect ENODEV.
    if (descriptor_ < 0) return errno == ENXIO ? ENODEV : errno;
    const auto state = StateOf(descriptor_);
    int error = state ? 0 : errno;
    if (error == 0 && state->type == FileType::kFolder) error = EISDIR;
    if (error == 0 && state->type != FileType::kFile) error = ENODEV;
    if (error != 0) {
        Close();
        return error;
    }
    size_ = state->size;
    modified_ = state->modified;
    number_ = state->number;
    return 0;
}

int LocalFile::ReadAt(std::uint64_t offset, MutableByteSpan memory) const {
    const std::size_t threads = ThreadBudget::OfThisThread();
    const std::size_t parts =
        threads < 2 ? 1 : std::max<std::size_t>(memory.size / tuning::kFilePart, 1);
    if (parts == 1) return Read(descriptor_, offset, memory);
    std::atomic<int> error{0};
    static_cast<void>(ParallelFor(parts, threads, [&](std::size_t i) -> Status {
        const std::size_t begin = i * tuning::kFilePart;
        const std::size_t end = i + 1 == parts ? memory.size : begin + tuning::kFilePart;
        const int failed = Read(descriptor_, offset + begin, {memory.data + begin, end - begin});
        if (failed != 0) error = failed;
        return {};
    }));
    return error;
}

bool LocalFile::WaitsForDisk(std::uint64_t offset) const {
    return zarr::WaitsForDisk(descriptor_, offset);
}

std::string SmallFile(const std::string& path, std::uint64_t most) {
    LocalFile file;
    if (file.Open(path) != 0 || file.size() > most) return {};
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
    return file.ReadAt(0, {bytes, text.size()}) == 0 ? text : std::string();
}

}  // namespace zarr
