// SPDX-License-Identifier: MIT
#include "core/store/store.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/threads.h"
#include "core/store/keys.h"

namespace zarr {

bool SameStamp(const ObjectVersion& a, const ObjectVersion& b) {
    return a.exists == b.exists && a.size == b.size && a.modified == b.modified && a.mark == b.mark;
}

bool SameVersion(const ObjectVersion& a, const ObjectVersion& b) {
    return a.is_certain && b.is_certain && SameStamp(a, b);
}

std::string Store::Identity() const {
    return std::to_string(reinterpret_cast<std::uintptr_t>(this));
}

ObjectVersion Store::VersionOf(const std::string& /*key*/) const { return {}; }

Result<bool> Store::GetVersioned(const std::string& key, Buffer& value, std::size_t limit,
                                 ObjectVersion& version) const {
    version = VersionOf(key);
    return Get(key, value, limit);
}

Status Store::GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                      const ValueTaker& take) const {
    return ParallelFor(keys.size(), options.requests, [&](std::size_t i) -> Status {
        Buffer value;
        const auto get = [&] { return Get(keys[i], value, options.limit); };
        ZARR_ASSIGN_OR_RETURN(const bool found,
                              options.on_request ? Timed(get, options.on_request) : get());
        return take(i, found ? std::optional(std::as_const(value).span()) : std::nullopt);
    });
}

void Store::Prefetch(const std::vector<std::string>&, const std::vector<std::string>&) const {}

bool Store::IsAtHand(const std::string&) const { return true; }

bool Store::IsListAtHand(const std::string&) const { return true; }

Result<std::optional<std::size_t>> Store::GetInto(const std::string& key,
                                                  MutableByteSpan memory) const {
    Buffer value;
    ZARR_ASSIGN_OR_RETURN(const bool found, Get(key, value, kNoLimit));
    if (!found) return std::optional<std::size_t>();
    if (value.size() == memory.size && memory.size != 0)
        std::memcpy(memory.data, value.data(), memory.size);
    return std::optional<std::size_t>(value.size());
}

Result<std::optional<std::uint64_t>> Store::GetTail(const std::string& key, std::size_t length,
                                                    Buffer& value) const {
    const ObjectVersion version = VersionOf(key);
    if (version.exists) {
        const TailPlace tail(version.size, length);
        // One byte more shows that the value has grown meanwhile.
        ZARR_ASSIGN_OR_RETURN(const bool found,
                              GetRange(key, tail.offset, SaturatingAdd(tail.length, 1), value));
        if (!found) return std::optional<std::uint64_t>();
        if (value.size() == tail.length) return std::optional(version.size);
    }
    Buffer whole;
    ZARR_ASSIGN_OR_RETURN(const bool found, Get(key, whole, kNoLimit));
    if (!found) return std::optional<std::uint64_t>();
    const TailPlace tail(whole.size(), length);
    ZARR_RETURN_IF_ERROR(
        value.Assign(std::as_const(whole).span().From(static_cast<std::size_t>(tail.offset))));
    return std::optional<std::uint64_t>(whole.size());
}

Status Store::Set(const std::string& key, ByteSpan /*value*/) {
    return Status::Unsupported(key + ": the store is read-only");
}

Status Store::SetParts(const std::string& key, const std::vector<ByteSpan>& parts) {
    Buffer value;
    ZARR_RETURN_IF_ERROR(value.AssignJoined(parts).WithContext(key));
    return Set(key, std::as_const(value).span());
}

Status Store::Erase(const std::string& key) {
    return Status::Unsupported(key + ": the store is read-only");
}

Status Store::EraseMany(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) ZARR_RETURN_IF_ERROR(Erase(key));
    return {};
}

Result<bool> Store::ErasePrefix(const std::string& /*prefix*/) { return false; }

Result<bool> Store::RenamePrefix(const std::string& /*from*/, const std::string& /*to*/) {
    return false;
}

Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit) {
    return Status::Limit(key + ": has " + std::to_string(size) + " bytes, more than the " +
                         std::to_string(limit) + " that can be expected there");
}

Result<bool> GetDocument(const Store& store, const std::string& key, Buffer& text) {
    const auto most = static_cast<std::size_t>(LimitOf(Limit::kMetadataSize));
    auto found = store.Get(key, text, most);
    if (found.status().code() != StatusCode::kLimit) return found;
    return OverLimit(Limit::kMetadataSize, found.status().message());
}

Status Store::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, List(prefix));
    static_cast<void>(std::all_of(entries.begin(), entries.end(), visit));
    return {};
}

namespace {

// More than any array's chunks and groups take; beyond it a link leads back up.
constexpr std::size_t kMaxKeyDepth = 192;

Status VisitBelow(const Store& store, const std::string& prefix, std::size_t skip,
                  std::size_t depth, const Store::KeyVisitor& visit,
                  const Store::PrefixVisitor& visit_prefix) {
    if (depth > kMaxKeyDepth)
        return Status::Limit(prefix.substr(0, 80) + "...: nests more than " +
                             std::to_string(kMaxKeyDepth) + " levels deep");
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store.List(prefix));
    for (const StoreEntry& entry : entries) {
        const std::string key = JoinKey(prefix, entry.name);
        if (entry.is_prefix) {
            if (visit_prefix) visit_prefix(std::string_view(key).substr(skip));
            ZARR_RETURN_IF_ERROR(VisitBelow(store, key, skip, depth + 1, visit, visit_prefix));
            continue;
        }
        const ObjectVersion version = store.VersionOf(key);
        visit(std::string_view(key).substr(skip),
              version.exists ? std::optional<std::uint64_t>(version.size) : std::nullopt);
    }
    return {};
}

}  // namespace

Status Store::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                         const PrefixVisitor& visit_prefix) const {
    return VisitBelow(*this, prefix, prefix.empty() ? 0 : prefix.size() + 1, 0, visit,
                      visit_prefix);
}

Status Store::Flush() { return {}; }

Status Store::Close() { return {}; }

}  // namespace zarr
