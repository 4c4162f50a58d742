// SPDX-License-Identifier: MIT
#include "core/store/local_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/converter.h"
#include "core/base/thread_pool.h"
#include "core/base/tuning.h"

#if ZARR_HAS_POSIX_FILES
#include <dirent.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace zarr {

#if ZARR_HAS_POSIX_FILES

int RemoveFile(const std::string& path) { return unlink(path.c_str()) == 0 ? 0 : errno; }

int ReadDescriptor(int descriptor, std::uint64_t offset, MutableByteSpan memory) {
    // Maximum number of bytes that one call of pread() reads on every system.
    constexpr std::size_t kMost = std::size_t{1} << 30;
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

struct CloseListing {
    void operator()(DIR* listing) const { closedir(listing); }
};

EntryType TypeOf(const dirent& entry) {
    if (entry.d_type == DT_LNK || entry.d_type == DT_UNKNOWN) return EntryType::kUnknown;
    return entry.d_type == DT_DIR ? EntryType::kFolder : EntryType::kOther;
}

}  // namespace

int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit) {
    const std::unique_ptr<DIR, CloseListing> listing(opendir(folder.c_str()));
    if (listing == nullptr) return errno;
    for (;;) {
        errno = 0;
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this listing
        const dirent* const entry = readdir(listing.get());
        if (entry == nullptr) return errno;
        const std::string name = entry->d_name;
        if (name != "." && name != ".." && !visit(name, TypeOf(*entry))) return 0;
    }
}

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
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

int LocalFile::Open(const std::string& path) {
    Close();
    do {
        descriptor_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    // open() fails with ENXIO for a socket. Callers expect ENODEV.
    if (descriptor_ < 0) return errno == ENXIO ? ENODEV : errno;
    struct stat state = {};
    int error = fstat(descriptor_, &state) == 0 ? 0 : errno;
    if (error == 0 && S_ISDIR(state.st_mode)) error = EISDIR;
    if (error == 0 && !S_ISREG(state.st_mode)) error = ENODEV;
    if (error != 0) Close();
    size_ = static_cast<std::uint64_t>(state.st_size);
    modified_ = ModificationTime(state);
    number_ = static_cast<std::uint64_t>(state.st_ino);
    return error;
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
#if defined(RWF_NOWAIT)
    std::uint8_t byte = 0;
    const iovec place{&byte, 1};
    return preadv2(descriptor_, &place, 1, static_cast<off_t>(offset), RWF_NOWAIT) < 0 &&
           errno == EAGAIN;
#else
    static_cast<void>(offset);
    return false;
#endif
}

#else

int RemoveFile(const std::string& path) { return std::remove(path.c_str()) == 0 ? 0 : errno; }

int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit) {
    std::error_code error;
    std::filesystem::directory_iterator it(folder, error);
    for (; !error && it != std::filesystem::directory_iterator(); it.increment(error))
        if (!visit(it->path().filename().string(), EntryType::kUnknown)) return 0;
    return error.value();
}

bool LocalFile::WaitsForDisk(std::uint64_t /*offset*/) const { return false; }

LocalFile::LocalFile(LocalFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), size_(other.size_) {}

LocalFile& LocalFile::operator=(LocalFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(size_, other.size_);
    return *this;
}

void LocalFile::Close() {
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
}

int LocalFile::Open(const std::string& path) {
    Close();
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status state = fs::status(path, error);
    if (fs::is_directory(state)) return EISDIR;
    if (fs::exists(state) && !fs::is_regular_file(state)) return ENODEV;
    file_ = std::fopen(path.c_str(), "rb");
    if (file_ == nullptr) return errno;
    // No buffer is used, because each value is read in one piece.
    std::setvbuf(file_, nullptr, _IONBF, 0);
    // The size is that of the open file, because the path may name another file by now.
    const long end = std::fseek(file_, 0, SEEK_END) == 0 ? std::ftell(file_) : -1;
    if (end < 0) {
        const int failed = errno;
        Close();
        return failed;
    }
    size_ = static_cast<std::uint64_t>(end);
    return 0;
}

int LocalFile::ReadAt(std::uint64_t offset, MutableByteSpan memory) const {
    if (memory.size == 0) return 0;
    if (std::fseek(file_, 0, SEEK_SET) != 0) return errno;
    // Moves in steps, because an offset of fseek() may have only 32 bits.
    for (std::uint64_t left = offset; left > 0;) {
        const long step = static_cast<long>(std::min<std::uint64_t>(left, 1U << 30));
        if (std::fseek(file_, step, SEEK_CUR) != 0) return errno;
        left -= static_cast<std::uint64_t>(step);
    }
    if (std::fread(memory.data, 1, memory.size, file_) == memory.size) return 0;
    return std::ferror(file_) != 0 ? errno : EIO;
}

#endif

std::string SmallFile(const std::string& path, std::uint64_t most) {
    LocalFile file;
    if (file.Open(path) != 0 || file.size() > most) return {};
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
    return file.ReadAt(0, {bytes, text.size()}) == 0 ? text : std::string();
}

}  // namespace zarr
