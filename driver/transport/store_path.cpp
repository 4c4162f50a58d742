// SPDX-License-Identifier: MIT
#include "driver/transport/store_path.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"

namespace zarr_driver {

namespace {

constexpr const char* kWebPrefix = "/vsicurl/";

// Describes an object store that GDAL supports: the prefix of its paths, and the configuration
// option that turns off signatures.
struct ObjectStore {
    const char* prefix;
    const char* no_sign_request;  // nullptr if GDAL has no such option
};

constexpr ObjectStore kObjectStores[] = {
    {"/vsis3/", "AWS_NO_SIGN_REQUEST"},
    {"/vsigs/", "GS_NO_SIGN_REQUEST"},
    {"/vsiaz/", "AZURE_NO_SIGN_REQUEST"},
    {"/vsiadls/", "AZURE_NO_SIGN_REQUEST"},
    {"/vsioss/", nullptr},
    {"/vsiswift/", nullptr},
};

const ObjectStore* FindObjectStore(const std::string& path) {
    const auto* const found = std::find_if(
        std::begin(kObjectStores), std::end(kObjectStores),
        [&](const ObjectStore& store) { return STARTS_WITH(path.c_str(), store.prefix); });
    return found == std::end(kObjectStores) ? nullptr : found;
}

bool IsUnreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
}

void AppendEncoded(std::string& url, char c) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    url += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
}

// Returns the URL of a file on a web server. `folder` must not be of the form "/vsicurl?options".
std::string WebUrl(const std::string& folder, const std::string& key) {
    const std::string base = folder.substr(std::strlen(kWebPrefix));
    const std::size_t query = std::min(base.find('?'), base.size());
    std::string url;
    // Only characters that are illegal in URLs are encoded, because the user typed a URL, which may
    // be encoded already.
    for (const char c : base.substr(0, query))
        if (c <= ' ' || c > '~')
            AppendEncoded(url, c);
        else
            url += c;
    if (!key.empty()) url += '/';
    for (const char c : key)
        if (IsUnreserved(c))
            url += c;
        else
            AppendEncoded(url, c);
    return url + base.substr(query);
}

bool IsSet(const std::string& path, const char* option) {
    return option != nullptr && CPLTestBool(VSIGetPathSpecificOption(path.c_str(), option, "NO"));
}

std::string Take(char* text) {
    std::string taken = text != nullptr ? text : "";
    CPLFree(text);
    return taken;
}

// True if the URL has a signature. GDAL returns a URL without a signature if the credentials must
// be sent in headers.
bool IsSigned(const std::string& url) {
    return url.find("Signature=") != std::string::npos || url.find("sig=") != std::string::npos;
}

std::optional<std::string> ObjectUrl(const ObjectStore& store, const std::string& path,
                                     const char* verb) {
    const QuietErrors quiet;
    if (IsSet(path, store.no_sign_request)) {
        const char* url = VSIGetActualURL(path.c_str());
        if (url == nullptr || !STARTS_WITH_CI(url, "http")) return std::nullopt;
        return url;
    }
    // With AWS_REQUEST_PAYER, a request needs a header (the requester pays). A URL cannot express
    // this header.
    if (VSIGetPathSpecificOption(path.c_str(), "AWS_REQUEST_PAYER", nullptr) != nullptr)
        return std::nullopt;
    // The right is an option of Azure.
    const char* const right = EQUAL(verb, "GET") ? "r" : EQUAL(verb, "PUT") ? "w" : "d";
    CPLStringList options;
    options.SetNameValue("VERB", verb);
    options.SetNameValue("SIGNEDPERMISSIONS", right);
    std::string url = Take(VSIGetSignedURL(path.c_str(), options.List()));
    if (IsSigned(url)) return url;
    return std::nullopt;
}

// Options that select server, account and rights. Source: GDAL's documentation, "GDAL Virtual File
// Systems", and its HTTP client.
constexpr const char* kAccountOptions[] = {
    "AWS_S3_ENDPOINT",
    "AWS_HTTPS",
    "AWS_VIRTUAL_HOSTING",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_NO_SIGN_REQUEST",
    "AWS_REQUEST_PAYER",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_CONFIG_FILE",
    "CPL_AWS_CREDENTIALS_FILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "GS_ACCESS_KEY_ID",
    "GS_SECRET_ACCESS_KEY",
    "GS_NO_SIGN_REQUEST",
    "GS_OAUTH2_REFRESH_TOKEN",
    "GS_OAUTH2_CLIENT_ID",
    "GS_OAUTH2_CLIENT_SECRET",
    "GS_OAUTH2_PRIVATE_KEY",
    "GS_OAUTH2_PRIVATE_KEY_FILE",
    "GS_OAUTH2_CLIENT_EMAIL",
    "GS_USER_PROJECT",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CPL_GS_CREDENTIALS_FILE",
    "CPL_GS_ENDPOINT",
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_ACCESS_TOKEN",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_SAS",
    "AZURE_NO_SIGN_REQUEST",
    "AZURE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
    "CPL_AZURE_ENDPOINT",
    "OSS_ENDPOINT",
    "OSS_HTTPS",
    "OSS_VIRTUAL_HOSTING",
    "OSS_ACCESS_KEY_ID",
    "OSS_SECRET_ACCESS_KEY",
    "SWIFT_STORAGE_URL",
    "SWIFT_AUTH_TOKEN",
    "SWIFT_AUTH_V1_URL",
    "SWIFT_USER",
    "SWIFT_KEY",
    "OS_AUTH_URL",
    "OS_USERNAME",
    "OS_PASSWORD",
    "OS_PROJECT_NAME",
    "OS_REGION_NAME",
    "WEBHDFS_USERNAME",
    "WEBHDFS_DELEGATION",
    "WEBHDFS_DATANODE_HOST",
    "GDAL_HTTP_HEADERS",
    "GDAL_HTTP_HEADER_FILE",
    "GDAL_HTTP_USERPWD",
    "GDAL_HTTP_AUTH",
    "GDAL_HTTP_BEARER",
    "GDAL_HTTP_COOKIE",
    "GDAL_HTTP_COOKIEFILE",
    "GDAL_HTTP_NETRC",
    "GDAL_HTTP_NETRC_FILE",
    "GDAL_HTTP_PROXY",
    "GDAL_HTTP_SSLCERT",
};

// Returns the path in a file URL (RFC 8089): "file:///folder", "file://localhost/folder" or
// "file:///C:/folder". `rest` is the text after the scheme.
std::string PathOfFileUrl(const std::string& rest) {
    // Each "+" is encoded first, because CPLUnescapeString() would turn it into a space.
    std::string escaped;
    for (const char c : rest) escaped += c == '+' ? "%2B" : std::string(1, c);
    std::string path = Take(CPLUnescapeString(escaped.c_str(), nullptr, CPLES_URL));
    if (STARTS_WITH_CI(path.c_str(), "localhost/")) path.erase(0, strlen("localhost"));
    const bool has_drive = path.size() > 2 && path[0] == '/' && path[2] == ':';
    return has_drive ? path.substr(1) : path;
}

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

bool IsWebPath(const std::string& path) {
    if (!STARTS_WITH(path.c_str(), kWebPrefix)) return false;
    const char* const url = path.c_str() + std::strlen(kWebPrefix);
    return STARTS_WITH_CI(url, "http://") || STARTS_WITH_CI(url, "https://");
}

StorePath::Kind KindOf(const std::string& path) {
    if (!STARTS_WITH(path.c_str(), "/vsi")) return StorePath::Kind::kLocal;
    if (STARTS_WITH(path.c_str(), "/vsimem/")) return StorePath::Kind::kMemory;
    if (IsWebPath(path)) return StorePath::Kind::kWebServer;
    return FindObjectStore(path) != nullptr ? StorePath::Kind::kObjectStore
                                            : StorePath::Kind::kOther;
}

}  // namespace

StorePath::StorePath(const std::string& path)
    : text_(ExpandUrl(path)),
      kind_(KindOf(text_)),
      is_below_vsizip_(STARTS_WITH_CI(text_.c_str(), kZipPrefix)) {}

std::optional<std::string> StorePath::Url(const std::string& key, const char* verb) const {
    if (kind_ == Kind::kWebServer) return WebUrl(text_, key);
    if (kind_ != Kind::kObjectStore) return std::nullopt;
    return ObjectUrl(*FindObjectStore(text_), key.empty() ? text_ : text_ + "/" + key, verb);
}

std::string StorePath::AccountOptions() const {
    std::string options;
    for (const char* name : kAccountOptions)
        if (const char* text = VSIGetPathSpecificOption(text_.c_str(), name, nullptr))
            options += std::string("\n") + name + "=" + text;
    return options;
}

std::string TakeQuery(const StorePath& url, std::string& path) {
    if (url.kind() != StorePath::Kind::kWebServer) return {};
    std::string query = path.substr(std::min(path.find('?'), path.size()));
    path.resize(path.size() - query.size());
    return query;
}

std::string ContainingFolder(std::string_view path) {
    std::string parent(zarr::ParentPath(path));
    if (!parent.empty()) return parent;
    return !path.empty() && path[0] == '/' ? "/" : ".";
}

std::string FileIn(const StorePath& folder, std::string_view key) {
    std::string path = folder;
    const std::string query = TakeQuery(folder, path);
    return zarr::JoinKey(path, key) + query;
}

}  // namespace zarr_driver
