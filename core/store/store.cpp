// SPDX-License-Identifier: MIT
#include "core/store/store.h"

#include <algorithm>
#include <cstring>

#include "core/base/limits.h"
#include "core/base/threads.h"
#include "core/store/keys.h"

namespace zarr {

bool EqualButForCertainty(const ObjectVersion& a, const ObjectVersion& b) {
    return a.exists == b.exists && a.size == b.size && a.modified == b.modified && a.mark == b.mark;
}

bool SameVersion(const ObjectVersion& a, const ObjectVersion& b) {
    return a.is_certain && b.is_certain && EqualButForCertainty(a, b);
}

std::string Store::Identity() const {
    return std::to_string(reinterpret_cast<std::uintptr_t>(this));
}

ObjectVersion Store::VersionOf(const std::string& /*key*/) const { return {}; }

Result<ValuePart::Extent> ValuePart::Of(const std::string& key, std::uint64_t value_size) const {
    if (kind_ == Kind::kWhole && value_size > length_)
        return ValueTooLarge(key, value_size, length_);
    const std::uint64_t from = std::min(offset_, value_size);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(length_, value_size - from));
    return Extent{kind_ == Kind::kTail ? value_size - size : from, size};
}

Result<std::optional<MutableByteSpan>> ReadSink::Reserve(std::size_t size) const {
    if (buffer_ == nullptr) return size == memory_.size ? std::optional(memory_) : std::nullopt;
    ZARR_RETURN_IF_ERROR(buffer_->Reset(size));
    return std::optional(buffer_->span());
}

Status ReadSink::Assign(ByteSpan bytes) const {
    if (buffer_ != nullptr) return buffer_->Assign(bytes);
    if (bytes.size == memory_.size && bytes.size != 0)
        std::memcpy(memory_.data, bytes.data, bytes.size);
    return {};
}

Result<ReadResult> ReadFrom(ByteSpan value, const std::string& key, const ValuePart& part,
                            const ReadSink& sink) {
    ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of(key, value.size));
    ByteSpan bytes = value.From(static_cast<std::size_t>(extent.offset));
    bytes.size = extent.size;
    ZARR_RETURN_IF_ERROR(sink.Assign(bytes).WithContext(key));
    return ReadResult{true, value.size, {}};
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

Result<bool> Store::Get(const std::string& key, Buffer& value, std::size_t limit) const {
    ZARR_ASSIGN_OR_RETURN(const ReadResult read, Read(key, ValuePart::Whole(limit), value));
    return read.found;
}

Result<bool> Store::Exists(const std::string& key) const {
    Buffer ignored;
    ZARR_ASSIGN_OR_RETURN(const ReadResult read, Read(key, ValuePart::Range(0, 1), ignored));
    return read.found;
}

// ---------------------------------------------------------------------------------------------
// Prefetching

void Store::Prefetch(const std::vector<std::string>& keys,
                     const std::vector<std::string>& prefixes) const {
    if (const Prefetcher* const ahead = prefetcher()) ahead->Prefetch(keys, prefixes);
}

bool Store::IsCached(const std::string& key) const {
    const Prefetcher* const ahead = prefetcher();
    return ahead == nullptr || ahead->IsCached(key);
}

bool Store::IsListingCached(const std::string& prefix) const {
    const Prefetcher* const ahead = prefetcher();
    return ahead == nullptr || ahead->IsListingCached(prefix);
}

// ---------------------------------------------------------------------------------------------
// Writing

namespace {

Status ReadOnly(const std::string& key) {
    return Status::Unsupported(key + ": the store is read-only");
}

}  // namespace

Status StoreWriter::RemoveMany(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) ZARR_RETURN_IF_ERROR(Remove(key));
    return {};
}

Result<bool> StoreWriter::RemovePrefix(const std::string& /*prefix*/) { return false; }

Result<bool> StoreWriter::MovePrefix(const std::string& /*from*/, const std::string& /*to*/) {
    return false;
}

Status StoreWriter::Commit() { return {}; }

Status Store::SetParts(const std::string& key, const std::vector<ByteSpan>& parts) {
    StoreWriter* const writes = writer();
    return writes != nullptr ? writes->WriteParts(key, parts) : ReadOnly(key);
}

Status Store::Erase(const std::string& key) {
    StoreWriter* const writes = writer();
    return writes != nullptr ? writes->Remove(key) : ReadOnly(key);
}

Status Store::EraseMany(const std::vector<std::string>& keys) {
    if (keys.empty()) return {};
    StoreWriter* const writes = writer();
    return writes != nullptr ? writes->RemoveMany(keys) : ReadOnly(keys.front());
}

Result<bool> Store::ErasePrefix(const std::string& prefix) {
    StoreWriter* const writes = writer();
    return writes != nullptr ? writes->RemovePrefix(prefix) : Result<bool>(false);
}

Result<bool> Store::RenamePrefix(const std::string& from, const std::string& to) {
    StoreWriter* const writes = writer();
    return writes != nullptr ? writes->MovePrefix(from, to) : Result<bool>(false);
}

Status Store::Flush() {
    StoreWriter* const writes = writer();
    return writes != nullptr ? writes->Commit() : Status();
}

void Store::BeginCreate() {
    if (StoreWriter* const writes = writer()) writes->BeginCreate();
}

void Store::EndCreate() {
    if (StoreWriter* const writes = writer()) writes->EndCreate();
}

// ---------------------------------------------------------------------------------------------
// Documents and listings

Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit) {
    return Status::Limit(key + ": size of " + std::to_string(size) +
                         " bytes exceeds the maximum of " + std::to_string(limit));
}

Result<bool> GetDocument(const Store& store, const std::string& key, Buffer& text,
                         ObjectVersion* version) {
    const auto most = static_cast<std::size_t>(LimitOf(Limit::kMetadataSize));
    const auto read = store.Read(key, ValuePart::Whole(most), text);
    if (read.status().code() == StatusCode::kLimit)
        return OverLimit(Limit::kMetadataSize, read.status().message());
    if (!read.ok()) return read.status();
    if (version != nullptr) *version = read->version;
    return read->found;
}

Status Store::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, List(prefix));
    static_cast<void>(std::all_of(entries.begin(), entries.end(), visit));
    return {};
}

namespace {

// Maximum number of nested prefixes. Real groups and chunks nest less deeply; a deeper tree means
// that some link leads to one of its parent folders.
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
              version.exists ? std::optional(version) : std::nullopt);
    }
    return {};
}

}  // namespace

Status Store::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                         const PrefixVisitor& visit_prefix) const {
    return VisitBelow(*this, prefix, prefix.empty() ? 0 : prefix.size() + 1, 0, visit,
                      visit_prefix);
}

}  // namespace zarr
