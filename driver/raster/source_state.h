// SPDX-License-Identifier: MIT
// What statistics and overviews were made from, told from what it has become since.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/array/array.h"
#include "core/base/digest.h"

namespace zarr_driver {

// The state of arrays, found without reading their chunks. Not thread-safe.
class SourceState {
  public:
    // Adds an array of the store at `store_path`: its document, and where looking costs no requests
    // (local folders, /vsimem/, zip files) the names, sizes and times of its chunks; in /vsimem/,
    // which has whole seconds, their bytes, and in a zip file their checksums. Of more than
    // kMostChunks it looks at the time of their folder.
    void Add(const std::string& store_path, const zarr::Array& array);
    // Adds what else the numbers depend on.
    void Add(const std::string& text) { documents_.Add(text); }

    static constexpr std::uint64_t kMostChunks = 65536;

    // Digests with ":" between: of documents; where they were looked at, of chunks; and of their
    // times, where these are not part of that.
    std::string Text() const;
    // True where a Text(), of another time or place, is of the same contents: as far as both say.
    // Of a copy, whose chunks have other times, that is so where `written`, when the file with the
    // text was written, is not before them; none: not known.
    bool Matches(const std::string& text, std::optional<std::int64_t> written) const;

    // When a chunk, or the array itself, was written last, in nanoseconds since 1970; the least
    // number where that is not known.
    std::int64_t newest_chunk() const { return newest_chunk_; }
    std::int64_t newest_document() const { return newest_document_; }

    // Tells the folder of the array that was added last from a copy of it; 0 where there is none,
    // or the system does not say. The time of a document does not: one of Zarr v3 is written anew
    // with the statistics in it.
    std::uint64_t folder_id() const { return folder_id_; }

  private:
    void AddContents(const std::string& key, std::uint64_t size, std::uint64_t digest);
    void AddTime(const std::string& key, std::int64_t time);
    void AddZip(const std::string& archive, const zarr::Array& array);
    void AddFolder(const std::string& folder, const zarr::Array& array);
    void AddMemory(const std::string& folder);

    zarr::Digest documents_;
    std::uint64_t chunks_ = 0;  // a sum of digests, as listings have no order
    std::uint64_t times_ = 0;   // the same
    bool has_chunks_ = false;
    bool has_times_ = false;
    std::int64_t newest_chunk_ = std::numeric_limits<std::int64_t>::min();
    std::int64_t newest_document_ = std::numeric_limits<std::int64_t>::min();
    std::uint64_t folder_id_ = 0;
};

}  // namespace zarr_driver
