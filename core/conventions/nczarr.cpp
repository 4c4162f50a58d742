// SPDX-License-Identifier: MIT
#include "core/conventions/nczarr.h"

namespace zarr {

namespace {

constexpr std::string_view kArrayNames[] = {"_NCZARR_ARRAY", "_nczarr_array"};

const json::Value* FindMember(const json::Object& object, std::string_view name) {
    for (const auto& [key, value] : object)
        if (key == name) return &value;
    return nullptr;
}

}  // namespace

std::optional<std::vector<std::string>> NczarrDimensions(const json::Object& array_document,
                                                         const json::Value& attributes,
                                                         std::size_t rank) {
    for (const std::string_view name : kArrayNames) {
        const json::Value* extension = FindMember(array_document, name);
        if (extension == nullptr) extension = attributes.Find(name);
        if (extension == nullptr) continue;
        const json::Value* references = extension->Find("dimrefs");
        const json::Array* items = references != nullptr ? references->as_array() : nullptr;
        std::vector<std::string> names;
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
            if (const std::string* text = (*items)[i].as_string())
                if (!text->empty()) names.push_back(*text);
        if (names.size() == rank) return names;
    }
    return std::nullopt;
}

bool IsNczarrAttribute(std::string_view name) {
    return name.substr(0, 8) == "_nczarr_" || name.substr(0, 8) == "_NCZARR_" ||
           name == "_NCProperties";
}

}  // namespace zarr
