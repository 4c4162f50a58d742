// SPDX-License-Identifier: MIT
#include "autotest/fuzz/exercise_update.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autotest/fuzz/codec_kinds.h"
#include "autotest/fuzz/targets.h"
#include "core/array/array_writer.h"
#include "core/base/checked.h"
#include "core/conventions/catalog/catalog.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/copy.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"

namespace zarr::fuzz {

namespace {

constexpr std::size_t kArrays = 4;
// Maximum size of an array, chunk or shard in bytes.
constexpr std::uint64_t kWrittenBytes = std::uint64_t{1} << 16;
constexpr std::uint64_t kChunks = 1024;  // maximum number of chunks: each is visited

using Shape = std::vector<std::uint64_t>;

std::shared_ptr<const Hierarchy> OpenStore(const std::shared_ptr<Store>& store) {
    auto opened = Hierarchy::Open(store, UseConsolidated::kNever,
                                  std::make_shared<ArrayContext>(std::size_t{1} << 20));
    return opened.ok() ? opened.Take() : nullptr;
}

std::uint64_t Product(const Shape& sizes) {
    std::uint64_t product = 1;
    for (const std::uint64_t size : sizes) product = SaturatingMul(product, size);
    return product;
}

bool IsSmall(const ArrayMetadata& metadata) {
    if (metadata.dtype.kind == DataKind::kObject || metadata.dtype.size == 0) return false;
    std::uint64_t chunks = 1;
    for (std::size_t i = 0; i < metadata.rank(); ++i)
        chunks = SaturatingMul(chunks, metadata.shape[i] / metadata.chunks[i] + 1);
    const std::uint64_t elements = Product(metadata.shape);
    const std::uint64_t most = kWrittenBytes / metadata.dtype.size;
    return elements != 0 && elements <= most && chunks <= kChunks &&
           Product(metadata.stored_chunks()) <= most;
}

// Returns the elements of `region` in native byte order; nullopt if reading fails.
std::optional<std::string> Read(const Array& array, const Region& region) {
    const DataType& type = array.metadata().dtype;
    const auto op = ReadConverter(type, type.Native());
    if (!op.ok()) return std::nullopt;
    std::string data(static_cast<std::size_t>(region.size()) * type.size, '\0');
    const Destination to{reinterpret_cast<std::uint8_t*>(data.data()),
                         ContiguousStrides(region.count, type.size, false), *op};
    if (region.size() != 0 && !array.Read(region, 0, to, {1}).ok()) return std::nullopt;
    return data;
}

// Writes elements and stores them. Returns true on success.
bool Write(const std::shared_ptr<const Array>& array, const std::shared_ptr<Store>& store,
           const Region& region, const std::string& data) {
    const DataType& type = array->metadata().dtype;
    const auto op = WriteConverter(type.Native(), type);
    auto writer = ArrayWriter::Open(array, store, std::size_t{1} << 20);
    if (!op.ok() || !writer.ok()) return false;
    const Source source{reinterpret_cast<const std::uint8_t*>(data.data()),
                        ContiguousStrides(region.count, type.size, false), *op};
    const bool is_written = (*writer)->Write(region, 0, source, 1).ok() && (*writer)->Flush(1).ok();
    array->DiscardPending();
    return is_written;
}

// Returns the middle third of each dimension, or one element. The region ends within chunks.
Region Middle(const Shape& shape) {
    Region region = Region::All(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        region.start[i] = shape[i] / 3;
        region.count[i] = std::max<std::uint64_t>(shape[i] / 3, 1);
    }
    return region;
}

// Returns the elements in reverse order. They are valid, because they were read from the array.
std::string Reversed(const std::string& data, std::size_t size) {
    std::string turned;
    for (std::size_t end = data.size(); end >= size && size != 0; end -= size)
        turned.append(data, end - size, size);
    return turned;
}

class Update {
  public:
    Update(std::shared_ptr<Store> store, std::string path)
        : store_(std::move(store)), path_(std::move(path)) {}

    void Run() {
        const auto array = Open();
        if (array == nullptr || !IsSmall(array->metadata()) || !CanBeEncoded(array->metadata()))
            return;
        if (ChangeMiddle(array)) Shrink();
    }

  private:
    std::shared_ptr<const Array> Open() const {
        const auto hierarchy = OpenStore(store_);
        if (hierarchy == nullptr || !hierarchy->CheckChangeable(path_).ok()) return nullptr;
        auto array = hierarchy->OpenArray(path_);
        return array.ok() ? array.Take() : nullptr;
    }

    // Writes the middle of the array and checks the result. Returns false if the array is not
    // writable.
    bool ChangeMiddle(const std::shared_ptr<const Array>& array) {
        const ArrayMetadata& metadata = array->metadata();
        const Region all = Region::All(metadata.shape);
        const Region middle = Middle(metadata.shape);
        const std::size_t size = metadata.dtype.size;
        const auto before = Read(*array, all);
        const auto old = Read(*array, middle);
        if (!old) return false;
        const std::string written = Reversed(*old, size);
        if (!Write(array, store_, middle, written)) return false;
        const auto again = Open();
        Check(again != nullptr, "an array that was written to opens");
        const auto now = Read(*again, middle);
        Check(now.has_value(), "written elements can be read");
        if (!IsLossless(metadata)) return true;
        Check(*now == written, "written elements are read back");
        if (!before) return true;
        const auto rest = Read(*again, all);
        Check(rest.has_value(), "an array that was readable before a write is readable after it");
        Check(*rest == With(*before, all, middle, written, size),
              "a write changes only the elements that it covers");
        return true;
    }

    static std::string With(std::string data, const Region& all, const Region& part,
                            const std::string& written, std::size_t size) {
        const Strides strides = ContiguousStrides(all.count, size, false);
        auto* to = reinterpret_cast<std::uint8_t*>(data.data());
        for (std::size_t i = 0; i < part.start.size(); ++i)
            to += static_cast<std::ptrdiff_t>(part.start[i]) * strides[i];
        CopyBlock(part.count, to, strides, reinterpret_cast<const std::uint8_t*>(written.data()),
                  ContiguousStrides(part.count, size, false), CopyConverter(size));
        return data;
    }

    // Halves each dimension, then restores the shape. Elements inside of the halved shape must not
    // change. All others must have the fill value.
    void Shrink() {
        const auto array = Open();
        Check(array != nullptr, "an array that was written to opens");
        const Shape shape = array->metadata().shape;
        Shape half = shape;
        for (std::uint64_t& size : half) size = (size + 1) / 2;
        const auto kept = Read(*array, Region::All(half));
        if (!Resize(half)) return;
        const auto cut = Open();
        Check(cut != nullptr && cut->metadata().shape == half, "an array that shrank opens");
        const auto now = Read(*cut, Region::All(half));
        Check(!kept || !IsLossless(cut->metadata()) || now == kept,
              "elements that remain after shrinking are unchanged");
        if (!Resize(shape)) return;
        const auto grown = Open();
        Check(grown != nullptr && grown->metadata().shape == shape, "an array that grew opens");
        CheckFill(*grown, half);
    }

    bool Resize(const Shape& shape) {
        const auto array = Open();
        if (array == nullptr) return false;
        auto writer = ArrayWriter::Open(array, store_, std::size_t{1} << 20);
        if (!writer.ok()) return false;
        HierarchyWriter metadata(store_, WriteConsolidated::kIfPresent);
        const bool is_done = ResizeArray(metadata, *store_, **writer, shape, 1).ok();
        array->DiscardPending();
        return is_done;
    }

    // If dimensions were cut to `kept` and then restored, their last index must have the fill
    // value.
    static void CheckFill(const Array& array, const Shape& kept) {
        const ArrayMetadata& metadata = array.metadata();
        if (!IsLossless(metadata)) return;
        for (std::size_t i = 0; i < metadata.rank(); ++i) {
            if (kept[i] == metadata.shape[i]) continue;
            Region region = Region::All(metadata.shape);
            region.start[i] = metadata.shape[i] - 1;
            region.count[i] = 1;
            const auto data = Read(array, region);
            Check(data.has_value(), "elements that growing adds can be read");
            const std::string fill = metadata.fill_value.Bytes();
            for (std::size_t at = 0; at < data->size(); at += fill.size())
                Check(data->compare(at, fill.size(), fill) == 0,
                      "elements that growing adds have the fill value");
        }
    }

    std::shared_ptr<Store> store_;
    std::string path_;
};

}  // namespace

void ExerciseUpdate(const std::shared_ptr<Store>& store) {
    const auto hierarchy = OpenStore(store);
    if (hierarchy == nullptr) return;
    const auto groups = ListRasters(*hierarchy, "").value;
    if (!groups.ok()) return;
    std::size_t arrays = 0;
    for (const CatalogGroup& group : *groups)
        for (const CatalogArray& entry : group.arrays)
            if (++arrays <= kArrays) Update(store, entry.path).Run();
}

}  // namespace zarr::fuzz
