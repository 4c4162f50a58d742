// SPDX-License-Identifier: MIT
#include "core/conventions/cf/flags.h"

#include <sstream>

#include "core/conventions/attributes/attributes.h"

namespace zarr {

namespace {

// Returns the number in a word such as "3" or "3b", CDL's spelling of a byte; else the word.
json::Value FlagIn(std::string word) {
    word.resize(word.find_last_not_of("bBsSlLuU") + 1);
    const auto number = json::Parse(word);
    return number.ok() && number->is_number() ? *number : json::Value(word);
}

// Returns the items of an attribute that describes flags: the words of a string (CF) or the strings
// of a list (EOPF). Empty if an item is not a string.
std::vector<std::string> FlagItems(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    const json::Array* list = value != nullptr ? value->as_array() : nullptr;
    if (list == nullptr) return WordsAttribute(attributes, name);
    std::vector<std::string> items;
    for (const json::Value& item : *list) {
        if (item.as_string() == nullptr) return {};
        items.push_back(*item.as_string());
    }
    return items;
}

}  // namespace

json::Array FlagValues(const json::Value& attributes) {
    const json::Value* const values = attributes.Find("flag_values");
    if (values == nullptr) return {};
    const json::Array* const list = values->as_array();
    json::Array flags;
    for (const json::Value& value : list != nullptr ? *list : json::Array{*values}) {
        const std::string* const text = value.as_string();
        if (text == nullptr) flags.push_back(value);
        std::string words = text != nullptr ? *text : std::string();
        for (char& c : words)
            if (std::string_view(",;{}[]()").find(c) != std::string_view::npos) c = ' ';
        std::istringstream stream(words);
        for (std::string word; stream >> word;) flags.push_back(FlagIn(word));
    }
    return flags;
}

Fact<std::vector<std::string>> FlagNames(const json::Value& attributes) {
    constexpr std::int64_t kMaxFlag = 1023;
    if (attributes.Find("flag_values") == nullptr || attributes.Find("flag_masks") != nullptr)
        return {};
    const std::vector<std::string> meanings = FlagItems(attributes, "flag_meanings");
    if (meanings.empty()) return {};
    const json::Array items = FlagValues(attributes);
    if (items.size() != meanings.size())
        return {{},
                {"attribute flag_meanings: has " + std::to_string(meanings.size()) +
                 " meanings, but flag_values has " + std::to_string(items.size()) + " values"}};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::int64_t flag = 0;
        if (!items[i].GetInt64(flag) || flag < 0 || flag > kMaxFlag) return {};
        const auto index = static_cast<std::size_t>(flag);
        if (index >= names.size()) names.resize(index + 1);
        names[index] = meanings[i];
    }
    return {std::move(names)};
}

std::vector<std::pair<std::int64_t, Colour>> FlagColours(const json::Value& attributes) {
    const std::vector<std::string> colours = FlagItems(attributes, "flag_colors");
    if (colours.empty() || FlagNames(attributes).value.empty()) return {};
    const json::Array values = FlagValues(attributes);
    if (values.size() != colours.size()) return {};
    std::vector<std::pair<std::int64_t, Colour>> found;
    for (std::size_t i = 0; i < colours.size(); ++i) {
        std::int64_t value = 0;
        const auto colour = ParseColour(colours[i]);
        if (!colour || !values[i].GetInt64(value)) return {};
        found.emplace_back(value, *colour);
    }
    return found;
}

}  // namespace zarr
