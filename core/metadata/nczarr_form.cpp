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

bool IsScalar(const json::Value& document, const json::Value& extension) {
    const json::Value* storage = extension.Find("storage");
    const std::string* text = storage != nullptr ? storage->as_string() : nullptr;
    return text != nullptr && *text == "scalar" && IsOne(document.Find("shape")) &&
           IsOne(document.Find("chunks"));
}

void Set(json::Object& object, std::string_view name, const json::Value& value) {
    for (auto& [key, member] : object)
        if (key == name) member = value;
}

}  // namespace

const json::Value* NczarrExtension(const json::Value& array_document) {
    for (const std::string_view name : {"_NCZARR_ARRAY", "_nczarr_array"})
        if (const json::Value* extension = array_document.Find(name))
            if (extension->as_object() != nullptr) return extension;
    return nullptr;
}

json::Value AsSpecified(json::Value array_document) {
    const json::Value* extension = NczarrExtension(array_document);
    if (extension == nullptr) return array_document;
    const bool is_scalar = IsScalar(array_document, *extension);
    const json::Value* dtype = array_document.Find("dtype");
    const std::string type =
        dtype != nullptr && dtype->as_string() != nullptr ? *dtype->as_string() : std::string();
    const json::Value* fill = array_document.Find("fill_value");
    double number = 0;
    const bool is_printed = fill != nullptr && type.size() == 3 && type.substr(1) == "f8" &&
                            fill->GetDouble(number) && number == kFillDoublePrinted;
    const bool is_char = type == "<U1" || type == ">U1" || type == "|S1";
    json::Value fill_char;
    if (is_char && fill != nullptr && fill->as_string() != nullptr) {
        // A character as it is, not in base64, in which no text has the length 1.
        const std::string& text = *fill->as_string();
        fill_char = json::Value(text.size() == 1 ? Base64Encode(ByteSpan(text)) : text);
    }
    json::Object& document = *array_document.as_object();
    if (is_scalar) {
        Set(document, "shape", json::Value(json::Array{}));
        Set(document, "chunks", json::Value(json::Array{}));
    }
    if (is_printed) Set(document, "fill_value", json::Value(kFillDouble));
    if (!is_char) return array_document;
    Set(document, "dtype", json::Value(std::string("|S1")));
    if (fill_char.as_string() != nullptr) Set(document, "fill_value", fill_char);
    return array_document;
}

}  // namespace zarr
