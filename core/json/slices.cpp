// SPDX-License-Identifier: MIT
#include "core/json/slices.h"

#include "core/json/value.h"

namespace zarr::json {

namespace {

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
