// SPDX-License-Identifier: MIT
#include "core/array/region_reader.h"

#include <algorithm>
#include <cstdlib>
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

// So many reads at the same time keep a disk busy.
constexpr std::size_t kDiskReads = 32;
// The store is not asked whether a disk is waited for, where fewer bytes are decoded.
constexpr std::uint64_t kWorthAsking = std::uint64_t{1} << 20;

// Chunks that a call has under way over a network or from a disk may take so many bytes when they
// are decoded.
constexpr std::size_t kInFlightBytes = std::size_t{128} << 20;

bool IsObjects(const Array& array) { return array.metadata().dtype.kind == DataKind::kObject; }

// Of smaller chunks nothing is gained by taking a part.
constexpr std::size_t kLargeChunk = std::size_t{256} << 10;

}  // namespace

// One read of a region: splits it at the chunk boundaries and brings each part to its place, in
// parallel. Used once.
class RegionReader {
  public:
    // All are borrowed. `offset` is the place of the wanted part in an element.
    RegionReader(const Array& array, const Region& region, std::size_t offset,
                 const Destination& destination, const ReadOptions& options, bool wants_rest);

    Status Run();

    // Brings the chunks into the cache and nothing to the destination.
    Status Preload();

  private:
    // Has the system give the destination its pages, where it is one run of bytes.
    void PopulateDestination() const;
    // Sets the layout of its chunk.
    Status Bind(ChunkPart& part) const;
    Status ReadPart(ChunkPart& part);
    ChunkPart PartAt(std::uint64_t piece) const;

    // Chunks that are stored together are read together.
    Status ReadGroups(const ChunkGroups& groups, bool is_preload);
    Status ReadGroup(const ChunkGroups& groups, const RegionGroups& pieces, std::uint64_t group,
                     const FetchOptions& options, bool is_preload);

    // What is copied is there already; false where it is not.
    Result<bool> CopyIfPending(const ChunkPart& part);
    bool CopyIfCached(const ChunkPart& part);

    // How a part of a chunk is read that is neither pending nor cached.
    enum class Strategy {
        kFetchRange,      // fetched alone: of a large chunk without codecs
        kDecodeRange,     // decoded alone: of a large chunk whose blosc can do that
        kThroughCache,    // copied from the chunk in the cache, where others may want the rest
        kIntoPlace,       // decoded where it is wanted: a whole chunk, wanted as it is stored
        kThroughScratch,  // copied from scratch memory: a chunk that this read uses up
    };
    // The pieces of a group by how they are read.
    struct GroupPieces {
        struct Wanted {
            std::uint64_t piece;
            Strategy strategy;
            ChunkCache::Claim claim;  // of what goes through the cache
        };
        std::vector<Wanted> together;
        std::vector<std::uint64_t> chunks;  // of these
        std::vector<std::uint64_t> apart;   // parts of large chunks
        std::vector<std::uint64_t> held;    // what is here already
        std::vector<std::uint64_t> coming;  // what others are loading
        std::uint64_t asked = 0;            // see AbsentChunks
    };
    // Puts a piece where it belongs; reads one whose chunk is known to be absent.
    Status SortOut(std::uint64_t piece, bool is_preload, GroupPieces& sorted);
    // Claims what goes through the cache of `together`, and leaves out what others load. Nothing
    // else may be waited for from here on until all of that is read.
    void ClaimChunks(GroupPieces& sorted);
    Status ReadFetched(GroupPieces& sorted, std::size_t place, const FetchedChunk& fetched,
                       bool is_preload);
    // Of kFetchRange and kDecodeRange, `ranges` are the bytes of the decoded chunk that are wanted.
    Strategy Choose(const ChunkPart& part, ByteRanges& ranges) const;
    Status ReadBy(Strategy strategy, const ChunkPart& part, const ByteRanges& ranges);
    // One for each strategy.
    Status FetchRange(const ChunkPart& part, const ByteRanges& ranges);
    Status DecodeRange(const ChunkPart& part, const ByteRanges& ranges);
    Status ReadThroughCache(const ChunkPart& part);
    Status ReadIntoPlace(const ChunkPart& part);
    Status ReadThroughScratch(const ChunkPart& part);

    bool IsWantedAsStored(const ChunkPart& part) const;
    ByteRanges RangesOf(const ChunkPart& part) const {
        return WantedRanges(part, region_, offset_, op_.src_size);
    }

    // What the store answers to `question`, unless the chunk is known to be absent.
    template <class Question>
    Result<bool> Ask(const ChunkPart& part, Question&& question) const;
    // Reads the stored chunk, into scratch memory unless it is there already; nothing where it is
    // absent.
    Result<std::optional<ByteSpan>> Fetch(const ChunkPart& part, PipelineScratch& scratch) const {
        return Fetch(part, scratch, nullptr);
    }
    // The same; `version` becomes that of before it was read.
    Result<std::optional<ByteSpan>> Fetch(const ChunkPart& part, PipelineScratch& scratch,
                                          ObjectVersion* version) const;
    // Counts for the array and for its context; an ArrayCounter for the array.
    using Counter = std::atomic<std::uint64_t> ReadCounters::*;
    using ArrayCounter = std::atomic<std::uint64_t> ArrayCounters::*;
    void Count(Counter counter, std::uint64_t number) const;
    void CountHere(ArrayCounter counter, std::uint64_t number) const;
    void CountDecoded(std::size_t bytes) const;
    // What `work` returns; the time that it takes is counted.
    template <class Work>
    auto Timed(ArrayCounter counter, Work&& work) const {
        return zarr::Timed(work, [&](std::uint64_t time) { CountHere(counter, time); });
    }
    Status Decode(const ChunkPart& part, ByteSpan encoded, MutableByteSpan chunk,
                  PipelineScratch& scratch);
    // The chunk through the cache.
    Result<ChunkPtr> Cached(const ChunkPart& part);
    Result<ChunkPtr> Load(const ChunkPart& part);

    void CopyFrom(const ChunkPart& part, const std::uint8_t* chunk) const;
    void Fill(const ChunkPart& part) const;
    void Emit(const ChunkPart& part, const DecodedChunk& chunk) const;
    std::uint8_t* PlaceOf(const ChunkPart& part) const { return destination_.data + part.place; }

    const Array& array_;
    // Asked once for a read: a remote store locks its estimate of the link for an answer.
    const StoreTraits traits_;
    const Region& region_;
    const std::size_t offset_;
    const Destination& destination_;
    const Converter op_;
    const std::size_t threads_;  // that decode at the same time
    Semaphore decoding_;         // where more threads are at it
    const bool sees_pending_;
    const bool wants_rest_;
    bool keep_all_ = false;
    std::uint64_t may_stay_;  // how many pieces, from the first on
    const RegionSplit plan_;
    const std::size_t in_flight_;  // chunks that are read or decoded at the same time
    const bool is_gated_;          // whether more threads may decode than should
};

namespace {

std::size_t AtOnce(const Array& array, std::size_t threads, std::size_t copies, std::size_t most) {
    const std::size_t bytes = SaturatingMul(array.layouts().largest().bytes(), copies);
    const std::size_t fit = kInFlightBytes / std::max<std::size_t>(bytes, 1);
    return std::max(threads, std::min(most, fit));
}

// Of one read.
std::size_t ChunksAtOnce(const Array& array, const RegionSplit& plan, std::size_t threads) {
    const std::size_t usual = ChunksAtOnce(array, threads);
    const bool may_be_on_disk = !array.store()->Traits().remote && plan.pieces() > threads &&
                                plan.ChunkBytes(array.layouts().largest()) >= kWorthAsking;
    if (!may_be_on_disk) return usual;
    // One tells for all.
    const DimVector<std::uint64_t> chunk = plan.At(plan.pieces() / 2).chunk;
    return array.chunks().WaitsForDisk(chunk) ? AtOnce(array, threads, 1, kDiskReads) : usual;
}

}  // namespace

std::size_t ChunksAtOnce(const Array& array, std::size_t threads, std::size_t copies) {
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
      sees_pending_(options.sees_pending && !array.pending().empty()),
      wants_rest_(wants_rest),
      plan_(array.layouts().grid(), region, destination.strides),
      in_flight_(ChunksAtOnce(array, plan_, threads_)),
      is_gated_(in_flight_ > threads_ || array.chunks().groups() != nullptr) {
    const std::uint64_t bytes = plan_.ChunkBytes(array.layouts().largest());
    const std::uint64_t most = array.context().cache().max_bytes();
    keep_all_ = options.keep == CachePolicy::kAllIfSmall && bytes <= most / kSmallShare;
    // Of more than the cache holds a part stays: all would push each other out before the next
    // read, say of the band that follows in the same chunks, finds one.
    may_stay_ = plan_.pieces();
    if (!IsObjects(array)) {
        const std::size_t chunk =
            SaturatingAdd(array.layouts().largest().bytes(), sizeof(DecodedChunk));  // in the cache
        const std::uint64_t held = most == 0 ? 0 : std::max<std::uint64_t>(most / chunk, 1);
        may_stay_ = std::min(may_stay_, held);
    }
}

ChunkPart RegionReader::PartAt(std::uint64_t piece) const {
    ChunkPart part = plan_.At(piece);
    part.threads = plan_.pieces() < threads_ ? threads_ : 1;
    part.may_stay = piece < may_stay_;
    return part;
}

Status RegionReader::Preload() {
    const ChunkGroups* const groups = array_.chunks().groups();
    if (groups != nullptr && plan_.pieces() > 1) return ReadGroups(*groups, true);
    return ParallelFor(static_cast<std::size_t>(plan_.pieces()), in_flight_, [&](std::size_t i) {
        ChunkPart part = plan_.At(i);
        const auto preload = [&]() -> Status {
            ZARR_RETURN_IF_ERROR(Bind(part));
            return Cached(part).status();
        };
        return array_.Locate(preload(), part.chunk);
    });
}

void RegionReader::PopulateDestination() const {
    // Where a store is waited for, pages come meanwhile.
    if (in_flight_ > threads_) return;
    std::ptrdiff_t first = 0;
    std::size_t bytes = op_.dst_size;  // from the first one in memory to the last
    for (std::size_t i = 0; i < region_.count.size(); ++i) {
        const auto length =
            static_cast<std::ptrdiff_t>(region_.count[i] - 1) * destination_.strides[i];
        first += std::min<std::ptrdiff_t>(length, 0);
        bytes += static_cast<std::size_t>(std::abs(length));
    }
    // What lies between the elements is not to be touched.
    if (bytes == region_.size() * op_.dst_size)
        Populate({destination_.data + first, bytes}, threads_);
}

Status RegionReader::Run() {
    if (plan_.pieces() == 0) return {};
    PopulateDestination();
    const auto read = [this](std::uint64_t index, std::size_t threads) {
        ChunkPart part = plan_.At(index);
        part.threads = threads;
        part.may_stay = index < may_stay_;
        return array_.Locate(ReadPart(part), part.chunk);
    };
    if (plan_.pieces() == 1) return read(0, threads_);
    if (plan_.pieces() > SIZE_MAX) return Status::Limit("the region touches too many chunks");
    const ChunkGroups* const groups = array_.chunks().groups();
    if (groups != nullptr && plan_.pieces() > kFewPieces) return ReadGroups(*groups, false);
    if (plan_.pieces() > kFewPieces)
        return ParallelFor(static_cast<std::size_t>(plan_.pieces()), in_flight_,
                           [&](std::size_t i) { return read(i, 1); });
    const bool is_small = region_.size() * op_.dst_size <= kSmallRead;
    ChunkCache& cache = array_.context().cache();
    std::vector<std::uint64_t> missing;
    std::vector<std::uint64_t> held;
    for (std::uint64_t i = 0; i < plan_.pieces(); ++i) {
        ChunkPart part = plan_.At(i);
        if (sees_pending_ || !Bind(part).ok() ||
            (is_small ? !CopyIfCached(part) : cache.Find(array_.IdOf(part.chunk)) == nullptr))
            missing.push_back(i);
        else if (!is_small)
            held.push_back(i);
    }
    if (groups != nullptr && missing.size() > 1) return ReadGroups(*groups, false);
    // Those that are too few for all threads are shared by them.
    const std::size_t shared = missing.size() % threads_;
    return ParallelFor(missing.size() + held.size(), in_flight_, [&](std::size_t i) {
        if (i >= missing.size()) return read(held[i - missing.size()], 1);
        return read(missing[i], i >= missing.size() - shared ? threads_ : 1);
    });
}

bool RegionReader::IsWantedAsStored(const ChunkPart& part) const {
    if (!op_.is_copy || offset_ != 0 || !part.fills_chunk || IsObjects(array_)) return false;
    for (std::size_t i = 0; i < part.count.size(); ++i)
        if (part.count[i] != 1 && destination_.strides[i] != part.layout->strides[i]) return false;
    return op_.src_size == array_.metadata().dtype.size;
}

void RegionReader::CopyFrom(const ChunkPart& part, const std::uint8_t* chunk) const {
    const ChunkWalk walk = WalkOf(part, region_, part.layout->strides);
    CopyBlockOn(part.threads, part.count, PlaceOf(part), destination_.strides,
                chunk + offset_ + walk.first, walk.strides, op_);
}

void RegionReader::Fill(const ChunkPart& part) const {
    const FillValue& fill = array_.metadata().fill_value;
    if (IsObjects(array_)) {
        const ObjectRef ref{fill.held().data(), fill.held().size()};
        FillBlock(part.count, PlaceOf(part), destination_.strides,
                  reinterpret_cast<const std::uint8_t*>(&ref), op_);
        return;
    }
    // `op` expects the byte order of what is stored.
    std::string stored = fill.is_zero() ? std::string(op_.src_size, '\0') : fill.Bytes();
    if (!fill.is_zero())
        SwapElements(array_.metadata().dtype, reinterpret_cast<std::uint8_t*>(stored.data()), 1);
    FillBlock(part.count, PlaceOf(part), destination_.strides,
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

Result<bool> RegionReader::CopyIfPending(const ChunkPart& part) {
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

template <class Question>
Result<bool> RegionReader::Ask(const ChunkPart& part, Question&& question) const {
    AbsentChunks& absent = array_.absent_;
    const std::uint64_t index = array_.IdOf(part.chunk).chunk;
    const std::uint64_t asked = absent.generation();
    const bool is_asked = part.fetched != nullptr;  // before, and what was absent was noted then
    if (!is_asked && absent.Has(index)) return false;
    Count(&ReadCounters::chunks_requested, 1);
    ZARR_ASSIGN_OR_RETURN(const bool found, Timed(&ArrayCounters::reading_time, question));
    if (found) return true;
    Count(&ReadCounters::chunks_absent, 1);
    if (!is_asked && traits_.caches_absence) absent.Add(index, asked);
    return false;
}

// ---------------------------------------------------------------------------------------------
// Strategies

Status RegionReader::Bind(ChunkPart& part) const {
    ZARR_ASSIGN_OR_RETURN(part.layout, array_.layouts().Of(part.chunk));
    return {};
}

Status RegionReader::ReadPart(ChunkPart& part) {
    ZARR_RETURN_IF_ERROR(Bind(part));
    if (sees_pending_) {
        ZARR_ASSIGN_OR_RETURN(const bool is_pending, CopyIfPending(part));
        if (is_pending) return {};
    }
    if (CopyIfCached(part)) return {};
    ByteRanges ranges;
    const Strategy strategy = Choose(part, ranges);
    return ReadBy(strategy, part, ranges);
}

Status RegionReader::ReadBy(Strategy strategy, const ChunkPart& part, const ByteRanges& ranges) {
    switch (strategy) {
        case Strategy::kFetchRange:
            return FetchRange(part, ranges);
        case Strategy::kDecodeRange:
            return DecodeRange(part, ranges);
        case Strategy::kThroughCache:
            return ReadThroughCache(part);
        case Strategy::kIntoPlace:
            return ReadIntoPlace(part);
        case Strategy::kThroughScratch:
            break;
    }
    return ReadThroughScratch(part);
}

RegionReader::Strategy RegionReader::Choose(const ChunkPart& part, ByteRanges& ranges) const {
    const Pipeline& pipeline = part.layout->pipeline;
    const std::size_t bytes = pipeline.chunk_bytes();
    ArrayContext& context = array_.context();
    // What is read ahead is not read a second time.
    if (array_.read_ahead_ != nullptr && array_.read_ahead_->loads() &&
        context.cache().IsLoading(array_.IdOf(part.chunk)))
        return Strategy::kThroughCache;
    const bool is_stored_so = pipeline.is_identity();
    // Over a network a compressed chunk is decoded whole, as all of it is fetched: decoding costs
    // less than fetching it again for the next part.
    const bool has_ranges = is_stored_so || (pipeline.HasRanges() && !traits_.remote);
    if (!part.covers_chunk && has_ranges && bytes >= kLargeChunk &&
        bytes <= LimitOf(Limit::kChunkSize)) {
        ranges = RangesOf(part);
        // A second part of a chunk makes it worth decoding, where it is kept for the third.
        const auto is_alone = [&] {
            if (bytes > context.cache().max_bytes()) return true;
            return !wants_rest_ && context.IsFirstPart(array_.IdOf(part.chunk));
        };
        if (!ranges.empty() && is_alone()) {
            if (!is_stored_so) return Strategy::kDecodeRange;
            if (ranges.back().end - ranges.front().begin <= bytes / 4) return Strategy::kFetchRange;
        }
    }
    const bool is_kept = part.may_stay && (keep_all_ || !part.covers_chunk || IsObjects(array_));
    // One that is larger than the cache is held alone, which serves strip after strip of it.
    if (is_kept && (bytes <= context.cache().max_bytes() || !part.covers_chunk))
        return Strategy::kThroughCache;
    return IsWantedAsStored(part) ? Strategy::kIntoPlace : Strategy::kThroughScratch;
}

Status RegionReader::FetchRange(const ChunkPart& part, const ByteRanges& ranges) {
    const std::size_t begin = ranges.front().begin;
    const std::size_t length = ranges.back().end - begin;
    const std::size_t bytes = part.layout->bytes();
    ArrayContext::ScratchBuffer scratch(array_.context());
    Buffer& fetched = scratch->pipeline.encoded;
    const auto get = [&]() -> Result<bool> {
        ZARR_ASSIGN_OR_RETURN(
            const ReadResult read,
            array_.chunks().Read(part.chunk, ValuePart::Range(begin, length), fetched));
        return read.found;
    };
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(part, get));
    if (!found) {
        Fill(part);
        return {};
    }
    if (fetched.size() != length)
        return Status::Corrupt("holds " + std::to_string(begin + fetched.size()) +
                               " bytes instead of " + std::to_string(bytes));
    Count(&ReadCounters::bytes_read, length);
    CountDecoded(length);
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    std::copy_n(std::as_const(fetched).data(), length, scratch->chunk.data() + begin);
    CopyFrom(part, scratch->chunk.data());
    return {};
}

Status RegionReader::DecodeRange(const ChunkPart& part, const ByteRanges& ranges) {
    const std::size_t bytes = part.layout->bytes();
    ChunkCache& cache = array_.context().cache();
    ArrayContext::ScratchBuffer scratch(array_.context());
    auto chunk = cache.NewChunk();
    ZARR_ASSIGN_OR_RETURN(const auto fetched, Fetch(part, scratch->pipeline, &chunk->version));
    if (!fetched) {
        Fill(part);
        return {};
    }
    const ByteSpan encoded = *fetched;
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    ZARR_ASSIGN_OR_RETURN(const std::size_t decoded, Timed(&ArrayCounters::decoding_time, [&] {
                              return part.layout->pipeline.DecodeRanges(encoded, ranges,
                                                                        scratch->chunk.span());
                          }));
    if (decoded != 0) {
        CountDecoded(decoded);
        CopyFrom(part, scratch->chunk.data());
        return {};
    }
    // This blosc chunk cannot be decoded in parts. What was fetched is not fetched again.
    const auto decode = [&]() -> Result<ChunkPtr> {
        ZARR_RETURN_IF_ERROR(chunk->Allocate(bytes));
        CountDecoded(bytes);
        ZARR_RETURN_IF_ERROR(Decode(part, encoded, chunk->elements.span(), scratch->pipeline));
        return ChunkPtr(std::move(chunk));
    };
    // Not through GetOrLoad(): a thread that reads several chunks together must not wait for one.
    ChunkCache::Claim claim = cache.TryClaim(array_.IdOf(part.chunk));
    ZARR_ASSIGN_OR_RETURN(const ChunkPtr whole,
                          claim ? cache.LoadClaimed(claim, decode) : decode());
    Emit(part, *whole);
    return {};
}

Status RegionReader::ReadThroughCache(const ChunkPart& part) {
    ZARR_ASSIGN_OR_RETURN(const ChunkPtr chunk, Cached(part));
    Emit(part, *chunk);
    return {};
}

Status RegionReader::ReadIntoPlace(const ChunkPart& part) {
    const MutableByteSpan memory{PlaceOf(part), part.layout->bytes()};
    if (!part.layout->pipeline.is_identity()) {
        ArrayContext::ScratchBuffer scratch(array_.context());
        ZARR_ASSIGN_OR_RETURN(const auto fetched, Fetch(part, scratch->pipeline));
        if (!fetched) {
            Fill(part);
            return {};
        }
        CountDecoded(memory.size);
        return Decode(part, *fetched, memory, scratch->pipeline);
    }
    std::size_t size = 0;
    const auto get = [&]() -> Result<bool> {
        if (part.fetched != nullptr) {
            size = part.fetched->bytes.size;
            if (part.fetched->found && size == memory.size)
                std::copy_n(part.fetched->bytes.data, size, memory.data);
            return part.fetched->found;
        }
        const ThreadBudget budget(part.threads);
        ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                              array_.chunks().Read(part.chunk, ValuePart::Whole(kNoLimit), memory));
        size = static_cast<std::size_t>(read.size);
        return read.found;
    };
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(part, get));
    if (!found) {
        Fill(part);
        return {};
    }
    if (size != memory.size)
        return Status::Corrupt("holds " + std::to_string(size) + " bytes instead of " +
                               std::to_string(memory.size));
    Count(&ReadCounters::bytes_read, memory.size);
    CountDecoded(memory.size);
    return {};
}

Status RegionReader::ReadThroughScratch(const ChunkPart& part) {
    const std::size_t bytes = part.layout->bytes();
    ArrayContext::ScratchBuffer scratch(array_.context());
    ZARR_ASSIGN_OR_RETURN(const auto fetched, Fetch(part, scratch->pipeline));
    if (!fetched) {
        Fill(part);
        return {};
    }
    CountDecoded(bytes);
    const ByteSpan encoded = *fetched;
    if (part.layout->pipeline.is_identity() && encoded.size == bytes) {
        CopyFrom(part, encoded.data);
        return {};
    }
    ZARR_RETURN_IF_ERROR(scratch->chunk.Reset(bytes));
    ZARR_RETURN_IF_ERROR(Decode(part, encoded, scratch->chunk.span(), scratch->pipeline));
    CopyFrom(part, scratch->chunk.data());
    return {};
}

// ---------------------------------------------------------------------------------------------
// Chunks that are stored together

Status RegionReader::ReadGroups(const ChunkGroups& groups, bool is_preload) {
    const RegionGroups pieces(plan_, groups.axes());
    const auto at_once =
        static_cast<std::size_t>(std::min<std::uint64_t>(pieces.count(), in_flight_));
    FetchOptions options;
    options.limit = array_.layouts().largest().max_encoded_bytes;
    options.requests = std::max<std::size_t>(in_flight_ / at_once, 1);
    options.threads = std::max<std::size_t>(threads_ / at_once, 1);
    ByteGate gate(kInFlightBytes);
    options.gate = &gate;
    options.on_request = [this](std::uint64_t time) {
        CountHere(&ArrayCounters::reading_time, time);
    };
    return ParallelFor(static_cast<std::size_t>(pieces.count()), at_once, [&](std::size_t i) {
        return ReadGroup(groups, pieces, i, options, is_preload);
    });
}

Status RegionReader::SortOut(std::uint64_t piece, bool is_preload, GroupPieces& sorted) {
    ChunkPart part = PartAt(piece);
    ZARR_RETURN_IF_ERROR(Bind(part));
    const ChunkId id = array_.IdOf(part.chunk);
    const bool is_pending = sees_pending_ && array_.pending().Find(id.chunk) != nullptr;
    if (is_pending || array_.context().cache().Find(id) != nullptr) {
        sorted.held.push_back(piece);
        return {};
    }
    ByteRanges ranges;
    const Strategy strategy = is_preload ? Strategy::kThroughCache : Choose(part, ranges);
    if (strategy == Strategy::kFetchRange) {
        sorted.apart.push_back(piece);
    } else if (array_.absent_.Has(id.chunk)) {
        return is_preload ? Cached(part).status() : ReadBy(strategy, part, ranges);
    } else {
        sorted.together.push_back({piece, strategy, {}});
    }
    return {};
}

void RegionReader::ClaimChunks(GroupPieces& sorted) {
    std::vector<GroupPieces::Wanted> own;
    for (GroupPieces::Wanted& wanted : sorted.together) {
        const ChunkId id = array_.IdOf(plan_.At(wanted.piece).chunk);
        if (wanted.strategy == Strategy::kThroughCache) {
            wanted.claim = array_.context().cache().TryClaim(id);
            if (!wanted.claim) {
                sorted.coming.push_back(wanted.piece);
                continue;
            }
        }
        sorted.chunks.push_back(id.chunk);
        own.push_back(std::move(wanted));
    }
    sorted.together = std::move(own);
}

Status RegionReader::ReadFetched(GroupPieces& sorted, std::size_t place,
                                 const FetchedChunk& fetched, bool is_preload) {
    auto& [piece, strategy, claim] = sorted.together[place];
    ChunkPart part = PartAt(piece);
    ZARR_RETURN_IF_ERROR(Bind(part));
    part.fetched = &fetched;
    if (claim) part.claim = &claim;
    if (!fetched.found && traits_.caches_absence)
        array_.absent_.Add(sorted.chunks[place], sorted.asked);
    const ByteRanges ranges = strategy == Strategy::kDecodeRange ? RangesOf(part) : ByteRanges();
    return array_.Locate(is_preload ? Cached(part).status() : ReadBy(strategy, part, ranges),
                         part.chunk);
}

Status RegionReader::ReadGroup(const ChunkGroups& groups, const RegionGroups& pieces,
                               std::uint64_t group, const FetchOptions& options, bool is_preload) {
    GroupPieces sorted;
    sorted.asked = array_.absent_.generation();
    ZARR_RETURN_IF_ERROR(pieces.ForEachPiece(group, [&](std::uint64_t piece) {
        return array_.Locate(SortOut(piece, is_preload, sorted), plan_.At(piece).chunk);
    }));
    const std::size_t held = is_preload ? 0 : sorted.held.size();
    ZARR_RETURN_IF_ERROR(ParallelFor(held, options.threads, [&](std::size_t i) {
        ChunkPart part = PartAt(sorted.held[i]);
        return array_.Locate(ReadPart(part), part.chunk);
    }));
    const auto read_apart = [&](std::size_t i) -> Status {
        ChunkPart part = PartAt(sorted.apart[i]);
        ZARR_RETURN_IF_ERROR(Bind(part));
        return array_.Locate(ReadBy(Strategy::kFetchRange, part, RangesOf(part)), part.chunk);
    };
    ZARR_RETURN_IF_ERROR(ParallelFor(sorted.apart.size(), options.requests, read_apart));
    ClaimChunks(sorted);
    const auto take = [&](std::size_t place, const FetchedChunk& fetched) {
        return ReadFetched(sorted, place, fetched, is_preload);
    };
    ZARR_RETURN_IF_ERROR(groups.GetMany(sorted.chunks, options, take));
    return ParallelFor(sorted.coming.size(), options.requests, [&](std::size_t i) {
        ChunkPart part = PartAt(sorted.coming[i]);
        ZARR_RETURN_IF_ERROR(Bind(part));
        return array_.Locate(is_preload ? Cached(part).status() : ReadThroughCache(part),
                             part.chunk);
    });
}

// ---------------------------------------------------------------------------------------------
// Fetching and decoding a chunk

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

Result<std::optional<ByteSpan>> RegionReader::Fetch(const ChunkPart& part, PipelineScratch& scratch,
                                                    ObjectVersion* version) const {
    bool is_versioned = version == nullptr;
    if (!is_versioned && part.fetched != nullptr) {
        *version = part.fetched->version;
        is_versioned = true;
    }
    const auto get = [&]() -> Result<bool> {
        if (part.fetched != nullptr) return part.fetched->found;
        const ThreadBudget budget(part.threads);
        const ValuePart whole = ValuePart::Whole(part.layout->max_encoded_bytes);
        ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                              array_.chunks().Read(part.chunk, whole, scratch.encoded));
        if (version != nullptr) *version = read.version;
        is_versioned = true;
        return read.found;
    };
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(part, get));
    // Of what is known to be absent.
    if (!is_versioned) *version = array_.chunks().VersionOf(part.chunk);
    if (!found) return std::optional<ByteSpan>();
    const std::size_t bytes = part.layout->bytes();
    if (bytes > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize,
                         "the chunk decodes to " + std::to_string(bytes) + " bytes");
    const ByteSpan encoded =
        part.fetched != nullptr ? part.fetched->bytes : std::as_const(scratch.encoded).span();
    Count(&ReadCounters::bytes_read, encoded.size);
    return std::optional(encoded);
}

Result<ChunkPtr> RegionReader::Cached(const ChunkPart& part) {
    bool is_loaded = false;
    const auto load = [&] {
        is_loaded = true;
        return Load(part);
    };
    ChunkCache& cache = array_.context().cache();
    auto chunk = part.claim != nullptr ? cache.LoadClaimed(*part.claim, load)
                                       : cache.GetOrLoad(array_.IdOf(part.chunk), load);
    if (!is_loaded) CountHere(&ArrayCounters::chunks_cached, 1);
    return chunk;
}

Result<ChunkPtr> RegionReader::Load(const ChunkPart& part) {
    ArrayContext::ScratchBuffer scratch(array_.context());
    auto chunk = array_.context().cache().NewChunk();
    ZARR_ASSIGN_OR_RETURN(const auto fetched, Fetch(part, scratch->pipeline, &chunk->version));
    const bool found = fetched.has_value();
    chunk->absent = !found;
    if (found) CountDecoded(part.layout->bytes());
    const ByteSpan encoded = fetched.value_or(ByteSpan());
    if (found && part.layout->pipeline.decodes_objects()) {
        ZARR_RETURN_IF_ERROR(Timed(&ArrayCounters::decoding_time, [&] {
            return part.layout->pipeline.DecodeObjects(encoded, chunk->objects, scratch->pipeline);
        }));
    } else if (found) {
        ZARR_RETURN_IF_ERROR(chunk->Allocate(part.layout->bytes()));
        ZARR_RETURN_IF_ERROR(Decode(part, encoded, chunk->elements.span(), scratch->pipeline));
    }
    return ChunkPtr(std::move(chunk));
}

Status ReadRegion(const Array& array, const Region& region, std::size_t offset,
                  const Destination& destination, const ReadOptions& options, bool wants_rest) {
    return RegionReader(array, region, offset, destination, options, wants_rest).Run();
}

Status PreloadRegion(const Array& array, const Region& region, std::size_t threads) {
    const Destination nowhere{nullptr, Strides(array.metadata().rank(), 0), {}};
    return RegionReader(array, region, 0, nowhere, {threads}, false).Preload();
}

}  // namespace zarr
