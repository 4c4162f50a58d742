// SPDX-License-Identifier: MIT
#include "core/metadata/zarr_python_form.h"

#include <string>
#include <utility>

#include "core/base/text.h"

namespace zarr {

namespace {

// The kind in a typestr such as "<U5"; NUL where there is none.
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

bool IsTextOfObjects(const json::Value& array_document) {
    const char kind = KindOf(array_document);
    if (kind != 'U' && kind != 'S') return false;
    const json::Value* filters = array_document.Find("filters");
    const json::Array* items = filters != nullptr ? filters->as_array() : nullptr;
    return items != nullptr && !items->empty() && IsOfObjects(items->front());
}

json::Value AsObjects(json::Value array_document) {
    const bool is_bytes = KindOf(array_document) == 'S';
    for (auto& [name, member] : *array_document.as_object()) {
        if (name == "dtype") member = json::Value("|O");
        if (name != "fill_value" || !is_bytes || member.as_string() == nullptr) continue;
        // What is no base64 was not written as such.
        if (auto bytes = Base64Decode(*member.as_string()); bytes.ok())
            member = json::Value(bytes.Take());
    }
    return array_document;
}

}  // namespace zarr
