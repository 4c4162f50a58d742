// SPDX-License-Identifier: MIT
#include "driver/store/local_file.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <utility>

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
    constexpr std::size_t kMost = std::size_t{1} << 30;  // of one call, on any system
    for (std::size_t done = 0; done < memory.size;) {
        const ssize_t got =
            pread(descriptor_, memory.data + done, std::min(memory.size - done, kMost),
                  static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : EIO;
        done += static_cast<std::size_t>(got);
    }
    return 0;
}

#else

void LocalFile::Close() {}
int LocalFile::Open(const std::string& /*path*/) { return ENOSYS; }
int LocalFile::ReadAt(std::uint64_t /*offset*/, zarr::MutableByteSpan /*memory*/) const {
    return ENOSYS;
}

#endif

}  // namespace zarr_driver
