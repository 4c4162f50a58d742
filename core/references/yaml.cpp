// SPDX-License-Identifier: MIT
#include "core/references/yaml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/base/text.h"

namespace zarr {

namespace {

struct Line {
    std::size_t number = 0;  // number of the line, counted from 1
    std::size_t indent = 0;  // number of spaces before the text
    std::string_view text;
};

bool IsItem(std::string_view text) { return text == "-" || text.substr(0, 2) == "- "; }

void TrimLeft(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

// Returns the position of the colon after the key with which `text` begins; npos without one.
std::size_t ColonOf(std::string_view text) {
    std::size_t from = 0;
    if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
        for (from = 1; from < text.size() && text[from] != text[0]; ++from)
            if (text[0] == '"' && text[from] == '\\') ++from;
        from = std::min(from, text.size());
    }
    for (std::size_t at = text.find(':', from); at != std::string_view::npos;
         at = text.find(':', at + 1))
        if (at + 1 == text.size() || text[at + 1] == ' ') return at;
    return std::string_view::npos;
}

class YamlParser {
  public:
    explicit YamlParser(std::string_view text) {
        std::size_t number = 0;
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            std::string_view line = text.substr(from, end - from);
            from = end + 1;
            ++number;
            while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
                line.remove_suffix(1);
            const std::size_t indent = line.find_first_not_of(' ');
            if (indent == std::string_view::npos || line[indent] == '#' || line == "---") continue;
            lines_.push_back({number, indent, line.substr(indent)});
        }
    }

    Result<json::Value> Parse() {
        if (lines_.empty()) return json::Value();
        ZARR_ASSIGN_OR_RETURN(json::Value value, Block(0));
        if (at_ < lines_.size()) return Fault(lines_[at_], "the indentation is wrong");
        return value;
    }

  private:
    static Status Fault(const Line& line, const std::string& what) {
        return Status::Corrupt("line " + std::to_string(line.number) + ": " + what);
    }
    static Status Unsupported(const Line& line, std::string_view text) {
        return Status::Unsupported("line " + std::to_string(line.number) + ": " + Quoted(text) +
                                   " is a feature of YAML that is unsupported");
    }

    // Parses the mapping, sequence or scalar that begins at the current line.
    Result<json::Value> Block(std::uint64_t depth) {
        if (depth > LimitOf(Limit::kJsonDepth))
            return OverLimit(Limit::kJsonDepth, "a YAML document is nested too deep");
        const Line& line = lines_[at_];
        if (IsItem(line.text)) return Sequence(depth);
        if (line.text[0] != '!' && ColonOf(line.text) != std::string_view::npos)
            return Mapping(depth);
        ++at_;
        return Inline(line, line.text, line.indent, depth);
    }

    Result<json::Value> Sequence(std::uint64_t depth) {
        const std::size_t indent = lines_[at_].indent;
        json::Array items;
        while (at_ < lines_.size() && lines_[at_].indent == indent && IsItem(lines_[at_].text)) {
            Line& line = lines_[at_];
            std::string_view rest = line.text.substr(1);
            const std::size_t spaces = std::min(rest.find_first_not_of(' '), rest.size());
            rest.remove_prefix(spaces);
            if (rest.empty()) {
                ++at_;
                ZARR_ASSIGN_OR_RETURN(json::Value value, Nested(indent, false, depth));
                items.push_back(std::move(value));
                continue;
            }
            // The sequence item is a nested block that begins on the line of the dash. Lines below
            // a tag may begin in the tag's column, so the tag counts as indented by one.
            line.text = rest;
            line.indent = rest[0] == '!' ? indent + 1 : indent + 1 + spaces;
            ZARR_ASSIGN_OR_RETURN(json::Value value, Block(depth + 1));
            items.push_back(std::move(value));
        }
        return json::Value(std::move(items));
    }

    Result<json::Value> Mapping(std::uint64_t depth) {
        const std::size_t indent = lines_[at_].indent;
        json::Object members;
        while (at_ < lines_.size() && lines_[at_].indent == indent && !IsItem(lines_[at_].text)) {
            const Line line = lines_[at_];
            const std::size_t colon = ColonOf(line.text);
            if (colon == std::string_view::npos) return Fault(line, "expected \"key: value\"");
            ZARR_ASSIGN_OR_RETURN(std::string key, Key(line, line.text.substr(0, colon)));
            std::string_view rest = line.text.substr(colon + 1);
            TrimLeft(rest);
            ++at_;
            ZARR_ASSIGN_OR_RETURN(json::Value value, rest.empty()
                                                         ? Nested(indent, true, depth)
                                                         : Inline(line, rest, indent, depth));
            members.emplace_back(std::move(key), std::move(value));
        }
        return json::Value(std::move(members));
    }

    // Parses the block below a line with `indent` spaces; null if there is none. The items of a
    // sequence below a key may have the indentation of the key.
    Result<json::Value> Nested(std::size_t indent, bool is_in_mapping, std::uint64_t depth) {
        if (at_ == lines_.size()) return json::Value();
        const Line& next = lines_[at_];
        const bool is_below =
            next.indent > indent || (is_in_mapping && next.indent == indent && IsItem(next.text));
        return is_below ? Block(depth + 1) : json::Value();
    }

    static Result<std::string> Key(const Line& line, std::string_view text) {
        if (text.empty()) return Fault(line, "a key is empty");
        if (text[0] == '"' || text[0] == '\'') return Unquote(line, text);
        if (std::string_view("?&*!|>%@`{[").find(text[0]) != std::string_view::npos)
            return Unsupported(line, text);
        return std::string(text);
    }

    // Parses a value that stands on the line of its key or dash. `indent` is the indentation of the
    // line.
    Result<json::Value> Inline(const Line& line, std::string_view text, std::size_t indent,
                               std::uint64_t depth) {
        if (text == "{}") return json::Value(json::Object());
        if (text == "[]") return json::Value(json::Array());
        if (text[0] == '"' || text[0] == '\'') {
            ZARR_ASSIGN_OR_RETURN(std::string unquoted, Unquote(line, text));
            return json::Value(std::move(unquoted));
        }
        if (text[0] == '!') return Tagged(line, text.substr(1), indent, depth);
        if (std::string_view("&*|>%@`{[#").find(text[0]) != std::string_view::npos)
            return Unsupported(line, text);
        return Scalar(text);
    }

    Result<json::Value> Tagged(const Line& line, std::string_view text, std::size_t indent,
                               std::uint64_t depth) {
        if (depth > LimitOf(Limit::kJsonDepth))
            return OverLimit(Limit::kJsonDepth, "a YAML document is nested too deep");
        const std::size_t end = std::min(text.find(' '), text.size());
        std::string name(text.substr(0, end));
        text.remove_prefix(end);
        TrimLeft(text);
        ZARR_ASSIGN_OR_RETURN(json::Value value, text.empty()
                                                     ? Nested(indent, true, depth)
                                                     : Inline(line, text, indent, depth + 1));
        json::Object members;
        members.emplace_back(std::move(name), std::move(value));
        return json::Value(std::move(members));
    }

    static json::Value Scalar(std::string_view text) {
        if (text == "null" || text == "~") return {};
        if (text == "true") return json::Value(true);
        if (text == "false") return json::Value(false);
        std::int64_t number = 0;
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, number);
        if (error == std::errc() && end == last) return json::Value(number);
        return json::Value(text);
    }

    static Result<std::string> Unquote(const Line& line, std::string_view text) {
        const char quote = text[0];
        std::string unquoted;
        for (std::size_t i = 1; i < text.size(); ++i) {
            const char c = text[i];
            if (quote == '\'' && c == quote && text.substr(i, 2) == "''") {
                unquoted += c;
                ++i;
            } else if (c == quote) {
                if (i + 1 != text.size()) return Fault(line, "expected the end of the line");
                return unquoted;
            } else if (quote == '"' && c == '\\' && i + 1 < text.size()) {
                ++i;
                static constexpr std::string_view kEscapes = "\\\"/ntr";
                const std::size_t which = kEscapes.find(text[i]);
                if (which == std::string_view::npos) return Unsupported(line, text);
                unquoted += "\\\"/\n\t\r"[which];
            } else {
                unquoted += c;
            }
        }
        return Fault(line, "a quote is not closed");
    }

    std::vector<Line> lines_;
    std::size_t at_ = 0;  // index of the current line in `lines_`
};

}  // namespace

Result<json::Value> ParseYaml(std::string_view text) { return YamlParser(text).Parse(); }

}  // namespace zarr
