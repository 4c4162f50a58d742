// SPDX-License-Identifier: MIT
#include "driver/store/local_file.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "core/base/converter.h"
#include "core/base/thread_pool.h"

#if ZARR_HAS_LOCAL_FILE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace zarr_driver {

bool IsLocalPath(const std::string& path) {
    if (STARTS_WITH(path.c_str(), "/vsi")) return false;
    const CPLStringList prefixes(VSIGetFileSystemsPrefixes());
    for (int i = 0; i < prefixes.size(); ++i) {
        if (*prefixes[i] != '\0' && STARTS_WITH(path.c_str(), prefixes[i])) return false;
    }
    return true;
}

LocalFile::LocalFile(LocalFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

LocalFile& LocalFile::operator=(LocalFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    return *this;
}

#if ZARR_HAS_LOCAL_FILE

namespace {

// Fills `memory`. 0, or an error as errno has it.
int ReadPlainly(int descriptor, std::uint64_t offset, zarr::MutableByteSpan memory) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // of one call, on any system
    for (std::size_t done = 0; done < memory.size;) {
        const ssize_t got =
            pread(descriptor, memory.data + done, std::min(memory.size - done, kMost),
                  static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : EIO;
        done += static_cast<std::size_t>(got);
    }
    return 0;
}

// True where the system copies slowly from its cache of the file: AMD's processors since Zen 3 take
// six times as long for REP MOVSB to a place that lies up to 31 bytes further in a page than the
// source does. malloc() puts all large memory at the 16th byte of a page.
bool CopiesSlowly(std::uint64_t offset, const std::uint8_t* memory) {
    constexpr std::uintptr_t kPage = 4096;
    constexpr std::uintptr_t kSlow = 32;
    const auto place = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t further = (place - static_cast<std::uintptr_t>(offset)) % kPage;
    return further != 0 && further < kSlow;
}

// The same as ReadPlainly(), by way of memory that the system copies to quickly.
int ReadThroughOther(int descriptor, std::uint64_t offset, zarr::MutableByteSpan memory) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;  // stays in the processor's cache
    zarr::Buffer piece;
    if (!piece.Reset(std::min(memory.size, kPiece)).ok() || CopiesSlowly(offset, piece.data()))
        return ReadPlainly(descriptor, offset, memory);
    int error = 0;
    for (std::size_t done = 0; done < memory.size && error == 0;) {
        const std::size_t size = std::min(memory.size - done, piece.size());
        error = ReadPlainly(descriptor, offset + done, {piece.data(), size});
        if (error == 0) zarr::StreamedCopy(memory.data + done, piece.data(), size);
        done += size;
    }
    zarr::EndStreamedCopies();
    return error;
}

int Read(int descriptor, std::uint64_t offset, zarr::MutableByteSpan memory) {
    constexpr std::size_t kWorthWhile = std::size_t{64} << 10;
    return memory.size >= kWorthWhile && CopiesSlowly(offset, memory.data)
               ? ReadThroughOther(descriptor, offset, memory)
               : ReadPlainly(descriptor, offset, memory);
}

}  // namespace

void LocalFile::Close() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

int LocalFile::Open(const std::string& path) {
    Close();
    do {
        descriptor_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) return errno == ENXIO ? ENODEV : errno;  // of a socket
    struct stat state = {};
    int error = fstat(descriptor_, &state) == 0 ? 0 : errno;
    if (error == 0 && S_ISDIR(state.st_mode)) error = EISDIR;
    if (error == 0 && !S_ISREG(state.st_mode)) error = ENODEV;
    if (error != 0) Close();
    size_ = static_cast<std::uint64_t>(state.st_size);
    return error;
}

int LocalFile::ReadAt(std::uint64_t offset, zarr::MutableByteSpan memory) const {
    // Reading into new memory costs as much as decoding, and several threads can do it.
    constexpr std::size_t kPart = std::size_t{4} << 20;
    const std::size_t threads = zarr::ThreadBudget::OfThisThread();
    const std::size_t parts = threads < 2 ? 1 : std::max<std::size_t>(memory.size / kPart, 1);
    if (parts == 1) return Read(descriptor_, offset, memory);
    std::atomic<int> error{0};
    static_cast<void>(zarr::ParallelFor(parts, threads, [&](std::size_t i) -> zarr::Status {
        const std::size_t begin = i * kPart;
        const std::size_t end = i + 1 == parts ? memory.size : begin + kPart;
        const int failed = Read(descriptor_, offset + begin, {memory.data + begin, end - begin});
        if (failed != 0) error = failed;
        return {};
    }));
    return error;
}

#else

void LocalFile::Close() {}
int LocalFile::Open(const std::string& /*path*/) { return ENOSYS; }
int LocalFile::ReadAt(std::uint64_t /*offset*/, zarr::MutableByteSpan /*memory*/) const {
    return ENOSYS;
}

#endif

}  // namespace zarr_driver
