// SPDX-License-Identifier: MIT
#include "driver/store/stac_document.h"

#include <cpl_string.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/json/value.h"
#include "core/store/keys.h"
#include "driver/transport/reference_targets.h"

namespace zarr_driver {

using zarr::Result;
using zarr::json::Value;

namespace {

constexpr const char* kStorageOptions = "xarray:storage_options";
constexpr const char* kOpenArguments = "xarray:open_kwargs";

std::string Text(const Value& value, std::string_view name) {
    const Value* const member = value.Find(name);
    const std::string* const text = member != nullptr ? member->as_string() : nullptr;
    return text != nullptr ? *text : std::string();
}

std::string LowerCase(std::string text) { return CPLString(std::move(text)).tolower(); }

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

// Returns the href of the link "self" if it is a URL, else an empty string.
std::string SelfOf(const Value& document) {
    const Value* const links = document.Find("links");
    const zarr::json::Array* const list = links != nullptr ? links->as_array() : nullptr;
    if (list == nullptr) return {};
    const auto self = std::find_if(list->begin(), list->end(), [](const Value& link) {
        return Text(link, "rel") == "self" && Text(link, "href").find("://") != std::string::npos;
    });
    return self != list->end() ? Text(*self, "href") : std::string();
}

// Resolves the hrefs of one document.
class Hrefs {
  public:
    explicit Hrefs(const StorePath& document) {
        std::string path = document;
        const std::string query = TakeQuery(document, path);
        folder_ = StorePath(ContainingFolder(path));
        server_ = ServerOf(folder_);
    }

    // Adds the store at `href` to `found`, or why no document may name it.
    void Add(const std::string& href, StacStore store, StacDocument& found) const {
        std::string location = href;
        while (location.size() > 1 && location.back() == '/') location.pop_back();
        while (location.size() > 2 && location.compare(0, 2, "./") == 0) location.erase(0, 2);
        // An href that begins with a slash starts at the server of the document (RFC 3986, 4.2).
        if (!server_.empty() && location[0] == '/') location = server_ + location;
        auto path = ResolveReference(location, folder_, folder_);
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

    // Returns the path of a location that may only be listed: a host that is unknown at present,
    // and a file of this machine if the document is one, too.
    Result<StorePath> PathIfNamed(const std::string& location, const zarr::Status& why) const {
        const bool is_local_file =
            folder_.kind() == StorePath::Kind::kLocal && location.find("://") == std::string::npos;
        const StorePath path(location[0] == '/' || location.find("://") != std::string::npos
                                 ? location
                                 : FileIn(folder_, location));
        if (is_local_file && path.kind() == StorePath::Kind::kLocal) return path;
        if (why.code() == zarr::StatusCode::kIo) return path;
        return why;
    }

    StorePath folder_;
    std::string server_;
};

// Adds the stores of an asset: that of its href, and those of its alternates.
void AddAsset(const std::string& key, const Value& asset, const Hrefs& hrefs, StacDocument& found) {
    const std::string href = Text(asset, "href");
    if (href.empty() || !IsZarr(asset, href)) return;
    const std::string title = Text(asset, "title");
    const std::string description = title.empty() ? key : title;
    hrefs.Add(href, {key, description, {}, false}, found);
    if (const Value* const options = asset.Find(kStorageOptions))
        found.facts.emplace_back(key + ":storage_options", zarr::json::Dump(*options));
    const Value* const alternates = asset.Find("alternate");
    const zarr::json::Object* const others =
        alternates != nullptr ? alternates->as_object() : nullptr;
    if (others == nullptr) return;
    for (const auto& [name, other] : *others) {
        const std::string place = Text(other, "href");
        const std::string label = Text(other, "alternate:name");
        if (place.empty() || place == href) continue;
        hrefs.Add(place,
                  {key, description + " (" + (label.empty() ? name : label) + ")", {}, false},
                  found);
    }
}

void AddFact(const std::string& name, const Value& value, StacDocument& found) {
    if (value.as_string() != nullptr)
        found.facts.emplace_back(name, *value.as_string());
    else if (value.is_number() || value.as_bool() != nullptr)
        found.facts.emplace_back(name, zarr::json::Dump(value));
}

void AddFacts(const Value& document, StacDocument& found) {
    for (const char* const name : {"id", "collection", "title"})
        if (const Value* const value = document.Find(name)) AddFact(name, *value, found);
    const Value* const properties = document.Find("properties");
    if (properties == nullptr || properties->as_object() == nullptr) return;
    for (const auto& [name, value] : *properties->as_object()) AddFact(name, value, found);
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
    const Hrefs hrefs(self.empty() ? document : StorePath(self));
    StacDocument found;
    for (const auto& [key, asset] : *assets->as_object()) AddAsset(key, asset, hrefs, found);
    if (found.stores.empty() && found.refused.empty()) return std::optional<StacDocument>();
    AddFacts(root, found);
    return std::optional(std::move(found));
}

}  // namespace zarr_driver
