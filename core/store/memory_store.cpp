// SPDX-License-Identifier: MIT
#include "core/store/memory_store.h"

#include <algorithm>
#include <mutex>

#include "core/store/keys.h"

namespace zarr {

Result<ReadResult> MemoryStore::Read(const std::string& key, const ValuePart& part,
                                     const ReadSink& sink) const {
    const std::shared_lock lock(mutex_);
    const auto found = values_.find(key);
    if (found == values_.end()) return ReadResult();
    return ReadFrom(ByteSpan(found->second), key, part, sink);
}

Status MemoryStore::WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    std::string value;
    for (const ByteSpan& part : parts) value += part.text();
    const std::unique_lock lock(mutex_);
    values_[key] = std::move(value);
    return {};
}

Status MemoryStore::Remove(const std::string& key) {
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
        // All keys below a child prefix give an equal entry, which is listed only once.
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
