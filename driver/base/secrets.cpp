// SPDX-License-Identifier: MIT
#include "driver/base/secrets.h"

#include <cpl_string.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace zarr_driver {

namespace {

// Names of URL parameters, and of options of GDAL's /vsicurl?, whose values are no secrets. Each
// server defines its own parameters, so the value of any other name is hidden.
constexpr std::string_view kHarmless =
    " url use_head use_redirect_url_if_no_query_string_params list_dir empty_dir max_retry "
    "retry_delay retry_codes useragent referer unsafessl timeout connecttimeout low_speed_time "
    "low_speed_limit proxyauth httpauth netrc http_version pc_url_signing pc_collection version "
    "versionid v format f expires generation x-id x-amz-algorithm x-amz-date x-amz-expires "
    "x-amz-signedheaders x-goog-algorithm x-goog-date x-goog-expires x-goog-signedheaders sv st se "
    "sr sp spr ss srt skv skt ske sks api-version snapshot branch tag ignore-timestamp-etag ";

bool IsHarmless(const std::string& name) {
    return kHarmless.find(" " + std::string(CPLString(name).tolower()) + " ") !=
           std::string_view::npos;
}

bool IsHexPair(std::string_view text, std::size_t at) {
    return at + 2 <= text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0 &&
           std::isxdigit(static_cast<unsigned char>(text[at + 1])) != 0;
}

// A character of a text after percent-decoding. Decoding is repeated: "%2526" becomes "%26" and
// then "&", so its depth is 2.
struct Symbol {
    char c = 0;
    unsigned depth = 0;  // number of times that it was percent-encoded
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::vector<Symbol> Decode(std::string_view text) {
    std::vector<Symbol> symbols;
    symbols.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); at = symbols.back().end) {
        Symbol symbol{text[at], 0, at, at + 1};
        std::size_t code = at + 1;
        if (symbol.c == '%' && IsHexPair(text, code)) {
            for (symbol.depth = 1; text.substr(code, 2) == "25" && IsHexPair(text, code + 2);
                 code += 2)
                ++symbol.depth;
            unsigned byte = 0;
            std::from_chars(text.data() + code, text.data() + code + 2, byte, 16);
            symbol.c = static_cast<char>(byte);
            symbol.end = code + 2;
        }
        symbols.push_back(symbol);
    }
    return symbols;
}

// Finds secrets in a text. The text may contain a URL that is percent-encoded within another URL. A
// part of the inner URL ends only at a delimiter of the inner or the outer URL.
class SecretFinder {
  public:
    SecretFinder(std::string_view text, UrlEnd end) : symbols_(Decode(text)), end_(end) {}

    // Returns `text` with "***" in place of each secret.
    std::string Hide(std::string_view text) {
        for (std::size_t at = 0; at < symbols_.size();) at = FindAt(at);
        std::string shown;
        std::size_t copied = 0;
        for (const auto& [begin, end] : secrets_) {
            shown.append(text.substr(copied, begin - copied)).append("***");
            copied = end;
        }
        return shown.append(text.substr(copied));
    }

  private:
    bool Is(std::size_t at, std::string_view any_of, unsigned depth) const {
        return symbols_[at].depth <= depth && any_of.find(symbols_[at].c) != std::string_view::npos;
    }
    bool EndsUrl(std::size_t at) const {
        if (at == symbols_.size()) return true;
        if (Is(at, "\"{}<>\n\r", 0)) return true;
        if (end_ == UrlEnd::kAtSpace) return Is(at, " \t'`", 0);
        return at + 1 < symbols_.size() && Is(at, ":", 0) && Is(at + 1, " ", 0);
    }

    // Hides the secret that starts at the symbol with index `at`, if there is one. Returns the
    // index at which the search continues.
    std::size_t FindAt(std::size_t at) {
        if (EndsUrl(at)) {
            is_in_url_ = has_query_ = false;
            return at + 1;
        }
        const unsigned depth = symbols_[at].depth;
        if (at + 3 <= symbols_.size() && Is(at, ":", depth) && Is(at + 1, "/", depth) &&
            Is(at + 2, "/", depth)) {
            is_in_url_ = true;
            return FindUser(at + 3, depth);
        }
        has_query_ = has_query_ || Is(at, "?", depth);
        const bool may_begin = has_query_ || (is_in_url_ && Is(at, "#", depth));
        return may_begin && Is(at, "?&;#", depth) ? FindParameter(at) : at + 1;
    }

    // Hides user and password in a URL. User and password start at index `first`, after "://".
    // Returns the index after them.
    std::size_t FindUser(std::size_t first, unsigned depth) {
        const auto is_end = [&](std::size_t at) {
            return EndsUrl(at) || (depth != 0 && Is(at, "&", depth - 1));
        };
        std::size_t user_end = first;
        std::size_t end = first;
        for (; !is_end(end) && !Is(end, "/?#", depth); ++end)
            if (Is(end, "@", depth)) user_end = end;
        if (user_end == first && HasOddPort(first, end)) {
            // The text between "://" and "/" is no host and port, so it begins with a user and a
            // password. The password may contain an unencoded "/", so all text up to the last "@"
            // is hidden.
            user_end = end;
            for (std::size_t at = end; !is_end(at); ++at)
                if (Is(at, "@", depth)) user_end = at;
        }
        Add(first, user_end);
        return std::max(end, user_end);
    }

    // True if the text after the ":" of a host is not a port number, as in "user:pass".
    bool HasOddPort(std::size_t first, std::size_t end) const {
        std::size_t colon = first;
        while (colon < end && symbols_[colon].c != ':') ++colon;
        if (colon == end || symbols_[first].c == '[') return false;
        return std::any_of(
            symbols_.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
            symbols_.begin() + static_cast<std::ptrdiff_t>(end), [](const Symbol& symbol) {
                return std::string_view("0123456789:.,)").find(symbol.c) == std::string_view::npos;
            });
    }

    // Hides the value of a URL parameter. `separator` is the index of the "?", "&", ";" or "#"
    // before the parameter's name.
    std::size_t FindParameter(std::size_t separator) {
        std::string name;
        std::size_t at = separator + 1;
        for (; !EndsUrl(at) && !Is(at, "=?&;#/ ", ~0U); ++at) name += symbols_[at].c;
        const bool has_value = !EndsUrl(at) && symbols_[at].c == '=';
        if (has_value && !name.empty()) return IsHarmless(name) ? at + 1 : HideValue(at + 1);
        // A query that consists of a value without a parameter name is hidden, because the value
        // may be a token.
        if (is_in_url_ && symbols_[separator].c == '?' && !name.empty() && !IsHarmless(name))
            return HideValue(separator + 1);
        return at;
    }

    std::size_t HideValue(std::size_t first) {
        const unsigned depth = symbols_[first - 1].depth;
        std::size_t end = first;
        while (!EndsUrl(end) && !Is(end, "&", depth)) ++end;
        std::size_t last = end;
        // Punctuation after a URL belongs to the sentence, and not to the URL.
        if (end_ == UrlEnd::kAtSpace && EndsUrl(end))
            while (last > first && Is(last - 1, ".,:;)", 0)) --last;
        Add(first, last);
        return end;
    }

    void Add(std::size_t first, std::size_t end) {
        if (end > first) secrets_.emplace_back(symbols_[first].begin, symbols_[end - 1].end);
    }

    const std::vector<Symbol> symbols_;
    const UrlEnd end_;
    bool is_in_url_ = false;
    bool has_query_ = false;
    std::vector<std::pair<std::size_t, std::size_t>> secrets_;
};

}  // namespace

bool MayHoldSecrets(const char* text) { return std::strpbrk(text, "?&@%=;#") != nullptr; }

std::string HideSecrets(std::string_view text, UrlEnd end) {
    return SecretFinder(text, end).Hide(text);
}

}  // namespace zarr_driver
