// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/statement_errors.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/dim_vector.h"
#include "core/json/value.h"

namespace zarr {

namespace {

constexpr const char* kIgnored = "; it is ignored";

// Returns the dimensions that a list of `count` numbers refers to: all dimensions, or Y and X if
// `count` is two. Empty if `count` fits neither.
DimVector<std::size_t> DimensionsOfNumbers(std::size_t count, const ArrayFacts& facts) {
    DimVector<std::size_t> dimensions;
    for (std::size_t i = 0; count == facts.dimensions.size() && i < count; ++i)
        dimensions.push_back(i);
    if (dimensions.empty() && count == 2) {
        dimensions.push_back(*facts.axes.y);
        dimensions.push_back(*facts.axes.x);
    }
    return dimensions;
}

std::string WrongCount(std::string_view name, std::size_t count) {
    return std::string(name) + ": has " + std::to_string(count) +
           " numbers, not one for each dimension" + kIgnored;
}

// True if `size` elements of the level cover `source_size` elements of the source. An element of
// the level covers `scale` elements of the source. The end of the level may be up to one of its
// elements before or after the end of the source.
bool Fits(double scale, std::uint64_t size, std::uint64_t source_size) {
    const double covered = scale * static_cast<double>(size);
    return std::fabs(covered - static_cast<double>(source_size)) <= scale * (1 + 1e-6);
}

// Returns an error message if `scale` does not lead from the size of `source` to the size of the
// level; otherwise an empty string.
std::string WrongScale(const std::vector<double>& scale, const ArrayFacts& level,
                       const ArrayFacts& source) {
    if (source.dimensions.size() != level.dimensions.size()) return {};
    const auto dimensions = DimensionsOfNumbers(scale.size(), level);
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const Dimension& dimension = level.dimensions[dimensions[i]];
        const std::uint64_t source_size = source.dimensions[dimensions[i]].size;
        if (!Fits(scale[i], dimension.size, source_size))
            return "scale: " + json::PythonFloat(scale[i]) + " along " + dimension.name +
                   " does not reduce " + std::to_string(source_size) + " elements to " +
                   std::to_string(dimension.size) + kIgnored;
    }
    return {};
}

}  // namespace

std::vector<std::string> StatementErrors(const LevelStatement& statement, const ArrayFacts& level,
                                         const std::vector<const ArrayFacts*>& sources) {
    std::vector<std::string> wrong;
    // If the statement is about a group, a wrong count of numbers is no error, because the arrays
    // of a group may have different dimensions.
    const bool is_of_many = statement.level != level.path;
    const auto has_dimensions = [&](std::string_view name, const std::vector<double>& numbers) {
        if (!DimensionsOfNumbers(numbers.size(), level).empty()) return true;
        if (!numbers.empty() && (!is_of_many || numbers.size() < 2))
            wrong.push_back(WrongCount(name, numbers.size()));
        return false;
    };
    has_dimensions("translation", statement.translation);
    if (has_dimensions("scale", statement.scale)) {
        // If the scale is right for one of the sources, there is no error. Otherwise the error for
        // the first source is reported.
        std::string first;
        for (const ArrayFacts* source : sources) {
            std::string text = WrongScale(statement.scale, level, *source);
            const bool fits = text.empty();
            if (first.empty() || fits) first = std::move(text);
            if (fits) break;
        }
        if (!first.empty()) wrong.push_back(std::move(first));
    }
    const std::vector<std::uint64_t> shape{level.dimensions[*level.axes.y].size,
                                           level.dimensions[*level.axes.x].size};
    if (!statement.shape.empty() && statement.shape != shape) {
        const auto text = [](const std::vector<std::uint64_t>& sizes) {
            return "[" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + "]";
        };
        wrong.push_back("spatial:shape: is " + text(statement.shape) + ", but the level has " +
                        text(shape) + kIgnored);
    }
    return wrong;
}

}  // namespace zarr
