// SPDX-License-Identifier: MIT
// The part of RegionReader that brings one chunk from the store.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/array/piece_ranges.h"
#include "core/array/region_reader.h"
#include "core/base/limits.h"
#include "core/base/timed.h"

namespace zarr {

namespace {

// Of smaller chunks nothing is gained by taking a part.
constexpr std::size_t kLargeChunk = std::size_t{256} << 10;

}  // namespace

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
    ReadContext& context = array_.context();
    const ChunkId id = array_.IdOf(piece.chunk);
    if (!context.IsFirstPart(id)) return false;
    if (is_stored_so) return ReadStoredRange(piece, ranges);
    ReadContext::Loan scratch(context);
    auto chunk = array_.context().cache().NewChunk();
    chunk->stamp = array_.store_->StampOf(array_.KeyOf(piece.chunk));
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
    const auto ask = [&] {
        Count(&ReadCounters::chunks_requested, 1);
        return Timed(&ArrayCounters::reading_time,
                     [&] { return question(array_.KeyOf(piece.chunk)); });
    };
    const KeySeparator& separator = array_.separator_;
    const bool was_settled = separator.is_settled();
    const char asked_with = separator.get();
    ZARR_ASSIGN_OR_RETURN(bool found, ask());
    if (!found && !was_settled) {
        ZARR_ASSIGN_OR_RETURN(const char settled,
                              separator.Settle(*array_.store_, array_.path_, piece.chunk));
        if (settled != asked_with) {
            ZARR_ASSIGN_OR_RETURN(found, ask());
        }
    } else if (found) {
        separator.Confirm();
    }
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
    ReadContext::Loan scratch(array_.context());
    Buffer& part = scratch->pipeline.encoded;
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(piece, [&](const std::string& key) {
                              return array_.store_->GetRange(key, begin, length, part);
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
    std::optional<Gate::Pass> pass;
    if (in_flight_ > threads_) pass.emplace(decoding_);
    return Timed(&ArrayCounters::decoding_time,
                 [&] { return array_.pipeline_.Decode(encoded, chunk, scratch, piece.threads); });
}

Result<bool> RegionReader::Fetch(const Piece& piece, PipelineScratch& scratch) const {
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(piece, [&](const std::string& key) {
                              return array_.store_->Get(key, scratch.encoded,
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
        const auto get = [&](const std::string& key) -> Result<bool> {
            ZARR_ASSIGN_OR_RETURN(const auto found, array_.store_->GetInto(key, memory));
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
    ReadContext::Loan scratch(array_.context());
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
    ReadContext::Loan scratch(array_.context());
    auto chunk = array_.context().cache().NewChunk();
    chunk->stamp = array_.store_->StampOf(array_.KeyOf(piece.chunk));
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

}  // namespace zarr
