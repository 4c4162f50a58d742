// SPDX-License-Identifier: MIT
#include "core/conventions/attributes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <sstream>

#include "core/store/keys.h"

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
         {"coordinates", "grid_mapping", "bounds", "climatology"}) {
        for (std::string word : WordsAttribute(attributes, attribute)) {
            if (!word.empty() && word.back() == ':') word.pop_back();
            names.insert(std::string(LastName(word)));
        }
    }
    return names;
}

}  // namespace zarr
