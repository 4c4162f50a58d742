// SPDX-License-Identifier: MIT
#include "core/conventions/group/level_statement.h"

#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/dim_vector.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

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
        warnings_.push_back(json::Expected(where, what, got).message() + "; it is ignored");
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

}  // namespace

LevelStatement ReadLevelStatement(const json::Value& entry, const std::string& origin,
                                  const std::string& level, Warnings& warnings) {
    return StatementReader(entry, origin, warnings).Read(level);
}

}  // namespace zarr
