// SPDX-License-Identifier: MIT
#include "core/conventions/coordinates.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/conventions/values.h"
#include "core/dtype/convert.h"
#include "core/dtype/element_text.h"

namespace zarr {

namespace {

// Coordinates of one array, read part by part.
class Reader {
  public:
    static Result<Reader> Open(const Hierarchy& hierarchy, const std::string& path,
                               const json::Value& attributes) {
        Reader reader;
        ZARR_ASSIGN_OR_RETURN(reader.array_, hierarchy.OpenArray(path));
        const DataType& dtype = reader.array_->metadata().dtype;
        if (!dtype.is_numeric() || dtype.kind == DataKind::kComplex)
            return Status::Corrupt(path + ": coordinates of dtype " + dtype.ToString() +
                                   " are no numbers");
        reader.memory_ = dtype.Native();
        ZARR_ASSIGN_OR_RETURN(reader.op_, MakeReadOp(dtype, reader.memory_));
        Warnings ignored;
        reader.packing_ = ReadPacking(attributes, ignored);
        if (reader.memory_.kind == DataKind::kFloat && reader.memory_.size == 4)
            reader.read_.relative_noise = std::ldexp(1.0, -24);
        return reader;
    }

    const ArrayMetadata& metadata() const { return array_->metadata(); }
    Coordinates Take() { return std::move(read_); }

    Status Read(const Region& region, std::size_t threads) {
        const std::uint64_t count = SaturatingAdd(read_.values.size(), region.size());
        if (count > LimitOf(Limit::kCoordinates))
            return OverLimit(Limit::kCoordinates,
                             array_->path() + ": has " + std::to_string(count) + " coordinates");
        Buffer buffer;
        ZARR_RETURN_IF_ERROR(buffer.Resize(static_cast<std::size_t>(region.size()) * memory_.size));
        const Destination destination{buffer.data(),
                                      ContiguousStrides(region.count, memory_.size, false), op_};
        ZARR_RETURN_IF_ERROR(array_->Read(region, 0, destination, {threads}));
        read_.values.reserve(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < region.size(); ++i) {
            const double stored = ElementDouble(memory_, buffer.data() + i * memory_.size);
            read_.values.push_back(stored * packing_.scale.value_or(1) +
                                   packing_.offset.value_or(0));
        }
        return {};
    }

    // Of an array of one dimension.
    Status ReadChunk(std::uint64_t chunk, std::size_t threads) {
        const std::uint64_t size = metadata().chunks[0];
        const std::uint64_t first = chunk * size;
        const std::uint64_t count = std::min(size, metadata().shape[0] - first);
        for (std::uint64_t i = 0; i < count; ++i) read_.places.push_back(first + i);
        return Read({{first}, {count}, {1}}, threads);
    }

  private:
    std::shared_ptr<const Array> array_;
    DataType memory_;
    ElementOp op_;
    Packing packing_;
    Coordinates read_;
};

}  // namespace

Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    ZARR_RETURN_IF_ERROR(reader.Read(Region::All(reader.metadata().shape), threads));
    return reader.Take();
}

Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::uint64_t first,
                                    std::uint64_t count, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    const ArrayMetadata& metadata = reader.metadata();
    if (metadata.rank() != 1 || first > metadata.shape[0] || count > metadata.shape[0] - first)
        return Status::Invalid(path + ": has other dimensions");
    ZARR_RETURN_IF_ERROR(reader.Read({{first}, {count}, {1}}, threads));
    return reader.Take();
}

Result<Coordinates> ReadAxis(const Hierarchy& hierarchy, const std::string& path,
                             const json::Value& attributes, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    const ArrayMetadata& metadata = reader.metadata();
    const std::uint64_t chunks =
        metadata.rank() == 1 ? CeilDiv(metadata.shape[0], metadata.chunks[0]) : 0;
    if (chunks <= kMostAxisChunks) return ReadCoordinates(hierarchy, path, attributes, threads);
    constexpr std::uint64_t kSteps = kMostAxisChunks - 1;
    for (std::uint64_t i = 0; i <= kSteps; ++i) {
        // Without the overflow of (chunks - 1) * i.
        const std::uint64_t last = chunks - 1;
        ZARR_RETURN_IF_ERROR(
            reader.ReadChunk(last / kSteps * i + last % kSteps * i / kSteps, threads));
    }
    return reader.Take();
}

std::optional<RegularAxis> FitRegularAxis(const Coordinates& coordinates, const std::string& name,
                                          Warnings& warnings) {
    const std::vector<double>& values = coordinates.values;
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
        warnings.push_back(name + ": the coordinates hold values that are no numbers");
        return std::nullopt;
    }
    if (values.size() < 2) return std::nullopt;
    const auto place_of = [&](std::size_t i) {
        return static_cast<double>(coordinates.places.empty() ? i : coordinates.places[i]);
    };
    RegularAxis axis;
    axis.start = values.front();
    axis.spacing = (values.back() - values.front()) / place_of(values.size() - 1);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*low == *high) {
        warnings.push_back(name + ": the coordinates are all the same");
        return std::nullopt;
    }
    // Two roundings, of the value and of the ends that the fit goes through; but never so much that
    // neighbours could change places.
    const double noise =
        4 * coordinates.relative_noise * std::max(std::fabs(*low), std::fabs(*high));
    const double size = std::fabs(axis.spacing);
    const double tolerance = std::min(std::max(1e-3 * size, noise), 0.25 * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double place = axis.start + place_of(i) * axis.spacing;
        if (!(std::fabs(values[i] - place) <= tolerance)) return std::nullopt;
    }
    return axis;
}

}  // namespace zarr
