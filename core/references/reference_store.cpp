// SPDX-License-Identifier: MIT
#include "core/references/reference_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"
#include "core/store/keys.h"
#include "core/store/read_ranges.h"

namespace zarr {

namespace {

using TargetPtr = std::shared_ptr<const ReferenceTarget>;

// Returns "KEY: TARGET", the start of messages about the target of a reference.
std::string Prefix(const std::string& key, const ReferenceTarget& target) {
    return key + ": " + target.Describe();
}

Status Missing(const std::string& key, const ReferenceTarget& target) {
    return Status::Corrupt(Prefix(key, target) +
                           ": the file that a reference names does not exist");
}

Status Short(const std::string& key, const ReferenceTarget& target, const Reference& reference) {
    return Status::Corrupt(Prefix(key, target) + ": the file is shorter than the reference to " +
                           std::to_string(*reference.size) + " bytes at " +
                           std::to_string(reference.offset));
}

// Reads the bytes `extent` of a value whose size is stated in `reference`. Fails with kCorrupt if
// `target` is missing or too short.
Status ReadExtent(const std::string& key, const ReferenceTarget& target, const Reference& reference,
                  const ValuePart::Extent& extent, Buffer& bytes) {
    const auto offset = CheckedAdd(reference.offset, extent.offset);
    if (!offset) return Short(key, target, reference);
    ZARR_ASSIGN_OR_RETURN(
        const bool found,
        target.Read(ValuePart::Range(*offset, extent.size), reference.condition, bytes)
            .WithContext(Prefix(key, target)));
    if (!found) return Missing(key, target);
    return bytes.size() == extent.size ? Status() : Short(key, target, reference);
}

// Reads `part` of the value that `reference` locates in `target`. Returns the size of the value in
// bytes; 0 if the size is not known.
Result<std::uint64_t> ReadReference(const std::string& key, const ReferenceTarget& target,
                                    const Reference& reference, const ValuePart& part,
                                    Buffer& bytes) {
    if (reference.size) {
        ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of(key, *reference.size));
        ZARR_RETURN_IF_ERROR(ReadExtent(key, target, reference, extent, bytes));
        return *reference.size;
    }
    ZARR_ASSIGN_OR_RETURN(
        const bool found,
        target.Read(part, reference.condition, bytes).WithContext(Prefix(key, target)));
    if (!found) return Missing(key, target);
    return part.is_whole() ? bytes.size() : 0;
}

}  // namespace

StoreTraits ReferenceStore::Traits() const {
    StoreTraits traits = targets_->Traits();
    traits.locator = this;
    return traits;
}

ObjectVersion ReferenceStore::VersionOf(const std::string& key) const {
    const auto reference = map_->Find(key);
    if (!reference.ok()) return {};
    ObjectVersion version;
    // Inline and absent values never change, because the references of a map never change.
    version.is_certain = true;
    version.exists = reference->kind != Reference::Kind::kAbsent;
    version.size = reference->size.value_or(reference->bytes.size());
    if (reference->kind != Reference::Kind::kTarget) return version;
    const auto target = targets_->Open(reference->location);
    return target.ok() ? (*target)->Version() : ObjectVersion();
}

Result<ReadResult> ReferenceStore::Read(const std::string& key, const ValuePart& part,
                                        const ReadSink& sink) const {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    ZARR_ASSIGN_OR_RETURN(const Reference reference, map_->Find(key));
    if (reference.kind == Reference::Kind::kAbsent) return ReadResult{};
    if (reference.kind == Reference::Kind::kInline)
        return ReadFrom(ByteSpan(reference.bytes), key, part, sink);
    ZARR_ASSIGN_OR_RETURN(const TargetPtr target,
                          targets_->Open(reference.location).WithContext(key));
    ReadResult read;
    read.found = true;
    if (part.is_whole()) read.version = target->Version();
    Buffer own;
    Buffer& bytes = sink.buffer() != nullptr ? *sink.buffer() : own;
    ZARR_ASSIGN_OR_RETURN(read.size, ReadReference(key, *target, reference, part, bytes));
    if (sink.buffer() == nullptr)
        ZARR_RETURN_IF_ERROR(sink.Assign(std::as_const(own).span()).WithContext(key));
    return read;
}

namespace {

// Byte ranges of several values, with the targets that the ranges lie in.
class TargetRanges {
  public:
    explicit TargetRanges(const TargetOpener& opener) : opener_(opener) {}

    // Adds the byte range of the value with the number `which`.
    Status Add(const std::string& key, const Reference& reference, std::size_t which) {
        const std::string name =
            reference.location + "\n" + reference.condition.etag + "\n" +
            std::to_string(reference.condition.not_modified_after.value_or(-1));
        const auto [number, is_new] = numbers_.try_emplace(name, targets_.size());
        if (is_new) {
            ZARR_ASSIGN_OR_RETURN(TargetPtr target,
                                  opener_.Open(reference.location).WithContext(key));
            targets_.push_back({std::move(target), reference.condition});
        }
        // The size of a whole target is unknown. It gets an empty range at the largest offset,
        // which ReadRanges() does not join to other ranges, and for which Read() returns false.
        ranges_.push_back({reference.size ? reference.offset : UINT64_MAX,
                           reference.size.value_or(0), which, number->second});
        return {};
    }

    // Reads bytes of a target. Returns false for a whole target, which the caller must read by
    // itself.
    Result<bool> Read(std::size_t target, std::uint64_t offset, std::size_t size,
                      Buffer& bytes) const {
        if (offset == UINT64_MAX) return false;
        return targets_[target].target->Read(ValuePart::Range(offset, size),
                                             targets_[target].condition, bytes);
    }

    std::vector<WantedRange> TakeRanges() { return std::move(ranges_); }

  private:
    struct ConditionalTarget {
        TargetPtr target;
        TargetCondition condition;
    };
    const TargetOpener& opener_;
    std::vector<ConditionalTarget> targets_;
    std::map<std::string, std::size_t> numbers_;  // for each target, its index in `targets_`
    std::vector<WantedRange> ranges_;
};

}  // namespace

Status ReferenceStore::GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                               const ValueTaker& take) const {
    TargetRanges ranges(*targets_);
    ZARR_ASSIGN_OR_RETURN(const std::vector<Reference> references, map_->FindMany(keys));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Reference& reference = references[i];
        const std::uint64_t size = reference.size.value_or(reference.bytes.size());
        if (size > options.limit) return ValueTooLarge(keys[i], size, options.limit);
        if (reference.kind == Reference::Kind::kTarget) {
            ZARR_RETURN_IF_ERROR(ranges.Add(keys[i], reference, i));
            continue;
        }
        const bool found = reference.kind == Reference::Kind::kInline;
        ZARR_RETURN_IF_ERROR(
            take(i, found ? std::optional(ByteSpan(reference.bytes)) : std::nullopt));
    }
    const auto read = [&](std::size_t target, std::uint64_t offset, std::size_t size,
                          Buffer& bytes) { return ranges.Read(target, offset, size, bytes); };
    // Reads a value by itself if the request for its range failed.
    const auto sink = [&](std::size_t i, const std::optional<ByteSpan>& bytes) -> Status {
        if (bytes) return take(i, bytes);
        Buffer own;
        ZARR_ASSIGN_OR_RETURN(const bool found, Get(keys[i], own, options.limit));
        return take(i, found ? std::optional(std::as_const(own).span()) : std::nullopt);
    };
    BufferPool buffers(tuning::kIdleReadBytes);
    return ReadRanges({Traits().request_cost, buffers, read}, ranges.TakeRanges(), options, sink);
}

Status ReferenceStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                                  const PrefixVisitor& /*visit_prefix*/) const {
    return map_->ForEachKey(prefix, [&](std::string_view key) { visit(key, std::nullopt); });
}

Result<std::optional<ValueLocation>> ReferenceStore::Locate(const std::string& key) const {
    ZARR_ASSIGN_OR_RETURN(Reference reference, map_->Find(key));
    if (reference.kind == Reference::Kind::kAbsent) return std::optional<ValueLocation>();
    ValueLocation location;
    if (reference.kind == Reference::Kind::kInline) {
        location.size = reference.bytes.size();
        location.bytes = std::move(reference.bytes);
        return std::optional(std::move(location));
    }
    ZARR_ASSIGN_OR_RETURN(const TargetPtr target,
                          targets_->Open(reference.location).WithContext(key));
    location.target = target->Describe();
    location.offset = reference.offset;
    location.size = reference.size;
    return std::optional(std::move(location));
}

}  // namespace zarr
