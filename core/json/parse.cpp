// SPDX-License-Identifier: MIT
// Value from text: nlohmann_json's SAX parser does the reading, this builds the tree, so that
// nothing is looked up while parsing (an object of a million members stays linear).
#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/json/value.h"

namespace zarr::json {

namespace {

// Strings that stand for the bare tokens while nlohmann_json reads the text. JSON text cannot hold
// an unescaped control character, so no string of the store collides with them before parsing; one
// written with escapes would have to spell this on purpose, and then only reads as a number.
constexpr std::string_view kNanMark = "\\u0001zarr:NaN";
constexpr std::string_view kInfinityMark = "\\u0001zarr:Infinity";
constexpr std::string_view kMinusInfinityMark = "\\u0001zarr:-Infinity";

struct Token {
    std::string_view text;
    std::string_view mark;
    double value;
};

const Token kTokens[] = {
    {"-Infinity", kMinusInfinityMark, -std::numeric_limits<double>::infinity()},
    {"Infinity", kInfinityMark, std::numeric_limits<double>::infinity()},
    {"NaN", kNanMark, std::numeric_limits<double>::quiet_NaN()},
};

// Offset of the first bare token at or after `from`, outside strings; npos if there is none.
std::size_t FindBareToken(std::string_view text, std::size_t from, const Token** found) {
    bool in_string = false;
    for (std::size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == 'N' || c == 'I' || c == '-') {
            for (const Token& token : kTokens) {
                if (text.substr(i, token.text.size()) != token.text) continue;
                *found = &token;
                return i;
            }
        }
    }
    return std::string_view::npos;
}

// A text with every bare token replaced by its mark as a string.
struct MarkedText {
    struct Mark {
        std::size_t end;     // where the mark ends in `text`
        std::size_t growth;  // by how much `text` is longer up to there than what it was made from
    };
    std::string text;
    std::vector<Mark> marks;

    // The place in the text as it was.
    std::size_t Original(std::size_t position) const {
        const auto next =
            std::upper_bound(marks.begin(), marks.end(), position,
                             [](std::size_t at, const Mark& mark) { return at < mark.end; });
        return next == marks.begin() ? position : position - std::prev(next)->growth;
    }
};

MarkedText MarkBareTokens(std::string_view text) {
    MarkedText marked;
    std::size_t done = 0;
    const Token* token = nullptr;
    for (std::size_t at = FindBareToken(text, 0, &token); at != std::string_view::npos;
         at = FindBareToken(text, done, &token)) {
        marked.text.append(text, done, at - done);
        marked.text.append("\"").append(token->mark).append("\"");
        done = at + token->text.size();
        marked.marks.push_back({marked.text.size(), marked.text.size() - done});
    }
    marked.text.append(text, done, std::string_view::npos);
    return marked;
}

// The token that a string stands for, else nullptr.
const Token* TokenOf(const std::string& string) {
    if (string.empty() || string[0] != '\x01') return nullptr;
    for (const Token& token : kTokens)
        if (string.compare(1, std::string::npos, token.mark.substr(6)) == 0) return &token;
    return nullptr;
}

// `text` with the tokens in place of their marks, for messages.
std::string Unmarked(std::string text) {
    for (const Token& token : kTokens) {
        const std::string mark = "\"" + std::string(token.mark) + "\"";
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
            text.replace(at, mark.size(), token.text);
    }
    return text;
}

// Removes the members whose keys come again later.
void KeepLast(Object& members) {
    constexpr std::size_t kFew = 16;
    std::vector<std::size_t> repeated;
    if (members.size() <= kFew) {
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t later = i + 1; later < members.size(); ++later)
                if (members[i].first == members[later].first) {
                    repeated.push_back(i);
                    break;
                }
    } else {
        std::unordered_map<std::string_view, std::size_t> last;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto [place, is_new] = last.emplace(members[i].first, i);
            if (is_new) continue;
            repeated.push_back(place->second);
            place->second = i;
        }
        std::sort(repeated.begin(), repeated.end());
    }
    if (repeated.empty()) return;
    auto next = repeated.begin();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (next != repeated.end() && *next == i)
            ++next;
        else if (kept++ != i)
            members[kept - 1] = std::move(members[i]);
    }
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(kept), members.end());
}

class Builder {
  public:
    Builder(const MarkedText& marked, std::uint64_t expected)
        : marked_(marked), most_values_(SaturatingAdd(LimitOf(Limit::kJsonValues), expected)) {}

    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;

    bool null() { return Add(Value()); }
    bool boolean(bool v) { return Add(Value(v)); }
    bool number_integer(number_integer_t v) { return Add(Value(std::int64_t{v})); }
    bool number_unsigned(number_unsigned_t v) { return Add(Value(std::uint64_t{v})); }
    bool number_float(double v, const std::string& /*text*/) { return Add(Value(v)); }
    bool binary(nlohmann::json::binary_t& /*v*/) { return false; }

    bool string(std::string& v) {
        if (const Token* token = TokenOf(v)) return Add(Value(token->value));
        return Add(Value(std::move(v)));
    }

    bool start_object(std::size_t /*size*/) { return Push(Value(Object{})); }
    bool start_array(std::size_t /*size*/) { return Push(Value(Array{})); }
    bool key(std::string& name) {
        if (const Token* token = TokenOf(name)) {
            error_ = Status::Corrupt("not valid JSON: the name of a member is " +
                                     std::string(token->text));
            return false;
        }
        open_.back().key = std::move(name);
        return true;
    }
    bool end_object() { return Pop(); }
    bool end_array() { return Pop(); }

    bool parse_error(std::size_t position, const std::string& last_token,
                     const nlohmann::json::exception& /*cause*/) {
        std::string what = "not valid JSON at byte " + std::to_string(marked_.Original(position));
        if (!last_token.empty()) what += ", near " + Quoted(Unmarked(last_token), 40);
        error_ = Status::Corrupt(what);
        return false;
    }

    Value TakeRoot() { return std::move(root_); }
    // What is wrong where parsing failed; may be ok.
    const Status& error() const { return error_; }

  private:
    struct Open {
        Value value;
        std::string key;  // of the member being read, in an object
    };

    bool Push(Value container) {
        if (open_.size() >= LimitOf(Limit::kJsonDepth)) {
            error_ = OverLimit(Limit::kJsonDepth, "nested too deep");
            return false;
        }
        open_.push_back({std::move(container), {}});
        return true;
    }

    bool Pop() {
        Value done = std::move(open_.back().value);
        if (Object* members = done.as_object()) KeepLast(*members);
        open_.pop_back();
        return Add(std::move(done));
    }

    bool Add(Value value) {
        if (++values_ > most_values_) {
            error_ = OverLimit(Limit::kJsonValues, "too many JSON values");
            return false;
        }
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (Object* object = open_.back().value.as_object()) {
            object->emplace_back(std::move(open_.back().key), std::move(value));
        } else {
            open_.back().value.as_array()->push_back(std::move(value));
        }
        return true;
    }

    const MarkedText& marked_;
    const std::uint64_t most_values_;
    std::vector<Open> open_;
    std::uint64_t values_ = 0;
    Value root_;
    Status error_;
};

void DumpString(const std::string& text, std::string& out) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void DumpInto(const Value& value, std::string& out);

template <class Items, class Each>
void DumpList(const Items& items, char open, char close, std::string& out, Each each) {
    out += open;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i != 0) out += ", ";
        each(items[i]);
    }
    out += close;
}

void DumpDouble(double number, std::string& out) {
    for (const Token& token : kTokens) {
        if (number == token.value || (number != number && token.value != token.value)) {
            out += token.text;
            return;
        }
    }
    out += nlohmann::json(number).dump();
}

void DumpInto(const Value& value, std::string& out) {
    std::int64_t i = 0;
    std::uint64_t u = 0;
    double d = 0;
    if (const bool* b = value.as_bool()) {
        out += *b ? "true" : "false";
    } else if (const std::string* s = value.as_string()) {
        DumpString(*s, out);
    } else if (const Array* array = value.as_array()) {
        DumpList(*array, '[', ']', out, [&out](const Value& v) { DumpInto(v, out); });
    } else if (const Object* object = value.as_object()) {
        DumpList(*object, '{', '}', out, [&out](const Member& member) {
            DumpString(member.first, out);
            out += ": ";
            DumpInto(member.second, out);
        });
    } else if (value.is_integer() && value.GetInt64(i)) {
        out += std::to_string(i);
    } else if (value.is_integer() && value.GetUint64(u)) {
        out += std::to_string(u);
    } else if (value.GetDouble(d)) {
        DumpDouble(d, out);
    } else {
        out += "null";
    }
}

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    void SkipSpace() {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }

    // Moves past `c`, skipping space before it; false where something else comes.
    bool Take(char c) {
        SkipSpace();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    // The string at this place with its quotes; empty where there is none.
    std::string_view TakeString() {
        SkipSpace();
        const std::size_t start = at_;
        if (at_ >= text_.size() || text_[at_] != '"') return {};
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\\')
                ++at_;
            else if (text_[at_] == '"')
                return text_.substr(start, ++at_ - start);
        }
        return {};
    }

    // The text up to the ',' or '}' that ends the value at this place; empty where there is none.
    std::string_view TakeValue() {
        SkipSpace();
        const std::size_t start = at_;
        for (std::size_t depth = 0; at_ < text_.size();) {
            const char c = text_[at_];
            if (c == '"') {
                if (TakeString().empty()) return {};
                continue;
            }
            if (depth == 0 && (c == ',' || c == '}')) return text_.substr(start, at_ - start);
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') {
                if (depth == 0) return {};
                --depth;
            }
            ++at_;
        }
        return {};
    }

    bool AtEnd() {
        SkipSpace();
        return at_ == text_.size();
    }

    Status Error(const char* expected) const {
        return Status::Corrupt("not valid JSON at byte " + std::to_string(at_) + ", expected " +
                               expected);
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

Result<std::string> Unquote(std::string_view quoted) {
    if (quoted.find('\\') == std::string_view::npos)
        return std::string(quoted.substr(1, quoted.size() - 2));
    ZARR_ASSIGN_OR_RETURN(const Value value, Parse(quoted));
    return value.as_string() != nullptr ? *value.as_string() : std::string();
}

}  // namespace

Result<Value> Parse(std::string_view text, std::uint64_t expected) {
    // The parser takes NUL for the end of the text; in JSON it can stand nowhere.
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos)
        return Status::Corrupt("not valid JSON at byte " + std::to_string(nul + 1) +
                               ", a NUL character");
    const Token* token = nullptr;
    MarkedText marked;
    if (FindBareToken(text, 0, &token) != std::string_view::npos) {
        marked = MarkBareTokens(text);
        text = marked.text;
    }
    Builder builder(marked, expected);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
        return builder.error().ok() ? Status::Corrupt("not valid JSON") : builder.error();
    return builder.TakeRoot();
}

std::string Dump(const Value& value) {
    std::string text;
    DumpInto(value, text);
    return text;
}

Result<std::vector<Slice>> MemberSlices(std::string_view text) {
    Scanner scanner(text);
    std::vector<Slice> slices;
    if (!scanner.Take('{')) return scanner.Error("an object");
    if (scanner.Take('}')) {
        if (!scanner.AtEnd()) return scanner.Error("the end");
        return slices;
    }
    do {
        const std::string_view key = scanner.TakeString();
        if (key.empty()) return scanner.Error("a member name");
        if (!scanner.Take(':')) return scanner.Error("':'");
        const std::string_view value = scanner.TakeValue();
        if (value.empty()) return scanner.Error("a value");
        ZARR_ASSIGN_OR_RETURN(std::string name, Unquote(key));
        slices.emplace_back(std::move(name), value);
    } while (scanner.Take(','));
    if (!scanner.Take('}')) return scanner.Error("'}'");
    if (!scanner.AtEnd()) return scanner.Error("the end");
    return slices;
}

}  // namespace zarr::json
