// SPDX-License-Identifier: MIT
#include "core/json/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"

namespace zarr::json {

namespace {

// Ends of the ranges of int64 and uint64. The bounds are 2^63 and 2^64, because no double equals
// the largest int64 or the largest uint64.
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

}  // namespace

Value::Value(std::string v) : kind_(Kind::kString) {
    content_.string = new Shared<std::string>(std::move(v));
}

Value::Value(Array v) : kind_(Kind::kArray) { content_.array = new Shared<Array>(std::move(v)); }

Value::Value(Object v) : kind_(Kind::kObject) {
    content_.object = new Shared<Object>(std::move(v));
}

Value::Value(const Value& other) noexcept : kind_(other.kind_), content_(other.content_) {
    if (kind_ == Kind::kString) content_.string->users.fetch_add(1, std::memory_order_relaxed);
    if (kind_ == Kind::kArray) content_.array->users.fetch_add(1, std::memory_order_relaxed);
    if (kind_ == Kind::kObject) content_.object->users.fetch_add(1, std::memory_order_relaxed);
}

Value::~Value() {
    if (kind_ == Kind::kString) Release(content_.string);
    if (kind_ == Kind::kArray) Release(content_.array);
    if (kind_ == Kind::kObject) Release(content_.object);
}

template <class T>
T* Value::Own(Shared<T>*& shared) {
    if (shared->users.load(std::memory_order_acquire) != 1) {
        auto* const own = new Shared<T>(shared->content);
        Release(shared);
        shared = own;
    }
    return &shared->content;
}

Array* Value::MutableArray() { return kind_ == Kind::kArray ? Own(content_.array) : nullptr; }
Object* Value::MutableObject() { return kind_ == Kind::kObject ? Own(content_.object) : nullptr; }

bool Value::GetInt64(std::int64_t& out) const {
    const double number = kind_ == Kind::kDouble ? content_.number : 0;
    switch (kind_) {
        case Kind::kInt64:
            out = content_.int64;
            return true;
        case Kind::kUint64:
            if (content_.uint64 > static_cast<std::uint64_t>(INT64_MAX)) return false;
            out = static_cast<std::int64_t>(content_.uint64);
            return true;
        case Kind::kDouble:
            if (!(number >= -kTwoTo63 && number < kTwoTo63) || std::trunc(number) != number)
                return false;
            out = static_cast<std::int64_t>(number);
            return true;
        default:
            return false;
    }
}

bool Value::GetUint64(std::uint64_t& out) const {
    if (kind_ == Kind::kUint64) {
        out = content_.uint64;
        return true;
    }
    if (kind_ == Kind::kDouble) {
        const double number = content_.number;
        if (!(number >= 0 && number < kTwoTo64) || std::trunc(number) != number) return false;
        out = static_cast<std::uint64_t>(number);
        return true;
    }
    std::int64_t i = 0;
    if (!GetInt64(i) || i < 0) return false;
    out = static_cast<std::uint64_t>(i);
    return true;
}

bool Value::GetDouble(double& out) const {
    switch (kind_) {
        case Kind::kInt64:
            out = static_cast<double>(content_.int64);
            return true;
        case Kind::kUint64:
            out = static_cast<double>(content_.uint64);
            return true;
        case Kind::kDouble:
            out = content_.number;
            return true;
        default:
            return false;
    }
}

const Value* Value::Find(std::string_view key) const {
    const Object* members = as_object();
    if (members == nullptr) return nullptr;
    for (auto it = members->rbegin(); it != members->rend(); ++it)
        if (it->first == key) return &it->second;
    return nullptr;
}

namespace {

bool NumbersAreEqual(const Value& a, const Value& b) {
    std::int64_t signed_a = 0;
    std::int64_t signed_b = 0;
    std::uint64_t unsigned_a = 0;
    std::uint64_t unsigned_b = 0;
    // Integers are compared as integers, because a double represents only small integers exactly.
    if (a.is_integer() && b.is_integer())
        return (a.GetInt64(signed_a) && b.GetInt64(signed_b) && signed_a == signed_b) ||
               (a.GetUint64(unsigned_a) && b.GetUint64(unsigned_b) && unsigned_a == unsigned_b);
    double one = 0;
    double other = 0;
    return a.GetDouble(one) && b.GetDouble(other) &&
           (one == other || (std::isnan(one) && std::isnan(other)));
}

bool NumbersHaveSameText(const Value& a, const Value& b) {
    if (a.is_integer() != b.is_integer() || !NumbersAreEqual(a, b)) return false;
    double one = 0;
    double other = 0;
    return a.is_integer() || !a.GetDouble(one) || !b.GetDouble(other) || std::isnan(one) ||
           std::signbit(one) == std::signbit(other);
}

}  // namespace

bool Equals(const Value& a, const Value& b) {
    if (a.is_number() && b.is_number()) return NumbersAreEqual(a, b);
    if (a.as_string() != nullptr && b.as_string() != nullptr)
        return *a.as_string() == *b.as_string();
    if (a.as_bool() != nullptr && b.as_bool() != nullptr) return *a.as_bool() == *b.as_bool();
    const Array* const items = a.as_array();
    if (items != nullptr && b.as_array() != nullptr)
        return std::equal(items->begin(), items->end(), b.as_array()->begin(), b.as_array()->end(),
                          Equals);
    const Object* const members = a.as_object();
    if (members == nullptr || b.as_object() == nullptr) return a.is_null() && b.is_null();
    return members->size() == b.as_object()->size() &&
           std::all_of(members->begin(), members->end(), [&](const Member& member) {
               const Value* const value = b.Find(member.first);
               return value != nullptr && Equals(member.second, *value);
           });
}

bool HaveSameText(const Value& a, const Value& b) {
    if (a.is_number() && b.is_number()) return NumbersHaveSameText(a, b);
    const Array* const items = a.as_array();
    const Array* const other_items = b.as_array();
    // Copies of a value share their content, which then need not be compared.
    if (items != nullptr && other_items != nullptr)
        return items == other_items ||
               std::equal(items->begin(), items->end(), other_items->begin(), other_items->end(),
                          HaveSameText);
    const Object* const members = a.as_object();
    const Object* const other_members = b.as_object();
    if (members == nullptr || other_members == nullptr) return Equals(a, b);
    return members == other_members ||
           std::equal(members->begin(), members->end(), other_members->begin(),
                      other_members->end(), [](const Member& one, const Member& other) {
                          return one.first == other.first && HaveSameText(one.second, other.second);
                      });
}

bool AreAllEqual(const Array& items) {
    return std::all_of(items.begin(), items.end(),
                       [&](const Value& item) { return Equals(item, items.front()); });
}

std::string_view Value::TypeName() const {
    if (is_null()) return "null";
    if (is_number()) return "a number";
    if (as_bool() != nullptr) return "a boolean";
    if (as_string() != nullptr) return "a string";
    return as_array() != nullptr ? "an array" : "an object";
}

std::string Brief(const Value& value) {
    constexpr std::size_t kLimit = 60;
    std::string text = Dump(value);
    if (text.size() > kLimit) {
        text.resize(kLimit);
        text += "...";
    }
    return text;
}

Value* FindMember(Object& object, std::string_view name) {
    const auto found = std::find_if(object.begin(), object.end(),
                                    [&](const Member& member) { return member.first == name; });
    return found == object.end() ? nullptr : &found->second;
}

void PutMember(Object& object, std::string_view name, Value value) {
    if (Value* const existing = FindMember(object, name))
        *existing = std::move(value);
    else
        object.emplace_back(name, std::move(value));
}

void EraseMember(Object& object, std::string_view name) {
    object.erase(std::remove_if(object.begin(), object.end(),
                                [&](const Member& member) { return member.first == name; }),
                 object.end());
}

std::optional<std::string_view> FindSlice(const std::vector<Slice>& slices, std::string_view name) {
    const auto found = std::find_if(slices.rbegin(), slices.rend(),
                                    [&](const Slice& slice) { return slice.first == name; });
    return found == slices.rend() ? std::nullopt : std::optional(found->second);
}

Status Expected(std::string_view where, std::string_view what, const Value& got) {
    std::string text(where);
    if (!text.empty()) text += ": ";
    text += "expected ";
    text += what;
    return Status::Corrupt(text + ", got " + Brief(got));
}

Result<const Value*> Require(const Value& object, std::string_view key) {
    if (object.as_object() == nullptr) return Expected("", "an object", object);
    const Value* member = object.Find(key);
    if (member == nullptr)
        return Status::Corrupt("the compulsory member \"" + std::string(key) + "\" is missing");
    return member;
}

Result<std::uint64_t> UintAtLeast(const Value& value, std::uint64_t minimum,
                                  std::string_view where) {
    std::uint64_t number = 0;
    if (!value.GetUint64(number) || number < minimum)
        return Expected(where, "an integer >= " + std::to_string(minimum), value);
    return number;
}

Result<std::vector<std::uint64_t>> UintsAtLeast(const Value& value, std::uint64_t minimum,
                                                std::string_view where) {
    const Array* items = value.as_array();
    if (items == nullptr) return Expected(where, "an array of integers", value);
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const std::string place = std::string(where) + "[" + std::to_string(i) + "]";
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t number, UintAtLeast((*items)[i], minimum, place));
        numbers.push_back(number);
    }
    return numbers;
}

Result<std::int64_t> OptionalInt(const Value& object, std::string_view key, std::int64_t fallback,
                                 std::int64_t minimum, std::int64_t maximum) {
    const Value* member = object.Find(key);
    if (member == nullptr || member->is_null()) return fallback;
    std::int64_t number = 0;
    if (!member->GetInt64(number) || number < minimum || number > maximum)
        return Expected(
            key, "an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum),
            *member);
    return number;
}

Result<bool> OptionalBool(const Value& object, std::string_view key, bool fallback) {
    const Value* value = object.Find(key);
    if (value == nullptr || value->is_null()) return fallback;
    if (value->as_bool() == nullptr) return Expected(key, "true or false", *value);
    return *value->as_bool();
}

Result<double> OptionalDouble(const Value& object, std::string_view key, double fallback) {
    const Value* member = object.Find(key);
    if (member == nullptr || member->is_null()) return fallback;
    double number = 0;
    if (!member->GetDouble(number)) return Expected(key, "a number", *member);
    return number;
}

Result<std::string> OptionalString(const Value& object, std::string_view key,
                                   std::string_view fallback) {
    const Value* member = object.Find(key);
    if (member == nullptr || member->is_null()) return std::string(fallback);
    if (member->as_string() == nullptr) return Expected(key, "a string", *member);
    return *member->as_string();
}

// Parses JSON text: the SAX parser of nlohmann_json calls Builder, which builds a tree of Values.
// Members are only appended, never looked up, so an object with a million members takes linear
// time.

namespace {

// Marks: strings that replace the bare tokens NaN and Infinity while nlohmann_json reads the text.
// A mark begins with an escaped control character, so that no ordinary string equals it. A stored
// string that is spelled exactly like a mark is read as the number.
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

// A set of ASCII characters. Uses a table for fast look-up, because opening a store scans all of
// its consolidated metadata several times.
class CharacterSet {
  public:
    constexpr explicit CharacterSet(std::string_view characters) {
        for (const char c : characters) has_[static_cast<unsigned char>(c)] = true;
    }

    // Returns the offset of the first character of the set at or after `from`; the text's size if
    // there is none.
    std::size_t Find(std::string_view text, std::size_t from) const {
        while (from < text.size() && !has_[static_cast<unsigned char>(text[from])]) ++from;
        return std::min(from, text.size());
    }

  private:
    std::array<bool, 256> has_{};
};

// Returns the offset behind the JSON string whose first quote is at `start`; npos if the text ends
// inside of the string.
std::size_t EndOfString(std::string_view text, std::size_t start) {
    for (std::size_t quote = text.find('"', start + 1); quote != std::string_view::npos;
         quote = text.find('"', quote + 1)) {
        std::size_t backslashes = 0;
        while (text[quote - 1 - backslashes] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return quote + 1;
    }
    return std::string_view::npos;
}

// Returns the offset of the first bare token (NaN, Infinity) at or after `from`, outside of
// strings. Returns npos if no token follows.
std::size_t FindBareToken(std::string_view text, std::size_t from, const Token** found) {
    static constexpr CharacterSet kStops("\"NI-");
    for (std::size_t at = kStops.Find(text, from); at < text.size(); at = kStops.Find(text, at)) {
        if (text[at] == '"') {
            at = EndOfString(text, at);
            continue;
        }
        for (const Token& token : kTokens) {
            if (text.substr(at, token.text.size()) != token.text) continue;
            *found = &token;
            return at;
        }
        ++at;
    }
    return std::string_view::npos;
}

// JSON text in which each bare token (NaN, Infinity) was replaced by its mark, a string.
struct MarkedText {
    struct Mark {
        std::size_t end;     // offset of the end of the mark in `text`
        std::size_t growth;  // bytes that all marks up to `end` have added to the text
    };
    std::string text;
    std::vector<Mark> marks;

    // Returns the offset in the original text for the offset `position` in `text`.
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

// Returns the bare token (NaN, Infinity) that `string` has replaced in a MarkedText; nullptr if
// `string` has replaced no token.
const Token* TokenOf(const std::string& string) {
    if (string.empty() || string[0] != '\x01') return nullptr;
    for (const Token& token : kTokens)
        if (string.compare(1, std::string::npos, token.mark.substr(6)) == 0) return &token;
    return nullptr;
}

// Returns `text` for an error message: each mark is replaced by its bare token (NaN, Infinity).
std::string Unmarked(std::string text) {
    for (const Token& token : kTokens) {
        const std::string mark = "\"" + std::string(token.mark) + "\"";
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
            text.replace(at, mark.size(), token.text);
    }
    return text;
}

// Removes the members whose key is repeated by a later member.
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
    // `marked` is the JSON text; nullptr if the input is MessagePack. The input may have
    // Limit::kJsonValues values more than `expected`, the number that the caller expects.
    Builder(const MarkedText* marked, std::uint64_t expected)
        : marked_(marked), max_values_(SaturatingAdd(LimitOf(Limit::kJsonValues), expected)) {}

    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;

    bool null() { return Add(Value()); }
    bool boolean(bool v) { return Add(Value(v)); }
    bool number_integer(number_integer_t v) { return Add(Value(std::int64_t{v})); }
    bool number_unsigned(number_unsigned_t v) { return Add(Value(std::uint64_t{v})); }
    bool number_float(double v, const std::string& /*text*/) { return Add(Value(v)); }
    bool binary(nlohmann::json::binary_t& v) { return Add(Value(std::string(v.begin(), v.end()))); }

    bool string(std::string& v) {
        if (const Token* token = marked_ != nullptr ? TokenOf(v) : nullptr)
            return Add(Value(token->value));
        return Add(Value(std::move(v)));
    }

    bool start_object(std::size_t /*size*/) { return Push(Value(Object{})); }
    bool start_array(std::size_t /*size*/) { return Push(Value(Array{})); }
    bool key(std::string& name) {
        if (const Token* token = marked_ != nullptr ? TokenOf(name) : nullptr) {
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
        if (marked_ == nullptr) {
            error_ = Status::Corrupt("not valid MessagePack at byte " + std::to_string(position));
            return false;
        }
        std::string what = "not valid JSON at byte " + std::to_string(marked_->Original(position));
        if (!last_token.empty()) what += ", near " + Quoted(Unmarked(last_token), 40);
        error_ = Status::Corrupt(what);
        return false;
    }

    Value TakeRoot() { return std::move(root_); }
    // Returns the error of a failed parse; ok if nlohmann_json reported none.
    const Status& error() const { return error_; }

  private:
    struct Open {
        Value value;
        std::string key;  // key of the member that is being read, if `value` is an object
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
        if (Object* members = done.MutableObject()) KeepLast(*members);
        open_.pop_back();
        return Add(std::move(done));
    }

    bool Add(Value value) {
        if (++values_ > max_values_) {
            error_ = OverLimit(Limit::kJsonValues, "too many JSON values");
            return false;
        }
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (Object* object = open_.back().value.MutableObject()) {
            object->emplace_back(std::move(open_.back().key), std::move(value));
        } else {
            open_.back().value.MutableArray()->push_back(std::move(value));
        }
        return true;
    }

    const MarkedText* const marked_;
    const std::uint64_t max_values_;
    std::vector<Open> open_;
    std::uint64_t values_ = 0;
    Value root_;
    Status error_;
};

constexpr bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view WithoutSpaceAfter(std::string_view text) {
    while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
    return text;
}

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    void SkipSpace() {
        while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    }

    // Skips white space, then the character `c`. Returns false if another character follows.
    bool Take(char c) {
        SkipSpace();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    // Skips white space, then a JSON string. Returns the string with its quotes; empty if no
    // complete string follows.
    std::string_view TakeString() {
        SkipSpace();
        const std::size_t start = at_;
        if (at_ >= text_.size() || text_[at_] != '"') return {};
        const std::size_t end = EndOfString(text_, start);
        at_ = std::min(end, text_.size());
        return end == std::string_view::npos ? std::string_view()
                                             : text_.substr(start, end - start);
    }

    // Returns the text up to the ',' or '}' that ends the value, without white space at its end.
    // Empty if the text ends inside of the value.
    std::string_view TakeValue() {
        SkipSpace();
        const std::size_t start = at_;
        static constexpr CharacterSet kStops("\",{}[]");
        std::size_t depth = 0;
        while ((at_ = kStops.Find(text_, at_)) < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                if (TakeString().empty()) return {};
                continue;
            }
            if (depth == 0 && (c == ',' || c == '}'))
                return WithoutSpaceAfter(text_.substr(start, at_ - start));
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

// Returns the error for `text`, which does not begin with '{'.
Status NoObject(std::string_view text, const Scanner& scanner) {
    constexpr std::size_t kShown = 40;
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    constexpr std::string_view kBegins = "[\"-0123456789";
    const bool is_other = !text.empty() && kBegins.find(text[0]) != std::string_view::npos;
    if (!is_other && text != "null" && text != "true" && text != "false")
        return scanner.Error("an object");
    return Status::Corrupt("expected an object, got " + std::string(text.substr(0, kShown)) +
                           (text.size() > kShown ? "..." : ""));
}

Result<std::string> Unquote(std::string_view quoted) {
    if (quoted.find('\\') == std::string_view::npos)
        return std::string(quoted.substr(1, quoted.size() - 2));
    ZARR_ASSIGN_OR_RETURN(const Value value, Parse(quoted));
    return value.as_string() != nullptr ? *value.as_string() : std::string();
}

}  // namespace

Result<Value> Parse(std::string_view text, std::uint64_t expected) {
    // A NUL character is an error. JSON allows it nowhere, but nlohmann_json ends the text there.
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
    Builder builder(&marked, expected);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
        return builder.error().ok() ? Status::Corrupt("not valid JSON") : builder.error();
    return builder.TakeRoot();
}

Result<Value> ParseMessagePack(ByteSpan message, std::uint64_t expected) {
    Builder builder(nullptr, expected);
    const std::string_view bytes = message.text();
    if (!nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &builder,
                                   nlohmann::json::input_format_t::msgpack))
        return builder.error().ok() ? Status::Corrupt("not valid MessagePack") : builder.error();
    return builder.TakeRoot();
}

Result<std::vector<Slice>> MemberSlices(std::string_view text) {
    // A byte order mark is skipped, as Parse() and Python's json.loads() do.
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
        text.remove_prefix(kByteOrderMark.size());
    Scanner scanner(text);
    std::vector<Slice> slices;
    if (!scanner.Take('{')) return NoObject(text, scanner);
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
