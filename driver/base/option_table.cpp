// SPDX-License-Identifier: MIT
#include "driver/base/option_table.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

using Words = std::vector<std::string>;

Words SplitAt(char separator, std::string_view text) {
    Words parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool Contains(const Words& texts, const char* text) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& other) { return EQUAL(other.c_str(), text); });
}

// Returns "A, B or C" for the values "A|B=X|C".
std::string Alternatives(const char* values) {
    Words words = SplitAt('|', values);
    for (std::string& word : words) word.resize(std::min(word.find('='), word.size()));
    return JoinWords(words, ", ", " or ");
}

std::optional<std::size_t> IndexIn(const char* values, const char* text) {
    const Words parts = SplitAt('|', values);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (Contains(SplitAt('=', parts[i]), text)) return i;
    return std::nullopt;
}

// Returns the part of an option's help that GDAL shows, without the marks of Markdown.
std::string PlainHelp(const std::string& help) {
    std::string text;
    for (std::size_t i = 0; i < help.size() && help[i] != '\n'; ++i) {
        if (help[i] == '`' || help[i] == '[') continue;
        if (help.compare(i, 2, "](") == 0)
            i = help.find(')', i);
        else
            text += help[i];
    }
    return text;
}

std::string Attribute(const char* name, const std::string& value) {
    char* const escaped = CPLEscapeString(value.c_str(), -1, CPLES_XML);
    CPLString text(escaped);
    CPLFree(escaped);
    return std::string(" ") + name + "='" + text.replaceAll("'", "&apos;") + "'";
}

// Returns the attribute for the second of `names`, if there is one.
std::string Alias(const Words& names) {
    return names.size() > 1 ? Attribute("alias", names[1]) : std::string();
}

}  // namespace

Status GivenOption::Refuse(const std::string& expected) const {
    return Status::Invalid(label + ": expected " + expected + ", got " + zarr::Quoted(text));
}

Result<std::size_t> GivenOption::Index() const {
    auto index = IndexIn(option->values, text);
    if (!index && Contains({"TRUE", "ON", "1"}, text)) index = IndexIn(option->values, "YES");
    if (!index && Contains({"FALSE", "OFF", "0"}, text)) index = IndexIn(option->values, "NO");
    if (index) return *index;
    return Refuse(Alternatives(option->values));
}

std::optional<GivenOption> FindOption(const char* kind, CSLConstList options,
                                      const OptionText& option) {
    for (const std::string& name : SplitAt('|', option.names)) {
        const char* text = CSLFetchNameValue(options, name.c_str());
        if (text == nullptr && EQUAL(option.type, "boolean") &&
            CSLFindString(options, name.c_str()) >= 0)
            text = "YES";
        if (text != nullptr) return GivenOption{kind + name, text, &option};
    }
    for (const std::string& name : SplitAt('|', option.config))
        if (const char* const text = CPLGetConfigOption(name.c_str(), nullptr))
            return GivenOption{"configuration option " + name, text, &option};
    return std::nullopt;
}

std::string ToXml(const OptionText& option) {
    const Words names = SplitAt('|', option.names);
    std::string xml = "<Option" + Attribute("name", names[0]) + Alias(names);
    const std::string type = option.type;  // "int min='1'": the quotes end after the first word
    xml += " type='" + type.substr(0, type.find(' ')) + "'";
    if (type.find(' ') != std::string::npos) xml += type.substr(type.find(' '));
    xml += Attribute("description", PlainHelp(option.help));
    if (option.preset[0] != '\0') xml += Attribute("default", option.preset);
    xml += ">";
    for (const std::string& value : SplitAt('|', option.values)) {
        const Words spellings = SplitAt('=', value);
        xml += "<Value" + Alias(spellings) + ">" + spellings[0] + "</Value>";
    }
    return xml + "</Option>";
}

std::string JoinWords(const Words& words, const char* separator, const char* last_separator) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 < words.size() ? separator : last_separator) + words[i];
    return text;
}

Result<std::string> ReadText(const GivenOption& given) { return std::string(given.text); }

Result<std::uint64_t> ReadCount(const GivenOption& given) {
    const GIntBig size = CPLAtoGIntBig(given.text);
    if (size < 1 || CPLGetValueType(given.text) != CPL_VALUE_INTEGER)
        return given.Refuse("a number >= 1");
    return static_cast<std::uint64_t>(size);
}

Result<std::vector<std::uint64_t>> ReadSizes(const GivenOption& given) {
    std::vector<std::uint64_t> sizes;
    const CPLStringList parts(CSLTokenizeString2(given.text, ",x", 0));
    for (int i = 0; i < parts.size(); ++i) {
        const auto size = ReadCount(GivenOption{"", parts[i], nullptr});
        if (!size.ok()) return given.Refuse("numbers >= 1, slowest dimension first");
        sizes.push_back(*size);
    }
    return sizes;
}

Status RefuseOption(const char* name, const std::string& expected, const char* got) {
    return GivenOption{kCreationOption + std::string(name), got, nullptr}.Refuse(expected);
}

std::string UnknownToZarr(const char* option, const char* value, const char* used) {
    return kCreationOption + std::string(option) + ": Zarr has no " + value + "; the default " +
           used + " is used";
}

}  // namespace zarr_driver
