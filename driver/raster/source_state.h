// SPDX-License-Identifier: MIT
// SourceState shows whether arrays have changed since statistics or overviews were computed from
// them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/array/array.h"
#include "core/base/digest.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// State of arrays: digests (short checksums) of their metadata, and of facts about their chunks.
// Not thread-safe.
class SourceState {
  public:
    SourceState() = default;
    // Returns a state without checksums of the chunks in a zip file. It matches the state of the
    // folder from which the zip file was made.
    static SourceState LikeFolder() {
        SourceState state;
        state.is_like_folder_ = true;
        return state;
    }

    // Adds the metadata of an array in `store`, and facts about its chunks.
    // Chunks are examined only where this costs no requests: in local folders, /vsimem/ and zip
    // files.
    //
    // The facts are the name and size of each chunk, and its time in a folder, its checksum in a
    // zip file, or its bytes in /vsimem/. If a folder has more than kMaxInspectedChunks chunks,
    // only the time of the folder is added.
    void Add(const StoreAddress& store, const zarr::Array& array);
    // Adds a text about another input of the statistics or overviews, such as an attribute.
    void Add(const std::string& text) { documents_.Add(text); }

    static constexpr std::uint64_t kMaxInspectedChunks = 65536;

    // Returns the state as text: digests, separated by ":", of the documents, of the chunks, and of
    // the chunks' times. A digest is left out if its facts are unknown.
    std::string Text() const;
    // Returns the part of Text() about chunks. Empty if their facts are unknown.
    std::string Chunks() const { return Text().substr(documents_.Text().size()); }
    // True if `text`, the Text() of an earlier state or of another store, describes equal contents.
    // Only facts that both states have are compared. If the times of chunks differ, as in a copied
    // store, no chunk may be newer than `written`. `written` is the modification time of the file
    // that contains `text`, or nullopt if unknown.
    bool Matches(const std::string& text, std::optional<std::int64_t> written) const;

    // Returns the digest of the arrays' metadata and of the added texts.
    std::string Documents() const { return documents_.Text(); }
    // True if the arrays may have been replaced after `written`, in nanoseconds since 1970. Changed
    // attributes of a Zarr v3 array also make its document newer. If `documents`, the Documents()
    // at that time, is known, the arrays count as replaced only if it differs or if no chunk is
    // older than `written`.
    bool MayBeReplacedSince(std::int64_t written, const std::string& documents) const;

    // Returns when the newest chunk, its folder or its zip file was written, in nanoseconds since
    // 1970. Returns the smallest int64 if the time is unknown.
    std::int64_t newest_chunk() const { return newest_chunk_; }
    std::int64_t newest_document() const { return newest_document_; }

    // Returns the inode number of the folder of the array that was added last, or 0 if unknown. A
    // copied folder has another number. The time of the metadata document cannot show a copy,
    // because storing statistics in Zarr v3 rewrites the document.
    std::uint64_t folder_id() const { return folder_id_; }

  private:
    void AddContents(const std::string& key, std::uint64_t size, std::uint64_t digest);
    void AddTime(const std::string& key, std::int64_t time);
    void AddTime(std::int64_t time);
    void AddZip(const std::string& archive, const zarr::Array& array);
    void AddFolder(const std::string& folder, const zarr::Array& array);
    void AddMemory(const std::string& folder);

    bool is_like_folder_ = false;
    zarr::Digest documents_;
    std::uint64_t chunks_ = 0;  // sum of digests, independent of the order of chunks
    std::uint64_t times_ = 0;   // sum of digests, independent of the order of chunks
    bool has_chunks_ = false;
    bool has_times_ = false;
    std::int64_t newest_chunk_ = std::numeric_limits<std::int64_t>::min();
    std::int64_t oldest_chunk_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t newest_document_ = std::numeric_limits<std::int64_t>::min();
    std::uint64_t folder_id_ = 0;
};

}  // namespace zarr_driver
