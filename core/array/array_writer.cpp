// SPDX-License-Identifier: MIT
#include "core/array/array_writer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/array/region_reader.h"
#include "core/array/rounding_guard.h"
#include "core/base/tuning.h"
#include "core/codec/codec.h"
#include "core/dtype/element_text.h"
#include "core/metadata/v1_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Copies `count` std::strings from `src` to `dst`.
// NOLINTNEXTLINE(readability-non-const-parameter): signature of Converter::Row
void CopyTexts(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
               const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        *reinterpret_cast<std::string*>(dst) = *reinterpret_cast<const std::string*>(src);
}

std::uint64_t Product(const DimVector<std::uint64_t>& count) {
    std::uint64_t product = 1;
    for (const std::uint64_t each : count) product *= each;
    return product;
}

// Returns the number of a chunk's elements that are inside the array.
std::uint64_t ItemsInArray(const Array& array, const DimVector<std::uint64_t>& chunk) {
    std::uint64_t items = 1;
    for (std::size_t i = 0; i < chunk.size(); ++i)
        items *= array.layouts().grid()[i].InsideOf(chunk[i]);
    return items;
}

// Marks bytes of a pending chunk as written by this process. Does nothing if PendingChunk::locks is
// nullptr, because no other process can then change the chunk.
void MarkWritten(PendingChunk& pending, const ChunkPart& part, const ChunkWalk& walk,
                 std::size_t offset, std::size_t size) {
    if (pending.locks == nullptr) return;
    const std::string ones(size, '\xff');
    FillBlock(part.count, pending.written.data() + walk.first + offset, walk.strides,
              reinterpret_cast<const std::uint8_t*>(ones.data()), CopyConverter(size));
}

// Copies the texts of `count` ObjectRefs at `src` to the std::strings at `dst`.
// NOLINTNEXTLINE(readability-non-const-parameter): signature of Converter::Row
void AssignTexts(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                 const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        ObjectRef ref;
        std::memcpy(&ref, src, sizeof ref);
        reinterpret_cast<std::string*>(dst)->assign(ref.data == nullptr ? "" : ref.data, ref.size);
    }
}

}  // namespace

Result<std::unique_ptr<ArrayWriter>> ArrayWriter::Open(std::shared_ptr<const Array> array,
                                                       std::shared_ptr<Store> store,
                                                       std::size_t max_pending_bytes,
                                                       std::shared_ptr<Synchronizer> locks) {
    if (array->metadata().format == Format::kV1)
        return V1IsReadOnly(DocumentKey(array->path(), Document::kArray, Format::kV1));
    ZARR_RETURN_IF_ERROR(array->layouts().largest().pipeline.writable().WithContext(array->path()));
    if (!array->metadata().shards.empty())
        ZARR_RETURN_IF_ERROR(Array::CheckWritable(array->metadata()).WithContext(array->path()));
    return std::unique_ptr<ArrayWriter>(
        new ArrayWriter(std::move(array), std::move(store), max_pending_bytes, std::move(locks)));
}

ArrayWriter::ArrayWriter(std::shared_ptr<const Array> array, std::shared_ptr<Store> store,
                         std::size_t max_pending_bytes, std::shared_ptr<Synchronizer> locks)
    : array_(std::move(array)),
      store_(std::move(store)),
      max_pending_bytes_(max_pending_bytes),
      locks_(std::move(locks)),
      fill_(array_->metadata().fill_value.Bytes()) {
    if (array_->metadata().dtype.kind != DataKind::kObject)
        SwapElements(array_->metadata().dtype, reinterpret_cast<std::uint8_t*>(fill_.data()), 1);
}

void ArrayWriter::FillChunk(const ChunkLayout& layout, MutableByteSpan chunk) const {
    DimVector<std::uint64_t> count;
    count.push_back(layout.items);
    Strides strides;
    strides.push_back(static_cast<std::ptrdiff_t>(fill_.size()));
    FillBlock(count, chunk.data, strides, reinterpret_cast<const std::uint8_t*>(fill_.data()),
              CopyConverter(fill_.size()));
}

bool ArrayWriter::IsFill(ByteSpan chunk) const {
    // If the metadata has no fill value, absent chunks have no defined value. Every chunk must then
    // be stored, so no chunk counts as filled with the fill value.
    if (!array_->metadata().has_fill_value || chunk.size < fill_.size()) return false;
    return std::memcmp(chunk.data, fill_.data(), fill_.size()) == 0 &&
           std::memcmp(chunk.data, chunk.data + fill_.size(), chunk.size - fill_.size()) == 0;
}

Status ArrayWriter::StoreChunk(const ChunkStore::Index& index, const ChunkLayout& layout,
                               ByteSpan chunk, const WriteLocks& locks) {
    if (IsFill(chunk)) return Omit(index, locks);
    ArrayContext::ScratchBuffer scratch(array_->context());
    Buffer copy;
    const auto encode = [&]() -> Result<ByteSpan> {
        std::optional<Semaphore::Pass> pass;
        if (encoding_ != nullptr) pass.emplace(*encoding_);
        ZARR_ASSIGN_OR_RETURN(const ByteSpan guarded,
                              GuardRounding(array_->metadata(), chunk, copy));
        return layout.pipeline.Encode(guarded, scratch->pipeline);
    };
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded, encode());
    return Put(index, encoded, locks);
}

Result<std::unique_ptr<Synchronizer::Lock>> ArrayWriter::Lock(
    const ChunkStore::Index& index, const std::shared_ptr<Synchronizer>& locks) const {
    if (locks == nullptr) return std::unique_ptr<Synchronizer::Lock>();
    ZARR_ASSIGN_OR_RETURN(const std::string name, array_->chunks().LockKeyOf(index));
    return locks->Acquire(name);
}

Status ArrayWriter::Put(const ChunkStore::Index& index, ByteSpan encoded, const WriteLocks& locks) {
    ZARR_RETURN_IF_ERROR(array_->chunks().Put(*store_, index, encoded, locks));
    for (WriteCounters* counters :
         {&array_->context().write_counters(), &array_->write_counters()}) {
        counters->chunks_written.fetch_add(1, std::memory_order_relaxed);
        counters->bytes_written.fetch_add(encoded.size, std::memory_order_relaxed);
    }
    return {};
}

std::size_t ArrayWriter::MaxConcurrentStores(std::size_t threads) {
    const std::size_t at_once =
        // The argument is 2, because each chunk is in memory twice: decoded and encoded.
        MaxConcurrentChunks(*array_, threads, 2);
    if (at_once > threads) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (encoding_ == nullptr)
            encoding_ = std::make_unique<Semaphore>(std::max<std::size_t>(threads, 1));
    }
    return at_once;
}

// ---------------------------------------------------------------------------------------------
// Writing the parts of a region

Status ArrayWriter::ForEachPart(const RegionSplit& plan, std::size_t threads,
                                const std::function<Status(const ChunkPart&)>& write) {
    // Chunks of this array would be wrong in an array that has replaced it.
    ZARR_RETURN_IF_ERROR(array_->CheckNotReplaced());
    if (plan.pieces() > SIZE_MAX)
        return Status::Limit("the region overlaps too many chunks; write a smaller region");
    const ChunkStore& chunks = array_->chunks();
    const auto write_piece = [&](std::size_t i) {
        // Pending chunks are stored now if they exceed their limit, because the remaining parts of
        // the region may make further chunks pending.
        if (array_->pending().count() > threads && ExceedsPendingLimit())
            ZARR_RETURN_IF_ERROR(FlushChunks(1));
        // Pending chunks of shards may exceed the limit by tuning::kPendingSlack. Without this
        // slack, a small limit would store a shard again after each of its chunks.
        if (chunks.PendingBytes() > MaxPendingBytes() + tuning::kPendingSlack)
            ZARR_RETURN_IF_ERROR(chunks.Shrink(*store_, MaxPendingBytes()));
        ChunkPart part = plan.At(i);
        auto layout = array_->layouts().Of(part.chunk);
        if (!layout.ok()) return array_->Locate(layout.status(), part.chunk);
        part.layout = layout.Take();
        return array_->Locate(write(part), part.chunk);
    };
    ZARR_RETURN_IF_ERROR(ParallelFor(static_cast<std::size_t>(plan.pieces()),
                                     MaxConcurrentStores(threads), write_piece));
    if (ExceedsPendingLimit()) ZARR_RETURN_IF_ERROR(FlushChunks(threads));
    return chunks.Shrink(*store_, MaxPendingBytes());
}

std::size_t ArrayWriter::MaxPendingBytes() const {
    std::size_t share = max_pending_bytes_;
    if (locks_ != nullptr) share /= 2;  // half for decoded elements, half for PendingChunk::written
    if (has_shards()) share /= 2;  // half for decoded chunks, half for encoded chunks of shards
    return share;
}

bool ArrayWriter::ExceedsPendingLimit() const {
    // A chunk of texts counts as the size of its references (ObjectRef), because the size of the
    // texts is not known in advance.
    const bool is_objects = array_->metadata().dtype.kind == DataKind::kObject;
    const ChunkLayout& largest = array_->layouts().largest();
    const std::size_t chunk_bytes =
        is_objects ? static_cast<std::size_t>(largest.items) * sizeof(ObjectRef) : largest.bytes();
    return array_->pending().count() > MaxPendingBytes() / chunk_bytes;
}

Status ArrayWriter::Write(const Region& region, std::size_t offset, const Source& source,
                          std::size_t threads, WholeChunks whole_chunks) {
    const ArrayMetadata& metadata = array_->metadata();
    if (metadata.dtype.kind == DataKind::kObject)
        return Status::Invalid("elements of dtype |O have no fixed size; write them as text");
    ZARR_RETURN_IF_ERROR(region.Check(metadata.shape));
    const RegionSplit plan(array_->layouts().grid(), region, source.strides);
    const bool whole_elements = offset == 0 && source.op.dst_size == metadata.dtype.size;
    const bool at_once = whole_elements && whole_chunks == WholeChunks::kAtOnce;
    return ForEachPart(plan, threads, [&](const ChunkPart& part) {
        if (at_once && part.covers_chunk) return WriteWhole(part, region, source);
        const bool is_whole = part.covers_chunk && whole_elements;
        return Change(part, is_whole, [&](PendingChunk& pending) -> Status {
            const ChunkWalk walk = WalkOf(part, region, part.layout->strides);
            CopyBlock(part.count, pending.elements.data() + walk.first + offset, walk.strides,
                      source.data + part.buffer_offset, source.strides, source.op);
            MarkWritten(pending, part, walk, offset, source.op.dst_size);
            // A chunk is stored as soon as all its elements are written. This frees memory, and
            // encodes while the data is in the processor's cache.
            pending.changes += Product(part.count);
            if (!at_once || pending.changes < ItemsInArray(*array_, part.chunk)) return {};
            return StorePending(array_->IdOf(part.chunk).chunk, pending);
        });
    });
}

Status ArrayWriter::WriteObjects(const Region& region, const std::vector<std::string>& texts,
                                 std::size_t threads) {
    const ArrayMetadata& metadata = array_->metadata();
    if (metadata.dtype.kind != DataKind::kObject)
        return Status::Invalid("dtype " + metadata.dtype.ToString() +
                               " has no elements of variable length");
    ZARR_RETURN_IF_ERROR(region.Check(metadata.shape));
    if (texts.size() != region.size())
        return Status::Invalid(std::to_string(texts.size()) + " texts were given for the " +
                               std::to_string(region.size()) + " elements of the region");
    if (metadata.text_type)
        for (const std::string& text : texts)
            ZARR_RETURN_IF_ERROR(CheckTextFits(*metadata.text_type, text));
    const Strides source_strides = ContiguousStrides(region.count, sizeof(std::string), false);
    const RegionSplit plan(array_->layouts().grid(), region, source_strides);
    return ForEachPart(plan, threads, [&](const ChunkPart& part) {
        return Change(part, part.covers_chunk, [&](PendingChunk& pending) -> Status {
            const ChunkWalk walk =
                WalkOf(part, region, part.layout->StridesOf(sizeof(std::string)));
            CopyBlock(part.count,
                      reinterpret_cast<std::uint8_t*>(pending.objects.data()) + walk.first,
                      walk.strides,
                      reinterpret_cast<const std::uint8_t*>(texts.data()) + part.buffer_offset,
                      source_strides, TextConverter(CopyTexts, sizeof(std::string)));
            MarkWritten(pending, part, WalkOf(part, region, part.layout->StridesOf(1)), 0, 1);
            return {};
        });
    });
}

Status ArrayWriter::WriteWhole(const ChunkPart& part, const Region& region, const Source& source) {
    const std::uint64_t index = array_->IdOf(part.chunk).chunk;
    for (;;) {
        // The chunk counts as pending while it is stored. If another thread wants to change a part
        // of the chunk, that thread waits for `pending->mutex`.
        const auto pending = array_->pending().FindOrAdd(index);
        const std::lock_guard<std::mutex> lock(pending->mutex);
        if (pending->is_gone) continue;
        Status status = StoreWhole(part, region, source);
        // If storing succeeds, the earlier pending changes of the chunk are dropped, because this
        // write has overwritten them. If storing fails, they stay pending.
        if (status.ok() || !pending->is_loaded) Forget(index, *pending);
        return status;
    }
}

Status ArrayWriter::StoreWhole(const ChunkPart& part, const Region& region, const Source& source) {
    ArrayContext::ScratchBuffer scratch(array_->context());
    Buffer& chunk = scratch->chunk;
    ZARR_RETURN_IF_ERROR(chunk.Reset(part.layout->bytes()));
    if (!part.fills_chunk) FillChunk(*part.layout, chunk.span());
    const ChunkWalk walk = WalkOf(part, region, part.layout->strides);
    CopyBlock(part.count, chunk.data() + walk.first, walk.strides, source.data + part.buffer_offset,
              source.strides, source.op);
    // A chunk of a shard needs no lock here: it is stored later with its shard, under the shard's
    // lock.
    ZARR_ASSIGN_OR_RETURN(const auto lock, Lock(part.chunk, has_shards() ? nullptr : locks_));
    Status status = StoreChunk(part.chunk, *part.layout, std::as_const(chunk).span(), {locks_});
    array_->Replace(array_->IdOf(part.chunk), nullptr);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Pending chunks

void ArrayWriter::Forget(std::uint64_t index, PendingChunk& pending) const {
    pending.is_gone = true;
    array_->pending().Remove(index, pending);
}

Status ArrayWriter::Change(const ChunkPart& part, bool is_whole,
                           const std::function<Status(PendingChunk&)>& change) {
    const std::uint64_t index = array_->IdOf(part.chunk).chunk;
    for (;;) {
        const auto pending = array_->pending().FindOrAdd(index);
        const std::lock_guard<std::mutex> lock(pending->mutex);
        if (pending->is_gone) continue;
        if (pending->is_loaded && locks_ != nullptr && pending->locks != locks_) {
            // Another ArrayWriter, which uses other locks or none, has changed the chunk. The
            // changes are stored first, under the locks of that writer.
            ZARR_RETURN_IF_ERROR(StorePending(index, *pending));
            continue;
        }
        if (!pending->is_loaded) ZARR_RETURN_IF_ERROR(Begin(part, is_whole, *pending));
        return change(*pending);
    }
}

Status ArrayWriter::Begin(const ChunkPart& part, bool is_whole, PendingChunk& pending) {
    Status status = Clear(*part.layout, pending);
    if (status.ok() && !is_whole) status = LoadStored(*array_, part.chunk, pending);
    if (status.ok() && locks_ != nullptr) {
        pending.locks = locks_;
        status = pending.written.Reset(std::max(pending.elements.size(), pending.objects.size()));
        if (status.ok())
            std::memset(pending.written.data(), is_whole ? 0xff : 0, pending.written.size());
    }
    pending.is_loaded = status.ok();
    if (!status.ok()) Forget(array_->IdOf(part.chunk).chunk, pending);
    return status;
}

Status ArrayWriter::Clear(const ChunkLayout& layout, PendingChunk& pending) const {
    if (array_->metadata().dtype.kind == DataKind::kObject) {
        pending.objects.assign(static_cast<std::size_t>(layout.items),
                               array_->metadata().fill_value.TrimmedBytes());
        return {};
    }
    ZARR_RETURN_IF_ERROR(pending.elements.Reset(layout.bytes()));
    FillChunk(layout, pending.elements.span());
    return {};
}

Status ArrayWriter::Merge(const DimVector<std::uint64_t>& chunk, PendingChunk& pending) const {
    // The cached chunk is dropped, so that ReloadPending() reads the chunk from the store.
    array_->Replace(array_->IdOf(chunk), nullptr);
    return ReloadPending(*array_, chunk, pending);
}

Status ArrayWriter::StoreObjects(const ChunkStore::Index& index, const ChunkLayout& layout,
                                 const PendingChunk& pending, ObjectChunk& objects,
                                 const WriteLocks& locks) {
    ZARR_RETURN_IF_ERROR(MakeObjectChunk(pending.objects, objects));
    const std::string& fill = array_->metadata().fill_value.TrimmedBytes();
    if (array_->metadata().has_fill_value &&
        std::all_of(pending.objects.begin(), pending.objects.end(),
                    [&](const std::string& text) { return text == fill; }))
        return Omit(index, locks);
    ArrayContext::ScratchBuffer scratch(array_->context());
    ZARR_ASSIGN_OR_RETURN(
        const ByteSpan encoded,
        layout.pipeline.EncodeObjects(reinterpret_cast<const ObjectRef*>(objects.refs.data()),
                                      objects.count, scratch->pipeline));
    return Put(index, encoded, locks);
}

Status ArrayWriter::StorePending(std::uint64_t index, PendingChunk& pending) {
    const DimVector<std::uint64_t> chunk = array_->ChunkAt(index);
    // A completely written chunk of a shard needs no lock: it may stay pending until the shard is
    // stored under its lock.
    const bool waits = has_shards() && IsCompletelyWritten(pending);
    auto lock = Lock(chunk, waits ? nullptr : pending.locks);
    if (!lock.ok()) return array_->Locate(lock.status(), chunk);
    const bool is_locked = *lock != nullptr;
    if (is_locked) array_->chunks().Forget(chunk);
    ZARR_RETURN_IF_ERROR(StoreUnderLock(index, pending, is_locked));
    return is_locked ? array_->chunks().StoreLocked(*store_, chunk) : Status();
}

Status ArrayWriter::StoreUnderLock(std::uint64_t index, PendingChunk& pending, bool is_locked) {
    const DimVector<std::uint64_t> chunk = array_->ChunkAt(index);
    auto decoded = array_->context().cache().NewChunk();
    const auto store = [&]() -> Status {
        ZARR_ASSIGN_OR_RETURN(const ChunkLayoutPtr layout, array_->layouts().Of(chunk));
        if (is_locked && !IsCompletelyWritten(pending)) ZARR_RETURN_IF_ERROR(Merge(chunk, pending));
        const WriteLocks locks{pending.locks, is_locked};
        ZARR_RETURN_IF_ERROR(
            array_->metadata().dtype.kind == DataKind::kObject
                ? StoreObjects(chunk, *layout, pending, decoded->objects, locks)
                : StoreChunk(chunk, *layout, std::as_const(pending.elements).span(), locks));
        decoded->version = array_->chunks().VersionOf(chunk);
        // The cache is updated under the lock of the chunk. After the lock is released, another
        // process may store a newer chunk, which the cache must not hide.
        decoded->elements = std::move(pending.elements);
        array_->Replace({array_->id_, index}, decoded);
        return {};
    };
    const Status status = store();
    if (!status.ok()) return array_->Locate(status, chunk);
    Forget(index, pending);
    return {};
}

Status ArrayWriter::Flush(std::size_t threads) {
    if (!array_->pending().empty()) ZARR_RETURN_IF_ERROR(array_->CheckNotReplaced());
    const Status chunks = FlushChunks(threads);
    const Status stored = array_->chunks().Flush(*store_, threads);
    return chunks.ok() ? stored : chunks;
}

Status ArrayWriter::FlushChunks(std::size_t threads) {
    const std::size_t at_once = MaxConcurrentStores(threads);
    const auto all = array_->pending().All();
    // Groups of pending chunks that are stored together. If locks are used, the chunks of one shard
    // form a group; otherwise each chunk is a group.
    std::vector<std::vector<NumberedChunk>> parts;
    if (locks_ != nullptr && has_shards()) {
        std::map<std::string, std::vector<NumberedChunk>> by_group;
        for (const NumberedChunk& chunk : all)
            by_group[array_->chunks().NameOf(array_->ChunkAt(chunk.first))].push_back(chunk);
        for (auto& [name, chunks] : by_group) parts.push_back(std::move(chunks));
    } else {
        for (const NumberedChunk& chunk : all) parts.push_back({chunk});
    }
    // Number of threads that store one group.
    const std::size_t share = parts.empty() ? 1 : std::max<std::size_t>(threads / parts.size(), 1);
    std::mutex mutex;
    Status first;
    const Status ran = ParallelFor(parts.size(), at_once, [&](std::size_t i) -> Status {
        const Status status = FlushGroup(parts[i], share);
        if (status.ok()) return {};
        const std::lock_guard<std::mutex> first_lock(mutex);
        if (first.ok()) first = status;
        return {};
    });
    return first.ok() ? ran : first;
}

Status ArrayWriter::FlushGroup(const std::vector<NumberedChunk>& chunks, std::size_t threads) {
    // The mutexes of the pending chunks are locked before the lock of the shard. StorePending()
    // locks in the same order, so that the threads cannot deadlock.
    std::vector<std::unique_lock<std::mutex>> held;
    std::vector<const NumberedChunk*> live;
    for (const NumberedChunk& chunk : chunks) {
        held.emplace_back(chunk.second->mutex);
        if (!chunk.second->is_gone && chunk.second->is_loaded) live.push_back(&chunk);
    }
    if (live.empty()) return {};
    if (chunks.size() == 1) return StorePending(live[0]->first, *live[0]->second);
    const DimVector<std::uint64_t> any = array_->ChunkAt(live[0]->first);
    auto lock = Lock(any, locks_);
    if (!lock.ok()) return array_->Locate(lock.status(), any);
    array_->chunks().Forget(any);
    std::mutex mutex;
    Status first;
    const Status ran = ParallelFor(live.size(), threads, [&](std::size_t i) -> Status {
        const Status status = StoreUnderLock(live[i]->first, *live[i]->second, true);
        const std::lock_guard<std::mutex> first_lock(mutex);
        if (first.ok()) first = status;
        return {};
    });
    const Status stored = array_->chunks().StoreLocked(*store_, any);
    if (!first.ok()) return first;
    return ran.ok() ? stored : ran;
}

// ---------------------------------------------------------------------------------------------
// Initial contents of pending chunks

Converter TextConverter(Converter::Row row, std::size_t src_size) {
    Converter op;
    op.row = row;
    op.src_size = src_size;
    op.dst_size = sizeof(std::string);
    return op;
}

Status LoadStored(const Array& array, const DimVector<std::uint64_t>& chunk,
                  PendingChunk& pending) {
    const ArrayMetadata& metadata = array.metadata();
    ZARR_ASSIGN_OR_RETURN(const ChunkLayoutPtr layout, array.layouts().Of(chunk));
    Region inside;
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        const GridAxis& axis = array.layouts().grid()[i];
        inside.start.push_back(axis.StartOf(chunk[i]));
        inside.count.push_back(axis.InsideOf(chunk[i]));
        inside.step.push_back(1);
    }
    const ReadOptions options{1, CachePolicy::kPartlyRead, false};
    if (metadata.dtype.kind != DataKind::kObject) {
        const std::size_t size = metadata.dtype.size;
        const Destination destination{pending.elements.data(), layout->StridesOf(size),
                                      CopyConverter(size)};
        return array.Read(inside, 0, destination, options);
    }
    const Destination destination{reinterpret_cast<std::uint8_t*>(pending.objects.data()),
                                  layout->StridesOf(sizeof(std::string)),
                                  TextConverter(AssignTexts, sizeof(ObjectRef))};
    return array.Read(inside, 0, destination, options);
}

Status ReloadPending(const Array& array, const DimVector<std::uint64_t>& chunk,
                     PendingChunk& pending) {
    PendingChunk stored;
    ZARR_RETURN_IF_ERROR(stored.elements.Reset(pending.elements.size()));
    std::copy_n(pending.elements.data(), pending.elements.size(), stored.elements.data());
    stored.objects = pending.objects;
    ZARR_RETURN_IF_ERROR(LoadStored(array, chunk, stored));
    FillUnwritten(pending, stored);
    return {};
}

}  // namespace zarr
