// SPDX-License-Identifier: MIT
#include "core/conventions/level_statement.h"

#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/dim_vector.h"
#include "core/conventions/array_facts.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr const char* kIgnored = "; it is ignored";
// Maximum number of numbers in a list that has one for each dimension.
constexpr std::size_t kMaxNumbers = DimVector<double>::kCapacity;

class StatementReader {
  public:
    StatementReader(const json::Value& entry, const std::string& origin, Warnings& warnings)
        : entry_(entry), origin_(origin), warnings_(warnings) {}

    LevelStatement Read(const std::string& level) {
        LevelStatement statement;
        statement.level = level;
        ReadSource(statement);
        const json::Value* transform = Member(entry_, "transform");
        const json::Value* scale = transform != nullptr ? Member(*transform, "scale") : nullptr;
        // Older drafts call the member "scale".
        if (scale == nullptr) scale = Member(entry_, "scale");
        if (scale != nullptr)
            statement.scale = Numbers("scale", *scale, "numbers above 0", [](double number) {
                return std::isfinite(number) && number > 0;
            });
        if (const auto* shift = transform != nullptr ? Member(*transform, "translation") : nullptr)
            statement.translation = Numbers("translation", *shift, "finite numbers",
                                            [](double number) { return std::isfinite(number); });
        ReadShape(statement);
        return statement;
    }

  private:
    // Returns the member `name` of `object`; nullptr if the member is absent or null.
    static const json::Value* Member(const json::Value& object, std::string_view name) {
        const json::Value* value = object.Find(name);
        return value != nullptr && !value->is_null() ? value : nullptr;
    }

    void Ignore(std::string_view name, std::string_view what, const json::Value& got) {
        const std::string where = origin_ + ": " + std::string(name);
        warnings_.push_back(json::Expected(where, what, got).message() + kIgnored);
    }

    void ReadSource(LevelStatement& statement) {
        const json::Value* source = Member(entry_, "derived_from");
        if (source == nullptr) return;
        const std::string* path = source->as_string();
        if (path == nullptr || (*path != "." && !IsValidKey(*path)))
            return Ignore("derived_from", "a path inside the group", *source);
        statement.source = *path == "." ? std::string() : *path;
    }

    template <class IsGood>
    std::vector<double> Numbers(std::string_view name, const json::Value& value,
                                std::string_view what, const IsGood& is_good) {
        std::vector<double> numbers;
        const json::Array* items = value.as_array();
        if (items != nullptr && items->size() > kMaxNumbers) {
            Ignore(name, "at most " + std::to_string(kMaxNumbers) + " numbers", value);
            return {};
        }
        bool good = items != nullptr;
        for (std::size_t i = 0; good && i < items->size(); ++i) {
            double number = 0;
            good = (*items)[i].GetDouble(number) && is_good(number);
            numbers.push_back(number);
        }
        if (good) return numbers;
        Ignore(name, what, value);
        return {};
    }

    void ReadShape(LevelStatement& statement) {
        const json::Value* shape = Member(entry_, "spatial:shape");
        if (shape == nullptr) return;
        auto sizes = json::UintsAtLeast(*shape, 0, "");
        if (!sizes.ok() || sizes->size() != 2)
            return Ignore("spatial:shape", "the height and the width", *shape);
        statement.shape = sizes.Take();
    }

    const json::Value& entry_;
    const std::string& origin_;
    Warnings& warnings_;
};

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

LevelStatement ReadLevelStatement(const json::Value& entry, const std::string& origin,
                                  const std::string& level, Warnings& warnings) {
    return StatementReader(entry, origin, warnings).Read(level);
}

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
