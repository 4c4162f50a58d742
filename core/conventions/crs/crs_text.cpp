// SPDX-License-Identifier: MIT
#include "core/conventions/crs/crs_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/json/value.h"

namespace zarr {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::string_view kNoFile = "@null";

bool IsAsciiLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

std::string Upper(std::string_view text) {
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

bool StartsWith(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

Status NamesFile(std::string_view what) {
    return Status::Corrupt(std::string(what) +
                           " names a file; a CRS in a store must not refer to files");
}

void WarnOfShift(std::string_view what, std::string_view file, Warnings& warnings) {
    warnings.push_back(std::string(what) + " names the file " + Quoted(file) +
                       ", which is not read; the datum shift is ignored");
}

// ---------------------------------------------------------------------------------------------
// PROJ strings

// True if the value of the PROJ key `key` is a list of grid files.
bool IsGrids(std::string_view key) { return EndsWith(key, "grids"); }

bool IsFile(std::string_view key) {
    constexpr std::array<std::string_view, 5> kKeys = {"file", "model", "catalog", "init", "step"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

// True if the value consists of characters that occur in numbers, in angles such as 12d30'E, and in
// names.
bool IsPlainValue(std::string_view value) {
    constexpr std::string_view kSigns = "+-_.,'\"()*^&";
    return std::all_of(value.begin(), value.end(), [&](char c) {
        return IsAsciiLetter(c) || IsAsciiDigit(c) || static_cast<unsigned char>(c) >= 0x80 ||
               kSigns.find(c) != std::string_view::npos;
    });
}

// Extracts the next word from `rest` and splits it into key and value. Returns false at the end.
bool NextWord(std::string_view& rest, std::string_view& key, std::string_view& value) {
    rest = rest.substr(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (rest.empty()) return false;
    std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    rest.remove_prefix(word.size());
    if (word[0] == '+') word.remove_prefix(1);
    const std::size_t equals = word.find('=');
    key = word.substr(0, equals);
    value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    return true;
}

bool IsProjString(std::string_view text) {
    std::string_view key;
    std::string_view value;
    bool found = false;
    while (NextWord(text, key, value)) found = found || key == "proj" || key == "init";
    return found;
}

bool IsCode(std::string_view text);

Result<std::string> SafeProjString(std::string_view text, Warnings& warnings) {
    std::string safe;
    std::string_view rest = text;
    std::string_view key;
    std::string_view value;
    bool has_proj = false;
    while (NextWord(rest, key, value)) {
        if (key == "init" && !has_proj && IsCode(value)) {
            // The code is returned without "+init=", which GDAL and other writers wrote. With
            // "+init=", PROJ would read the definition of the code from a file.
            return Upper(value);
        }
        if (IsFile(key) || (key == "proj" && value == "pipeline"))
            return NamesFile("+" + std::string(key));
        if (IsGrids(key)) {
            if (value != kNoFile) {
                WarnOfShift("+" + std::string(key), value, warnings);
                continue;
            }
        } else if (!IsPlainValue(value)) {
            return Status::Corrupt("+" + std::string(key) + ": " + Quoted(value) +
                                   " is not a valid value");
        }
        has_proj = has_proj || key == "proj";
        safe += safe.empty() ? "+" : " +";
        safe += key;
        if (!value.empty()) safe.append("=").append(value);
    }
    return safe;
}

// ---------------------------------------------------------------------------------------------
// WKT

// Removes references to files from WKT. Strings in WKT are in double quotes; a double quote inside
// of a string is doubled.
class WktReader {
  public:
    WktReader(std::string_view text, Warnings& warnings) : text_(text), warnings_(warnings) {}

    // Returns the WKT without references to files.
    Result<std::string> Read() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                ZARR_RETURN_IF_ERROR(SkipString());
            } else if (IsAsciiLetter(c) && (at_ == 0 || !IsWordCharacter(text_[at_ - 1]))) {
                ZARR_RETURN_IF_ERROR(ReadWord());
            } else {
                ++at_;
            }
        }
        safe_.append(text_.substr(copied_));
        return std::move(safe_);
    }

  private:
    static bool IsWordCharacter(char c) { return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '_'; }

    Status SkipString() {
        std::string ignored;
        return ReadString(ignored);
    }

    Status ReadString(std::string& value) {
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] != '"') {
                value += text_[at_];
            } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
                value += text_[++at_];
            } else {
                ++at_;
                return {};
            }
        }
        return Status::Corrupt("WKT: unterminated string");
    }

    void SkipBlanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

    bool Skip(std::string_view any_of) {
        SkipBlanks();
        if (at_ >= text_.size() || any_of.find(text_[at_]) == std::string_view::npos) return false;
        ++at_;
        return true;
    }

    Status ReadWord() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && IsWordCharacter(text_[at_])) ++at_;
        const std::string word = Upper(text_.substr(begin, at_ - begin));
        if (word != "EXTENSION" && word != "PARAMETERFILE") return {};
        if (!Skip("[(")) return {};
        std::string name;
        std::string value;
        SkipBlanks();
        if (at_ >= text_.size() || text_[at_] != '"') return {};
        ZARR_RETURN_IF_ERROR(ReadString(name));
        if (!Skip(",")) return {};
        SkipBlanks();
        if (at_ >= text_.size() || text_[at_] != '"') return {};
        ZARR_RETURN_IF_ERROR(ReadString(value));
        if (word == "PARAMETERFILE")
            return value == kNoFile || value == "null" ? Status() : NamesFile("PARAMETERFILE");
        return ReadExtension(begin, name, value);
    }

    // Checks the WKT node EXTENSION["name", "value"] that starts at `begin`. `name` and `value` are
    // the two strings of the node. A node that names grid files is omitted with a warning.
    Status ReadExtension(std::size_t begin, const std::string& name, const std::string& value) {
        const std::string kind = Upper(name);
        if (kind == "PROJ4_GRIDS") {
            if (value == kNoFile || value == "null") return {};
            WarnOfShift("PROJ4_GRIDS", value, warnings_);
        } else if (kind == "PROJ4") {
            Warnings of_proj;
            ZARR_ASSIGN_OR_RETURN(const std::string safe, SafeProjString(value, of_proj));
            if (of_proj.empty()) return {};
            warnings_.insert(warnings_.end(), of_proj.begin(), of_proj.end());
        } else {
            return {};
        }
        return CutNode(begin);
    }

    // Omits a WKT node that contains only strings, and the comma before the node.
    Status CutNode(std::size_t begin) {
        if (!Skip("])")) return Status::Corrupt("WKT: unterminated EXTENSION");
        std::size_t end = begin;
        while (end > copied_ && kBlanks.find(text_[end - 1]) != std::string_view::npos) --end;
        if (end > copied_ && text_[end - 1] == ',') --end;
        safe_.append(text_.substr(copied_, end - copied_));
        copied_ = at_;
        return {};
    }

    const std::string_view text_;
    Warnings& warnings_;
    std::size_t at_ = 0;
    std::size_t copied_ = 0;  // text before this offset was copied to safe_ or omitted
    std::string safe_;
};

// True if `text` begins with a keyword and a bracket, as WKT does.
bool IsWkt(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() &&
           (IsAsciiLetter(text[at]) || IsAsciiDigit(text[at]) || text[at] == '_'))
        ++at;
    // The shortest WKT keywords of a CRS have 4 letters.
    if (at < 4 || !IsAsciiLetter(text[0])) return false;
    at = text.find_first_not_of(kBlanks, at);
    return at != std::string_view::npos && (text[at] == '[' || text[at] == '(');
}

// ---------------------------------------------------------------------------------------------
// PROJJSON

// Returns the name of the first PROJJSON parameter that names a file; nullopt if there is none. A
// parameter names a file if its value is a text other than kNoFile and "null".
std::optional<std::string> FileIn(const json::Value& value) {
    if (const json::Array* const items = value.as_array()) {
        for (const json::Value& item : *items)
            if (auto found = FileIn(item)) return found;
        return std::nullopt;
    }
    const json::Object* const members = value.as_object();
    if (members == nullptr) return std::nullopt;
    for (const json::Member& member : *members) {
        const std::string* const text = member.second.as_string();
        if (member.first == "value" && text != nullptr && *text != kNoFile && *text != "null") {
            const json::Value* const name = value.Find("name");
            const std::string* const known = name != nullptr ? name->as_string() : nullptr;
            return known != nullptr ? *known : "a parameter";
        }
        if (auto found = FileIn(member.second)) return found;
    }
    return std::nullopt;
}

Result<std::string> SafeProjJson(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const json::Value value, json::Parse(text).WithContext("PROJJSON"));
    if (const auto file = FileIn(value)) return NamesFile("PROJJSON: " + Quoted(*file));
    return std::string(text);
}

// ---------------------------------------------------------------------------------------------
// Codes

bool IsUrl(std::string_view text) {
    constexpr std::array<std::string_view, 5> kStarts = {
        "http://opengis.net/def/crs", "https://opengis.net/def/crs",
        "http://www.opengis.net/def/crs", "https://www.opengis.net/def/crs",
        "www.opengis.net/def/crs"};
    return std::any_of(kStarts.begin(), kStarts.end(),
                       [&](std::string_view start) { return StartsWith(text, start); }) &&
           text.find("..") == std::string_view::npos;
}

// True if `text` is an authority and a code: "EPSG:32632", "EPSG:4326+5773", "IAU_2015:30100",
// "IAU:2015:30100" or "urn:ogc:def:crs:EPSG::4326".
bool IsCode(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !IsAsciiLetter(text[0])) return false;
    if (Upper(text.substr(0, colon)) == "DICT") return false;  // GDAL reads DICT codes from a file
    constexpr std::string_view kSigns = ":_.,+-";
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return IsAsciiLetter(c) || IsAsciiDigit(c) || kSigns.find(c) != std::string_view::npos;
    });
}

bool IsWellKnownName(std::string_view text) {
    constexpr std::array<std::string_view, 7> kNames = {"WGS84", "WGS72", "NAD27", "NAD83",
                                                        "CRS84", "CRS83", "CRS27"};
    const std::string upper = Upper(text);
    return std::find(kNames.begin(), kNames.end(), upper) != kNames.end();
}

}  // namespace

Fact<Result<std::string>> SafeCrsText(std::string_view text) {
    Warnings warnings;
    const std::string_view crs = WithoutBlanks(text);
    if (crs.find('\0') == std::string_view::npos && !crs.empty()) {
        if (crs[0] == '{') return {SafeProjJson(crs)};
        if (IsWkt(crs)) return {WktReader(crs, warnings).Read(), warnings};
        if (IsProjString(crs)) return {SafeProjString(crs, warnings), warnings};
        if (IsCode(crs) || IsUrl(crs) || IsWellKnownName(crs)) return {std::string(crs)};
    }
    return {Status::Corrupt(Quoted(crs) +
                            " is not WKT, PROJJSON, PROJ string, or authority with a code")};
}

}  // namespace zarr
