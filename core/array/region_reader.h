// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/array/array.h"
#include "core/array/region_split.h"
#include "core/base/thread_pool.h"
#include "core/codec/codec.h"

namespace zarr {

// One read of a region: splits it at the chunk boundaries and brings each piece to its place, in
// parallel. Used once.
class RegionReader {
  public:
    // All are borrowed. `offset` is the place of the wanted part in an element.
    RegionReader(const Array& array, const Region& region, std::size_t offset,
                 const Destination& destination, const ReadOptions& options);

    // For objects, the chunks that the result refers to live as long as this reader.
    Status Run();

    // Brings the chunks into the cache and nothing to the destination.
    Status Preload();

  private:
    using Piece = ChunkPart;

    static std::size_t InFlight(const Array& array, std::size_t threads);
    Status ReadPiece(const Piece& piece);
    // The same past the cache.
    Status ReadPast(const Piece& piece);
    bool CopyIfCached(const Piece& piece);
    bool IsContiguous(const Piece& piece) const;

    // Of a chunk that is not cached, decodes no more than the piece needs, where that is much less
    // than all of it. False, with nothing read, where it is not.
    Result<bool> ReadRanges(const Piece& piece);
    Result<bool> ReadStoredRange(const Piece& piece, const ByteRanges& ranges);

    // What the store answers to `question`, unless the chunk is known to be absent.
    template <class Question>
    Result<bool> Ask(const Piece& piece, Question&& question) const;
    // Reads the stored chunk; false where it is absent.
    Result<bool> Fetch(const Piece& piece, PipelineScratch& scratch) const;
    // Counts for the array and for its context; an ArrayCounter for the array.
    using Counter = std::atomic<std::uint64_t> ReadCounters::*;
    using ArrayCounter = std::atomic<std::uint64_t> ArrayCounters::*;
    void Count(Counter counter, std::uint64_t number) const;
    void CountHere(ArrayCounter counter, std::uint64_t number) const;
    void CountDecoded(std::size_t bytes) const;
    // What `work` returns; the time that it takes is counted.
    template <class Work>
    auto Timed(ArrayCounter counter, Work&& work) const;
    Status Decode(const Piece& piece, ByteSpan encoded, MutableByteSpan chunk,
                  PipelineScratch& scratch);
    // The chunk through the cache.
    Result<ChunkPtr> Cached(const Piece& piece);
    Result<ChunkPtr> Load(const Piece& piece);
    Status ReadDirectly(const Piece& piece, MutableByteSpan memory, bool* absent);

    void CopyFrom(const Piece& piece, const std::uint8_t* chunk) const;
    void Fill(const Piece& piece) const;
    void Emit(const Piece& piece, const ChunkPtr& chunk);
    // Copies what is written but not stored yet; false where there is nothing of the kind.
    Result<bool> CopyIfPending(const Piece& piece);
    std::uint8_t* PlaceOf(const Piece& piece) const { return destination_.data + piece.place; }

    const Array& array_;
    const Region& region_;
    const std::size_t offset_;
    const Destination& destination_;
    const Converter op_;
    const std::size_t threads_;    // that decode at the same time
    const std::size_t in_flight_;  // chunks that are read or decoded at the same time
    Semaphore decoding_;           // where these are more than threads
    const bool sees_pending_;
    bool keep_all_ = false;
    std::uint64_t may_stay_;  // how many pieces, from the first on
    const RegionSplit plan_;
    std::mutex mutex_;
    std::vector<ChunkPtr> kept_;  // chunks that ObjectRefs of the result point into
};

// The bytes of a decoded chunk that a piece is made of: `walk` is its way through the chunk,
// `offset` and `size` say which part of each element is wanted. None where they are many, or a
// large part of the chunk, so that it is as well to take all of it.
ByteRanges RangesOf(const ChunkPart& piece, const ChunkWalk& walk, std::size_t offset,
                    std::size_t size, std::size_t chunk_bytes);

}  // namespace zarr
