// SPDX-License-Identifier: MIT
#include "core/store/memory_store.h"

#include <algorithm>
#include <mutex>

#include "core/store/keys.h"

namespace zarr {

Result<bool> MemoryStore::Get(const std::string& key, Buffer& value, std::size_t limit) const {
    const std::shared_lock lock(mutex_);
    const auto found = values_.find(key);
    if (found == values_.end()) return false;
    if (found->second.size() > limit) return ValueTooLarge(key, found->second.size(), limit);
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(found->second)));
    return true;
}

Result<bool> MemoryStore::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                   Buffer& value) const {
    const std::shared_lock lock(mutex_);
    const auto found = values_.find(key);
    if (found == values_.end()) return false;
    const std::string_view all = found->second;
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(all.substr(from, length))));
    return true;
}

Result<std::optional<std::uint64_t>> MemoryStore::GetTail(const std::string& key,
                                                          std::size_t length, Buffer& value) const {
    const std::shared_lock lock(mutex_);
    const auto found = values_.find(key);
    if (found == values_.end()) return std::optional<std::uint64_t>();
    const std::string_view all = found->second;
    const TailPlace tail(all.size(), length);
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(all.substr(static_cast<std::size_t>(tail.offset)))));
    return std::optional<std::uint64_t>(all.size());
}

Status MemoryStore::Set(const std::string& key, ByteSpan value) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    const std::unique_lock lock(mutex_);
    values_[key] = value.text();
    return {};
}

Status MemoryStore::Erase(const std::string& key) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    const std::unique_lock lock(mutex_);
    values_.erase(key);
    return {};
}

Result<std::vector<StoreEntry>> MemoryStore::List(const std::string& prefix) const {
    const std::shared_lock lock(mutex_);
    const std::string start = prefix.empty() ? "" : prefix + "/";
    std::vector<StoreEntry> entries;
    for (auto it = values_.lower_bound(start); it != values_.end(); ++it) {
        const std::string_view key = it->first;
        if (key.substr(0, start.size()) != start) break;
        const std::string_view rest = key.substr(start.size());
        const std::size_t slash = rest.find('/');
        StoreEntry entry{std::string(rest.substr(0, slash)), slash != std::string_view::npos};
        // Keys between "a" and "a/b" ("a.c") may separate the children of one prefix.
        const bool known = std::any_of(entries.begin(), entries.end(), [&](const StoreEntry& e) {
            return e.name == entry.name && e.is_prefix == entry.is_prefix;
        });
        if (!known) entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; });
    return entries;
}

}  // namespace zarr
