// SPDX-License-Identifier: MIT
#include "core/conventions/flags.h"

namespace zarr {

namespace {

// The words of a string, or as EOPF writes them of a list.
std::vector<std::string> Meanings(const json::Value& attributes) {
    constexpr std::string_view kName = "flag_meanings";
    const json::Value* value = attributes.Find(kName);
    const json::Array* items = value != nullptr ? value->as_array() : nullptr;
    if (items == nullptr) return WordsAttribute(attributes, kName);
    std::vector<std::string> meanings;
    for (const json::Value& item : *items) {
        if (item.as_string() == nullptr) return {};
        meanings.push_back(*item.as_string());
    }
    return meanings;
}

}  // namespace

std::vector<std::string> FlagNames(const json::Value& attributes, Warnings& warnings) {
    constexpr std::int64_t kMaxFlag = 1023;
    const json::Value* values = attributes.Find("flag_values");
    if (values == nullptr || attributes.Find("flag_masks") != nullptr) return {};
    const std::vector<std::string> meanings = Meanings(attributes);
    if (meanings.empty()) return {};
    const json::Array* items = values->as_array();
    const json::Array one{*values};
    if (items == nullptr) items = &one;
    if (items->size() != meanings.size()) {
        warnings.push_back("attribute flag_meanings: has " + std::to_string(meanings.size()) +
                           " words for the " + std::to_string(items->size()) + " flag_values");
        return {};
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < items->size(); ++i) {
        std::int64_t flag = 0;
        if (!(*items)[i].GetInt64(flag) || flag < 0 || flag > kMaxFlag) return {};
        const auto index = static_cast<std::size_t>(flag);
        if (index >= names.size()) names.resize(index + 1);
        names[index] = meanings[i];
    }
    return names;
}

DataType ApplyUnsigned(const DataType& type, const json::Value& attributes) {
    DataType applied = type;
    const json::Value* value = attributes.Find("_Unsigned");
    if (value == nullptr) return applied;
    const std::string* text = value->as_string();
    const bool* boolean = value->as_bool();
    const bool yes = (text != nullptr && (*text == "true" || *text == "True")) ||
                     (boolean != nullptr && *boolean);
    const bool no = (text != nullptr && (*text == "false" || *text == "False")) ||
                    (boolean != nullptr && !*boolean);
    if (yes && type.kind == DataKind::kInt) applied.kind = DataKind::kUint;
    if (no && type.kind == DataKind::kUint) applied.kind = DataKind::kInt;
    return applied;
}

}  // namespace zarr
