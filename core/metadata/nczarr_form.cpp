// SPDX-License-Identifier: MIT
#include "core/metadata/nczarr_form.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace zarr {

namespace {

// NC_FILL_DOUBLE and NC_FILL_FLOAT of netcdf.h, and what printf's "%g" makes of them.
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

// By "storage", or since 4.9.3 by "scalar".
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

}  // namespace

const json::Value* NczarrExtension(const json::Value& document) {
    for (const std::string_view name : {"_NCZARR_ARRAY", "_nczarr_array"})
        if (const json::Value* extension = document.Find(name))
            if (extension->as_object() != nullptr) return extension;
    return nullptr;
}

bool MayMeanElse(const json::Value& array_document) {
    const std::string type = TypeOf(array_document);
    return HasShapeOfOne(array_document) || IsCharacter(type) || type == "|S1" ||
           HasPrintedFill(array_document, type);
}

NczarrForm AsSpecified(json::Value array_document, const json::Value& extension) {
    const std::string type = TypeOf(array_document);
    const bool is_scalar = IsScalar(extension) && HasShapeOfOne(array_document);
    const bool is_printed = HasPrintedFill(array_document, type);
    json::Object& document = *array_document.as_object();
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
            // A character as it is, not in base64, in which no text has the length 1.
            const std::string* text = name == "fill_value" ? member.as_string() : nullptr;
            if (text != nullptr && text->size() == 1)
                member = json::Value(Base64Encode(ByteSpan(*text)));
        }
    }
    form.document = std::move(array_document);
    return form;
}

}  // namespace zarr
