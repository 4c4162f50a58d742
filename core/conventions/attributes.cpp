// SPDX-License-Identifier: MIT
#include "core/conventions/attributes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <locale>
#include <sstream>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/dtype/fill_value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool ParseDouble(const std::string& text, double& number) {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    stream >> number;
    return !stream.fail() && (stream >> std::ws).eof();
}

// Appends one number, or those that a string lists.
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

const std::string* StringAttribute(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    return value != nullptr ? value->as_string() : nullptr;
}

const json::Value* OmeMember(const json::Value& attributes, std::string_view name) {
    const json::Value* const ome = attributes.Find("ome");
    const json::Value* const below = ome != nullptr ? ome->Find(name) : nullptr;
    return below != nullptr ? below : attributes.Find(name);
}

std::optional<double> NumberAttribute(const json::Value& attributes, std::string_view name,
                                      Warnings& warnings) {
    const json::Value* value = attributes.Find(name);
    if (value == nullptr || value->is_null()) return std::nullopt;
    const json::Array* items = value->as_array();
    const json::Value& item = items != nullptr && items->size() == 1 ? (*items)[0] : *value;
    double number = 0;
    if (item.GetDouble(number)) return number;
    if (item.as_string() != nullptr && ParseDouble(*item.as_string(), number)) return number;
    warnings.push_back("attribute " + std::string(name) + ": expected a number, got " +
                       json::Brief(*value));
    return std::nullopt;
}

std::vector<double> NumbersAttribute(const json::Value& attributes, std::string_view name,
                                     Warnings& warnings) {
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
    if (good && !numbers.empty()) return numbers;
    warnings.push_back("attribute " + std::string(name) + ": expected numbers, got " +
                       json::Brief(*value));
    return {};
}

std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name) {
    std::vector<std::string> words;
    const std::string* text = StringAttribute(attributes, name);
    if (text == nullptr) return words;
    std::istringstream stream(*text);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
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
        return found.ok() && *found;
    };
    if (name[0] == '/') return is_array(*normal) ? *normal : std::string();
    std::string_view at = group;
    for (;; at = ParentPath(at)) {
        std::string path = JoinKey(at, *normal);
        if (is_array(path)) return path;
        if (at.empty()) return {};
    }
}

json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings) {
    auto attributes = hierarchy.Attributes(path);
    if (attributes.ok()) return attributes.Take();
    warnings.push_back(attributes.status().message());
    return json::Value(json::Object{});
}

Packing ReadPacking(const json::Value& attributes, Warnings& warnings) {
    Packing packing;
    packing.scale = NumberAttribute(attributes, "scale_factor", warnings);
    packing.offset = NumberAttribute(attributes, "add_offset", warnings);
    if (const std::string* units = StringAttribute(attributes, "units")) packing.units = *units;
    return packing;
}

namespace {

// What JSON has no numbers for.
bool NamedDouble(std::string_view name, double& number) {
    if (name == "NaN")
        number = std::numeric_limits<double>::quiet_NaN();
    else if (name == "Infinity" || name == "-Infinity")
        number = (name[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    else
        return false;
    return true;
}

// xarray writes the attribute of a float of Zarr v3 as the base64 of a little-endian double.
std::optional<FillValue> XarrayFillValue(const DataType& type, const json::Value& value) {
    const std::string* const text = value.as_string();
    if (text == nullptr || type.kind != DataKind::kFloat) return std::nullopt;
    const auto bytes = Base64Decode(*text);
    double number = 0;
    if (!bytes.ok() || bytes->size() != sizeof number) return std::nullopt;
    std::string native = *bytes;
    if (!HostIsLittleEndian()) std::reverse(native.begin(), native.end());
    std::memcpy(&number, native.data(), sizeof number);
    auto element = ParseFillValue(type, json::Value(number));
    return element.ok() ? std::optional(element.Take()) : std::nullopt;
}

}  // namespace

std::optional<FillValue> ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                    bool fill_value_counts, Warnings& warnings) {
    const DataType& type = metadata.dtype;
    if (type.missing) return FillValue(*type.missing, type.size);
    for (const std::string_view name : {"_FillValue", "missing_value"}) {
        const json::Value* value = attributes.Find(name);
        if (value == nullptr || value->is_null()) continue;
        const json::Array* items = value->as_array();
        const bool one_of_one =
            items != nullptr && items->size() == 1 && metadata.dtype.kind != DataKind::kComplex;
        auto element = ParseFillValue(metadata.dtype, one_of_one ? (*items)[0] : *value);
        if (element.ok()) return element.Take();
        if (auto packed = XarrayFillValue(metadata.dtype, *value)) return packed;
        warnings.push_back("attribute " + std::string(name) + ": " + json::Brief(*value) +
                           " is not a value of dtype " + metadata.dtype.ToString());
    }
    if (metadata.dtype.is_time()) {  // NumPy's own: not a time
        constexpr std::int64_t kNat = std::numeric_limits<std::int64_t>::min();
        std::string element(sizeof kNat, '\0');
        std::memcpy(element.data(), &kNat, sizeof kNat);
        return FillValue(std::move(element), sizeof kNat);
    }
    if (fill_value_counts && metadata.has_fill_value) return metadata.fill_value;
    return std::nullopt;
}

Status CheckNodataIsFree(const DataType& type) {
    if (!type.missing) return {};
    return Status::Unsupported(
        "the nodata value of data type zarrs.optional stands for missing elements and cannot be "
        "changed while the array is open");
}

Result<json::Value> NodataAttribute(const DataType& type, Format format, std::string_view element) {
    ZARR_RETURN_IF_ERROR(CheckNodataIsFree(type));
    ZARR_ASSIGN_OR_RETURN(json::Value value, FillValueToJson(type, element));
    if (format != Format::kV3 || type.kind != DataKind::kFloat) return value;
    double number = 0;
    if (element.size() == sizeof(float))
        number = static_cast<double>(LoadNative<float>(element.data()));
    else if (element.size() == sizeof number)
        number = LoadNative<double>(element.data());
    else if (!value.GetDouble(number) &&
             !(value.as_string() != nullptr && NamedDouble(*value.as_string(), number)))
        return value;
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    if (!HostIsLittleEndian()) std::reverse(bytes.begin(), bytes.end());
    return json::Value(Base64Encode(ByteSpan(bytes)));
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
    if (!type.is_time() || type.time_unit == TimeUnit::kGeneric) return {};
    std::string text;
    if (type.time_multiple != 1) text = std::to_string(type.time_multiple) + " ";
    text += kNames[static_cast<std::size_t>(type.time_unit)];
    if (type.kind == DataKind::kDatetime) text += " since 1970-01-01";
    return text;
}

}  // namespace zarr
