// SPDX-License-Identifier: MIT
#include "core/array/array_writer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/base/parallel.h"

namespace zarr {

namespace {

// The rows of ops to std::string, from ObjectRef and from std::string.
// NOLINTNEXTLINE(readability-non-const-parameter): the type of a row is given
void AssignTexts(const ElementOp& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                 const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        ObjectRef ref;
        std::memcpy(&ref, src, sizeof ref);
        reinterpret_cast<std::string*>(dst)->assign(ref.data == nullptr ? "" : ref.data, ref.size);
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type of a row is given
void CopyTexts(const ElementOp& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
               const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        *reinterpret_cast<std::string*>(dst) = *reinterpret_cast<const std::string*>(src);
}

ElementOp TextOp(ElementOp::Row row, std::size_t src_size) {
    ElementOp op;
    op.row = row;
    op.src_size = src_size;
    op.dst_size = sizeof(std::string);
    return op;
}

// Of the strings of a pending chunk.
Strides TextStrides(const ArrayMetadata& metadata) {
    DimVector<std::uint64_t> shape;
    for (const std::uint64_t count : metadata.chunks) shape.push_back(count);
    return ContiguousStrides(shape, sizeof(std::string), metadata.fortran_order);
}

}  // namespace

Result<std::unique_ptr<ArrayWriter>> ArrayWriter::Open(std::shared_ptr<const Array> array,
                                                       std::shared_ptr<Store> store,
                                                       std::size_t max_pending_bytes) {
    ZARR_RETURN_IF_ERROR(array->pipeline_.writable().WithContext(array->path()));
    return std::unique_ptr<ArrayWriter>(
        new ArrayWriter(std::move(array), std::move(store), max_pending_bytes));
}

ArrayWriter::ArrayWriter(std::shared_ptr<const Array> array, std::shared_ptr<Store> store,
                         std::size_t max_pending_bytes)
    : array_(std::move(array)),
      store_(std::move(store)),
      max_pending_bytes_(max_pending_bytes),
      fill_(array_->metadata().fill_value) {
    if (array_->metadata().dtype.kind != DataKind::kObject)
        SwapElements(array_->metadata().dtype, reinterpret_cast<std::uint8_t*>(fill_.data()), 1);
}

std::size_t ArrayWriter::ItemsPerChunk() const {
    std::size_t items = 1;
    for (const std::uint64_t count : array_->metadata().chunks)
        items *= static_cast<std::size_t>(count);
    return items;
}

void ArrayWriter::FillChunk(MutableByteSpan chunk) const {
    DimVector<std::uint64_t> count;
    count.push_back(ItemsPerChunk());
    Strides strides;
    strides.push_back(static_cast<std::ptrdiff_t>(fill_.size()));
    FillBlock(count, chunk.data, strides, reinterpret_cast<const std::uint8_t*>(fill_.data()),
              CopyOp(fill_.size()));
}

bool ArrayWriter::IsFill(ByteSpan chunk) const {
    // Where nothing is said of absent chunks, none is left out.
    if (!array_->metadata().has_fill_value || chunk.size < fill_.size()) return false;
    return std::memcmp(chunk.data, fill_.data(), fill_.size()) == 0 &&
           std::memcmp(chunk.data, chunk.data + fill_.size(), chunk.size - fill_.size()) == 0;
}

Status ArrayWriter::StoreChunk(const std::string& key, ByteSpan chunk) {
    if (IsFill(chunk)) return store_->Erase(key);
    ReadContext::Loan scratch(array_->context());
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded,
                          array_->pipeline_.Encode(chunk, scratch->pipeline));
    return store_->Set(key, encoded);
}

// ---------------------------------------------------------------------------------------------
// Pieces of a region

Status ArrayWriter::ForEachPiece(const RegionPlan& plan, std::size_t threads,
                                 const std::function<Status(const Piece&)>& write) {
    if (plan.pieces() > SIZE_MAX) return Status::Limit("the region touches too many chunks");
    const auto write_piece = [&](std::size_t i) {
        const Piece piece = plan.At(i);
        const Status status = array_->Locate(write(piece), piece.chunk);
        // A region may touch more chunks than there is room for.
        const bool is_full = array_->pending().count() > threads && IsTooMuchPending();
        return status.ok() && is_full ? Flush(1) : status;
    };
    ZARR_RETURN_IF_ERROR(
        ParallelFor(static_cast<std::size_t>(plan.pieces()), threads, write_piece));
    return IsTooMuchPending() ? Flush(threads) : Status();
}

bool ArrayWriter::IsTooMuchPending() const {
    // Of texts, whose size varies, it is the references that count.
    const bool is_objects = array_->metadata().dtype.kind == DataKind::kObject;
    const std::size_t chunk_bytes =
        is_objects ? ItemsPerChunk() * sizeof(ObjectRef) : array_->pipeline_.chunk_bytes();
    return array_->pending().count() > max_pending_bytes_ / chunk_bytes;
}

Status ArrayWriter::Write(const Region& region, std::size_t offset, const Source& source,
                          std::size_t threads) {
    const ArrayMetadata& metadata = array_->metadata();
    if (metadata.dtype.kind == DataKind::kObject)
        return Status::Invalid("elements of dtype |O have no fixed size");
    ZARR_RETURN_IF_ERROR(region.Check(metadata.shape));
    const RegionPlan plan(metadata, region, source.strides);
    const bool whole_elements = offset == 0 && source.op.dst_size == metadata.dtype.size;
    return ForEachPiece(plan, threads, [&](const Piece& piece) {
        if (piece.covers_chunk && whole_elements) return WriteWhole(piece, region, source);
        return Change(piece, [&](PendingChunk& pending) {
            const ChunkWalk walk = WalkOf(piece, region, array_->chunk_strides_);
            CopyBlock(piece.count, pending.elements.data() + walk.first + offset, walk.strides,
                      source.data + piece.place, source.strides, source.op);
        });
    });
}

Status ArrayWriter::WriteObjects(const Region& region, const std::vector<std::string>& texts,
                                 std::size_t threads) {
    const ArrayMetadata& metadata = array_->metadata();
    if (metadata.dtype.kind != DataKind::kObject)
        return Status::Invalid("dtype " + metadata.dtype.ToString() + " has no objects");
    ZARR_RETURN_IF_ERROR(region.Check(metadata.shape));
    if (texts.size() != region.size())
        return Status::Invalid(std::to_string(texts.size()) + " texts for " +
                               std::to_string(region.size()) + " elements");
    const Strides source_strides = ContiguousStrides(region.count, sizeof(std::string), false);
    const Strides chunk_strides = TextStrides(metadata);
    const RegionPlan plan(metadata, region, source_strides);
    return ForEachPiece(plan, threads, [&](const Piece& piece) {
        return Change(piece, [&](PendingChunk& pending) {
            const ChunkWalk walk = WalkOf(piece, region, chunk_strides);
            CopyBlock(
                piece.count, reinterpret_cast<std::uint8_t*>(pending.objects.data()) + walk.first,
                walk.strides, reinterpret_cast<const std::uint8_t*>(texts.data()) + piece.place,
                source_strides, TextOp(CopyTexts, sizeof(std::string)));
        });
    });
}

Status ArrayWriter::WriteWhole(const Piece& piece, const Region& region, const Source& source) {
    const ChunkId id = array_->IdOf(piece.chunk);
    // What is pending of it is overwritten.
    if (const auto pending = array_->pending().Find(id.chunk)) {
        const std::lock_guard<std::mutex> lock(pending->mutex);
        pending->is_gone = true;
        array_->pending().Remove(id.chunk, *pending);
    }
    ReadContext::Loan scratch(array_->context());
    Buffer& chunk = scratch->chunk;
    ZARR_RETURN_IF_ERROR(chunk.Reset(array_->pipeline_.chunk_bytes()));
    if (!piece.fills_chunk) FillChunk(chunk.span());
    const ChunkWalk walk = WalkOf(piece, region, array_->chunk_strides_);
    CopyBlock(piece.count, chunk.data() + walk.first, walk.strides, source.data + piece.place,
              source.strides, source.op);
    Status status = StoreChunk(array_->KeyOf(piece.chunk), std::as_const(chunk).span());
    array_->context().cache().Replace(id, nullptr);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Pending chunks

Status ArrayWriter::Change(const Piece& piece, const std::function<void(PendingChunk&)>& change) {
    const std::uint64_t index = array_->IdOf(piece.chunk).chunk;
    for (;;) {
        const auto pending = array_->pending().FindOrAdd(index);
        const std::lock_guard<std::mutex> lock(pending->mutex);
        if (pending->is_gone) continue;
        if (!pending->is_loaded) {
            Status status = Load(piece, *pending);
            if (!status.ok()) {
                pending->is_gone = true;
                array_->pending().Remove(index, *pending);
                return status;
            }
            pending->is_loaded = true;
        }
        change(*pending);
        return {};
    }
}

Status ArrayWriter::Load(const Piece& piece, PendingChunk& pending) const {
    const ArrayMetadata& metadata = array_->metadata();
    Region inside;
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        inside.start.push_back(piece.chunk[i] * metadata.chunks[i]);
        inside.count.push_back(
            std::min(metadata.chunks[i], metadata.shape[i] - piece.chunk[i] * metadata.chunks[i]));
        inside.step.push_back(1);
    }
    const ReadOptions options{1, Keep::kPartlyRead, false};
    if (metadata.dtype.kind != DataKind::kObject) {
        ZARR_RETURN_IF_ERROR(pending.elements.Reset(array_->pipeline_.chunk_bytes()));
        FillChunk(pending.elements.span());
        const Destination destination{pending.elements.data(), array_->chunk_strides_,
                                      CopyOp(metadata.dtype.size)};
        return array_->Read(inside, 0, destination, options);
    }
    pending.objects.assign(ItemsPerChunk(), metadata.fill_value);
    const Destination destination{reinterpret_cast<std::uint8_t*>(pending.objects.data()),
                                  TextStrides(metadata), TextOp(AssignTexts, sizeof(ObjectRef))};
    return array_->Read(inside, 0, destination, options);
}

Status ArrayWriter::StorePending(std::uint64_t index, PendingChunk& pending) {
    const DimVector<std::uint64_t> chunk = array_->ChunkAt(index);
    const std::string key = array_->KeyOf(chunk);
    auto decoded = std::make_shared<DecodedChunk>();
    Status status;
    if (array_->metadata().dtype.kind == DataKind::kObject) {
        ZARR_RETURN_IF_ERROR(MakeObjectChunk(pending.objects, decoded->objects));
        const std::string& fill = array_->metadata().fill_value;
        const bool is_fill = array_->metadata().has_fill_value &&
                             std::all_of(pending.objects.begin(), pending.objects.end(),
                                         [&](const std::string& text) { return text == fill; });
        if (is_fill) {
            status = store_->Erase(key);
        } else {
            ReadContext::Loan scratch(array_->context());
            const auto encoded = array_->pipeline_.EncodeObjects(
                reinterpret_cast<const ObjectRef*>(decoded->objects.refs.data()),
                decoded->objects.count, scratch->pipeline);
            status = encoded.ok() ? store_->Set(key, *encoded) : encoded.status();
        }
    } else {
        status = StoreChunk(key, std::as_const(pending.elements).span());
        if (status.ok()) decoded->elements = std::move(pending.elements);
    }
    if (!status.ok()) return array_->Locate(status, chunk);
    decoded->stamp = store_->StampOf(key);
    array_->context().cache().Replace({array_->id_, index}, decoded);
    return {};
}

Status ArrayWriter::Flush(std::size_t threads) {
    const auto all = array_->pending().All();
    std::mutex mutex;
    Status first;
    const Status ran = ParallelFor(all.size(), threads, [&](std::size_t i) -> Status {
        const auto& [index, pending] = all[i];
        const std::lock_guard<std::mutex> lock(pending->mutex);
        if (pending->is_gone || !pending->is_loaded) return {};
        const Status status = StorePending(index, *pending);
        if (status.ok()) {
            pending->is_gone = true;
            array_->pending().Remove(index, *pending);
            return {};
        }
        const std::lock_guard<std::mutex> first_lock(mutex);
        if (first.ok()) first = status;
        return {};
    });
    return first.ok() ? ran : first;
}

}  // namespace zarr
