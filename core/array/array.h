// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array_context.h"
#include "core/array/array_document.h"
#include "core/array/chunk_cache.h"
#include "core/array/chunk_layout.h"
#include "core/array/chunk_store.h"
#include "core/array/pending_chunks.h"
#include "core/base/row_converter.h"
#include "core/grid/copy.h"
#include "core/grid/region.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

// Destination of a read. `data` points at the first element of the region; `strides` are in bytes
// and may be negative. `op` converts each stored element or struct field; see ReadConverter().
struct Destination {
    std::uint8_t* data = nullptr;
    Strides strides;
    Converter op;
};

class ReadAhead;

// Policy that decides which decoded chunks a read leaves in the cache.
enum class CachePolicy : std::uint8_t {
    kPartlyRead,  // caches chunks of which the read used only a part
    kAllIfSmall,  // caches all chunks, if the read is small compared to the cache
};

struct ReadOptions {
    std::size_t threads = 1;  // maximum number of threads for the call
    CachePolicy keep = CachePolicy::kPartlyRead;
    bool reads_pending = true;  // true: return elements that were written but not stored yet
    bool looks_ahead = false;   // hint that the caller reads regions in order; see ReadAhead
};

// Result of Array::ListChunks(): the number of stored chunks, and their size.
struct ChunkListing {
    std::uint64_t chunks = 0;
    // Total stored size of the chunks and of the array's metadata documents, in bytes. nullopt if
    // the store's listing has no sizes.
    std::optional<std::uint64_t> bytes = 0;
};

// An open Zarr array. Immutable apart from caches and counters; all methods are thread-safe.
class Array {
  public:
    // Opens the array at `path` with its parsed metadata. Array objects with the same `instances`
    // share pending writes; with nullptr, this object shares none. Messages about invalid metadata
    // name the member of the metadata document. Without a `document`, CheckNotReplaced() finds
    // nothing.
    static Result<std::shared_ptr<const Array>> Open(
        std::shared_ptr<const Store> store, std::string path, ArrayMetadata metadata,
        std::shared_ptr<ArrayContext> context, std::shared_ptr<ArrayInstances> instances = nullptr,
        std::unique_ptr<const ArrayDocument> document = nullptr);
    // Returns ok if Open() would accept the codecs and shards in `metadata`; otherwise the error
    // that Open() would return. Needs no store.
    static Status CheckCodecs(const ArrayMetadata& metadata);
    // Returns ok if the codecs in `metadata` can encode chunks; otherwise an error with the reason.
    static Status CheckWritable(const ArrayMetadata& metadata);

    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    const std::string& path() const { return path_; }
    const ArrayMetadata& metadata() const { return metadata_; }
    const std::shared_ptr<const Store>& store() const { return store_; }
    ArrayContext& context() const { return *context_; }

    // Reads `region` into `destination`; absent chunks read as the fill value. `offset` is 0, or
    // the offset in bytes of a struct field within an element. For kObject, `op` must copy each
    // text, because the text is valid only during the call of `op`. Error messages start with the
    // chunk's key, or say that the array was replaced. After an error, `destination` may be partly
    // written.
    Status Read(const Region& region, std::size_t offset, const Destination& destination,
                const ReadOptions& options) const;

    // Reads `region` of a kObject array. Returns the elements in row-major order of the region.
    Result<std::vector<std::string>> ReadObjects(const Region& region, std::size_t threads) const;

    // Fails if another array has replaced this array in its store since it was opened. Costs one
    // look at the array's document. ListChunks() calls it at its end. Read() and ReadObjects() do,
    // too, if chunks were read from the store since the last call.
    Status CheckNotReplaced() const;

    // Loads the chunks that `region` touches into the cache. If the cache is too small, later
    // chunks evict earlier chunks.
    Status Preload(const Region& region, std::size_t threads) const;
    // Starts to load the chunks that `region` touches into the cache on other threads, and does not
    // wait for them. Does nothing if the store is not remote, or if a limit of ReadAhead::Load() is
    // exceeded.
    Status LoadAhead(const Region& region, std::size_t threads) const;
    // Returns the total decoded size of the chunks that `region` touches, in bytes. For kObject,
    // counts an ObjectRef for each element instead of the text.
    std::uint64_t DecodedBytes(const Region& region) const;

    // Lists the chunks in the store. All other chunks then count as absent, and cause no request,
    // until DropChanged() is called. Fails with kUnsupported if the store cannot list keys.
    Result<ChunkListing> ListChunks() const;
    std::uint64_t chunk_count() const;
    // True if ListChunks() was called, and DropChanged() was not called since.
    bool AreChunksListed() const { return absent_.is_listed(); }
    // True if the chunk is known to be absent from the store. The chunk may still have a pending
    // write.
    bool IsKnownAbsent(const DimVector<std::uint64_t>& chunk) const;

    // Updates the chunk caches after a chunk was stored or removed. This Array caches `chunk`, or
    // drops its cached chunk if `chunk` is nullptr. Other Array objects of this Zarr array drop
    // their cached chunks.
    void Replace(const ChunkId& id, const ChunkPtr& chunk) const;

    // Drops cached data that may have changed in the store. Results of loads in progress are not
    // cached either, unless the store caches absent keys.
    //
    // Pending chunks stay pending. If a pending chunk has inter-process locks
    // (PendingChunk::locks), its unwritten elements are read again, because other processes may
    // have stored new values.
    void DropChanged() const;

    // Returns the chunk grid and the layouts of its chunks.
    const ChunkLayouts& layouts() const { return layouts_; }

    // Returns the part of the store that holds the array's chunks.
    const ChunkStore& chunks() const { return *chunks_; }

    // IdOf() returns the key of a chunk in the chunk cache. ChunkAt() returns the indices of the
    // chunk with the row-major number `index`.
    ChunkId IdOf(const DimVector<std::uint64_t>& chunk) const;
    DimVector<std::uint64_t> ChunkAt(std::uint64_t index) const;
    // Adds the key and the indices of `chunk` at the start of an error message. A message that
    // already starts with the key stays unchanged.
    Status Locate(const Status& status, const DimVector<std::uint64_t>& chunk) const;

    // Returns the chunks that an ArrayWriter has changed and not yet stored. Reads return their
    // changed elements.
    PendingChunks& pending() const { return instances_->pending(); }
    // Discards all pending chunks without storing them, and drops the cached chunks of all objects
    // of this array, because the array was deleted or replaced.
    void DiscardPending() const;

    // Return the counters of this array. The ArrayContext has the counters of all arrays together.
    ArrayCounters& counters() const { return counters_; }
    WriteCounters& write_counters() const { return write_counters_; }

  private:
    friend class ArrayWriter;
    friend class RegionReader;

    Array() = default;

    // Checks the document of this array, which must not be nullptr. Drops cached chunks that may be
    // outdated, or those of another array.
    Result<ArrayDocument::State> CheckDocument() const;
    // Drops the cached chunks that may have changed in the store, and leaves pending ones alone.
    void DropCached() const;
    // Calls `read`, and checks that it has read chunks of this array. Calls `read` again if the
    // array's document has changed, because cached chunks may be outdated.
    Status ReadSame(const std::function<Status()>& read) const;

    std::shared_ptr<const Store> store_;
    std::string path_;
    ArrayMetadata metadata_;
    std::shared_ptr<ArrayContext> context_;
    ChunkLayouts layouts_;
    DimVector<std::uint64_t> chunk_counts_;  // number of chunks along each dimension
    std::uint64_t id_ = 0;
    std::shared_ptr<ArrayInstances> instances_;
    std::unique_ptr<const ChunkStore> chunks_;
    std::unique_ptr<const ArrayDocument> document_;
    mutable AbsentChunks absent_;
    mutable ArrayCounters counters_;
    mutable WriteCounters write_counters_;
    // Value of ArrayCounters::chunks_requested at the last successful CheckDocument(). The chunks
    // requested until then are known to be chunks of this array.
    mutable std::atomic<std::uint64_t> checked_{0};
    // Loads chunks in advance when regions are read in order. nullptr for kObject, and for a local
    // store whose chunks cannot be read in parts.
    std::unique_ptr<ReadAhead> read_ahead_;
};

}  // namespace zarr
