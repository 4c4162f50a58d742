// SPDX-License-Identifier: MIT
#include "driver/create/grown_arrays.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "core/base/endian.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/cf/time.h"
#include "core/conventions/facts/array_facts.h"
#include "core/dtype/stored_converter.h"
#include "core/store/keys.h"
#include "driver/create/continued_bounds.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::DataKind;
using zarr::DataType;
using zarr::Result;
using zarr::Status;

namespace {

template <class T>
std::string BytesOf(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// Returns NaN as an element of a floating-point type of `size` bytes.
std::optional<std::string> NanOf(std::size_t size) {
    constexpr std::uint16_t kHalfNan = 0x7e00;
    if (size == sizeof(double)) return BytesOf(std::numeric_limits<double>::quiet_NaN());
    if (size == sizeof(float)) return BytesOf(std::numeric_limits<float>::quiet_NaN());
    return size == sizeof kHalfNan ? std::optional(BytesOf(kHalfNan)) : std::nullopt;
}

// True if the array is the bounds of a coordinate array with NumPy times, which xarray decodes with
// the units of the coordinate.
bool AreBoundsOfTimes(const zarr::ArrayFacts& facts) {
    return std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                       [&](const zarr::Dimension& dimension) {
                           const std::string* const bounds =
                               zarr::StringAttribute(dimension.coordinate_attributes, "bounds");
                           return bounds != nullptr && *bounds == zarr::LastName(facts.path) &&
                                  zarr::AreTimesOfNumPy(dimension.coordinate_attributes);
                       });
}

// Returns the element that readers take for missing, in the host's byte order. Returns nullopt if
// the array has none.
std::optional<std::string> MissingElement(const zarr::ArrayFacts& facts) {
    const auto nodata =
        zarr::ReadNodata(facts.attributes, facts.metadata, zarr::FillAsNodata::kAuto).value;
    if (nodata) return nodata->Bytes();
    const DataType& type = facts.metadata.dtype;
    if (type.kind == DataKind::kFloat) return NanOf(type.size);
    if (type.kind == DataKind::kComplex) {
        const auto part = NanOf(type.size / 2);
        return part ? std::optional(*part + *part) : std::nullopt;
    }
    if (type.kind == DataKind::kInt && type.size == sizeof(std::int64_t) && AreBoundsOfTimes(facts))
        return BytesOf(std::numeric_limits<std::int64_t>::min());
    return std::nullopt;
}

bool IsText(const DataType& type) {
    return type.kind == DataKind::kBytes || type.kind == DataKind::kUnicode ||
           type.kind == DataKind::kObject;
}

// Returns the axis along which an array grows from `before` to `after`; nullopt if none.
std::optional<std::size_t> GrownAxis(const zarr::ArrayMetadata& before,
                                     const zarr::ArrayMetadata& after) {
    for (std::size_t i = 0; i < before.rank(); ++i)
        if (after.shape[i] > before.shape[i]) return i;
    return std::nullopt;
}

// Writes `element`, in the host's byte order, to all elements of `region`.
Status WriteEverywhere(zarr::ArrayWriter& writer, zarr::Region region, std::size_t axis,
                       const std::string& element, std::size_t threads) {
    const zarr::ArrayMetadata& metadata = writer.array().metadata();
    if (metadata.dtype.kind != DataKind::kObject) {
        std::string stored = element;
        zarr::SwapElements(metadata.dtype, reinterpret_cast<std::uint8_t*>(stored.data()), 1);
        return writer.Write(
            region, 0,
            {reinterpret_cast<const std::uint8_t*>(stored.data()),
             zarr::Strides(metadata.rank(), 0), zarr::CopyConverter(metadata.dtype.size)},
            threads);
    }
    // Slice by slice, because each text takes memory.
    const std::uint64_t end = region.start[axis] + region.count[axis];
    region.count[axis] = 1;
    const std::vector<std::string> texts(static_cast<std::size_t>(region.size()), element);
    for (; region.start[axis] < end; ++region.start[axis])
        ZARR_RETURN_IF_ERROR(writer.WriteObjects(region, texts, threads));
    return {};
}

}  // namespace

Status GrownArrays::FillMissing(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const auto facts, zarr::DescribeArray(before_, path));
    ZARR_ASSIGN_OR_RETURN(const auto array, grown_.OpenArray(path));
    const zarr::ArrayMetadata& after = array->metadata();
    const auto axis = GrownAxis(facts.metadata, after);
    if (!axis) return {};
    const std::uint64_t size = facts.metadata.shape[*axis];
    const auto missing = MissingElement(facts);
    if (!missing && !IsText(after.dtype)) zeros_.push_back(path);
    const std::string element = missing.value_or(
        after.has_fill_value ? after.fill_value.Bytes() : std::string(after.dtype.size, '\0'));
    // The last old chunk may have any values beyond the old end. Absent chunks need no values if
    // the fill value says the same.
    const bool is_fill = after.has_fill_value && element == after.fill_value.Bytes();
    const std::uint64_t end =
        is_fill ? std::min(after.ChunkAxis(*axis).WholeChunks(size), after.shape[*axis])
                : after.shape[*axis];
    if (end <= size) return {};
    zarr::Region region = zarr::Region::All(after.shape);
    region.start[*axis] = size;
    region.count[*axis] = end - size;
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, update_.WriterOf(array));
    ZARR_RETURN_IF_ERROR(WriteEverywhere(*writer, region, *axis, element, threads_));
    return writer->Flush(threads_);
}

Result<bool> GrownArrays::ContinueBounds(const std::string& path,
                                         const GrowingCoordinates& coordinates,
                                         const std::vector<std::string>& added) {
    ZARR_ASSIGN_OR_RETURN(const auto bounds, ContinuedBounds(before_, path, coordinates, added));
    if (!bounds) return false;
    ZARR_ASSIGN_OR_RETURN(const auto array, grown_.OpenArray(path));
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, update_.WriterOf(array));
    const DataType& stored = array->metadata().dtype;
    ZARR_ASSIGN_OR_RETURN(const zarr::Converter op, zarr::WriteConverter(stored.Native(), stored));
    const auto size = static_cast<std::ptrdiff_t>(stored.size);
    const zarr::Region region{
        {array->metadata().shape[0] - added.size(), 0}, {added.size(), 2}, {1, 1}};
    ZARR_RETURN_IF_ERROR(writer->Write(
        region, 0, {reinterpret_cast<const std::uint8_t*>(bounds->data()), {2 * size, size}, op},
        1));
    ZARR_RETURN_IF_ERROR(writer->Flush(1));
    return true;
}

}  // namespace zarr_driver
