// SPDX-License-Identifier: MIT
#include "core/metadata/dialects.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// netcdf.h's default fill value of doubles and floats (NC_FILL_DOUBLE, NC_FILL_FLOAT): exact, and
// rounded to the six digits of printf's "%g".
constexpr double kFillDouble = 9.9692099683868690e+36;
constexpr double kFillDoublePrinted = 9.96921e+36;

bool IsOne(const json::Value* sizes) {
    const json::Array* items = sizes != nullptr ? sizes->as_array() : nullptr;
    std::uint64_t size = 0;
    return items != nullptr && items->size() == 1 && (*items)[0].GetUint64(size) && size == 1;
}

bool HasShapeOfOne(const json::Value& document) {
    return IsOne(document.Find("shape")) && IsOne(document.Find("chunks"));
}

// True if NCZarr's metadata `extension` marks the array as a scalar. netCDF-C 4.9.3 and later use
// the member "scalar", earlier versions "storage".
bool IsScalar(const json::Value& extension) {
    const json::Value* storage = extension.Find("storage");
    const std::string* text = storage != nullptr ? storage->as_string() : nullptr;
    const json::Value* scalar = extension.Find("scalar");
    std::uint64_t number = 0;
    return (text != nullptr && *text == "scalar") ||
           (scalar != nullptr && scalar->GetUint64(number) && number == 1);
}

std::string TypeOf(const json::Value& document) {
    const json::Value* dtype = document.Find("dtype");
    const std::string* text = dtype != nullptr ? dtype->as_string() : nullptr;
    return text != nullptr ? *text : std::string();
}

bool IsCharacter(const std::string& type) {
    return type == "<U1" || type == ">U1" || type == ">S1";
}

bool HasPrintedFill(const json::Value& document, const std::string& type) {
    const json::Value* fill = document.Find("fill_value");
    double number = 0;
    return fill != nullptr && type.size() == 3 && type.substr(1) == "f8" &&
           fill->GetDouble(number) && number == kFillDoublePrinted;
}

void Set(json::Object& object, std::string_view name, const json::Value& value) {
    for (auto& [key, member] : object)
        if (key == name) member = value;
}

constexpr std::string_view kTypes = "types";
constexpr std::string_view kHidden = "json";

bool IsReadByNetcdf(const json::Value& value) {
    if (value.is_null()) return false;
    const json::Array* const items = value.as_array();
    return items == nullptr ||
           (!items->empty() && std::all_of(items->begin(), items->end(),
                                           [](const auto& item) { return item.is_number(); }));
}

// True if both values of an attribute are strings, both are objects, or both are something else.
// The attribute's NCZarr type then fits both values. False if one value is nullptr (missing).
bool IsOfOneKind(const json::Value* old_value, const json::Value* new_value) {
    if (old_value == nullptr || new_value == nullptr) return false;
    return (old_value->as_string() != nullptr) == (new_value->as_string() != nullptr) &&
           (old_value->as_object() != nullptr) == (new_value->as_object() != nullptr);
}

// Returns the type letter of the document's dtype, such as 'U' for "<U5". Returns NUL for any other
// dtype.
char KindOf(const json::Value& array_document) {
    const json::Value* dtype = array_document.Find("dtype");
    const std::string* text = dtype != nullptr ? dtype->as_string() : nullptr;
    return text != nullptr && text->size() > 1 ? (*text)[1] : '\0';
}

bool IsOfObjects(const json::Value& filter) {
    const json::Value* id = filter.Find("id");
    const std::string* text = id != nullptr ? id->as_string() : nullptr;
    return text != nullptr && (*text == "vlen-utf8" || *text == "vlen-bytes");
}

}  // namespace

bool HasNetcdfType(const json::Value& array_document) {
    const std::string type = TypeOf(array_document);
    if (IsCharacter(type)) return true;
    if (type.size() != 3 || std::string_view("<>|").find(type[0]) == std::string_view::npos)
        return false;
    const bool is_float = type[1] == 'f' && (type[2] == '4' || type[2] == '8');
    const bool is_integer = (type[1] == 'i' || type[1] == 'u') &&
                            std::string_view("1248").find(type[2]) != std::string_view::npos;
    return is_float || is_integer;
}

bool IsNczarrName(std::string_view name) {
    return name.substr(0, 8) == "_nczarr_" || name.substr(0, 8) == "_NCZARR_" ||
           name == "_NCProperties";
}

void HideFromNetcdf(json::Object& attributes, const json::Value& stored,
                    std::string_view extension_name) {
    json::Array hidden;
    for (auto& [name, value] : attributes) {
        // The attribute `_ARRAY_DIMENSIONS` stays a list, because netCDF-C itself parses it.
        if (IsNczarrName(name) || name == "_ARRAY_DIMENSIONS" || IsReadByNetcdf(value)) continue;
        value = json::Value(json::Dump(value));
        hidden.emplace_back(name);
    }
    json::Value* const existing = json::FindMember(attributes, extension_name);
    json::Object extension = existing != nullptr && existing->as_object() != nullptr
                                 ? *existing->as_object()
                                 : json::Object();
    extension.erase(std::remove_if(extension.begin(), extension.end(),
                                   [](const auto& member) { return member.first == kHidden; }),
                    extension.end());
    json::Value* const types = json::FindMember(extension, kTypes);
    if (types != nullptr && types->as_object() != nullptr) {
        json::Object& of = *types->MutableObject();
        of.erase(std::remove_if(of.begin(), of.end(),
                                [&](const auto& member) {
                                    return !IsOfOneKind(stored.Find(member.first),
                                                        json::FindMember(attributes, member.first));
                                }),
                 of.end());
    }
    if (!hidden.empty()) extension.emplace_back(kHidden, json::Value(std::move(hidden)));
    if (existing == nullptr && extension.empty()) return;
    json::Value value(std::move(extension));
    if (existing != nullptr)
        *existing = std::move(value);
    else
        attributes.emplace_back(extension_name, std::move(value));
}

void RestoreHiddenAttributes(json::Value& attributes) {
    for (const std::string_view name : {"_NCZARR_ATTR", "_nczarr_attr"}) {
        const json::Value* const extension = attributes.Find(name);
        const json::Value* const hidden = extension != nullptr ? extension->Find(kHidden) : nullptr;
        if (hidden == nullptr || hidden->as_array() == nullptr) continue;
        const json::Array names = *hidden->as_array();
        json::Object& members = *attributes.MutableObject();
        for (const json::Value& item : names) {
            const std::string* const own = item.as_string();
            json::Value* const value = own != nullptr ? json::FindMember(members, *own) : nullptr;
            const std::string* const text = value != nullptr ? value->as_string() : nullptr;
            if (text == nullptr) continue;
            auto parsed = json::Parse(*text);
            if (parsed.ok()) *value = parsed.Take();
        }
    }
}

const json::Value* NczarrExtension(const json::Value& document) {
    for (const std::string_view name : {"_NCZARR_ARRAY", "_nczarr_array"})
        if (const json::Value* extension = document.Find(name))
            if (extension->as_object() != nullptr) return extension;
    return nullptr;
}

const json::Value* NczarrExtension(const ArrayMetadata& metadata) {
    const json::Object& document = metadata.document;
    const auto found = std::find_if(document.begin(), document.end(), [](const json::Member& m) {
        return (m.first == "_NCZARR_ARRAY" || m.first == "_nczarr_array") &&
               m.second.as_object() != nullptr;
    });
    return found != document.end() ? &found->second : nullptr;
}

bool IsAmbiguous(const json::Value& array_document) {
    const std::string type = TypeOf(array_document);
    return HasShapeOfOne(array_document) || IsCharacter(type) || type == "|S1" ||
           HasPrintedFill(array_document, type);
}

NczarrForm ToSpecification(json::Value array_document, const json::Value& extension) {
    const std::string type = TypeOf(array_document);
    const bool is_scalar = IsScalar(extension) && HasShapeOfOne(array_document);
    const bool is_printed = HasPrintedFill(array_document, type);
    json::Object& document = *array_document.MutableObject();
    if (is_scalar) {
        Set(document, "shape", json::Value(json::Array{}));
        Set(document, "chunks", json::Value(json::Array{}));
    }
    if (is_printed) Set(document, "fill_value", json::Value(kFillDouble));
    NczarrForm form;
    form.has_characters = IsCharacter(type);
    if (form.has_characters || type == "|S1") {
        Set(document, "dtype", json::Value("|S1"));
        for (auto& [name, member] : document) {
            // NCZarr writes a one-character fill value as plain text, where Zarr v2 requires
            // base64. One character is never valid base64.
            const std::string* text = name == "fill_value" ? member.as_string() : nullptr;
            if (text != nullptr && text->size() == 1)
                member = json::Value(Base64Encode(ByteSpan(*text)));
        }
    }
    form.document = std::move(array_document);
    return form;
}

bool IsTextStoredAsObjects(const json::Value& array_document) {
    const char kind = KindOf(array_document);
    if (kind != 'U' && kind != 'S') return false;
    const json::Value* filters = array_document.Find("filters");
    const json::Array* items = filters != nullptr ? filters->as_array() : nullptr;
    return items != nullptr && !items->empty() && IsOfObjects(items->front());
}

json::Value AsObjects(json::Value array_document) {
    const bool is_bytes = KindOf(array_document) == 'S';
    for (auto& [name, member] : *array_document.MutableObject()) {
        if (name == "dtype") member = json::Value("|O");
        if (name != "fill_value" || !is_bytes || member.as_string() == nullptr) continue;
        // Text that is not valid base64 is taken as the fill value itself.
        if (auto bytes = Base64Decode(*member.as_string()); bytes.ok())
            member = json::Value(bytes.Take());
    }
    return array_document;
}

}  // namespace zarr
