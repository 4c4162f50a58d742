// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/attributes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <sstream>

#include "core/base/text.h"
#include "core/dtype/time_types.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::size_t kShownFaults = 3;

bool ParseDouble(const std::string& text, double& number) {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    stream >> number;
    return !stream.fail() && (stream >> std::ws).eof();
}

// Appends the number `value`, or all numbers in the string `value`, to `numbers`. Returns false if
// `value` is anything else, or if the string contains other text.
bool AppendNumbers(const json::Value& value, std::vector<double>& numbers) {
    double number = 0;
    if (value.GetDouble(number)) {
        numbers.push_back(number);
        return std::isfinite(number);
    }
    const std::string* text = value.as_string();
    if (text == nullptr) return false;
    std::string blanks = *text;
    std::replace(blanks.begin(), blanks.end(), ',', ' ');
    std::istringstream stream(blanks);
    for (std::string word; stream >> word;) {
        if (!ParseDouble(word, number)) return false;
        numbers.push_back(number);
    }
    return !numbers.empty();
}

}  // namespace

void Faults::Add(const std::string& text) {
    if (++count_ <= kShownFaults) text_ += (count_ > 1 ? "; " : "") + text;
}

void Faults::Report(Warnings& warnings) {
    if (count_ == 0) return;
    if (count_ > kShownFaults) text_ += "; and " + std::to_string(count_ - kShownFaults) + " more";
    warnings.push_back(std::move(text_));
    *this = Faults();
}

const std::string* StringAttribute(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    return value != nullptr ? value->as_string() : nullptr;
}

const json::Value* OmeMember(const json::Value& attributes, std::string_view name) {
    const json::Value* const ome = attributes.Find("ome");
    const json::Value* const below = ome != nullptr ? ome->Find(name) : nullptr;
    return below != nullptr ? below : attributes.Find(name);
}

std::optional<double> NumberIn(const json::Value& value) {
    double number = 0;
    const std::string* const text = value.as_string();
    const bool is_number =
        value.GetDouble(number) || (text != nullptr && ParseDouble(*text, number));
    return is_number ? std::optional(number) : std::nullopt;
}

Fact<std::optional<double>> NumberAttribute(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    if (value == nullptr || value->is_null()) return {};
    const json::Array* items = value->as_array();
    const json::Value& item = items != nullptr && items->size() == 1 ? (*items)[0] : *value;
    if (const auto number = NumberIn(item)) return {number};
    return {std::nullopt,
            {"attribute " + std::string(name) + ": expected a number, got " + json::Brief(*value)}};
}

Fact<std::vector<double>> NumbersAttribute(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    if (value == nullptr || value->is_null()) return {};
    std::vector<double> numbers;
    bool good = true;
    if (const json::Array* items = value->as_array())
        good = std::all_of(items->begin(), items->end(), [&numbers](const json::Value& item) {
            return AppendNumbers(item, numbers);
        });
    else
        good = AppendNumbers(*value, numbers);
    if (good && !numbers.empty()) return {std::move(numbers)};
    return {{},
            {"attribute " + std::string(name) + ": expected numbers, got " + json::Brief(*value)}};
}

std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name) {
    std::vector<std::string> words;
    const std::string* text = StringAttribute(attributes, name);
    if (text == nullptr) return words;
    constexpr const char* kSpace = " \t\n\v\f\r";
    for (std::size_t end = 0;;) {
        const std::size_t begin = text->find_first_not_of(kSpace, end);
        if (begin == std::string::npos) return words;
        end = std::min(text->find_first_of(kSpace, begin), text->size());
        words.push_back(text->substr(begin, end - begin));
    }
}

std::set<std::string> ReferencedNames(const json::Value& attributes) {
    std::set<std::string> names;
    for (const std::string_view attribute :
         {std::string_view("coordinates"), std::string_view("grid_mapping"),
          std::string_view("bounds"), std::string_view("climatology"), kMaskAttribute}) {
        for (std::string word : WordsAttribute(attributes, attribute)) {
            if (!word.empty() && word.back() == ':') word.pop_back();
            names.insert(std::string(LastName(word)));
        }
    }
    return names;
}

std::string FindVariable(const Hierarchy& hierarchy, const std::string& group,
                         const std::string& name) {
    const auto normal = NormalizePath(name);
    if (!normal.ok() || normal->empty()) return {};
    const auto is_array = [&](const std::string& path) {
        const auto found = hierarchy.Has(path, Document::kArray);
        // An invalid `zarr.json` may belong to an array, so its node counts as an array. Callers
        // get the error when they read the node.
        return found.ok() ? *found : found.status().code() == StatusCode::kCorrupt;
    };
    if (name[0] == '/') return is_array(*normal) ? *normal : std::string();
    std::string_view at = group;
    for (;; at = ParentPath(at)) {
        std::string path = JoinKey(at, *normal);
        if (is_array(path)) return path;
        if (at.empty()) return {};
    }
}

bool WarnIfInvalid(const Hierarchy& hierarchy, const std::string& path, Warnings& warnings) {
    Status status = hierarchy.Metadata(path).status();
    const bool is_read = status.ok();
    if (is_read) status = hierarchy.Attributes(path).status();
    // Errors of the store are not reported here, but by Hierarchy::TakeFailure().
    const StatusCode code = status.code();
    if (code != StatusCode::kCorrupt && code != StatusCode::kUnsupported &&
        code != StatusCode::kLimit)
        return false;
    const auto is_group = hierarchy.Has(path, Document::kGroup);
    if (is_group.ok() && *is_group) return false;
    const std::string warning =
        status.message() + (is_read ? "; the attributes are ignored" : "; the array is ignored");
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
        warnings.push_back(warning);
    return true;
}

json::Value AttributesOrEmpty(const Hierarchy& hierarchy, const std::string& path) {
    auto attributes = hierarchy.Attributes(path);
    return attributes.ok() ? attributes.Take() : json::Value(json::Object{});
}

json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings) {
    auto attributes = hierarchy.Attributes(path);
    if (!attributes.ok()) warnings.push_back(attributes.status().message());
    return attributes.ok() ? attributes.Take() : json::Value(json::Object{});
}

namespace {

// Returns the entry of a list with an entry for each band, if all entries are equal.
const json::Value* EntryOfAllBands(const json::Value& attributes, std::string_view name) {
    const json::Value* const value = attributes.Find(name);
    const json::Array* const items = value != nullptr ? value->as_array() : nullptr;
    const bool is_shared = items != nullptr && !items->empty() && json::AreAllEqual(*items);
    return is_shared ? &items->front() : nullptr;
}

// Returns the attribute `name`, else the number that the list `list` states for all bands. A list
// of `neutral` numbers, which open_rasterio() always wrote, states nothing.
std::optional<double> NumberOfBands(const json::Value& attributes, std::string_view name,
                                    std::string_view list, double neutral, Warnings& warnings) {
    if (const json::Value* const own = attributes.Find(name); own != nullptr && !own->is_null())
        return NumberAttribute(attributes, name).Report(warnings);
    const json::Value* const entry = EntryOfAllBands(attributes, list);
    const auto number = entry != nullptr ? NumberIn(*entry) : std::nullopt;
    return number && *number != neutral ? number : std::nullopt;
}

}  // namespace

Fact<Packing> ReadPacking(const json::Value& attributes) {
    Fact<Packing> read;
    read.value.scale = NumberOfBands(attributes, "scale_factor", kScalesOfBands, 1, read.warnings);
    read.value.offset = NumberOfBands(attributes, "add_offset", kOffsetsOfBands, 0, read.warnings);
    const json::Value* units = attributes.Find("units");
    if (units != nullptr && units->as_array() != nullptr)
        units = EntryOfAllBands(attributes, "units");
    if (units != nullptr && units->as_string() != nullptr) read.value.units = *units->as_string();
    return read;
}

std::string UnitsOf(const DataType& type, const Packing& packing) {
    std::string units = TimeUnits(type);
    return units.empty() ? packing.units : units;
}

std::string TimeUnits(const DataType& type) {
    constexpr std::array<std::string_view, 14> kNames = {"",
                                                         "years",
                                                         "months",
                                                         "weeks",
                                                         "days",
                                                         "hours",
                                                         "minutes",
                                                         "seconds",
                                                         "milliseconds",
                                                         "microseconds",
                                                         "nanoseconds",
                                                         "picoseconds",
                                                         "femtoseconds",
                                                         "attoseconds"};
    if (!type.is_time()) return {};
    std::string text(kNames[static_cast<std::size_t>(PlainTimeType(type).time_unit)]);
    if (text.empty()) return {};
    if (type.kind == DataKind::kDatetime) text += " since 1970-01-01";
    return text;
}

}  // namespace zarr
