// SPDX-License-Identifier: MIT
#include "driver/store/remote_url.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "driver/base/report.h"

namespace zarr_driver {

namespace {

constexpr const char* kWebPrefix = "/vsicurl/";

// An object store, and the option that says to ask it without credentials.
struct ObjectStore {
    const char* prefix;
    const char* no_sign_request;  // nullptr where it has none
};

constexpr ObjectStore kObjectStores[] = {
    {"/vsis3/", "AWS_NO_SIGN_REQUEST"},
    {"/vsigs/", "GS_NO_SIGN_REQUEST"},
    {"/vsiaz/", "AZURE_NO_SIGN_REQUEST"},
    {"/vsioss/", nullptr},
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

// None for /vsicurl? with options.
std::optional<std::string> WebUrl(const std::string& folder, const std::string& key) {
    if (!STARTS_WITH(folder.c_str(), kWebPrefix)) return std::nullopt;
    const std::string base = folder.substr(std::strlen(kWebPrefix));
    if (!STARTS_WITH_CI(base.c_str(), "http://") && !STARTS_WITH_CI(base.c_str(), "https://"))
        return std::nullopt;
    const std::size_t query = std::min(base.find('?'), base.size());
    std::string url;
    // What the user typed is a URL already, but for what no URL may hold.
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

// Some credentials go into headers, which a URL has not: then GDAL makes one that lacks them.
bool IsSigned(const std::string& url) {
    return url.find("Signature=") != std::string::npos || url.find("sig=") != std::string::npos;
}

std::optional<std::string> ObjectUrl(const ObjectStore& store, const std::string& path) {
    const QuietErrors quiet;
    if (IsSet(path, store.no_sign_request)) {
        const char* url = VSIGetActualURL(path.c_str());
        if (url == nullptr || !STARTS_WITH_CI(url, "http")) return std::nullopt;
        return url;
    }
    // Whose payment a header promises.
    if (VSIGetPathSpecificOption(path.c_str(), "AWS_REQUEST_PAYER", nullptr) != nullptr)
        return std::nullopt;
    std::string url = Take(VSIGetSignedURL(path.c_str(), nullptr));
    if (IsSigned(url)) return url;
    return std::nullopt;
}

// Of GDAL's documentation, "GDAL Virtual File Systems", and of its HTTP client.
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

}  // namespace

bool IsObjectStore(const std::string& path) { return FindObjectStore(path) != nullptr; }

bool IsRemote(const std::string& path) { return IsObjectStore(path) || WebUrl(path, ""); }

std::optional<std::string> RemoteUrl(const std::string& folder, const std::string& key) {
    if (const ObjectStore* store = FindObjectStore(folder))
        return ObjectUrl(*store, key.empty() ? folder : folder + "/" + key);
    return WebUrl(folder, key);
}

std::string RemoteOptions(const std::string& path) {
    std::string options;
    for (const char* name : kAccountOptions)
        if (const char* text = VSIGetPathSpecificOption(path.c_str(), name, nullptr))
            options += std::string("\n") + name + "=" + text;
    return options;
}

}  // namespace zarr_driver
