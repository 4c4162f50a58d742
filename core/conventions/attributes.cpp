// SPDX-License-Identifier: MIT
#include "core/conventions/attributes.h"

#include <cstdlib>
#include <locale>
#include <sstream>

namespace zarr {

const std::string* StringAttribute(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    return value != nullptr ? value->as_string() : nullptr;
}

namespace {

bool ParseDouble(const std::string& text, double& number) {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    stream >> number;
    return !stream.fail() && (stream >> std::ws).eof();
}

}  // namespace

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

std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name) {
    std::vector<std::string> words;
    const std::string* text = StringAttribute(attributes, name);
    if (text == nullptr) return words;
    std::istringstream stream(*text);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

}  // namespace zarr
