// SPDX-License-Identifier: MIT
#include "core/hierarchy/v1_store.h"

#include <algorithm>
#include <utility>

#include "core/hierarchy/hierarchy.h"
#include "core/metadata/v1_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool IsShownKey(std::string_view key) {
    const std::string_view name = LastName(key);
    return name == kArrayKey || name == kAttributesKey;
}

bool IsPrefix(const Store& store, const std::string& path, std::string_view name) {
    const auto entries = store.List(path);
    return entries.ok() && std::any_of(entries->begin(), entries->end(), [&](const auto& entry) {
               return entry.is_prefix && entry.name == name;
           });
}

}  // namespace

Result<bool> HoldsV1Array(const Store& store, const std::string& path) {
    Buffer text;
    const auto found = GetDocument(store, JoinKey(path, kV1ArrayKey), text);
    if (found.ok()) return *found && IsOrWasV1Metadata(std::as_const(text).span().text());
    // Others use the name as well, for large files and for folders.
    if (found.status().code() == StatusCode::kLimit || IsPrefix(store, path, kV1ArrayKey))
        return false;
    return found.status();
}

Status CheckNoV1Array(const Store& store, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const bool is_there, HoldsV1Array(store, path));
    return is_there ? V1IsReadOnly(JoinKey(path, kV1ArrayKey)) : Status();
}

Result<bool> V1Store::Find(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const bool is_there, HoldsV1Array(base(), path));
    const std::lock_guard<Mutex> lock(mutex_);
    if (is_there) found_.insert(path);
    return is_there;
}

bool V1Store::HasFound(const std::string& path) const {
    const std::lock_guard<Mutex> lock(mutex_);
    return found_.count(path) != 0;
}

std::string V1Store::SourceOf(const std::string& key) const {
    if (!IsShownKey(key)) return key;
    const std::string path(ParentPath(key));
    if (!HasFound(path)) return key;
    return JoinKey(path, LastName(key) == kArrayKey ? kV1ArrayKey : kV1AttributesKey);
}

Result<bool> V1Store::Get(const std::string& key, Buffer& value, std::size_t limit) const {
    const std::string source = SourceOf(key);
    ZARR_ASSIGN_OR_RETURN(const bool found, base().Get(source, value, limit));
    if (source == key) return found;
    if (!found) return base().Get(key, value, limit);  // converted by now
    if (LastName(source) != kV1ArrayKey) return true;
    const auto translated = TranslateV1Metadata(std::as_const(value).span().text());
    if (!translated.ok()) return translated.status().WithContext(source);
    const std::string text = json::Dump(json::Value(*translated));
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(std::string_view(text))).WithContext(source));
    return true;
}

Result<std::optional<std::size_t>> V1Store::GetInto(const std::string& key,
                                                    MutableByteSpan memory) const {
    return SourceOf(key) == key ? base().GetInto(key, memory) : Store::GetInto(key, memory);
}

Result<bool> V1Store::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                               Buffer& value) const {
    if (SourceOf(key) == key) return base().GetRange(key, offset, length, value);
    Buffer whole;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*this, key, whole));
    if (!found) return false;
    const std::string_view all = std::as_const(whole).span().text();
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
    ZARR_RETURN_IF_ERROR(value.Assign(ByteSpan(all.substr(from, length))).WithContext(key));
    return true;
}

}  // namespace zarr
