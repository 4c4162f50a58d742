// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array_context.h"
#include "core/array/chunk_cache.h"
#include "core/array/chunk_layout.h"
#include "core/array/chunk_store.h"
#include "core/array/pending_chunks.h"
#include "core/base/converter.h"
#include "core/grid/copy.h"
#include "core/grid/region.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

// Where a region is read to, and how. `data` is the place of the region's first element; `strides`
// may be negative. `op` turns stored elements, or the part of them that is read, into what arrives;
// see ReadConverter() for the plain ones.
struct Destination {
    std::uint8_t* data = nullptr;
    Strides strides;
    Converter op;
};

class ReadAhead;

// Which chunks a read leaves in the cache, beside those it found there.
enum class CachePolicy : std::uint8_t {
    kPartlyRead,  // those that hold more than what was read
    kAllIfSmall,  // all, where what is read is small beside the cache
};

struct ReadOptions {
    std::size_t threads = 1;  // at most so many
    CachePolicy keep = CachePolicy::kPartlyRead;
    bool sees_pending = true;  // what was written and is not stored yet
    bool looks_ahead = false;  // for a reader that may go on in order, see ReadAhead
};

// What the store has of an array.
struct ChunkListing {
    std::uint64_t chunks = 0;
    // Of the chunks and the array's documents, as stored; none where the listing did not tell.
    std::optional<std::uint64_t> bytes = 0;
};

// An opened Zarr array. Its description is immutable, so all methods may be called from several
// threads.
class Array {
  public:
    // Binds the metadata of the array at `path` to its store. `instances`, of the same metadata,
    // has what is written to the array through others; nullptr where there are none. Errors name
    // the member of `.zarray`.
    static Result<std::shared_ptr<const Array>> Open(
        std::shared_ptr<const Store> store, std::string path, ArrayMetadata metadata,
        std::shared_ptr<ArrayContext> context, std::shared_ptr<ArrayInstances> instances = nullptr);
    // What Open() would say of the codecs, without a store.
    static Status CheckCodecs(const ArrayMetadata& metadata);
    // Why chunks of such an array could not be encoded; ok where they could.
    static Status CheckWritable(const ArrayMetadata& metadata);

    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    const std::string& path() const { return path_; }
    const ArrayMetadata& metadata() const { return metadata_; }
    const std::shared_ptr<const Store>& store() const { return store_; }
    ArrayContext& context() const { return *context_; }

    // Reads `region` into `destination`. `offset` is where in each element the wanted part starts,
    // in bytes: 0, or the offset of a field of a structured type. Chunks that are absent give the
    // fill value. Errors start with the chunk's key; what was read before one is in place, the rest
    // is as it was. Elements of kObject are each an ObjectRef, whose text lives as long as the
    // call: the op must copy it.
    Status Read(const Region& region, std::size_t offset, const Destination& destination,
                const ReadOptions& options) const;

    // Reads `region` of a kObject array, in row-major order of the region.
    Result<std::vector<std::string>> ReadObjects(const Region& region, std::size_t threads) const;

    // Loads the chunks that `region` touches into the cache; those that do not fit in it together
    // push each other out.
    Status Preload(const Region& region, std::size_t threads) const;
    // Begins to do so on other threads where each read takes a while, as far as the cache has room;
    // does nothing elsewhere.
    Status LoadAhead(const Region& region, std::size_t threads) const;
    // Bytes that the chunks of `region` take when decoded; those of objects count their references
    // only.
    std::uint64_t DecodedBytes(const Region& region) const;

    // Lists the chunks that are in the store; those that are not are not asked for from then on,
    // until DropChanged(). kUnsupported where the store cannot list.
    Result<ChunkListing> ListChunks() const;
    std::uint64_t chunk_count() const;
    // True after ListChunks(), until DropChanged().
    bool AreChunksListed() const { return absent_.is_listed(); }
    // True for a chunk that is known not to be in the store; what is written and not stored yet
    // does not count.
    bool IsKnownAbsent(const DimVector<std::uint64_t>& chunk) const;

    // To be called after a chunk was stored or removed, or may have been by others: holds `chunk`,
    // or nothing where it is nullptr, in place of what was held. The array's instances hold
    // nothing.
    void Replace(const ChunkId& id, const ChunkPtr& chunk) const;

    // Drops what may have changed in the store since it was read, or began to be, and reads again
    // what of pending chunks with locks others may have stored.
    void DropChanged() const;

    // How it is divided into chunks, and what those of one shape have in common.
    const ChunkLayouts& layouts() const { return layouts_; }

    // Where its chunks are stored.
    const ChunkStore& chunks() const { return *chunks_; }

    // A chunk's index in the cache, and the chunk of such an index.
    ChunkId IdOf(const DimVector<std::uint64_t>& chunk) const;
    DimVector<std::uint64_t> ChunkAt(std::uint64_t index) const;
    // An error about a chunk, with its name and place in front; errors of the store have the name.
    Status Locate(const Status& status, const DimVector<std::uint64_t>& chunk) const;

    // What an ArrayWriter of this array or a peer has taken and not stored yet. Reading sees it.
    PendingChunks& pending() const { return instances_->pending(); }
    // Forgets all of that, unstored.
    void DiscardPending() const;

    // What was done with this array, of what the counters of context() have of all.
    ArrayCounters& counters() const { return counters_; }
    WriteCounters& write_counters() const { return write_counters_; }

  private:
    friend class ArrayWriter;
    friend class RegionReader;

    Array() = default;

    std::shared_ptr<const Store> store_;
    std::string path_;
    ArrayMetadata metadata_;
    std::shared_ptr<ArrayContext> context_;
    ChunkLayouts layouts_;
    DimVector<std::uint64_t> chunk_counts_;  // chunks along each dimension
    std::uint64_t id_ = 0;
    std::shared_ptr<ArrayInstances> instances_;
    std::unique_ptr<const ChunkStore> chunks_;
    mutable AbsentChunks absent_;
    mutable ArrayCounters counters_;
    mutable WriteCounters write_counters_;
    std::unique_ptr<ReadAhead> read_ahead_;  // nullptr where it would not help
};

}  // namespace zarr
