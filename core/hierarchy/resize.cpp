// SPDX-License-Identifier: MIT
#include "core/hierarchy/resize.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "core/base/checked.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

using Shape = std::vector<std::uint64_t>;

bool ParseIndex(std::string_view text, std::uint64_t& index) {
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, index);
    return error == std::errc() && next == end && (text == "0" || text[0] != '0');
}

// Whether `name`, of the chunk's key the part after the array's path, names a chunk of `rank`
// indices of which the first that are given lie inside of `counts`.
enum class Place { kNoChunk, kInside, kOutside };

Place PlaceOf(std::string_view name, char separator, const Shape& counts, std::size_t& given) {
    bool is_inside = true;
    given = 0;
    for (;;) {
        const std::size_t end = name.find(separator);
        std::uint64_t index = 0;
        if (given == counts.size() || !ParseIndex(name.substr(0, end), index))
            return Place::kNoChunk;
        is_inside = is_inside && index < counts[given];
        ++given;
        if (end == std::string_view::npos) break;
        name.remove_prefix(end + 1);
    }
    return is_inside ? Place::kInside : Place::kOutside;
}

// Erases the chunks outside of a grid.
class Eraser {
  public:
    Eraser(Store& store, const Array& array, char separator, const Shape& shape)
        : store_(store), path_(array.path()), separator_(separator) {
        for (std::size_t i = 0; i < shape.size(); ++i)
            counts_.push_back(CeilDiv(shape[i], array.metadata().chunks[i]));
    }

    // An array without dimensions has one chunk, which is inside.
    Status Run() { return counts_.empty() ? Status() : EraseBelow(""); }

  private:
    // `name` is what chunks below it have in front, such as "0/1".
    Status EraseBelow(const std::string& name) {
        ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries,
                              store_.List(name.empty() ? path_ : JoinKey(path_, name)));
        for (const StoreEntry& entry : entries) {
            const std::string own = JoinKey(name, entry.name);
            std::size_t given = 0;
            const Place place = PlaceOf(own, separator_, counts_, given);
            if (place == Place::kNoChunk) continue;
            if (entry.is_prefix) {
                if (separator_ == '/' && given < counts_.size())
                    ZARR_RETURN_IF_ERROR(EraseBelow(own));
            } else if (place == Place::kOutside && given == counts_.size()) {
                ZARR_RETURN_IF_ERROR(store_.Erase(JoinKey(path_, own)));
            }
        }
        return name.empty() ? Status() : store_.ErasePrefix(JoinKey(path_, name)).status();
    }

    Store& store_;
    const std::string path_;
    const char separator_;
    Shape counts_;
};

Status WriteFill(ArrayWriter& writer, const Region& region, std::size_t threads) {
    const ArrayMetadata& metadata = writer.array().metadata();
    if (metadata.dtype.kind == DataKind::kObject) {
        const std::vector<std::string> texts(static_cast<std::size_t>(region.size()),
                                             metadata.fill_value.held());
        return writer.WriteObjects(region, texts, threads);
    }
    std::string fill = metadata.fill_value.Bytes();
    auto* const element = reinterpret_cast<std::uint8_t*>(fill.data());
    SwapElements(metadata.dtype, element, 1);
    const Source source{element, Strides(metadata.rank(), 0), CopyConverter(metadata.dtype.size)};
    return writer.Write(region, 0, source, threads);
}

// Fills what lies beyond the new edge in the chunks that it cuts through.
Status FillBeyond(ArrayWriter& writer, const Shape& shape, std::size_t threads) {
    const ArrayMetadata& metadata = writer.array().metadata();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] >= metadata.shape[axis]) continue;
        Region beyond;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            beyond.start.push_back(0);
            beyond.count.push_back(std::min(shape[i], metadata.shape[i]));
            beyond.step.push_back(1);
        }
        const std::uint64_t chunk = metadata.chunks[axis];
        const std::uint64_t cut = CeilDiv(shape[axis], chunk) * chunk;
        beyond.start[axis] = shape[axis];
        beyond.count[axis] = std::min(cut, metadata.shape[axis]) - shape[axis];
        // Along the axes that were filled before, the corner too.
        for (std::size_t i = 0; i < axis; ++i)
            beyond.count[i] = std::min(CeilDiv(shape[i], metadata.chunks[i]) * metadata.chunks[i],
                                       metadata.shape[i]);
        if (beyond.size() == 0) continue;
        ZARR_RETURN_IF_ERROR(WriteFill(writer, beyond, threads));
    }
    return writer.Flush(threads);
}

}  // namespace

json::Object WithShape(const ArrayMetadata& metadata, const Shape& shape) {
    json::Object document = metadata.document;
    json::Array sizes;
    for (const std::uint64_t size : shape) sizes.emplace_back(size);
    for (json::Member& member : document)
        if (member.first == "shape") member.second = json::Value(sizes);
    return document;
}

Status CheckShape(const ArrayMetadata& metadata, const Shape& shape) {
    if (shape.size() != metadata.rank())
        return Status::Invalid("shape: expected " + std::to_string(metadata.rank()) +
                               " sizes, got " + std::to_string(shape.size()));
    const auto parsed = ParseArrayMetadata(json::Dump(json::Value(WithShape(metadata, shape))));
    if (parsed.ok()) return {};
    const bool is_limit = parsed.status().code() == StatusCode::kLimit;
    return {is_limit ? StatusCode::kLimit : StatusCode::kInvalidArgument,
            parsed.status().message()};
}

Status EraseChunksOutside(Store& store, const Array& array, const Shape& shape) {
    ZARR_ASSIGN_OR_RETURN(const char separator, array.Separator());
    return Eraser(store, array, separator, shape).Run();
}

Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer, const Shape& shape,
                   std::size_t threads) {
    const Array& array = writer.array();
    const ArrayMetadata& old = array.metadata();
    ZARR_RETURN_IF_ERROR(CheckShape(old, shape).WithContext(JoinKey(array.path(), kArrayKey)));
    if (shape == old.shape) return {};
    // Chunks that somebody left outside of the old shape would come back inside of the new one.
    ZARR_RETURN_IF_ERROR(EraseChunksOutside(store, array, old.shape));
    ZARR_RETURN_IF_ERROR(FillBeyond(writer, shape, threads));
    ZARR_RETURN_IF_ERROR(metadata.ReplaceArrayDocument(array.path(), WithShape(old, shape)));
    return EraseChunksOutside(store, array, shape);
}

}  // namespace zarr
