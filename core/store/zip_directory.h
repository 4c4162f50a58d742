// SPDX-License-Identifier: MIT
// The table of contents of a zip file (PKWARE's APPNOTE.TXT, 4.3 and 4.5.3).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/store/byte_source.h"

namespace zarr {

// A member as the central directory describes it.
struct ZipMember {
    std::uint64_t header = 0;  // offset of its local header in the file
    std::uint64_t stored = 0;  // bytes in the file
    std::uint64_t size = 0;    // bytes of its contents
    std::uint32_t crc = 0;     // CRC-32 of its contents
    std::uint16_t method = 0;  // 0 stored, 8 deflated
    std::uint16_t name_size = 0;
    std::uint16_t extra_size = 0;  // of the entry here; the local header may have another
    bool is_encrypted = false;
};

// All members, by their names in the form of a key. Folders, and members whose names would lead
// elsewhere, are left out; of several of one name the last counts, as writers that add to a file
// mean it. Immutable.
class ZipDirectory {
  public:
    // Reads the end of the file and the central directory, once: two to four reads. kCorrupt where
    // the file is no zip file, or damaged; kUnsupported where it is one of several parts.
    static Result<ZipDirectory> Read(const ByteSource& source);

    ZipDirectory(ZipDirectory&&) = default;
    ZipDirectory& operator=(ZipDirectory&&) = default;
    ZipDirectory(const ZipDirectory&) = delete;
    ZipDirectory& operator=(const ZipDirectory&) = delete;
    ~ZipDirectory() = default;

    const std::unordered_map<std::string_view, ZipMember>& members() const { return members_; }
    // nullptr where there is none.
    const ZipMember* Find(std::string_view name) const;

  private:
    ZipDirectory() = default;
    Status Parse(std::uint64_t base);
    void Add(std::string_view name, const ZipMember& member);

    Buffer text_;  // the central directory, which holds most of the names
    std::deque<std::string> other_names_;
    std::unordered_map<std::string_view, ZipMember> members_;
};

// The bytes of a local header before the name, and from it the offset of the contents behind the
// header's start. kCorrupt where it is none.
inline constexpr std::size_t kZipLocalHeader = 30;
Result<std::uint64_t> ZipContentsOffset(ByteSpan header);

}  // namespace zarr
