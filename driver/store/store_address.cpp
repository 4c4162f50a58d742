// SPDX-License-Identifier: MIT
#include "driver/store/store_address.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/store/keys.h"
#include "driver/store/store_kind.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

namespace {

constexpr const char* kIcechunkPrefix = "/vsiicechunk/";

// Prefixes of GDAL's file systems that show a file or folder as the folder of a store. "{path}"
// follows the prefix.
constexpr std::pair<const char*, PathScheme> kSchemePrefixes[] = {
    {kIcechunkPrefix, PathScheme::kIcechunk},
    {"/vsikerchunk_json_ref/", PathScheme::kKerchunkJson},
    {"/vsikerchunk_json_ref_cached/", PathScheme::kKerchunkJson},
    {"/vsikerchunk_parquet_ref/", PathScheme::kKerchunkParquet},
};

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
bool ParseItem(const std::string& item, RepositoryState& state) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) return false;
    const std::string key = item.substr(0, equals);
    const std::string value = Decode(item.substr(equals + 1));
    if (key == kBranch)
        state.selection.branch = value;
    else if (key == kTag)
        state.selection.tag = value;
    else if (key == kSnapshot)
        state.selection.snapshot = value;
    else if (key == kIgnoreChecks)
        state.checks_targets = !CPLTestBool(value.c_str());
    else
        return false;
    return true;
}

// Splits "path?branch=name" or "path?tag=name&ignore-timestamp-etag=yes" into the path and the
// state. Values may contain "%XX". If no known item follows the question mark, it belongs to the
// path.
std::pair<std::string, RepositoryState> SplitState(const std::string& text) {
    const std::size_t mark = text.rfind('?');
    if (mark == std::string::npos) return {text, {}};
    RepositoryState state;
    for (std::size_t from = mark + 1; from <= text.size();) {
        const std::size_t end = std::min(text.find('&', from), text.size());
        if (!ParseItem(text.substr(from, end - from), state)) return {text, {}};
        from = end + 1;
    }
    return {text.substr(0, mark), state};
}

std::string FormatIcechunk(const std::string& repository, const RepositoryState& state) {
    return std::string(kIcechunkPrefix) + "{" + repository + QueryOf(state) + "}";
}

bool HasExtension(const std::string& path, const char* extension) {
    const std::size_t size = std::strlen(extension);
    return path.size() > size && EQUAL(path.c_str() + path.size() - size, extension);
}

// Splits a path after "/vsizip/" into the zip file and the text after it.
std::pair<std::string, std::string> SplitArchive(const std::string& rest) {
    if (!rest.empty() && rest[0] == '{') {
        const std::size_t end = rest.find('}');
        if (end == std::string::npos) return {rest, ""};
        return {rest.substr(1, end - 1), rest.substr(end + 1)};
    }
    for (std::size_t end = rest.find('/'); end != std::string::npos; end = rest.find('/', end + 1))
        if (IsNamedAsZip(rest.substr(0, end))) return {rest.substr(0, end), rest.substr(end)};
    return {rest, ""};
}

// Finds the zip file in the path of `address`.
void FindArchive(StoreAddress& address) {
    const std::string& path = address.text();
    if (address.is_below_vsizip()) {
        auto [archive, inner] = SplitArchive(path.substr(std::strlen(kZipPrefix)));
        const auto normal = zarr::NormalizePath(inner);
        if (normal.ok()) inner = *normal;
        if (!inner.empty()) address.inner = std::move(inner);
        // GDAL also accepts /vsizip/vsicurl/ for /vsizip//vsicurl/, in which the path of the zip
        // file begins with a slash.
        if (STARTS_WITH(archive.c_str(), "vsi")) archive.insert(0, "/");
        address.archive = std::move(archive);
        return;
    }
    if (!IsNamedAsZip(path)) return;
    VSIStatBufL stat;
    // A folder is not a zip file, even if its name ends in ".zip".
    if (address.is_remote() || (VSIStatL(path.c_str(), &stat) == 0 && !VSI_ISDIR(stat.st_mode)))
        address.archive = path;
}

// Returns the text between the braces that enclose all of `text`; nullopt if none do.
std::optional<std::string> InBraces(const std::string& text) {
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
    return text.substr(1, text.size() - 2);
}

// Finds the scheme and the container of `address`.
void FindScheme(StoreAddress& address) {
    address.container = address.path();
    for (const auto& [prefix, scheme] : kSchemePrefixes) {
        if (!STARTS_WITH(address.c_str(), prefix)) continue;
        const std::string rest = address.text().substr(std::strlen(prefix));
        const auto inner = InBraces(rest);
        if (scheme == PathScheme::kIcechunk)
            std::tie(address.container, address.state) = SplitState(inner.value_or(rest));
        else if (inner)
            address.container = StorePath(*inner);
        else
            continue;
        address.scheme = scheme;
    }
}

constexpr std::size_t kPrefixLength = 5;  // length of "ZARR:"
constexpr const char* kIcechunkDriver = "ICECHUNK:";

bool IsAllDigits(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the position at which an unquoted path ends: the first ":/" that belongs neither to a URL
// nor to a drive letter.
std::size_t EndOfPath(const std::string& text) {
    for (std::size_t at = text.find(":/"); at != std::string::npos; at = text.find(":/", at + 1)) {
        const bool is_url = text.compare(at, 3, "://") == 0;
        if (!is_url && at != 1) return at;
    }
    return text.size();
}

// Returns the position of the closing quote. The closing quote is the first quote at the end of the
// text or before ":/", so that a path may contain quotes.
std::size_t EndOfQuotedPath(const std::string& text) {
    for (std::size_t at = text.find('"', 1); at != std::string::npos; at = text.find('"', at + 1))
        if (at + 1 == text.size() || text.compare(at + 1, 2, ":/") == 0) return at;
    return text.find('"', 1);
}

// Moves trailing indices, such as ":3:0", from the text `node` to `indices`.
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

// Removes a trailing selection, such as ":time=2020-07-01T12:00:00Z,z=2", from the text `node` and
// returns the selection. The selection starts at the first colon that is followed by a name and
// '='. A colon that is followed by a slash belongs to the node's path.
std::string TakeSelection(std::string& node) {
    for (std::size_t colon = node.find(':'); colon != std::string::npos;
         colon = node.find(':', colon + 1)) {
        const std::size_t end = node.find_first_of("=:", colon + 1);
        if (end == std::string::npos || node[end] != '=' || end == colon + 1) continue;
        if (node.find('/', colon) != std::string::npos) continue;
        std::string selection = node.substr(colon + 1);
        node.resize(colon);
        return selection;
    }
    return {};
}

// True if the extension of `path` shows that it is a document or folder of references.
bool HasEndingOfReferences(const std::string& path) {
    const std::string lower = CPLString(path).tolower();
    return zarr::EndsWith(lower, ".json") || zarr::EndsWith(lower, ".json.zst") ||
           zarr::EndsWith(lower, ".parq") || zarr::EndsWith(lower, ".parq.zip");
}

// Returns `text` without the quotes that enclose it; other texts unchanged.
std::string WithoutQuotes(const std::string& text) {
    const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// Splits the name "/vsikerchunk_json_ref/{path}/node" into path and node. If the extension of
// `path` shows that it holds references, the prefix and braces are removed, too.
void TakeNodeAfterBraces(ConnectionString& name) {
    const std::string text = name.path;
    for (const auto& [prefix, scheme] : kSchemePrefixes) {
        const std::size_t begin = std::strlen(prefix);
        if (!STARTS_WITH(text.c_str(), prefix) || text[begin] != '{') continue;
        const std::size_t end = text.find('}', begin);
        if (end == std::string::npos) return;
        const std::string container = text.substr(begin + 1, end - begin - 1);
        const auto node = zarr::NormalizePath(text.substr(end + 1));
        if (!node.ok()) return;
        if (scheme == PathScheme::kIcechunk) {
            const auto [repository, state] = SplitState(container);
            name.path = StorePath(FormatIcechunk(repository, state));
        } else {
            name.path =
                StorePath(HasEndingOfReferences(container) ? container : text.substr(0, end + 1));
        }
        if (node->empty() || name.has_node) return;
        name.has_node = true;
        name.node = *node;
        return;
    }
}

}  // namespace

StoreAddress::StoreAddress(const StorePath& path) : StorePath(path) {
    FindScheme(*this);
    if (scheme == PathScheme::kNone) FindArchive(*this);
    const auto& kinds = StoreKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [this](const StoreKind* kind) {
        return kind->recognise(*this);
    });
    if (found != kinds.end()) store_kind = *found;
}

StoreAddress StoreAddress::At(const StatedNode& stated) const {
    StoreAddress address = *this;
    static_cast<StatedNode&>(address) = stated;
    return address;
}

StoreAddress IcechunkAddress(const StorePath& repository, const RepositoryState& state) {
    StoreAddress address{StorePath(FormatIcechunk(repository, state))};
    address.container = repository;
    address.state = state;
    return address;
}

std::string QueryOf(const RepositoryState& state) {
    std::string query;
    const auto add = [&query](const char* key, const std::string& value) {
        if (!value.empty()) query += (query.empty() ? "?" : "&") + std::string(key) + "=" + value;
    };
    add(kBranch, Encode(state.selection.branch));
    add(kTag, Encode(state.selection.tag));
    add(kSnapshot, Encode(state.selection.snapshot));
    add(kIgnoreChecks, state.checks_targets ? "" : "yes");
    return query;
}

StoreAddress ZipAddress(const std::string& archive, const std::string& inner) {
    const std::string file = IsNamedAsZip(archive) ? archive : "{" + archive + "}";
    return StoreAddress(StorePath(kZipPrefix + file + (inner.empty() ? "" : "/" + inner)));
}

std::string ZipPathOfGdal(const std::string& archive, const std::string& inner) {
    return kZipPrefix + ("{" + archive + "}") + (inner.empty() ? "" : "/" + inner);
}

bool IsNamedAsZip(const std::string& path) { return HasExtension(path, ".zip") || IsOzx(path); }

bool IsOzx(const std::string& path) { return HasExtension(path, kOzxExtension); }

bool IsNamedAsZippedStore(const std::string& path) {
    return HasExtension(path, ".zarr.zip") || IsOzx(path);
}

PathScheme SchemeOf(const std::string& name) {
    if (STARTS_WITH_CI(name.c_str(), kIcechunkDriver)) return PathScheme::kIcechunk;
    for (const auto& [prefix, scheme] : kSchemePrefixes)
        if (STARTS_WITH(name.c_str(), prefix)) return scheme;
    return PathScheme::kNone;
}

bool HasZarrPrefix(const std::string& name) { return STARTS_WITH_CI(name.c_str(), "ZARR:"); }

std::optional<ConnectionParts> SplitConnectionString(const std::string& name) {
    if (!HasZarrPrefix(name)) return std::nullopt;
    const std::string rest = name.substr(kPrefixLength);
    const bool is_quoted = !rest.empty() && rest[0] == '"';
    const std::size_t quote = is_quoted ? EndOfQuotedPath(rest) : 0;
    if (quote == std::string::npos) return std::nullopt;
    const std::size_t end = is_quoted ? quote + 1 : EndOfPath(rest);
    ConnectionParts parts;
    parts.prefix = name.substr(0, kPrefixLength - 1);
    parts.path = rest.substr(0, end);
    if (end < rest.size() && rest[end] == ':') parts.node = rest.substr(end + 1);
    return parts;
}

zarr::Result<ConnectionString> ParseConnectionString(const std::string& name) {
    ConnectionString parsed;
    if (STARTS_WITH_CI(name.c_str(), kIcechunkDriver)) {
        const std::string rest = WithoutQuotes(name.substr(std::strlen(kIcechunkDriver)));
        if (rest.empty()) return zarr::Status::Invalid("no path after ICECHUNK:");
        parsed.has_prefix = true;
        const auto [repository, state] = SplitState(rest);
        parsed.path = StorePath(
            SchemeOf(rest) == PathScheme::kIcechunk ? rest : FormatIcechunk(repository, state));
        TakeNodeAfterBraces(parsed);
        return parsed;
    }
    if (!HasZarrPrefix(name)) {
        parsed.path = StorePath(name);
        if (parsed.path.text().empty()) return zarr::Status::Invalid("the path is empty");
        TakeNodeAfterBraces(parsed);
        return parsed;
    }
    parsed.has_prefix = true;
    const auto parts = SplitConnectionString(name);
    if (!parts) return zarr::Status::Invalid("the quote after ZARR: is not closed");
    parsed.path = StorePath(WithoutQuotes(parts->path));
    if (parsed.path.text().empty()) return zarr::Status::Invalid("no path after ZARR:");
    const std::string after = name.substr(kPrefixLength + parts->path.size());
    if (after.empty()) {
        TakeNodeAfterBraces(parsed);
        return parsed;
    }
    if (after[0] != ':')
        return zarr::Status::Invalid("expected :/name of an array or group after the path, got " +
                                     zarr::Quoted(after));
    parsed.has_node = true;
    std::string node = parts->node;
    if (node.empty() || node[0] != '/')
        return zarr::Status::Invalid("the name of an array or group starts with /, as in " +
                                     FormatConnectionString(parsed.path, "array") + ", got " +
                                     zarr::Quoted(node));
    parsed.select = TakeSelection(node);
    if (parsed.select.empty()) ZARR_RETURN_IF_ERROR(TakeIndices(node, parsed.indices));
    ZARR_ASSIGN_OR_RETURN(parsed.node, zarr::NormalizePath(node));
    TakeNodeAfterBraces(parsed);
    return parsed;
}

std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices) {
    std::string name = "ZARR:\"" + path + "\":/" + node;
    // Names such as "a:3" and "a:t=3" get a final slash. Their ends would otherwise be parsed as an
    // index or a selection.
    std::string rest = node;
    const std::size_t colon = node.rfind(':');
    if ((colon != std::string::npos && IsAllDigits(node.substr(colon + 1))) ||
        !TakeSelection(rest).empty())
        name += "/";
    for (const std::uint64_t index : indices) name += ":" + std::to_string(index);
    return name;
}

}  // namespace zarr_driver
