// SPDX-License-Identifier: MIT
// Tells whether arrays have changed since statistics or overviews were made from them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/array/array.h"
#include "core/base/digest.h"

namespace zarr_driver {

// State of arrays: digests of their metadata and of facts about their chunks. Not thread-safe.
class SourceState {
  public:
    // Adds the metadata of an array in the store at `store_path`, and the names and sizes of its
    // chunks. Chunks count only in local folders, /vsimem/ and zip files, where looking costs no
    // requests. Folders add the times of chunks, zip files add checksums, and /vsimem/ adds the
    // bytes of chunks. The folder of an array with more than kMaxInspectedChunks chunks adds its
    // own time only.
    void Add(const std::string& store_path, const zarr::Array& array);
    // Adds a text that statistics and overviews also depend on.
    void Add(const std::string& text) { documents_.Add(text); }

    static constexpr std::uint64_t kMaxInspectedChunks = 65536;

    // Returns digests separated by ":". The digests are of the documents, of the chunks if known,
    // and of the times of chunks if known.
    std::string Text() const;
    // True if `text`, a Text() of another time or store, describes equal contents, as far as both
    // texts tell. Copied chunks have other times; then no chunk may be newer than `written`.
    // `written` is the modification time of the file that holds `text`; nullopt if unknown.
    bool Matches(const std::string& text, std::optional<std::int64_t> written) const;

    // Returns when the newest chunk, its folder or its zip file was written, in nanoseconds since
    // 1970. The smallest int64 if unknown.
    std::int64_t newest_chunk() const { return newest_chunk_; }
    std::int64_t newest_document() const { return newest_document_; }

    // Returns the inode number of the last added array's folder, which a copy does not share; 0 if
    // unknown. The time of a document is no substitute, because storing statistics in Zarr v3
    // rewrites the document.
    std::uint64_t folder_id() const { return folder_id_; }

  private:
    void AddContents(const std::string& key, std::uint64_t size, std::uint64_t digest);
    void AddTime(const std::string& key, std::int64_t time);
    void AddZip(const std::string& archive, const zarr::Array& array);
    void AddFolder(const std::string& folder, const zarr::Array& array);
    void AddMemory(const std::string& folder);

    zarr::Digest documents_;
    std::uint64_t chunks_ = 0;  // sum of digests, as listings have no order
    std::uint64_t times_ = 0;   // sum of digests, likewise without order
    bool has_chunks_ = false;
    bool has_times_ = false;
    std::int64_t newest_chunk_ = std::numeric_limits<std::int64_t>::min();
    std::int64_t newest_document_ = std::numeric_limits<std::int64_t>::min();
    std::uint64_t folder_id_ = 0;
};

}  // namespace zarr_driver
