// SPDX-License-Identifier: MIT
#include "driver/store/connection_string.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/store/keys.h"

namespace zarr_driver {

namespace {

constexpr std::size_t kPrefixLength = 5;  // of "ZARR:"

bool IsAllDigits(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Where an unquoted path ends: at the first ":/" that belongs neither to a URL nor to a drive.
std::size_t EndOfPath(const std::string& text) {
    for (std::size_t at = text.find(":/"); at != std::string::npos; at = text.find(":/", at + 1)) {
        const bool is_url = text.compare(at, 3, "://") == 0;
        if (!is_url && at != 1) return at;
    }
    return text.size();
}

// Where a quoted path ends: at the first quote with nothing or a node behind it, so that a path may
// hold quotes of its own.
std::size_t EndOfQuotedPath(const std::string& text) {
    for (std::size_t at = text.find('"', 1); at != std::string::npos; at = text.find('"', at + 1))
        if (at + 1 == text.size() || text.compare(at + 1, 2, ":/") == 0) return at;
    return text.find('"', 1);
}

// Takes the trailing ":3:0" off `node`.
zarr::Status TakeIndices(std::string& node, std::vector<std::uint64_t>& indices) {
    for (std::size_t colon = node.rfind(':'); colon != std::string::npos; colon = node.rfind(':')) {
        const std::string digits = node.substr(colon + 1);
        if (!IsAllDigits(digits)) break;
        std::uint64_t index = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc())
            return zarr::Status::Invalid("index " + zarr::Quoted(digits) + " is too large");
        indices.insert(indices.begin(), index);
        node.resize(colon);
    }
    return {};
}

int HexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string PercentDecoded(const std::string& text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
        const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
        decoded += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
        if (low >= 0) i += 2;
    }
    return decoded;
}

// "file:///folder", "file://localhost/folder" and "file:///C:/folder" (RFC 8089).
std::string PathOfFileUrl(const std::string& rest) {
    std::string path = PercentDecoded(rest);
    if (STARTS_WITH_CI(path.c_str(), "localhost/")) path.erase(0, strlen("localhost"));
    const bool has_drive = path.size() > 2 && path[0] == '/' && path[2] == ':';
    return has_drive ? path.substr(1) : path;
}

}  // namespace

std::string ExpandUrl(const std::string& path) {
    static constexpr const char* kSchemes[][2] = {
        {"http://", "/vsicurl/http://"},
        {"https://", "/vsicurl/https://"},
        {"s3://", "/vsis3/"},
        {"gs://", "/vsigs/"},
        {"az://", "/vsiaz/"},
    };
    for (const auto& [scheme, vsi] : kSchemes)
        if (STARTS_WITH_CI(path.c_str(), scheme)) return vsi + path.substr(strlen(scheme));
    constexpr const char* kFile = "file://";
    if (STARTS_WITH_CI(path.c_str(), kFile)) return PathOfFileUrl(path.substr(strlen(kFile)));
    return path;
}

bool HasZarrPrefix(const std::string& name) { return STARTS_WITH_CI(name.c_str(), "ZARR:"); }

zarr::Result<ConnectionString> ParseConnectionString(const std::string& name) {
    ConnectionString parsed;
    if (!HasZarrPrefix(name)) {
        parsed.path = ExpandUrl(name);
        if (parsed.path.empty()) return zarr::Status::Invalid("names no file");
        return parsed;
    }
    parsed.has_prefix = true;
    const std::string rest = name.substr(kPrefixLength);
    std::string after;
    if (!rest.empty() && rest[0] == '"') {
        const std::size_t quote = EndOfQuotedPath(rest);
        if (quote == std::string::npos)
            return zarr::Status::Invalid("the quote after ZARR: is not closed");
        parsed.path = rest.substr(1, quote - 1);
        after = rest.substr(quote + 1);
    } else {
        const std::size_t end = EndOfPath(rest);
        parsed.path = rest.substr(0, end);
        after = rest.substr(end);
    }
    parsed.path = ExpandUrl(parsed.path);
    if (parsed.path.empty()) return zarr::Status::Invalid("no path after ZARR:");
    if (after.empty()) return parsed;
    if (after[0] != ':')
        return zarr::Status::Invalid("expected :/name of an array or group after the path, got " +
                                     zarr::Quoted(after));
    parsed.has_node = true;
    std::string node = after.substr(1);
    if (node.empty() || node[0] != '/')
        return zarr::Status::Invalid("the name of an array or group starts with /, as in " +
                                     FormatConnectionString(parsed.path, "array") + ", got " +
                                     zarr::Quoted(node));
    ZARR_RETURN_IF_ERROR(TakeIndices(node, parsed.indices));
    ZARR_ASSIGN_OR_RETURN(parsed.node, zarr::NormalizePath(node));
    return parsed;
}

std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices) {
    std::string name = "ZARR:\"" + path + "\":/" + node;
    // So that the end of a name such as "a:3" is not taken for an index.
    if (const std::size_t colon = node.rfind(':');
        colon != std::string::npos && IsAllDigits(node.substr(colon + 1)))
        name += "/";
    for (const std::uint64_t index : indices) name += ":" + std::to_string(index);
    return name;
}

}  // namespace zarr_driver
