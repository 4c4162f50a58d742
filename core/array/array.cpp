// SPDX-License-Identifier: MIT
#include "core/array/array.h"

#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "core/array/array_writer.h"
#include "core/array/read_ahead.h"
#include "core/array/region_reader.h"
#include "core/array/region_split.h"
#include "core/array/sharded_chunks.h"
#include "core/array/unsharded_chunks.h"
#include "core/base/checked.h"
#include "core/grid/chunk_grid.h"
#include "core/grid/region.h"

namespace zarr {

namespace {

// Copies the texts of `count` ObjectRefs at `src` to the std::strings at `dst`.
// NOLINTNEXTLINE(readability-non-const-parameter): signature of Converter::Row
void TakeTexts(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
               const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (; count > 0; --count, dst += dst_stride, src += src_stride) {
        ObjectRef ref;
        std::memcpy(&ref, src, sizeof ref);
        auto& text = *reinterpret_cast<std::string*>(dst);
        text.assign(ref.data == nullptr ? "" : ref.data, ref.size);
    }
}

}  // namespace

Status Array::CheckCodecs(const ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const ChunkLayout layout, ChunkLayout::Bind(metadata, metadata.chunks));
    return ShardLayout::Bind(metadata, layout.max_encoded_bytes).status();
}

Status Array::CheckWritable(const ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const ChunkLayout layout, ChunkLayout::Bind(metadata, metadata.chunks));
    ZARR_RETURN_IF_ERROR(layout.pipeline.writable());
    ZARR_ASSIGN_OR_RETURN(const ShardLayout shards,
                          ShardLayout::Bind(metadata, layout.max_encoded_bytes));
    return shards.writable();
}

Result<std::shared_ptr<const Array>> Array::Open(std::shared_ptr<const Store> store,
                                                 std::string path, ArrayMetadata metadata,
                                                 std::shared_ptr<ArrayContext> context,
                                                 std::shared_ptr<ArrayInstances> instances,
                                                 std::unique_ptr<const ArrayDocument> document) {
    std::shared_ptr<Array> array(new Array());
    array->document_ = std::move(document);
    array->metadata_ = std::move(metadata);
    ZARR_RETURN_IF_ERROR(array->layouts_.Bind(array->metadata_));
    for (const GridAxis& axis : array->layouts_.grid())
        array->chunk_counts_.push_back(axis.count());
    array->store_ = std::move(store);
    array->path_ = std::move(path);
    array->context_ = std::move(context);
    array->id_ = ChunkCache::NextArrayId();
    if (instances == nullptr) instances = std::make_shared<ArrayInstances>(array->metadata_);
    if (array->metadata_.shards.empty()) {
        array->chunks_ = std::make_unique<const UnshardedChunks>(
            array->store_, array->path_, array->metadata_, array->chunk_counts_, *array->context_);
    } else {
        ZARR_ASSIGN_OR_RETURN(
            array->chunks_,
            ShardedChunks::Open(array->store_, array->path_, array->metadata_,
                                array->layouts_.largest().max_encoded_bytes,
                                array->context_->shards(), instances->pending_shards()));
    }
    const Pipeline& pipeline = array->layouts_.largest().pipeline;
    const bool may_be_read_in_parts = pipeline.is_identity() || pipeline.HasRanges();
    if (array->metadata_.dtype.kind != DataKind::kObject &&
        (array->store_->Traits().remote || may_be_read_in_parts))
        array->read_ahead_ = std::make_unique<ReadAhead>(*array);
    array->instances_ = std::move(instances);
    array->instances_->Join(*array);
    return std::shared_ptr<const Array>(std::move(array));
}

Array::~Array() {
    // `read_ahead_` is destroyed first. Its destructor waits for loads, which use this array and
    // the cache.
    read_ahead_.reset();
    if (instances_ != nullptr) instances_->Leave(*this);
    if (context_ != nullptr) context_->cache().DropArray(id_);
}

ChunkId Array::IdOf(const DimVector<std::uint64_t>& chunk) const {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) index = index * chunk_counts_[i] + chunk[i];
    return {id_, index};
}

DimVector<std::uint64_t> Array::ChunkAt(std::uint64_t index) const {
    DimVector<std::uint64_t> chunk(metadata_.rank());
    for (std::size_t i = metadata_.rank(); i-- > 0; index /= chunk_counts_[i])
        chunk[i] = index % chunk_counts_[i];
    return chunk;
}

Status Array::Locate(const Status& status, const DimVector<std::uint64_t>& chunk) const {
    if (status.ok()) return status;
    const std::string key = chunks_->NameOf(chunk);
    if (status.message().compare(0, key.size(), key) == 0) return status;
    return status.WithContext(key + ": chunk " + ChunkText(chunk));
}

Status Array::Read(const Region& region, std::size_t offset, const Destination& destination,
                   const ReadOptions& options) const {
    if (metadata_.dtype.kind == DataKind::kObject && destination.op.is_copy)
        return Status::Invalid("elements of dtype |O have no fixed size; read them as text");
    ZARR_RETURN_IF_ERROR(region.Check(metadata_.shape));
    const bool wants_rest =
        read_ahead_ != nullptr && options.looks_ahead && read_ahead_->Note(region, options.threads);
    return ReadSame(
        [&] { return ReadRegion(*this, region, offset, destination, options, wants_rest); });
}

Result<ArrayDocument::State> Array::CheckDocument() const {
    // Chunks that are read after this line may be read after the look at the document.
    const std::uint64_t requested = counters_.chunks_requested;
    Result<ArrayDocument::State> state = document_->Check(metadata_);
    if (!state.ok()) {
        // Cached chunks may be those of the other array, also after this array is put back.
        context_->cache().DropArray(id_);
        absent_.Clear();
        return state;
    }
    // Pending chunks are reloaded when they are stored. A caller may hold the mutex of one of them.
    if (*state == ArrayDocument::State::kChanged) DropCached();
    if (*state != ArrayDocument::State::kUnclear) checked_ = requested;
    return state;
}

Status Array::CheckNotReplaced() const {
    return document_ == nullptr ? Status() : CheckDocument().status();
}

Status Array::ReadSame(const std::function<Status()>& read) const {
    Status status = read();
    if (document_ == nullptr) return status;
    // Cached chunks stay those of this array. Only chunks that were read since the last check, also
    // by other threads, may be those of another one.
    if (status.ok() && checked_ == counters_.chunks_requested) return status;
    // The check comes after the read, so that no chunk of another array is taken for one of this.
    ZARR_ASSIGN_OR_RETURN(const ArrayDocument::State state, CheckDocument());
    if (state != ArrayDocument::State::kChanged) return status;
    // CheckDocument() has dropped cached chunks that may be those of an earlier array.
    status = read();
    ZARR_RETURN_IF_ERROR(CheckNotReplaced());
    return status;
}

Status Array::Preload(const Region& region, std::size_t threads) const {
    ZARR_RETURN_IF_ERROR(region.Check(metadata_.shape));
    return PreloadRegion(*this, region, threads);
}

Status Array::LoadAhead(const Region& region, std::size_t threads) const {
    ZARR_RETURN_IF_ERROR(region.Check(metadata_.shape));
    if (read_ahead_ != nullptr) read_ahead_->Load(region, threads);
    return {};
}

std::uint64_t Array::DecodedBytes(const Region& region) const {
    const Strides nowhere(region.count.size(), 0);
    return RegionSplit(layouts_.grid(), region, nowhere).ChunkBytes(layouts_.largest());
}

Result<ChunkListing> Array::ListChunks() const {
    const std::uint64_t asked = absent_.generation();
    ChunkSet present;
    ChunkListing listing;
    const auto visit = [&](std::uint64_t index) {
        ++listing.chunks;
        present.Add(index);
    };
    const auto visit_size = [&](std::optional<std::uint64_t> size) {
        if (!size) listing.bytes.reset();
        if (listing.bytes) *listing.bytes = SaturatingAdd(*listing.bytes, *size);
    };
    ZARR_RETURN_IF_ERROR(chunks_->ForEachStored(visit, visit_size));
    ZARR_RETURN_IF_ERROR(CheckNotReplaced());
    absent_.SetPresent(std::move(present), asked);
    return listing;
}

bool Array::IsKnownAbsent(const DimVector<std::uint64_t>& chunk) const {
    return absent_.Has(IdOf(chunk).chunk);
}

std::uint64_t Array::chunk_count() const {
    std::uint64_t count = 1;
    for (const std::uint64_t along : chunk_counts_) count *= along;
    return count;
}

void Array::Replace(const ChunkId& id, const ChunkPtr& chunk) const {
    instances_->ForEach([&](const Array& peer) {
        peer.absent_.Remove(id.chunk);
        peer.context_->cache().Replace({peer.id_, id.chunk}, &peer == this ? chunk : nullptr);
    });
}

void Array::DiscardPending() const {
    pending().Clear();
    chunks_->Discard([&](std::uint64_t index) { Replace({id_, index}, nullptr); });
    instances_->ForEach([](const Array& peer) {
        peer.absent_.Clear();
        peer.context_->cache().DropArray(peer.id_);
    });
}

void Array::DropCached() const {
    absent_.Clear();
    chunks_->DropOutdatedState();
    const bool caches_absence = store_->Traits().caches_absence;
    context_->cache().DropOutdated(
        id_, !caches_absence, [&](std::uint64_t index, const DecodedChunk& chunk) {
            // If the store caches absent keys, the version of an absent chunk does not change when
            // another process stores the chunk. Such a store's cached absent chunks are therefore
            // always dropped.
            return (chunk.absent && caches_absence) ||
                   !SameVersion(chunk.version, chunks_->VersionOf(ChunkAt(index)));
        });
}

void Array::DropChanged() const {
    DropCached();
    // A forked child has no pending chunks and returns here. The loop below might wait forever in a
    // child, for a mutex that a thread of the parent held during fork().
    if (pending().empty()) return;
    for (const auto& [index, pending] : this->pending().All()) {
        const std::lock_guard<std::mutex> lock(pending->mutex);
        if (pending->is_gone || !pending->is_loaded || IsCompletelyWritten(*pending)) continue;
        // A failed reload is ignored, because storing the pending chunk reloads it again and then
        // reports the failure.
        static_cast<void>(ReloadPending(*this, ChunkAt(index), *pending));
    }
}

Result<std::vector<std::string>> Array::ReadObjects(const Region& region,
                                                    std::size_t threads) const {
    if (metadata_.dtype.kind != DataKind::kObject)
        return Status::Invalid("dtype " + metadata_.dtype.ToString() +
                               " has no elements of variable length");
    ZARR_RETURN_IF_ERROR(region.Check(metadata_.shape));
    const std::uint64_t count = region.size();
    if (count > SIZE_MAX / sizeof(std::string))
        return Status::Limit("the region has too many elements for one read (" +
                             std::to_string(count) + "); read a smaller region");
    std::vector<std::string> objects(static_cast<std::size_t>(count));
    Converter take;
    take.row = TakeTexts;
    take.dst_size = sizeof(std::string);
    take.src_size = sizeof(ObjectRef);
    const Destination destination{reinterpret_cast<std::uint8_t*>(objects.data()),
                                  ContiguousStrides(region.count, sizeof(std::string), false),
                                  take};
    ZARR_RETURN_IF_ERROR(
        ReadSame([&] { return ReadRegion(*this, region, 0, destination, {threads}, false); }));
    return objects;
}

}  // namespace zarr
