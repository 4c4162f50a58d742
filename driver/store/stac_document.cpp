// SPDX-License-Identifier: MIT
#include "driver/store/stac_document.h"

#include <cpl_string.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/text.h"
#include "core/json/value.h"
#include "core/store/keys.h"
#include "driver/transport/reference_targets.h"
#include "driver/transport/url_host.h"

namespace zarr_driver {

using zarr::Result;
using zarr::json::Value;

namespace {

constexpr const char* kStorageOptions = "xarray:storage_options";
constexpr const char* kOpenArguments = "xarray:open_kwargs";
// Parts of names of options of fsspec whose values are secrets.
constexpr const char* kSecretWords[] = {"key", "secret", "token", "password", "credential", "sas"};

std::string Text(const Value& value, std::string_view name) {
    const Value* const member = value.Find(name);
    const std::string* const text = member != nullptr ? member->as_string() : nullptr;
    return text != nullptr ? *text : std::string();
}

std::string LowerCase(const std::string& text) { return CPLString(text).tolower(); }

// True if the media type, without its parameters, is one that documents have for Zarr.
bool IsTypeOfZarr(const std::string& type) {
    const std::string name = LowerCase(CPLString(type.substr(0, type.find(';'))).Trim());
    for (const char* const known : {"application/vnd+zarr", "application/vnd.zarr"})
        if (name == known || name.rfind(std::string(known) + "+", 0) == 0) return true;
    return name == "application/x-zarr" || name == "application/zarr";
}

bool IsZarr(const Value& asset, const std::string& href) {
    const std::string type = Text(asset, "type");
    if (IsTypeOfZarr(type)) return true;
    if (const Value* const arguments = asset.Find(kOpenArguments)) {
        const std::string engine = Text(*arguments, "engine");
        if (engine == "zarr" || engine == "kerchunk") return true;
    }
    const std::string path = href.substr(0, href.find_first_of("?#"));
    return type.empty() && (zarr::EndsWith(path, ".zarr") || zarr::EndsWith(path, ".zarr/"));
}

// Returns the href with the group in the store that the asset's arguments for xarray name.
std::string WithGroup(const std::string& href, const Value& asset) {
    const Value* const arguments = asset.Find(kOpenArguments);
    const std::string group = arguments != nullptr ? Text(*arguments, "group") : std::string();
    const auto inner = zarr::NormalizePath(group);
    if (!inner.ok() || inner->empty() || href.find_first_of("?#") != std::string::npos) return href;
    return href + (href.back() == '/' ? "" : "/") + *inner;
}

// Returns the href of the link "self" if it is that of a server or an object store, else an empty
// string: a copy of a document from a server must not make it a file of this machine.
std::string SelfOf(const Value& document) {
    const Value* const links = document.Find("links");
    const zarr::json::Array* const list = links != nullptr ? links->as_array() : nullptr;
    if (list == nullptr) return {};
    const auto self = std::find_if(list->begin(), list->end(), [](const Value& link) {
        return Text(link, "rel") == "self" && StorePath(Text(link, "href")).is_remote() &&
               Text(link, "href").find("://") != std::string::npos;
    });
    return self != list->end() ? Text(*self, "href") : std::string();
}

// Returns a text of the document for a line of GDAL's metadata: short, without control characters.
std::string ForUsers(std::string_view text) {
    constexpr std::size_t kLongest = 200;  // bytes
    std::string line = zarr::Shortened(std::string(text), kLongest);
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return line;
}

// Resolves the hrefs of one document.
class Hrefs {
  public:
    explicit Hrefs(const StorePath& document) {
        std::string path = document;
        static_cast<void>(TakeQuery(document, path));  // a signature of the document is its own
        folder_ = StorePath(ContainingFolder(path));
        server_ = ServerOf(folder_);
        resolve_ = ResolverOfReferences(folder_, folder_);
    }

    // Adds the store at `href` to `found`, or why no document may name it.
    void Add(const std::string& href, StacStore store, StacDocument& found) {
        const std::string location = LocationOf(href);
        auto path = Resolve(location);
        store.may_be_followed = path.ok();
        if (!path.ok()) path = PathIfNamed(location, path.status());
        if (!path.ok()) {
            found.refused.push_back("asset " + zarr::Quoted(store.key) + ": " +
                                    path.status().message());
            return;
        }
        store.path = path.Take();
        found.stores.push_back(std::move(store));
    }

  private:
    // Returns the scheme and host of a folder on a web server; empty for others.
    static std::string ServerOf(const StorePath& folder) {
        if (folder.kind() != StorePath::Kind::kWebServer) return {};
        const std::string url = folder.text().substr(folder.text().find("http"));
        return url.substr(0, url.find('/', url.find("://") + 3));
    }

    // Returns a relative location or a URL. On a server, an href may begin with the path or the
    // host (RFC 3986, 4.2).
    std::string LocationOf(const std::string& href) const {
        std::string location = href.substr(0, href.find('#'));
        while (location.size() > 1 && location.back() == '/') location.pop_back();
        while (location.size() > 2 && location.compare(0, 2, "./") == 0) location.erase(0, 2);
        if (server_.empty() || location.empty() || location[0] != '/') return location;
        const bool has_host = location.compare(0, 2, "//") == 0;
        return (has_host ? server_.substr(0, server_.find('/')) : server_) + location;
    }

    Result<StorePath> Resolve(const std::string& location) {
        if (location.find('"') != std::string::npos)
            return zarr::Status::Permission(zarr::Quoted(location) + ": contains a quote");
        const std::string host = HostOf(location);
        if (host.empty()) return resolve_(location);
        // A host that no name server knows may take seconds.
        constexpr std::size_t kHosts = 16;
        const auto known = hosts_.find(host);
        if (known == hosts_.end() && hosts_.size() >= kHosts)
            return zarr::Status::Permission(zarr::Quoted(location) +
                                            ": the document names more than " +
                                            std::to_string(kHosts) + " hosts");
        if (known != hosts_.end() && known->second.code() == zarr::StatusCode::kIo)
            return known->second;
        auto path = resolve_(location);
        hosts_[host] = path.status();
        return path;
    }

    // Returns the path of a location that may only be listed: a host that is unknown at present,
    // and a file of this machine if the document is one, too.
    Result<StorePath> PathIfNamed(const std::string& location, const zarr::Status& why) const {
        const bool is_url = location.find("://") != std::string::npos;
        const bool is_named = why.code() == zarr::StatusCode::kIo ||
                              (folder_.kind() == StorePath::Kind::kLocal && !is_url);
        if (!is_named || location.find('"') != std::string::npos) return why;
        const StorePath path(is_url || location[0] == '/' ? location : FileIn(folder_, location));
        if (is_url ? path.is_remote() : path.kind() == StorePath::Kind::kLocal) return path;
        return why;
    }

    StorePath folder_;
    std::string server_;
    ReferenceResolver resolve_;
    std::map<std::string, zarr::Status> hosts_;  // what Resolve() returned last for each host
};

// Replaces the values of options that hold passwords and keys.
Value WithoutSecrets(const Value& options) {
    Value shown = options;
    zarr::json::Object* const members = shown.MutableObject();
    if (members == nullptr) return shown;
    for (auto& [name, value] : *members) {
        const std::string lower = LowerCase(name);
        const bool is_secret =
            std::any_of(std::begin(kSecretWords), std::end(kSecretWords),
                        [&](const char* word) { return lower.find(word) != std::string::npos; });
        value = is_secret ? Value("***") : WithoutSecrets(value);
    }
    return shown;
}

// Adds what the document says under `name`, if a line of metadata can state it.
void AddFact(const std::string& name, const Value& value, StacDocument& found) {
    if (name.find('=') != std::string::npos) return;
    const std::string* const text = value.as_string();
    found.facts.emplace_back(ForUsers(name), ForUsers(text ? *text : zarr::json::Dump(value)));
}

// Adds the stores of an asset: that of its href, and those of its alternates.
void AddAsset(const std::string& key, const Value& asset, Hrefs& hrefs, StacDocument& found) {
    const std::string href = Text(asset, "href");
    if (href.empty() || !IsZarr(asset, href)) return;
    const std::string title = Text(asset, "title");
    const std::string description = ForUsers(title.empty() ? key : title);
    hrefs.Add(WithGroup(href, asset), {key, description, {}, false}, found);
    if (const Value* const options = asset.Find(kStorageOptions))
        AddFact(key + ":storage_options", WithoutSecrets(*options), found);
    const Value* const alternates = asset.Find("alternate");
    const zarr::json::Object* const others =
        alternates != nullptr ? alternates->as_object() : nullptr;
    if (others == nullptr) return;
    for (const auto& [name, other] : *others) {
        const std::string place = Text(other, "href");
        const std::string label = Text(other, "alternate:name");
        if (place.empty() || place == href) continue;
        hrefs.Add(
            place,
            {key, description + " (" + ForUsers(label.empty() ? name : label) + ")", {}, false},
            found);
    }
}

void AddFacts(const Value& document, StacDocument& found) {
    for (const char* const name : {"id", "collection", "title"})
        if (const Value* const value = document.Find(name)) AddFact(name, *value, found);
    const Value* const properties = document.Find("properties");
    if (properties == nullptr || properties->as_object() == nullptr) return;
    for (const auto& [name, value] : *properties->as_object())
        if (value.as_string() != nullptr || value.as_bool() != nullptr || value.is_number())
            AddFact(name, value, found);
}

}  // namespace

bool MayListStores(std::string_view text) {
    const auto has = [&](std::string_view word) {
        return text.find(word) != std::string_view::npos;
    };
    return has("\"stac_version\"") && has("\"assets\"") &&
           (has("vnd+zarr") || has("vnd.zarr") || has("x-zarr") || has("application/zarr") ||
            has(".zarr") || has("\"zarr\"") || has("\"kerchunk\""));
}

Result<std::optional<StacDocument>> ParseStac(std::string_view text, const StorePath& document) {
    if (!MayListStores(text)) return std::optional<StacDocument>();
    ZARR_ASSIGN_OR_RETURN(const Value root, zarr::json::Parse(text));
    const Value* const assets = root.Find("assets");
    if (Text(root, "stac_version").empty() || assets == nullptr || assets->as_object() == nullptr)
        return std::optional<StacDocument>();
    const std::string self =
        document.kind() == StorePath::Kind::kMemory ? SelfOf(root) : std::string();
    Hrefs hrefs(self.empty() ? document : StorePath(self));
    StacDocument found;
    for (const auto& [key, asset] : *assets->as_object()) AddAsset(key, asset, hrefs, found);
    if (found.stores.empty() && found.refused.empty()) return std::optional<StacDocument>();
    AddFacts(root, found);
    return std::optional(std::move(found));
}

}  // namespace zarr_driver
