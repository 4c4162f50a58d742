// SPDX-License-Identifier: MIT
// Builds zip files byte by byte, valid or damaged.
#pragma once

#include <libdeflate.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/store/zip_reader.h"

namespace zarr::test {

// A file in memory. `*reads` counts the calls of ReadAt(), unless `reads` is null.
class MemorySource final : public ByteSource {
  public:
    explicit MemorySource(std::string bytes, bool is_remote = false, int* reads = nullptr)
        : bytes_(std::move(bytes)), is_remote_(is_remote), reads_(reads) {}

    std::uint64_t size() const override { return bytes_.size(); }
    bool is_remote() const override { return is_remote_; }
    Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const override {
        if (reads_ != nullptr) ++*reads_;
        if (offset > bytes_.size() || bytes_.size() - offset < memory.size)
            return Status::Io("read behind the end");
        if (memory.size != 0) std::memcpy(memory.data, bytes_.data() + offset, memory.size);
        return {};
    }

  private:
    const std::string bytes_;
    const bool is_remote_;
    int* const reads_;
};

struct ZipItem {
    std::string name;
    std::string contents = {};
    bool deflate = false;
    std::uint16_t method = 0xffff;  // compression method in the headers; 0xffff: the real method
    std::uint16_t flags = 0;
    std::string local_extra = {};    // extra field in the local header only
    std::uint64_t claimed_size = 0;  // size in the headers; 0: the real size
};

struct ZipShape {
    bool zip64 = false;       // all numbers in zip64 fields, and a zip64 end record
    std::string before = {};  // bytes before the archive; offsets do not count them
    std::string comment = {};
};

inline std::string Little(std::uint64_t number, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 255U);
    return text;
}

inline std::string DeflatedBare(const std::string& contents) {
    std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
        libdeflate_alloc_compressor(6), libdeflate_free_compressor);
    std::string out(libdeflate_deflate_compress_bound(compressor.get(), contents.size()), '\0');
    out.resize(libdeflate_deflate_compress(compressor.get(), contents.data(), contents.size(),
                                           out.data(), out.size()));
    return out;
}

inline std::string BuildZip(const std::vector<ZipItem>& items, const ZipShape& shape = {}) {
    std::string file;
    std::string directory;
    for (const ZipItem& item : items) {
        const std::string stored = item.deflate ? DeflatedBare(item.contents) : item.contents;
        const std::uint64_t size =
            item.claimed_size != 0 ? item.claimed_size : item.contents.size();
        const std::uint16_t method =
            item.method != 0xffff ? item.method : static_cast<std::uint16_t>(item.deflate ? 8 : 0);
        const std::uint32_t crc = libdeflate_crc32(0, item.contents.data(), item.contents.size());
        const std::string extra64 = Little(1, 2) + Little(24, 2) + Little(size, 8) +
                                    Little(stored.size(), 8) + Little(file.size(), 8);
        const std::string extra = shape.zip64 ? extra64 : "";
        const auto number = [&](std::uint64_t value) {
            return Little(shape.zip64 ? 0xffffffff : value, 4);
        };
        const std::string common = Little(item.flags, 2) + Little(method, 2) + Little(0, 4) +
                                   Little(crc, 4) + number(stored.size()) + number(size) +
                                   Little(item.name.size(), 2);
        directory += Little(0x02014b50, 4) + Little(45, 2) + Little(45, 2) + common +
                     Little(extra.size(), 2) + Little(0, 2) + Little(0, 2) + Little(0, 2) +
                     Little(0, 4) + number(file.size()) + item.name + extra;
        file += Little(0x04034b50, 4) + Little(45, 2) + common +
                Little(item.local_extra.size(), 2) + item.name + item.local_extra + stored;
    }
    const std::uint64_t at = file.size();
    file += directory;
    if (shape.zip64) {
        const std::uint64_t end = file.size();
        file += Little(0x06064b50, 4) + Little(44, 8) + Little(45, 2) + Little(45, 2) +
                Little(0, 4) + Little(0, 4) + Little(items.size(), 8) + Little(items.size(), 8) +
                Little(directory.size(), 8) + Little(at, 8);
        file += Little(0x07064b50, 4) + Little(0, 4) + Little(end, 8) + Little(1, 4);
    }
    const std::uint64_t most = shape.zip64 ? 0xffffffff : ~0ULL;
    const std::uint64_t count = shape.zip64 ? 0xffff : items.size();
    file += Little(0x06054b50, 4) + Little(0, 4) + Little(count, 2) + Little(count, 2) +
            Little(std::min<std::uint64_t>(most, shape.zip64 ? most : directory.size()), 4) +
            Little(shape.zip64 ? most : at, 4) + Little(shape.comment.size(), 2) + shape.comment;
    return shape.before + file;
}

}  // namespace zarr::test
