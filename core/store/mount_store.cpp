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

template <class Question>
auto MountStore::Ask(const std::string& key, const Question& question) const {
    const auto below = Below(key);
    return below ? Located(question(*mounted_, *below), name_) : question(base(), key);
}

std::string MountStore::Identity() const {
    return base().Identity() + "\n" + name_ + " is " + mounted_->Identity();
}

ObjectVersion MountStore::VersionOf(const std::string& key) const {
    const auto below = Below(key);
    return below ? mounted_->VersionOf(*below) : base().VersionOf(key);
}

void MountStore::Prefetch(const std::vector<std::string>& keys,
                          const std::vector<std::string>& prefixes) const {
    // Of the keys, and of the prefixes.
    std::vector<std::string> mine[2];
    std::vector<std::string> others[2];
    for (const std::size_t kind : {0, 1})
        for (const std::string& key : kind == 0 ? keys : prefixes) {
            if (auto below = Below(key))
                mine[kind].push_back(std::move(*below));
            else
                others[kind].push_back(key);
        }
    if (!mine[0].empty() || !mine[1].empty()) mounted_->Prefetch(mine[0], mine[1]);
    if (!others[0].empty() || !others[1].empty()) base().Prefetch(others[0], others[1]);
}

bool MountStore::IsAtHand(const std::string& key) const {
    const auto below = Below(key);
    return below ? mounted_->IsAtHand(*below) : base().IsAtHand(key);
}

bool MountStore::IsListAtHand(const std::string& prefix) const {
    if (const auto below = Below(prefix)) return mounted_->IsListAtHand(*below);
    return base().IsListAtHand(prefix) && (!prefix.empty() || mounted_->IsListAtHand(""));
}

Result<bool> MountStore::Get(const std::string& key, Buffer& value, std::size_t limit) const {
    return Ask(key, [&](const Store& store, const std::string& at) {
        return at.empty() ? Result<bool>(false) : store.Get(at, value, limit);
    });
}

Result<std::optional<std::size_t>> MountStore::GetInto(const std::string& key,
                                                       MutableByteSpan memory) const {
    return Ask(key, [&](const Store& store, const std::string& at) {
        return at.empty() ? Result<std::optional<std::size_t>>(std::nullopt)
                          : store.GetInto(at, memory);
    });
}

Result<bool> MountStore::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                  Buffer& value) const {
    return Ask(key, [&](const Store& store, const std::string& at) {
        return at.empty() ? Result<bool>(false) : store.GetRange(at, offset, length, value);
    });
}

Result<std::optional<std::uint64_t>> MountStore::GetTail(const std::string& key, std::size_t length,
                                                         Buffer& value) const {
    return Ask(key, [&](const Store& store, const std::string& at) {
        return at.empty() ? Result<std::optional<std::uint64_t>>(std::nullopt)
                          : store.GetTail(at, length, value);
    });
}

Result<std::vector<StoreEntry>> MountStore::List(const std::string& prefix) const {
    auto entries =
        Ask(prefix, [](const Store& store, const std::string& at) { return store.List(at); });
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
    return Ask(prefix, [&](const Store& store, const std::string& at) {
        return store.VisitEntries(at, visit);
    });
}

Status MountStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                              const PrefixVisitor& visit_prefix) const {
    if (prefix.empty()) return Store::ForEachKey(prefix, visit, visit_prefix);
    return Ask(prefix, [&](const Store& store, const std::string& at) {
        return store.ForEachKey(at, visit, visit_prefix);
    });
}

}  // namespace zarr
