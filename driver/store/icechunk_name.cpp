// SPDX-License-Identifier: MIT
#include "driver/store/icechunk_name.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace zarr_driver {

namespace {

constexpr const char* kBranch = "branch";
constexpr const char* kTag = "tag";
constexpr const char* kSnapshot = "snapshot";
constexpr const char* kIgnoreChecks = "ignore-timestamp-etag";

// Encodes `value` for the query of a name. Characters that would end the value or the name are
// percent-encoded.
std::string Encode(const std::string& value) {
    std::string text;
    for (const char c : value)
        if (std::string_view("%&?{}\"").find(c) != std::string_view::npos)
            text += CPLSPrintf("%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            text += c;
    return text;
}

std::string Decode(const std::string& text) {
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string digits = text[i] == '%' ? text.substr(i + 1, 2) : "";
        if (digits.size() != 2 ||
            digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
            value += text[i];
            continue;
        }
        value += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
        i += 2;
    }
    return value;
}

// Parses one item of a query, such as "branch=name". Returns false if the item is unknown.
bool ParseItem(const std::string& item, IcechunkName& name) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) return false;
    const std::string key = item.substr(0, equals);
    const std::string value = Decode(item.substr(equals + 1));
    if (key == kBranch)
        name.selection.branch = value;
    else if (key == kTag)
        name.selection.tag = value;
    else if (key == kSnapshot)
        name.selection.snapshot = value;
    else if (key == kIgnoreChecks)
        name.checks_targets = !CPLTestBool(value.c_str());
    else
        return false;
    return true;
}

}  // namespace

IcechunkName ParseIcechunkQuery(const std::string& text) {
    IcechunkName whole;
    whole.path = text;
    const std::size_t mark = text.rfind('?');
    if (mark == std::string::npos) return whole;
    IcechunkName name;
    name.path = text.substr(0, mark);
    for (std::size_t from = mark + 1; from <= text.size();) {
        const std::size_t end = std::min(text.find('&', from), text.size());
        if (!ParseItem(text.substr(from, end - from), name)) return whole;
        from = end + 1;
    }
    return name;
}

std::optional<IcechunkName> ParseIcechunkName(const std::string& path) {
    if (!STARTS_WITH(path.c_str(), kIcechunkPrefix)) return std::nullopt;
    std::string text = path.substr(std::strlen(kIcechunkPrefix));
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}')
        text = text.substr(1, text.size() - 2);
    return ParseIcechunkQuery(text);
}

std::string IcechunkQuery(const IcechunkName& name) {
    std::string query;
    const auto add = [&query](const char* key, const std::string& value) {
        if (!value.empty()) query += (query.empty() ? "?" : "&") + std::string(key) + "=" + value;
    };
    add(kBranch, Encode(name.selection.branch));
    add(kTag, Encode(name.selection.tag));
    add(kSnapshot, Encode(name.selection.snapshot));
    add(kIgnoreChecks, name.checks_targets ? "" : "yes");
    return query;
}

std::string FormatIcechunkName(const IcechunkName& name) {
    return std::string(kIcechunkPrefix) + "{" + name.path + IcechunkQuery(name) + "}";
}

}  // namespace zarr_driver
