// SPDX-License-Identifier: MIT
#include "core/store/mount_store.h"

#include <algorithm>

#include "core/store/keys.h"

namespace zarr {

namespace {

Status Located(const Status& status, const std::string& name) {
    return status.ok() ? status : Status(status.code(), name + "/" + status.message());
}

template <class T>
Result<T> Located(Result<T> result, const std::string& name) {
    if (result.ok()) return result;
    return Located(result.status(), name);
}

}  // namespace

std::optional<std::string> MountStore::Below(std::string_view key) const {
    if (key.substr(0, name_.size()) != name_) return std::nullopt;
    if (key.size() == name_.size()) return std::string();
    if (key[name_.size()] != '/') return std::nullopt;
    return std::string(key.substr(name_.size() + 1));
}

template <class Call>
auto MountStore::Forward(const std::string& key, const Call& call) const {
    const auto below = Below(key);
    return below ? Located(call(*mounted_, *below), name_) : call(base(), key);
}

StoreTraits MountStore::Traits() const {
    StoreTraits traits = base().Traits();
    traits.packed = false;
    return traits;
}

std::string MountStore::Identity() const {
    return base().Identity() + "\n" + name_ + " is " + mounted_->Identity();
}

ObjectVersion MountStore::VersionOf(const std::string& key) const {
    const auto below = Below(key);
    return below ? mounted_->VersionOf(*below) : base().VersionOf(key);
}

bool MountStore::WaitsForDisk(const std::string& key) const {
    const auto below = Below(key);
    return below ? mounted_->WaitsForDisk(*below) : base().WaitsForDisk(key);
}

void MountStore::Prefetch(const std::vector<std::string>& keys,
                          const std::vector<std::string>& prefixes) const {
    // Removes all names in the mounted store from `names`, and returns them without "NAME/".
    const auto take_below = [this](std::vector<std::string>& names) {
        std::vector<std::string> taken;
        std::vector<std::string> left;
        for (std::string& name : names) {
            if (auto below = Below(name))
                taken.push_back(std::move(*below));
            else
                left.push_back(std::move(name));
        }
        names = std::move(left);
        return taken;
    };
    std::vector<std::string> other_keys = keys;
    std::vector<std::string> other_prefixes = prefixes;
    const std::vector<std::string> own_keys = take_below(other_keys);
    const std::vector<std::string> own_prefixes = take_below(other_prefixes);
    if (!own_keys.empty() || !own_prefixes.empty()) mounted_->Prefetch(own_keys, own_prefixes);
    if (!other_keys.empty() || !other_prefixes.empty()) base().Prefetch(other_keys, other_prefixes);
}

bool MountStore::IsCached(const std::string& key) const {
    const auto below = Below(key);
    return below ? mounted_->IsCached(*below) : base().IsCached(key);
}

bool MountStore::IsListingCached(const std::string& prefix) const {
    if (const auto below = Below(prefix)) return mounted_->IsListingCached(*below);
    return base().IsListingCached(prefix) && (!prefix.empty() || mounted_->IsListingCached(""));
}

Result<ReadResult> MountStore::Read(const std::string& key, const ValuePart& part,
                                    const ReadSink& sink) const {
    return Forward(key, [&](const Store& store, const std::string& at) {
        return at.empty() ? Result<ReadResult>(ReadResult()) : store.Read(at, part, sink);
    });
}

Result<std::vector<StoreEntry>> MountStore::List(const std::string& prefix) const {
    auto entries =
        Forward(prefix, [](const Store& store, const std::string& at) { return store.List(at); });
    if (!entries.ok() || !prefix.empty()) return entries;
    const auto mounted = mounted_->List("");
    if (mounted.ok() && mounted->empty()) return entries;
    std::vector<StoreEntry> all = entries.Take();
    const auto at = std::lower_bound(
        all.begin(), all.end(), name_,
        [](const StoreEntry& entry, const std::string& name) { return entry.name < name; });
    if (at == all.end() || at->name != name_)
        all.insert(at, {name_, true});
    else
        at->is_prefix = true;
    return all;
}

Status MountStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    if (prefix.empty()) return Store::VisitEntries(prefix, visit);
    return Forward(prefix, [&](const Store& store, const std::string& at) {
        return store.VisitEntries(at, visit);
    });
}

Status MountStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                              const PrefixVisitor& visit_prefix) const {
    if (prefix.empty()) return Store::ForEachKey(prefix, visit, visit_prefix);
    return Forward(prefix, [&](const Store& store, const std::string& at) {
        return store.ForEachKey(at, visit, visit_prefix);
    });
}

}  // namespace zarr
