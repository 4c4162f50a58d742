// SPDX-License-Identifier: MIT
#include "core/array/region_reader.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/base/limits.h"
#include "core/base/thread_pool.h"
#include "core/base/timed.h"

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

Converter Streamed(const Converter& op, const Region& region) {
    return op.is_copy && op.dst_size != 0 && region.size() >= kStreamed / op.dst_size
               ? StreamedCopyConverter(op.dst_size)
               : op;
}

// Chunks that a read over a network has under way may take so many bytes when they are decoded.
constexpr std::size_t kInFlightBytes = std::size_t{128} << 20;

bool IsObjects(const Array& array) { return array.metadata().dtype.kind == DataKind::kObject; }

// Of smaller chunks nothing is gained by taking a part.
constexpr std::size_t kLargeChunk = std::size_t{256} << 10;

constexpr std::size_t kMaxRanges = 4096;
constexpr std::size_t kSmallPart = 16;  // of the chunk, at most one of so many

// The dimension along which the elements lie closest.
std::size_t ClosestAxis(const ChunkPart& piece, const Strides& strides) {
    std::size_t closest = 0;
    for (std::size_t i = 1; i < piece.count.size(); ++i)
        if (piece.count[closest] == 1 ||
            (piece.count[i] > 1 && std::abs(strides[i]) < std::abs(strides[closest])))
            closest = i;
    return closest;
}

// Puts ranges in order and joins those that touch.
ByteRanges Joined(ByteRanges ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    ByteRanges joined;
    for (const ByteRange& range : ranges) {
        if (joined.empty() || joined.back().end < range.begin)
            joined.push_back(range);
        else
            joined.back().end = std::max(joined.back().end, range.end);
    }
    return joined;
}

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
    keep_all_ = options.keep == CachePolicy::kAllIfSmall && bytes <= most / kSmallShare;
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
    ArrayContext::ScratchBuffer scratch(array_.context());
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

// ---------------------------------------------------------------------------------------------
// The parts of single chunks

void RegionReader::Count(Counter counter, std::uint64_t number) const {
    ReadCounters& of_array = array_.counters();
    for (ReadCounters* counters : {&array_.context().counters(), &of_array})
        (counters->*counter).fetch_add(number, std::memory_order_relaxed);
}

void RegionReader::CountHere(ArrayCounter counter, std::uint64_t number) const {
    (array_.counters().*counter).fetch_add(number, std::memory_order_relaxed);
}

void RegionReader::CountDecoded(std::size_t bytes) const {
    Count(&ReadCounters::chunks_decoded, 1);
    Count(&ReadCounters::bytes_decoded, bytes);
}

template <class Work>
auto RegionReader::Timed(ArrayCounter counter, Work&& work) const {
    return zarr::Timed(work, [&](std::uint64_t time) { CountHere(counter, time); });
}

Result<bool> RegionReader::ReadRanges(const Piece& piece) {
    const Pipeline& pipeline = array_.pipeline_;
    const std::size_t bytes = pipeline.chunk_bytes();
    const bool is_stored_so = pipeline.is_identity();
    if (bytes < kLargeChunk || bytes > LimitOf(Limit::kChunkSize) ||
        !(is_stored_so || pipeline.HasRanges()))
        return false;
    // Of a compressed chunk all is fetched: over a network decoding it costs less than fetching it
    // again for the next part.
    if (!is_stored_so && array_.store_->ReadsAtOnce() > 1) return false;
    if (CopyIfCached(piece)) return true;
    const ByteRanges ranges = RangesOf(piece, WalkOf(piece, region_, array_.chunk_strides_),
                                       offset_, op_.src_size, bytes);
    if (ranges.empty()) return false;
    ArrayContext& context = array_.context();
    const ChunkId id = array_.IdOf(piece.chunk);
    if (!context.IsFirstPart(id)) return false;
    if (is_stored_so) return ReadStoredRange(piece, ranges);
    ArrayContext::ScratchBuffer scratch(context);
    auto chunk = array_.context().cache().NewChunk();
    chunk->stamp = array_.chunks().VersionOf(piece.chunk);
    ZARR_ASSIGN_OR_RETURN(const bool found, Fetch(piece, scratch->pipeline));
    if (!found) {
        Fill(piece);
        return true;
    }
    const ByteSpan encoded = std::as_const(scratch->pipeline.encoded).span();
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    ZARR_ASSIGN_OR_RETURN(const std::size_t decoded, Timed(&ArrayCounters::decoding_time, [&] {
                              return pipeline.DecodeRanges(encoded, ranges, scratch->chunk.span());
                          }));
    if (decoded != 0) {
        CountDecoded(decoded);
        CopyFrom(piece, scratch->chunk.data());
        return true;
    }
    // What was read is not read again.
    const auto decode = [&]() -> Result<ChunkPtr> {
        ZARR_RETURN_IF_ERROR(chunk->Allocate(bytes));
        CountDecoded(bytes);
        ZARR_RETURN_IF_ERROR(Decode(piece, encoded, chunk->elements.span(), scratch->pipeline));
        return ChunkPtr(std::move(chunk));
    };
    ZARR_ASSIGN_OR_RETURN(const ChunkPtr whole, context.cache().GetOrLoad(id, decode));
    Emit(piece, whole);
    return true;
}

template <class Question>
Result<bool> RegionReader::Ask(const Piece& piece, Question&& question) const {
    AbsentChunks& absent = array_.absent_;
    const std::uint64_t index = array_.IdOf(piece.chunk).chunk;
    const std::uint64_t asked = absent.moment();
    if (absent.Has(index)) return false;
    Count(&ReadCounters::chunks_requested, 1);
    ZARR_ASSIGN_OR_RETURN(const bool found, Timed(&ArrayCounters::reading_time, question));
    if (found) return true;
    Count(&ReadCounters::chunks_absent, 1);
    if (array_.store_->RemembersAbsence()) absent.Add(index, asked);
    return false;
}

Result<bool> RegionReader::ReadStoredRange(const Piece& piece, const ByteRanges& ranges) {
    const std::size_t begin = ranges.front().begin;
    const std::size_t length = ranges.back().end - begin;
    const std::size_t bytes = array_.pipeline_.chunk_bytes();
    if (length > bytes / 4) return false;
    ArrayContext::ScratchBuffer scratch(array_.context());
    Buffer& part = scratch->pipeline.encoded;
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(piece, [&] {
                              return array_.chunks().GetRange(piece.chunk, begin, length, part);
                          }));
    if (!found) {
        Fill(piece);
        return true;
    }
    if (part.size() != length)
        return Status::Corrupt("holds " + std::to_string(begin + part.size()) +
                               " bytes instead of " + std::to_string(bytes));
    Count(&ReadCounters::bytes_read, length);
    CountDecoded(length);
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    std::copy_n(std::as_const(part).data(), length, scratch->chunk.data() + begin);
    CopyFrom(piece, scratch->chunk.data());
    return true;
}

Status RegionReader::Decode(const Piece& piece, ByteSpan encoded, MutableByteSpan chunk,
                            PipelineScratch& scratch) {
    std::optional<Semaphore::Pass> pass;
    if (in_flight_ > threads_) pass.emplace(decoding_);
    return Timed(&ArrayCounters::decoding_time,
                 [&] { return array_.pipeline_.Decode(encoded, chunk, scratch, piece.threads); });
}

Result<bool> RegionReader::Fetch(const Piece& piece, PipelineScratch& scratch) const {
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(piece, [&] {
                              return array_.chunks().Get(piece.chunk, scratch.encoded,
                                                         array_.max_encoded_bytes_);
                          }));
    if (!found) return false;
    const std::size_t bytes = array_.pipeline_.chunk_bytes();
    if (bytes > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize,
                         "the chunk decodes to " + std::to_string(bytes) + " bytes");
    Count(&ReadCounters::bytes_read, scratch.encoded.size());
    return true;
}

Status RegionReader::ReadDirectly(const Piece& piece, MutableByteSpan memory, bool* absent) {
    if (array_.pipeline_.is_identity()) {
        std::size_t size = 0;
        const auto get = [&]() -> Result<bool> {
            ZARR_ASSIGN_OR_RETURN(const auto found, array_.chunks().GetInto(piece.chunk, memory));
            size = found.value_or(0);
            return found.has_value();
        };
        ZARR_ASSIGN_OR_RETURN(const bool found, Ask(piece, get));
        *absent = !found;
        if (!found) return {};
        if (size != memory.size)
            return Status::Corrupt("holds " + std::to_string(size) + " bytes instead of " +
                                   std::to_string(memory.size));
        Count(&ReadCounters::bytes_read, memory.size);
        CountDecoded(memory.size);
        return {};
    }
    ArrayContext::ScratchBuffer scratch(array_.context());
    ZARR_ASSIGN_OR_RETURN(const bool found, Fetch(piece, scratch->pipeline));
    *absent = !found;
    if (!found) return {};
    CountDecoded(memory.size);
    return Decode(piece, std::as_const(scratch->pipeline.encoded).span(), memory,
                  scratch->pipeline);
}

Result<ChunkPtr> RegionReader::Cached(const Piece& piece) {
    bool is_loaded = false;
    auto chunk = array_.context().cache().GetOrLoad(array_.IdOf(piece.chunk), [&] {
        is_loaded = true;
        return Load(piece);
    });
    if (!is_loaded) CountHere(&ArrayCounters::chunks_cached, 1);
    return chunk;
}

Result<ChunkPtr> RegionReader::Load(const Piece& piece) {
    ArrayContext::ScratchBuffer scratch(array_.context());
    auto chunk = array_.context().cache().NewChunk();
    chunk->stamp = array_.chunks().VersionOf(piece.chunk);
    ZARR_ASSIGN_OR_RETURN(const bool found, Fetch(piece, scratch->pipeline));
    chunk->absent = !found;
    if (found) CountDecoded(array_.pipeline_.chunk_bytes());
    const ByteSpan encoded = std::as_const(scratch->pipeline.encoded).span();
    if (found && array_.pipeline_.decodes_objects()) {
        ZARR_RETURN_IF_ERROR(Timed(&ArrayCounters::decoding_time, [&] {
            return array_.pipeline_.DecodeObjects(encoded, chunk->objects, scratch->pipeline);
        }));
    } else if (found) {
        ZARR_RETURN_IF_ERROR(chunk->Allocate(array_.pipeline_.chunk_bytes()));
        ZARR_RETURN_IF_ERROR(Decode(piece, encoded, chunk->elements.span(), scratch->pipeline));
    }
    return ChunkPtr(std::move(chunk));
}

// ---------------------------------------------------------------------------------------------
// Where the parts lie

ByteRanges RangesOf(const ChunkPart& piece, const ChunkWalk& walk, std::size_t offset,
                    std::size_t size, std::size_t chunk_bytes) {
    const std::size_t rank = piece.count.size();
    std::uint64_t elements = 1;
    for (const std::uint64_t count : piece.count) elements *= count;  // those of one chunk at most
    if (rank == 0 || elements > chunk_bytes / kSmallPart / std::max<std::size_t>(size, 1))
        return {};
    const std::size_t axis = ClosestAxis(piece, walk.strides);
    if (elements / piece.count[axis] > kMaxRanges) return {};
    const auto length = static_cast<std::ptrdiff_t>(piece.count[axis] - 1) * walk.strides[axis];
    ByteRanges ranges;
    DimVector<std::uint64_t> index;
    for (std::size_t i = 0; i < rank; ++i) index.push_back(0);
    for (;;) {
        std::ptrdiff_t begin = walk.first + std::min<std::ptrdiff_t>(length, 0);
        for (std::size_t i = 0; i < rank; ++i)
            begin += static_cast<std::ptrdiff_t>(index[i]) * walk.strides[i];
        const auto from = static_cast<std::size_t>(begin) + offset;
        ranges.push_back({from, from + static_cast<std::size_t>(std::abs(length)) + size});
        std::size_t i = 0;
        while (i < rank && (i == axis || ++index[i] == piece.count[i])) {
            if (i != axis) index[i] = 0;
            ++i;
        }
        if (i == rank) break;
    }
    ranges = Joined(std::move(ranges));
    std::size_t bytes = 0;
    for (const ByteRange& range : ranges) bytes += range.end - range.begin;
    return bytes > chunk_bytes / kSmallPart ? ByteRanges{} : ranges;
}

}  // namespace zarr
