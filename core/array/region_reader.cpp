// SPDX-License-Identifier: MIT
#include "core/array/region_reader.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

namespace zarr {

namespace {

// Below this many bytes a read whose chunks are all cached is not worth a thread.
constexpr std::uint64_t kSmallRead = std::uint64_t{1} << 18;
constexpr std::uint64_t kFewPieces = 64;
// A read of at most the cache divided by this leaves all its chunks there: it may be repeated, and
// pushes little else out.
constexpr std::uint64_t kSmallShare = 8;

// What is read and larger than this is not in the processor's caches any more when it is used.
constexpr std::uint64_t kStreamed = std::uint64_t{1} << 18;

ElementOp Streamed(const ElementOp& op, const Region& region) {
    return op.is_copy && op.dst_size != 0 && region.size() >= kStreamed / op.dst_size
               ? StreamedCopyOp(op.dst_size)
               : op;
}

// Chunks that a read over a network has under way may take so many bytes when they are decoded.
constexpr std::size_t kInFlightBytes = std::size_t{128} << 20;

bool IsObjects(const Array& array) { return array.metadata().dtype.kind == DataKind::kObject; }

}  // namespace

std::size_t RegionReader::InFlight(const Array& array, std::size_t threads) {
    const std::size_t fit =
        kInFlightBytes / std::max<std::size_t>(array.pipeline_.chunk_bytes(), 1);
    return std::max(threads, std::min(array.store()->ReadsAtOnce(), fit));
}

RegionReader::RegionReader(const Array& array, const Region& region, std::size_t offset,
                           const Destination& destination, const ReadOptions& options)
    : array_(array),
      region_(region),
      offset_(offset),
      destination_(destination),
      op_(Streamed(destination.op, region)),
      threads_(std::max<std::size_t>(options.threads, 1)),
      in_flight_(InFlight(array, threads_)),
      decoding_(threads_),
      sees_pending_(options.sees_pending && !array.pending().empty()),
      plan_(array.metadata(), region, destination.strides) {
    const std::uint64_t bytes = array.DecodedBytes(region);
    const std::uint64_t most = array.context().cache().max_bytes();
    keep_all_ = options.keep == Keep::kAllIfSmall && bytes <= most / kSmallShare;
    // Of more than the cache holds a part stays: all would push each other out before the next
    // read, say of the band that follows in the same chunks, finds one.
    may_stay_ = plan_.pieces();
    if (!IsObjects(array)) {
        const std::size_t chunk =
            SaturatingAdd(array.pipeline_.chunk_bytes(), sizeof(DecodedChunk));  // in the cache
        may_stay_ = std::min<std::uint64_t>(may_stay_, most / chunk);
    }
}

Status RegionReader::Preload() {
    return ParallelFor(static_cast<std::size_t>(plan_.pieces()), in_flight_, [&](std::size_t i) {
        const Piece piece = plan_.At(i);
        return array_.Locate(Cached(piece).status(), piece.chunk);
    });
}

Status RegionReader::Run() {
    if (plan_.pieces() == 0) return {};
    const auto read = [this](std::uint64_t index, std::size_t threads) {
        Piece piece = plan_.At(index);
        piece.threads = threads;
        piece.may_stay = index < may_stay_;
        return array_.Locate(ReadPiece(piece), piece.chunk);
    };
    if (plan_.pieces() == 1) return read(0, threads_);
    if (plan_.pieces() > SIZE_MAX) return Status::Limit("the region touches too many chunks");
    if (plan_.pieces() > kFewPieces)
        return ParallelFor(static_cast<std::size_t>(plan_.pieces()), in_flight_,
                           [&](std::size_t i) { return read(i, 1); });
    const bool is_small = region_.size() * op_.dst_size <= kSmallRead;
    ChunkCache& cache = array_.context().cache();
    std::vector<std::uint64_t> missing;
    std::vector<std::uint64_t> held;
    for (std::uint64_t i = 0; i < plan_.pieces(); ++i) {
        const Piece piece = plan_.At(i);
        if (sees_pending_ ||
            (is_small ? !CopyIfCached(piece) : cache.Find(array_.IdOf(piece.chunk)) == nullptr))
            missing.push_back(i);
        else if (!is_small)
            held.push_back(i);
    }
    // Those that are too few for all threads are shared by them.
    const std::size_t shared = missing.size() % threads_;
    return ParallelFor(missing.size() + held.size(), in_flight_, [&](std::size_t i) {
        if (i >= missing.size()) return read(held[i - missing.size()], 1);
        return read(missing[i], i >= missing.size() - shared ? threads_ : 1);
    });
}

bool RegionReader::IsContiguous(const Piece& piece) const {
    if (!op_.is_copy || offset_ != 0 || !piece.fills_chunk || IsObjects(array_)) return false;
    for (std::size_t i = 0; i < piece.count.size(); ++i)
        if (piece.count[i] != 1 && destination_.strides[i] != array_.chunk_strides_[i])
            return false;
    return op_.src_size == array_.metadata().dtype.size;
}

void RegionReader::CopyFrom(const Piece& piece, const std::uint8_t* chunk) const {
    const ChunkWalk walk = WalkOf(piece, region_, array_.chunk_strides_);
    CopyBlock(piece.count, PlaceOf(piece), destination_.strides, chunk + offset_ + walk.first,
              walk.strides, op_);
}

void RegionReader::Fill(const Piece& piece) const {
    const FillValue& fill = array_.metadata().fill_value;
    if (IsObjects(array_)) {
        const ObjectRef ref{fill.held().data(), fill.held().size()};
        FillBlock(piece.count, PlaceOf(piece), destination_.strides,
                  reinterpret_cast<const std::uint8_t*>(&ref), op_);
        return;
    }
    // `op` expects the byte order of what is stored.
    std::string stored = fill.is_zero() ? std::string(op_.src_size, '\0') : fill.Bytes();
    if (!fill.is_zero())
        SwapElements(array_.metadata().dtype, reinterpret_cast<std::uint8_t*>(stored.data()), 1);
    FillBlock(piece.count, PlaceOf(piece), destination_.strides,
              reinterpret_cast<const std::uint8_t*>(stored.data()) + (fill.is_zero() ? 0 : offset_),
              op_);
}

void RegionReader::Emit(const Piece& piece, const ChunkPtr& chunk) {
    if (chunk->absent) return Fill(piece);
    if (!IsObjects(array_)) return CopyFrom(piece, chunk->elements.data());
    CopyFrom(piece, chunk->objects.refs.data());
    if (!op_.is_copy) return;  // what was made of them stands alone
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(chunk);
}

bool RegionReader::CopyIfCached(const Piece& piece) {
    const ChunkPtr chunk = array_.context().cache().Find(array_.IdOf(piece.chunk));
    if (chunk == nullptr) return false;
    CountHere(&ArrayCounters::chunks_cached, 1);
    Emit(piece, chunk);
    return true;
}

Result<bool> RegionReader::CopyIfPending(const Piece& piece) {
    const auto pending = array_.pending().Find(array_.IdOf(piece.chunk).chunk);
    if (pending == nullptr) return false;
    const std::lock_guard<std::mutex> lock(pending->mutex);
    if (pending->is_gone || !pending->is_loaded) return false;
    if (!IsObjects(array_)) {
        CopyFrom(piece, pending->elements.data());
        return true;
    }
    auto chunk = std::make_shared<DecodedChunk>(nullptr);
    ZARR_RETURN_IF_ERROR(MakeObjectChunk(pending->objects, chunk->objects));
    Emit(piece, chunk);
    return true;
}

Status RegionReader::ReadPiece(const Piece& piece) {
    if (sees_pending_) {
        ZARR_ASSIGN_OR_RETURN(const bool is_pending, CopyIfPending(piece));
        if (is_pending) return {};
    }
    // Chunks that are used up by this read, or larger than the cache, are not worth keeping there.
    const bool keep = piece.may_stay && (keep_all_ || !piece.covers_chunk || IsObjects(array_));
    ChunkCache& cache = array_.context().cache();
    const bool fits = array_.pipeline_.chunk_bytes() <= cache.max_bytes();
    if (!piece.covers_chunk) {
        ZARR_ASSIGN_OR_RETURN(const bool is_read, ReadRanges(piece));
        if (is_read) return {};
    }
    if (keep && fits) {
        ZARR_ASSIGN_OR_RETURN(const ChunkPtr chunk, Cached(piece));
        Emit(piece, chunk);
        return {};
    }
    if (CopyIfCached(piece)) return {};
    return ReadPast(piece);
}

Status RegionReader::ReadPast(const Piece& piece) {
    bool absent = false;
    const std::size_t bytes = array_.pipeline_.chunk_bytes();
    if (IsContiguous(piece)) {
        ZARR_RETURN_IF_ERROR(ReadDirectly(piece, {PlaceOf(piece), bytes}, &absent));
        if (absent) Fill(piece);
        return {};
    }
    ReadContext::Loan scratch(array_.context());
    ZARR_ASSIGN_OR_RETURN(const bool found, Fetch(piece, scratch->pipeline));
    if (!found) {
        Fill(piece);
        return {};
    }
    CountDecoded(bytes);
    const ByteSpan encoded = std::as_const(scratch->pipeline.encoded).span();
    if (array_.pipeline_.is_identity() && encoded.size == bytes) {
        CopyFrom(piece, encoded.data);
        return {};
    }
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    ZARR_RETURN_IF_ERROR(Decode(piece, encoded, scratch->chunk.span(), scratch->pipeline));
    CopyFrom(piece, scratch->chunk.data());
    return {};
}

}  // namespace zarr
