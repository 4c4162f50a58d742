// SPDX-License-Identifier: MIT
#include "core/conventions/flag_colours.h"

#include <charconv>
#include <sstream>

#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"

namespace zarr {

std::optional<Colour> ParseColour(std::string_view text) {
    if (!text.empty() && text[0] == '#') text.remove_prefix(1);
    if (text.size() != 6) return std::nullopt;
    Colour colour{};
    for (std::size_t i = 0; i < 3; ++i) {
        const char* first = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(first, first + 2, colour[i], 16);
        if (error != std::errc() || end != first + 2) return std::nullopt;
    }
    return colour;
}

namespace {

// Returns the number in a word such as "3" or "3b", CDL's spelling of a byte; else the word.
json::Value FlagIn(std::string word) {
    word.resize(word.find_last_not_of("bBsSlLuU") + 1);
    const auto number = json::Parse(word);
    return number.ok() && number->is_number() ? *number : json::Value(word);
}

}  // namespace

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
