// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <vector>

#include "core/array/array.h"
#include "core/grid/axis_split.h"

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
    // The part of the region that lies in one chunk.
    struct Piece {
        DimVector<std::uint64_t> chunk;
        DimVector<std::uint64_t> count;   // elements along each dimension
        DimVector<std::uint64_t> offset;  // in the chunk, of the first of them
        std::uint8_t* data = nullptr;     // its place in the destination
        bool covers_chunk = false;        // every element of the array in the chunk is wanted
        bool fills_chunk = false;         // and the chunk does not overhang the array
    };

    Piece PieceAt(std::uint64_t index) const;
    Status ReadPiece(const Piece& piece);
    bool CopyIfCached(const Piece& piece);
    bool IsContiguous(const Piece& piece) const;

    // Reads the stored chunk; false where it is absent.
    Result<bool> Fetch(const std::string& key, PipelineScratch& scratch) const;
    // The chunk through the cache.
    Result<ChunkPtr> Cached(const Piece& piece);
    Result<ChunkPtr> Load(const Piece& piece) const;
    Status ReadDirectly(const Piece& piece, MutableByteSpan memory, bool* absent) const;

    void CopyFrom(const Piece& piece, const std::uint8_t* chunk) const;
    void Fill(const Piece& piece) const;
    void Emit(const Piece& piece, const ChunkPtr& chunk);
    Status Locate(const Status& status, const Piece& piece) const;

    const Array& array_;
    const Region& region_;
    const std::size_t offset_;
    const Destination& destination_;
    const ElementOp& op_;
    const std::size_t threads_;
    bool keep_all_ = false;
    DimVector<AxisSplit> splits_;
    std::uint64_t pieces_ = 1;
    std::mutex mutex_;
    std::vector<ChunkPtr> kept_;  // chunks that ObjectRefs of the result point into
};

}  // namespace zarr
