// SPDX-License-Identifier: MIT
#include "core/array/region_reader.h"

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "core/array/part_ranges.h"
#include "core/array/read_ahead.h"
#include "core/array/region_groups.h"
#include "core/array/region_split.h"
#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

Converter Streamed(const Converter& op, const Region& region) {
    return op.is_copy && op.dst_size != 0 && region.size() >= tuning::kStreamedFrom / op.dst_size
               ? StreamedCopyConverter(op.dst_size)
               : op;
}

bool IsObjects(const Array& array) { return array.metadata().dtype.kind == DataKind::kObject; }

}  // namespace

// Reads one region: copies each part of a chunk to its destination, in parallel. Chunks of one
// group, such as the chunks of a shard, are read together; see ChunkStore::groups().
class RegionReader {
  public:
    // All references must outlive the object. `offset` is the position in bytes of the wanted part
    // within each element. With a null destination the chunks are only loaded into the cache.
    RegionReader(const Array& array, const Region& region, std::size_t offset,
                 const Destination& destination, const ReadOptions& options, bool wants_rest);

    Status Run();

  private:
    // Ways to read a part of a chunk, if the chunk is neither pending nor cached.
    enum class Strategy {
        kFetchRange,      // fetch only the bytes needed: large chunk without codecs
        kDecodeRange,     // decode only the bytes needed: large chunk compressed by blosc
        kThroughCache,    // decode into the cache: other reads may need the rest of the chunk
        kIntoMemory,      // decode into the destination: whole chunk, copied without conversion
        kThroughScratch,  // decode into scratch memory: the chunk is not needed again
    };
    // A part of the region whose chunk must be read from the store.
    struct Wanted {
        std::uint64_t piece = 0;
        Strategy strategy = Strategy::kThroughCache;
        ChunkRequest request;
        std::uint64_t asked = 0;  // AbsentChunks::generation() before the chunk was requested
    };
    struct Group {
        std::mutex mutex;  // guards `wanted`
        std::vector<Wanted> wanted;
    };

    // Copies the parts of a small read whose chunks are cached. Returns true if no part remains to
    // be read.
    //
    // Sets `shared_from_`, the first part on which all threads work together.
    bool CopyCached();
    // Maps the memory pages of the destination in advance, with Populate(), if the destination is
    // contiguous.
    void PopulateDestination() const;
    Status ReadGroup(const RegionGroups& groups, std::uint64_t group,
                     const ReadRangesOptions& options);
    // Copies a part whose chunk is pending, cached or known to be absent. Adds any other part to
    // `group`.
    Status CopyOrAdd(const ChunkPart& part, std::uint64_t piece, Group& group);
    // Copies the part if its chunk is pending and returns true. Otherwise returns false.
    Result<bool> CopyPending(const ChunkPart& part);
    bool CopyIfCached(const ChunkPart& part);

    // Chooses the strategy for a part, and sets in `request` which bytes of the chunk are needed.
    Strategy Choose(const ChunkPart& part, ChunkRequest& request) const;
    // Copies or decodes a fetched chunk to its destination, by any strategy except kThroughCache.
    Status CopyFetched(const ChunkPart& part, const Wanted& wanted,
                       const Result<FetchedChunk>& fetched);
    // Implementations of the strategies. `bytes` are the requested bytes of the chunk.
    Status CopyRange(const ChunkPart& part, const Wanted& wanted, ByteSpan bytes);
    Status DecodeRange(const ChunkPart& part, const FetchedChunk& fetched);
    Status ReadIntoMemory(const ChunkPart& part, ByteSpan bytes);
    Status ReadThroughScratch(const ChunkPart& part, ByteSpan bytes);
    Status CopyFromCached(const ChunkPart& part, const Result<ChunkPtr>& chunk) const;
    // Reads a part of a chunk that another thread is loading into the cache: waits for that load.
    // Requests the chunk from the store only if the load ends without a result.
    Status ReadLoading(const ChunkPart& part, const Wanted& wanted,
                       const ReadRangesOptions& options);

    // Calls `work` with the ChunkPart number `piece`, after setting its threads, caching and
    // layout. Error messages start with the chunk's key.
    template <class Work>
    Status OnPart(std::uint64_t piece, const Work& work) const;

    bool IsWantedAsStored(const ChunkPart& part) const;
    ByteRanges RangesOf(const ChunkPart& part) const {
        return WantedRanges(part, region_, offset_, op_.src_size);
    }

    // Adds the request for a chunk to the read counters. Returns true if the chunk is stored, false
    // if absent. Fails if the request failed, or the decoded chunk exceeds Limit::kChunkSize.
    Result<bool> IsFound(const ChunkPart& part, const Wanted& wanted,
                         const Result<FetchedChunk>& fetched) const;
    // Count() adds to a counter of the array and to the same counter of the ArrayContext.
    // CountHere() adds only to a counter of the array.
    using Counter = std::atomic<std::uint64_t> ReadCounters::*;
    using ArrayCounter = std::atomic<std::uint64_t> ArrayCounters::*;
    void Count(Counter counter, std::uint64_t number) const;
    void CountHere(ArrayCounter counter, std::uint64_t number) const;
    void CountDecoded(std::size_t bytes) const;
    // Calls `work()`, adds the duration of `work()` to `counter`, and returns the result of
    // `work()`.
    template <class Work>
    auto Timed(ArrayCounter counter, Work&& work) const {
        return zarr::Timed(work, [&](std::uint64_t time) { CountHere(counter, time); });
    }
    Status Decode(const ChunkPart& part, ByteSpan encoded, MutableByteSpan chunk,
                  PipelineScratch& scratch);
    // Decodes a fetched chunk for the cache.
    Result<ChunkPtr> Load(const ChunkPart& part, const Wanted& wanted,
                          const Result<FetchedChunk>& fetched);
    Result<ChunkPtr> DecodeWhole(const ChunkPart& part, const FetchedChunk& fetched);

    void CopyFrom(const ChunkPart& part, const std::uint8_t* chunk) const;
    void Fill(const ChunkPart& part) const;
    void Emit(const ChunkPart& part, const DecodedChunk& chunk) const;
    std::uint8_t* MemoryOf(const ChunkPart& part) const {
        return destination_.data + part.buffer_offset;
    }

    const Array& array_;
    // Traits of the array's store. Queried once per read, because Traits() of a remote store takes
    // a lock.
    const StoreTraits traits_;
    const Region& region_;
    const std::size_t offset_;
    const Destination& destination_;
    const Converter op_;
    const std::size_t threads_;  // number of threads that may decode at once
    Semaphore decoding_;         // limits decoding to `threads_` threads; see `is_gated_`
    const bool is_preload_;
    const bool is_small_;  // true if a single thread should copy the parts whose chunks are cached
    const bool sees_pending_;
    const bool wants_rest_;
    bool cache_all_ = false;
    // Number of parts at the beginning of the region whose chunks may stay in the cache.
    std::uint64_t may_stay_;
    const RegionSplit plan_;
    // Index of the first part on which all threads work together.
    std::uint64_t shared_from_;
    std::bitset<tuning::kMaxCachedParts> copied_;  // parts that CopyCached() has copied
    const std::size_t in_flight_;                  // maximum number of chunks that are read at once
    // True if more than `threads_` threads may read, so that `decoding_` is needed.
    const bool is_gated_;
};

namespace {

std::size_t AtOnce(const Array& array, std::size_t threads, std::size_t copies, std::size_t most) {
    const std::size_t bytes = SaturatingMul(array.layouts().largest().bytes(), copies);
    const std::size_t fit = tuning::kInFlightBytes / std::max<std::size_t>(bytes, 1);
    return std::max(threads, std::min(most, fit));
}

// Returns how many chunks one read processes concurrently. The result is greater than `threads` if
// the chunks must come from a network or a disk.
std::size_t MaxConcurrentChunks(const Array& array, const RegionSplit& plan, std::size_t threads) {
    const std::size_t usual = MaxConcurrentChunks(array, threads);
    const bool may_be_on_disk =
        !array.store()->Traits().remote && plan.pieces() > threads &&
        plan.ChunkBytes(array.layouts().largest()) >= tuning::kMinBytesToCheckDisk;
    if (!may_be_on_disk) return usual;
    // Only the middle chunk is checked, as a sample of all chunks of the read.
    const DimVector<std::uint64_t> chunk = plan.At(plan.pieces() / 2).chunk;
    return array.chunks().WaitsForDisk(chunk) ? AtOnce(array, threads, 1, tuning::kDiskReads)
                                              : usual;
}

}  // namespace

std::size_t MaxConcurrentChunks(const Array& array, std::size_t threads, std::size_t copies) {
    return AtOnce(array, threads, copies, array.store()->Traits().concurrent_reads);
}

RegionReader::RegionReader(const Array& array, const Region& region, std::size_t offset,
                           const Destination& destination, const ReadOptions& options,
                           bool wants_rest)
    : array_(array),
      traits_(array.store()->Traits()),
      region_(region),
      offset_(offset),
      destination_(destination),
      op_(Streamed(destination.op, region)),
      threads_(std::max<std::size_t>(options.threads, 1)),
      decoding_(threads_),
      is_preload_(destination.data == nullptr),
      is_small_(region.size() * op_.dst_size <= tuning::kParallelReadFrom),
      sees_pending_(!is_preload_ && options.reads_pending && !array.pending().empty()),
      wants_rest_(wants_rest),
      plan_(array.layouts().grid(), region, destination.strides),
      shared_from_(plan_.pieces()),
      in_flight_(MaxConcurrentChunks(array, plan_, threads_)),
      is_gated_(in_flight_ > threads_ || !array.chunks().groups().empty()) {
    const std::uint64_t bytes = plan_.ChunkBytes(array.layouts().largest());
    const std::uint64_t most = array.context().cache().max_bytes();
    cache_all_ = options.keep == CachePolicy::kAllIfSmall && bytes <= most / tuning::kRepeatedShare;
    // If the chunks exceed the cache, only the first ones may stay in it. Otherwise the last would
    // evict the first, which the next read, such as of another band, needs first.
    may_stay_ = plan_.pieces();
    if (!IsObjects(array)) {
        // Bytes that a chunk takes in the cache.
        const std::size_t chunk =
            SaturatingAdd(array.layouts().largest().bytes(), sizeof(DecodedChunk));
        const std::uint64_t cacheable = most == 0 ? 0 : std::max<std::uint64_t>(most / chunk, 1);
        may_stay_ = std::min(may_stay_, cacheable);
    }
}

template <class Work>
Status RegionReader::OnPart(std::uint64_t piece, const Work& work) const {
    ChunkPart part = plan_.At(piece);
    part.threads = piece >= shared_from_ ? threads_ : 1;
    part.may_be_cached = piece < may_stay_;
    auto layout = array_.layouts().Of(part.chunk);
    if (!layout.ok()) return array_.Locate(layout.status(), part.chunk);
    part.layout = layout.Take();
    return array_.Locate(work(part), part.chunk);
}

void RegionReader::PopulateDestination() const {
    // If chunks come from a network or a disk, no pages are mapped in advance: threads map pages
    // while others wait for the store.
    if (in_flight_ > threads_) return;
    std::ptrdiff_t first = 0;
    std::size_t bytes = op_.dst_size;  // bytes that the destination spans in memory
    for (std::size_t i = 0; i < region_.count.size(); ++i) {
        const auto length =
            static_cast<std::ptrdiff_t>(region_.count[i] - 1) * destination_.strides[i];
        first += std::min<std::ptrdiff_t>(length, 0);
        bytes += static_cast<std::size_t>(std::abs(length));
    }
    // Pages are mapped only if the destination is contiguous. Otherwise Populate() would touch
    // memory between the elements, which the caller may not own.
    if (bytes == region_.size() * op_.dst_size)
        Populate({destination_.data + first, bytes}, threads_);
}

bool RegionReader::CopyCached() {
    const std::uint64_t pieces = plan_.pieces();
    if (is_preload_ || pieces > tuning::kMaxCachedParts) return false;
    std::bitset<tuning::kMaxCachedParts> cached;
    for (std::size_t i = 0; i < pieces && !sees_pending_; ++i) {
        const auto look = [&](const ChunkPart& part) -> Status {
            cached[i] = is_small_
                            ? CopyIfCached(part)
                            : array_.context().cache().Find(array_.IdOf(part.chunk)) != nullptr;
            return {};
        };
        // A failure is ignored here, because the later read of the part reports it.
        static_cast<void>(OnPart(i, look));
    }
    if (is_small_) copied_ = cached;
    // If the parts cannot be divided equally among the threads, all threads together process each
    // of the last, leftover parts.
    const auto missing = static_cast<std::size_t>(pieces) - cached.count();
    for (std::size_t shared = missing % threads_; shared > 0;)
        if (!cached[static_cast<std::size_t>(--shared_from_)]) --shared;
    if (pieces == 1) shared_from_ = 0;
    return is_small_ && missing == 0;
}

Status RegionReader::Run() {
    if (plan_.pieces() == 0) return {};
    if (plan_.pieces() > SIZE_MAX)
        return Status::Limit("the region overlaps too many chunks; read a smaller region");
    if (!is_preload_) PopulateDestination();
    if (CopyCached()) return {};
    const RegionGroups groups(plan_, array_.chunks().groups());
    const auto at_once =
        static_cast<std::size_t>(std::min<std::uint64_t>(groups.count(), in_flight_));
    ReadRangesOptions options;
    options.requests = std::max<std::size_t>(in_flight_ / at_once, 1);
    options.threads = std::max<std::size_t>(threads_ / at_once, 1);
    ByteGate gate(tuning::kInFlightBytes);
    options.gate = &gate;
    options.on_request = [this](std::uint64_t time) {
        CountHere(&ArrayCounters::reading_time, time);
    };
    return ParallelFor(static_cast<std::size_t>(groups.count()), at_once,
                       [&](std::size_t i) { return ReadGroup(groups, i, options); });
}

bool RegionReader::IsWantedAsStored(const ChunkPart& part) const {
    if (!op_.is_copy || offset_ != 0 || !part.fills_chunk || IsObjects(array_)) return false;
    for (std::size_t i = 0; i < part.count.size(); ++i)
        if (part.count[i] != 1 && destination_.strides[i] != part.layout->strides[i]) return false;
    return op_.src_size == array_.metadata().dtype.size;
}

void RegionReader::CopyFrom(const ChunkPart& part, const std::uint8_t* chunk) const {
    const ChunkWalk walk = WalkOf(part, region_, part.layout->strides);
    CopyBlockOn(part.threads, part.count, MemoryOf(part), destination_.strides,
                chunk + offset_ + walk.first, walk.strides, op_);
}

void RegionReader::Fill(const ChunkPart& part) const {
    const FillValue& fill = array_.metadata().fill_value;
    if (IsObjects(array_)) {
        const ObjectRef ref{fill.TrimmedBytes().data(), fill.TrimmedBytes().size()};
        FillBlock(part.count, MemoryOf(part), destination_.strides,
                  reinterpret_cast<const std::uint8_t*>(&ref), op_);
        return;
    }
    // In the metadata the fill value has the host's byte order. It is converted to the stored byte
    // order, because `op_` expects stored elements.
    std::string stored = fill.is_zero() ? std::string(op_.src_size, '\0') : fill.Bytes();
    if (!fill.is_zero())
        SwapElements(array_.metadata().dtype, reinterpret_cast<std::uint8_t*>(stored.data()), 1);
    FillBlock(part.count, MemoryOf(part), destination_.strides,
              reinterpret_cast<const std::uint8_t*>(stored.data()) + (fill.is_zero() ? 0 : offset_),
              op_);
}

void RegionReader::Emit(const ChunkPart& part, const DecodedChunk& chunk) const {
    if (chunk.absent) return Fill(part);
    CopyFrom(part, IsObjects(array_) ? chunk.objects.refs.data() : chunk.elements.data());
}

bool RegionReader::CopyIfCached(const ChunkPart& part) {
    const ChunkPtr chunk = array_.context().cache().Find(array_.IdOf(part.chunk));
    if (chunk == nullptr) return false;
    CountHere(&ArrayCounters::chunks_cached, 1);
    Emit(part, *chunk);
    return true;
}

Result<bool> RegionReader::CopyPending(const ChunkPart& part) {
    const auto pending = array_.pending().Find(array_.IdOf(part.chunk).chunk);
    if (pending == nullptr) return false;
    const std::lock_guard<std::mutex> lock(pending->mutex);
    if (pending->is_gone || !pending->is_loaded) return false;
    if (!IsObjects(array_)) {
        CopyFrom(part, pending->elements.data());
        return true;
    }
    DecodedChunk chunk(nullptr);
    ZARR_RETURN_IF_ERROR(MakeObjectChunk(pending->objects, chunk.objects));
    Emit(part, chunk);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Groups

Status RegionReader::CopyOrAdd(const ChunkPart& part, std::uint64_t piece, Group& group) {
    if (sees_pending_) {
        ZARR_ASSIGN_OR_RETURN(const bool is_pending, CopyPending(part));
        if (is_pending) return {};
    }
    const ChunkId id = array_.IdOf(part.chunk);
    if (is_preload_ ? array_.context().cache().Find(id) != nullptr : CopyIfCached(part)) return {};
    Wanted wanted;
    wanted.asked = array_.absent_.generation();
    if (array_.absent_.Has(id.chunk)) {
        if (!is_preload_) Fill(part);
        return {};
    }
    wanted.piece = piece;
    wanted.request.chunk = id.chunk;
    wanted.request.part = ValuePart::Whole(part.layout->max_encoded_bytes);
    wanted.request.threads = part.threads;
    if (!is_preload_) wanted.strategy = Choose(part, wanted.request);
    const std::lock_guard<std::mutex> lock(group.mutex);
    group.wanted.push_back(wanted);
    return {};
}

Status RegionReader::ReadGroup(const RegionGroups& groups, std::uint64_t group,
                               const ReadRangesOptions& options) {
    Group found;
    const auto size = static_cast<std::size_t>(groups.SizeOf(group));
    ZARR_RETURN_IF_ERROR(ParallelFor(size, is_small_ ? 1 : options.threads, [&](std::size_t i) {
        const std::uint64_t piece = groups.PieceAt(group, i);
        if (piece < tuning::kMaxCachedParts && copied_[static_cast<std::size_t>(piece)])
            return Status();
        return OnPart(piece, [&](const ChunkPart& part) { return CopyOrAdd(part, piece, found); });
    }));
    if (found.wanted.empty()) return {};
    // This thread claims the chunks that it reads into the cache; see ChunkCache::Claim. It waits
    // for chunks of other threads last, so that no two threads wait for each other.
    ChunkCache& cache = array_.context().cache();
    std::vector<Wanted> own;
    std::vector<Wanted> loading;
    std::vector<ChunkRequest> requests;     // one for each chunk in `own`
    std::vector<ChunkCache::Claim> claims;  // one for each chunk in `own`
    for (const Wanted& wanted : found.wanted) {
        const bool is_cached = wanted.strategy == Strategy::kThroughCache;
        ChunkCache::Claim claim;
        if (is_cached) claim = cache.TryClaim({array_.id_, wanted.request.chunk});
        if (is_cached && !claim) {
            loading.push_back(wanted);
            continue;
        }
        own.push_back(wanted);
        requests.push_back(wanted.request);
        claims.push_back(std::move(claim));
    }
    const auto take = [&](std::size_t i, const Result<FetchedChunk>& fetched) {
        return OnPart(own[i].piece, [&](const ChunkPart& part) {
            if (!claims[i]) return CopyFetched(part, own[i], fetched);
            return CopyFromCached(
                part, cache.LoadClaimed(claims[i], [&] { return Load(part, own[i], fetched); }));
        });
    };
    ZARR_RETURN_IF_ERROR(array_.chunks().Read(requests, options, take));
    return ParallelFor(loading.size(), options.requests, [&](std::size_t i) {
        return OnPart(loading[i].piece, [&](const ChunkPart& part) {
            return ReadLoading(part, loading[i], options);
        });
    });
}

Status RegionReader::ReadLoading(const ChunkPart& part, const Wanted& wanted,
                                 const ReadRangesOptions& options) {
    bool is_loaded = false;
    const auto load = [&]() -> Result<ChunkPtr> {
        is_loaded = true;
        Result<ChunkPtr> chunk = ChunkPtr();
        const auto take = [&](std::size_t, const Result<FetchedChunk>& fetched) -> Status {
            chunk = Load(part, wanted, fetched);
            return {};
        };
        ZARR_RETURN_IF_ERROR(array_.chunks().Read({wanted.request}, options, take));
        return chunk;
    };
    const auto chunk = array_.context().cache().GetOrLoad(array_.IdOf(part.chunk), load);
    if (!is_loaded) CountHere(&ArrayCounters::chunks_cached, 1);
    return CopyFromCached(part, chunk);
}

Status RegionReader::CopyFromCached(const ChunkPart& part, const Result<ChunkPtr>& chunk) const {
    if (chunk.ok() && !is_preload_) Emit(part, **chunk);
    return chunk.status();
}

Result<bool> RegionReader::IsFound(const ChunkPart& part, const Wanted& wanted,
                                   const Result<FetchedChunk>& fetched) const {
    Count(&ReadCounters::chunks_requested, 1);
    ZARR_RETURN_IF_ERROR(fetched.status());
    if (!fetched->found) {
        Count(&ReadCounters::chunks_absent, 1);
        if (traits_.caches_absence) array_.absent_.Add(wanted.request.chunk, wanted.asked);
        return false;
    }
    const std::size_t bytes = part.layout->bytes();
    if (bytes > LimitOf(Limit::kChunkSize) && wanted.request.memory.data == nullptr)
        return OverLimit(Limit::kChunkSize,
                         "the chunk decodes to " + std::to_string(bytes) + " bytes");
    Count(&ReadCounters::bytes_read, fetched->bytes.size);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Strategies

Status RegionReader::CopyFetched(const ChunkPart& part, const Wanted& wanted,
                                 const Result<FetchedChunk>& fetched) {
    ZARR_ASSIGN_OR_RETURN(const bool found, IsFound(part, wanted, fetched));
    if (!found) {
        Fill(part);
        return {};
    }
    switch (wanted.strategy) {
        case Strategy::kFetchRange:
            return CopyRange(part, wanted, fetched->bytes);
        case Strategy::kDecodeRange:
            return DecodeRange(part, *fetched);
        case Strategy::kIntoMemory:
            return ReadIntoMemory(part, fetched->bytes);
        default:
            return ReadThroughScratch(part, fetched->bytes);
    }
}

RegionReader::Strategy RegionReader::Choose(const ChunkPart& part, ChunkRequest& request) const {
    const Pipeline& pipeline = part.layout->pipeline;
    const std::size_t bytes = pipeline.chunk_bytes();
    ArrayContext& context = array_.context();
    // If read-ahead is loading the chunk, this read waits for that load. A second request would
    // fetch the chunk twice.
    if (array_.read_ahead_ != nullptr && array_.read_ahead_->loads() &&
        context.cache().IsLoading(array_.IdOf(part.chunk)))
        return Strategy::kThroughCache;
    const bool is_stored_so = pipeline.is_identity();
    // Parts of compressed chunks are decoded only in local stores. From a remote store, fetching
    // and caching the whole chunk costs less than a second request for the next part.
    const bool has_ranges = is_stored_so || (pipeline.HasRanges() && !traits_.remote);
    if (!part.covers_chunk && has_ranges && bytes >= tuning::kPartsFrom &&
        bytes <= LimitOf(Limit::kChunkSize)) {
        const ByteRanges ranges = RangesOf(part);
        // A part is decoded alone only if no further part of the chunk is expected to be read, or
        // if the chunk exceeds the cache.
        const auto is_alone = [&] {
            if (bytes > context.cache().max_bytes()) return true;
            return !wants_rest_ && context.IsFirstPartialRead(array_.IdOf(part.chunk));
        };
        if (!ranges.empty() && is_alone()) {
            if (!is_stored_so) return Strategy::kDecodeRange;
            const std::size_t begin = ranges.front().begin;
            const std::size_t length = ranges.back().end - begin;
            if (length <= bytes / 4) {
                request.part = ValuePart::Range(begin, length);
                return Strategy::kFetchRange;
            }
        }
    }
    const bool is_kept =
        part.may_be_cached && (cache_all_ || !part.covers_chunk || IsObjects(array_));
    // A partly read chunk is cached even if it is larger than the cache, because the next read may
    // need another part of it. The cache then holds only this chunk.
    if (is_kept && (bytes <= context.cache().max_bytes() || !part.covers_chunk))
        return Strategy::kThroughCache;
    if (!IsWantedAsStored(part)) return Strategy::kThroughScratch;
    if (is_stored_so) request.memory = {MemoryOf(part), bytes};
    return Strategy::kIntoMemory;
}

Status RegionReader::CopyRange(const ChunkPart& part, const Wanted& wanted, ByteSpan bytes) {
    const auto begin = static_cast<std::size_t>(wanted.request.part.offset());
    const std::size_t size = part.layout->bytes();
    if (bytes.size != wanted.request.part.length())
        return Status::Corrupt("holds " + std::to_string(begin + bytes.size) +
                               " bytes instead of " + std::to_string(size));
    CountDecoded(bytes.size);
    ArrayContext::ScratchBuffer scratch(array_.context());
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(size));
    std::copy_n(bytes.data, bytes.size, scratch->chunk.data() + begin);
    CopyFrom(part, scratch->chunk.data());
    return {};
}

Status RegionReader::DecodeRange(const ChunkPart& part, const FetchedChunk& fetched) {
    const std::size_t bytes = part.layout->bytes();
    ArrayContext::ScratchBuffer scratch(array_.context());
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    ZARR_ASSIGN_OR_RETURN(const std::size_t decoded, Timed(&ArrayCounters::decoding_time, [&] {
                              return part.layout->pipeline.DecodeRanges(
                                  fetched.bytes, RangesOf(part), scratch->chunk.span());
                          }));
    if (decoded != 0) {
        CountDecoded(decoded);
        CopyFrom(part, scratch->chunk.data());
        return {};
    }
    // The blosc frame of this chunk cannot be decoded in parts, so the whole chunk is decoded.
    ChunkCache& cache = array_.context().cache();
    const auto decode = [&] { return DecodeWhole(part, fetched); };
    // TryClaim() is called instead of GetOrLoad(), which could wait for another thread. A thread
    // that reads several chunks must not wait; see ChunkCache::Claim.
    ChunkCache::Claim claim = cache.TryClaim(array_.IdOf(part.chunk));
    return CopyFromCached(part, claim ? cache.LoadClaimed(claim, decode) : decode());
}

Status RegionReader::ReadIntoMemory(const ChunkPart& part, ByteSpan bytes) {
    const MutableByteSpan memory{MemoryOf(part), part.layout->bytes()};
    CountDecoded(memory.size);
    if (part.layout->pipeline.is_identity() && bytes.size == memory.size) {
        if (bytes.data != memory.data) std::copy_n(bytes.data, bytes.size, memory.data);
        return {};
    }
    ArrayContext::ScratchBuffer scratch(array_.context());
    return Decode(part, bytes, memory, scratch->pipeline);
}

Status RegionReader::ReadThroughScratch(const ChunkPart& part, ByteSpan bytes) {
    const std::size_t size = part.layout->bytes();
    CountDecoded(size);
    if (part.layout->pipeline.is_identity() && bytes.size == size) {
        CopyFrom(part, bytes.data);
        return {};
    }
    ArrayContext::ScratchBuffer scratch(array_.context());
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(size));
    ZARR_RETURN_IF_ERROR(Decode(part, bytes, scratch->chunk.span(), scratch->pipeline));
    CopyFrom(part, scratch->chunk.data());
    return {};
}

// ---------------------------------------------------------------------------------------------
// Decoding a chunk

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

Status RegionReader::Decode(const ChunkPart& part, ByteSpan encoded, MutableByteSpan chunk,
                            PipelineScratch& scratch) {
    std::optional<Semaphore::Pass> pass;
    if (is_gated_) pass.emplace(decoding_);
    return Timed(&ArrayCounters::decoding_time, [&] {
        return part.layout->pipeline.Decode(encoded, chunk, scratch, part.threads);
    });
}

Result<ChunkPtr> RegionReader::Load(const ChunkPart& part, const Wanted& wanted,
                                    const Result<FetchedChunk>& fetched) {
    ZARR_ASSIGN_OR_RETURN(const bool found, IsFound(part, wanted, fetched));
    if (found) return DecodeWhole(part, *fetched);
    auto absent = array_.context().cache().NewChunk();
    absent->version = fetched->version;
    absent->absent = true;
    return ChunkPtr(std::move(absent));
}

Result<ChunkPtr> RegionReader::DecodeWhole(const ChunkPart& part, const FetchedChunk& fetched) {
    CountDecoded(part.layout->bytes());
    ArrayContext::ScratchBuffer scratch(array_.context());
    auto chunk = array_.context().cache().NewChunk();
    chunk->version = fetched.version;
    if (part.layout->pipeline.decodes_objects()) {
        ZARR_RETURN_IF_ERROR(Timed(&ArrayCounters::decoding_time, [&] {
            return part.layout->pipeline.DecodeObjects(fetched.bytes, chunk->objects,
                                                       scratch->pipeline);
        }));
    } else {
        ZARR_RETURN_IF_ERROR(chunk->Allocate(part.layout->bytes()));
        ZARR_RETURN_IF_ERROR(
            Decode(part, fetched.bytes, chunk->elements.span(), scratch->pipeline));
    }
    return ChunkPtr(std::move(chunk));
}

Status ReadRegion(const Array& array, const Region& region, std::size_t offset,
                  const Destination& destination, const ReadOptions& options, bool wants_rest) {
    return RegionReader(array, region, offset, destination, options, wants_rest).Run();
}

Status PreloadRegion(const Array& array, const Region& region, std::size_t threads) {
    const Destination nowhere{nullptr, Strides(array.metadata().rank(), 0), {}};
    return RegionReader(array, region, 0, nowhere, {threads}, false).Run();
}

}  // namespace zarr
