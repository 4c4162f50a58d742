// SPDX-License-Identifier: MIT
#include "core/conventions/coordinates.h"

#include <algorithm>
#include <cmath>

#include "core/base/limits.h"
#include "core/conventions/values.h"
#include "core/dtype/convert.h"
#include "core/dtype/element_text.h"

namespace zarr {

Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(path));
    const DataType& dtype = array->metadata().dtype;
    if (!dtype.is_numeric() || dtype.kind == DataKind::kComplex)
        return Status::Corrupt(path + ": coordinates of dtype " + dtype.ToString() +
                               " are no numbers");
    const Region all = Region::All(array->metadata().shape);
    if (all.size() > LimitOf(Limit::kCoordinates))
        return OverLimit(Limit::kCoordinates,
                         path + ": has " + std::to_string(all.size()) + " coordinates");
    const DataType memory = dtype.Native();
    Buffer buffer;
    ZARR_RETURN_IF_ERROR(buffer.Resize(static_cast<std::size_t>(all.size()) * memory.size));
    ZARR_ASSIGN_OR_RETURN(const ElementOp op, MakeReadOp(dtype, memory));
    const Destination destination{buffer.data(), ContiguousStrides(all.count, memory.size, false),
                                  op};
    ZARR_RETURN_IF_ERROR(array->Read(all, 0, destination, {threads}));
    Warnings ignored;
    const Packing packing = ReadPacking(attributes, ignored);
    Coordinates coordinates;
    coordinates.values.reserve(static_cast<std::size_t>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double stored = ElementDouble(memory, buffer.data() + i * memory.size);
        coordinates.values.push_back(stored * packing.scale.value_or(1) +
                                     packing.offset.value_or(0));
    }
    if (memory.kind == DataKind::kFloat && memory.size == 4)
        coordinates.relative_noise = std::ldexp(1.0, -24);
    return coordinates;
}

std::optional<RegularAxis> FitRegularAxis(const Coordinates& coordinates, const std::string& name,
                                          Warnings& warnings) {
    const std::vector<double>& values = coordinates.values;
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
        warnings.push_back(name + ": the coordinates hold values that are no numbers");
        return std::nullopt;
    }
    if (values.size() < 2) return std::nullopt;
    RegularAxis axis;
    axis.start = values.front();
    axis.spacing = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
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
        const double place = axis.start + static_cast<double>(i) * axis.spacing;
        if (!(std::fabs(values[i] - place) <= tolerance)) return std::nullopt;
    }
    return axis;
}

}  // namespace zarr
