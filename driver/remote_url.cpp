// SPDX-License-Identifier: MIT
#include "driver/remote_url.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "driver/report.h"

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

}  // namespace

bool IsObjectStore(const std::string& path) { return FindObjectStore(path) != nullptr; }

bool IsRemote(const std::string& path) { return IsObjectStore(path) || WebUrl(path, ""); }

std::optional<std::string> RemoteUrl(const std::string& folder, const std::string& key) {
    if (const ObjectStore* store = FindObjectStore(folder))
        return ObjectUrl(*store, key.empty() ? folder : folder + "/" + key);
    return WebUrl(folder, key);
}

}  // namespace zarr_driver
