// SPDX-License-Identifier: MIT
#include "core/references/icechunk_containers.h"

#include <algorithm>

#include "core/base/text.h"

namespace zarr {

namespace {

constexpr std::string_view kContainerScheme = "vcc://";

// Reads the options of a container's store: {"s3": {"region": ..., ...}}.
Status ReadStore(const json::Value& store, IcechunkContainer& container) {
    if (store.as_string() != nullptr) {
        container.store = *store.as_string();
        return {};
    }
    if (store.as_object() == nullptr || store.as_object()->size() != 1)
        return json::Expected("store", "an object with one member", store);
    const auto& [kind, options] = store.as_object()->front();
    container.store = kind;
    if (options.as_object() == nullptr) return {};
    ZARR_ASSIGN_OR_RETURN(container.region, json::OptionalString(options, "region", ""));
    ZARR_ASSIGN_OR_RETURN(container.endpoint, json::OptionalString(options, "endpoint_url", ""));
    ZARR_ASSIGN_OR_RETURN(container.anonymous, json::OptionalBool(options, "anonymous", false));
    ZARR_ASSIGN_OR_RETURN(container.path_style,
                          json::OptionalBool(options, "force_path_style", false));
    // The options of Google and Azure are always strings, even for booleans.
    for (const auto& [name, value] : *options.as_object()) {
        if (value.as_string() == nullptr) continue;
        const bool is_account =
            name == "account" || name == "account_name" || name == "azure_storage_account_name";
        if (is_account) container.account = *value.as_string();
        if (EndsWith(name, "skip_signature"))
            container.anonymous = *value.as_string() == "true" || *value.as_string() == "1";
    }
    return {};
}

Result<IcechunkContainer> ReadContainer(const json::Value& value) {
    IcechunkContainer container;
    ZARR_ASSIGN_OR_RETURN(container.name, json::OptionalString(value, "name", ""));
    ZARR_ASSIGN_OR_RETURN(container.url_prefix, json::OptionalString(value, "url_prefix", ""));
    if (container.url_prefix.empty())
        return json::Expected("url_prefix", "the start of a URL", value);
    if (const json::Value* const store = value.Find("store"))
        ZARR_RETURN_IF_ERROR(ReadStore(*store, container));
    return container;
}

// True if `url` lies in the container. Releases 0.x of icechunk write prefixes without a slash at
// the end. Such a prefix is a scheme, or a path that must match whole names.
bool Holds(const IcechunkContainer& container, std::string_view url) {
    const std::string& prefix = container.url_prefix;
    if (url.substr(0, prefix.size()) != prefix) return false;
    return prefix.back() == '/' || url.size() == prefix.size() || url[prefix.size()] == '/' ||
           prefix.find(':') == std::string::npos;
}

}  // namespace

Result<IcechunkContainers> IcechunkContainers::FromConfig(const json::Value& config) {
    IcechunkContainers containers;
    const json::Value* const members = config.Find("virtual_chunk_containers");
    if (members == nullptr || members->is_null()) return containers;
    if (members->as_object() == nullptr)
        return json::Expected("virtual_chunk_containers", "an object", *members);
    for (const auto& [key, value] : *members->as_object()) {
        ZARR_ASSIGN_OR_RETURN(
            IcechunkContainer container,
            ReadContainer(value).WithContext("virtual_chunk_containers: " + Quoted(key)));
        containers.list_.push_back(std::move(container));
    }
    return containers;
}

Result<IcechunkContainers::Resolved> IcechunkContainers::Resolve(
    const std::string& location) const {
    Resolved resolved;
    if (location.compare(0, kContainerScheme.size(), kContainerScheme) == 0) {
        ZARR_RETURN_IF_ERROR(fault_);
        const std::string rest = location.substr(kContainerScheme.size());
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        const auto found =
            std::find_if(list_.begin(), list_.end(), [&](const IcechunkContainer& each) {
                return !each.name.empty() && rest.compare(0, slash, each.name) == 0;
            });
        if (found == list_.end())
            return Status::Corrupt(Quoted(location) + ": the repository has no virtual chunk" +
                                   " container called " + Quoted(rest.substr(0, slash)));
        resolved.url = found->url_prefix;
        if (resolved.url.back() != '/') resolved.url += '/';
        resolved.url += rest.substr(std::min(slash + 1, rest.size()));
        resolved.container = &*found;
        return resolved;
    }
    if (location.find("://") == std::string::npos)
        return Status::Corrupt(Quoted(location) + ": expected a URL as a virtual location");
    resolved.url = location;
    for (const IcechunkContainer& each : list_)
        if (Holds(each, location) &&
            (resolved.container == nullptr ||
             each.url_prefix.size() > resolved.container->url_prefix.size()))
            resolved.container = &each;
    return resolved;
}

}  // namespace zarr
