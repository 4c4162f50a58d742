// SPDX-License-Identifier: MIT
#include "core/store/consolidated_store.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/json/parse.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool IsMetadataKey(std::string_view key) {
    const std::string_view name = LastName(key);
    return name == kArrayKey || name == kGroupKey || name == kAttributesKey;
}

std::optional<std::string_view> FindSlice(const std::vector<json::Slice>& slices,
                                          std::string_view name) {
    const auto found = std::find_if(slices.rbegin(), slices.rend(),
                                    [&](const json::Slice& s) { return s.first == name; });
    return found == slices.rend() ? std::nullopt : std::optional(found->second);
}

// Without a version it is the only one that there is.
Status CheckVersion(const std::vector<json::Slice>& top) {
    const auto text = FindSlice(top, "zarr_consolidated_format");
    if (!text) return {};
    ZARR_ASSIGN_OR_RETURN(const json::Value format,
                          json::Parse(*text).WithContext("zarr_consolidated_format"));
    std::int64_t version = 0;
    return format.GetInt64(version) && version == 1
               ? Status()
               : json::Expected("zarr_consolidated_format", "1", format);
}

}  // namespace

Result<std::shared_ptr<const Store>> ConsolidatedStore::Make(std::shared_ptr<const Store> base,
                                                             Buffer text) {
    std::shared_ptr<ConsolidatedStore> store(
        new ConsolidatedStore(std::move(base), std::move(text)));
    const std::string_view whole = const_cast<const Buffer&>(store->text_).span().text();
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> top, json::MemberSlices(whole));
    ZARR_RETURN_IF_ERROR(CheckVersion(top));
    const auto entries = FindSlice(top, "metadata");
    if (!entries) return Status::Corrupt("the compulsory member \"metadata\" is missing");
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> metadata,
                          json::MemberSlices(*entries).WithContext("metadata"));
    for (const json::Slice& entry : metadata) {
        if (!IsValidKey(entry.first))
            return Status::Corrupt("metadata: " + Quoted(entry.first) + " is not a valid key");
        store->entries_[entry.first] = entry.second;
        store->AddToParents(entry.first);
    }
    return std::shared_ptr<const Store>(std::move(store));
}

void ConsolidatedStore::AddToParents(std::string_view key) {
    for (bool is_prefix = false; !key.empty(); is_prefix = true) {
        const std::string_view parent = ParentPath(key);
        bool& known_as_prefix = children_[std::string(parent)]
                                    .try_emplace(std::string(LastName(key)), false)
                                    .first->second;
        if (known_as_prefix) return;  // and so are its own parents
        known_as_prefix = is_prefix;
        key = parent;
    }
}

Result<bool> ConsolidatedStore::Get(const std::string& key, Buffer& value,
                                    std::size_t limit) const {
    if (!IsMetadataKey(key)) return base().Get(key, value, limit);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    if (found->second.size() > limit) return ValueTooLarge(key, found->second.size(), limit);
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(found->second)));
    return true;
}

Result<std::optional<std::size_t>> ConsolidatedStore::GetInto(const std::string& key,
                                                              MutableByteSpan memory) const {
    return IsMetadataKey(key) ? Store::GetInto(key, memory) : base().GetInto(key, memory);
}

Result<bool> ConsolidatedStore::GetRange(const std::string& key, std::uint64_t offset,
                                         std::size_t length, Buffer& value) const {
    if (!IsMetadataKey(key)) return base().GetRange(key, offset, length, value);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    const std::string_view all = found->second;
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(all.substr(from, length))));
    return true;
}

Result<std::vector<StoreEntry>> ConsolidatedStore::List(const std::string& prefix) const {
    std::vector<StoreEntry> entries;
    const auto found = children_.find(prefix);
    if (found == children_.end()) return entries;
    for (const auto& [name, is_prefix] : found->second) entries.push_back({name, is_prefix});
    return entries;
}

}  // namespace zarr
