// SPDX-License-Identifier: MIT
#include "autotest/benchmark/floor_shard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t kChecksumBytes = 4;

}  // namespace

FloorShard::~FloorShard() {
    if (file_ >= 0) close(file_);
}

bool FloorShard::ReadAt(std::uint64_t offset, void* bytes, std::size_t size) const {
    auto* const begin = static_cast<std::uint8_t*>(bytes);
    for (std::size_t done = 0; done < size;) {
        const ssize_t n =
            pread(file_, begin + done, size - done, static_cast<off_t>(offset + done));
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

bool FloorShard::Open(const std::string& path, std::size_t chunks) {
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts = {};
    if (file_ < 0 || fstat(file_, &facts) != 0) return false;
    index_.resize(2 * chunks);
    const std::size_t bytes = index_.size() * sizeof(std::uint64_t);
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    return size >= bytes + kChecksumBytes &&
           ReadAt(size - bytes - kChecksumBytes, index_.data(), bytes);
}

bool FloorShard::ReadChunk(std::size_t place, FloorBuffer& bytes) const {
    const std::uint64_t offset = index_[2 * place];
    if (offset == UINT64_MAX) return false;
    bytes.Reset(static_cast<std::size_t>(index_[2 * place + 1]));
    return ReadAt(offset, bytes.data(), bytes.size());
}
