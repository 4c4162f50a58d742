// SPDX-License-Identifier: MIT
// References: documents that say where the bytes of a store's values lie.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/store/store.h"

namespace zarr {

// A condition that a target must meet when it is read. A target that does not meet it has changed
// since the reference was made.
struct TargetCondition {
    std::string etag;  // ETag of the target; empty if it does not matter
    // Latest time of modification, in seconds since 1970-01-01 UTC.
    std::optional<std::int64_t> not_modified_after;

    bool is_empty() const { return etag.empty() && !not_modified_after; }
};

// Location of the bytes of one value.
struct Reference {
    enum class Kind : std::uint8_t {
        kAbsent,  // the key has no value
        kInline,  // `bytes` is the value
        kTarget,  // the value is a byte range of `location`
    };

    Kind kind = Kind::kAbsent;
    std::string bytes;
    std::string location;      // URL or path, as the document spells it, with templates resolved
    std::uint64_t offset = 0;  // bytes from the start of the target
    // Size of the value in bytes; nullopt if the value is the whole target.
    std::optional<std::uint64_t> size;
    TargetCondition condition;

    static Reference Absent() { return {}; }
    static Reference Inline(std::string bytes) {
        Reference reference;
        reference.kind = Kind::kInline;
        reference.bytes = std::move(bytes);
        return reference;
    }
    static Reference Target(std::string location, std::uint64_t offset,
                            std::optional<std::uint64_t> size) {
        Reference reference;
        reference.kind = Kind::kTarget;
        reference.location = std::move(location);
        reference.offset = offset;
        reference.size = size;
        return reference;
    }
};

// The references of one store, by key. Thread-safe and immutable: a call returns the same answer
// each time. Errors are kCorrupt for a damaged document, kUnsupported for a feature that this
// library does not have, kLimit for a bound of core/base/limits.h; the message starts with the key
// or the name of the document.
class ReferenceMap {
  public:
    virtual ~ReferenceMap() = default;

    // Returns the reference of a key, which obeys the rules of core/store/keys.h.
    virtual Result<Reference> Find(const std::string& key) const = 0;

    // Returns the direct children of `prefix` ("" is the root, otherwise without trailing '/'),
    // sorted by name.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const = 0;

    // Calls `visit` with what follows "PREFIX/" in every key below a prefix, in any order.
    using KeyVisitor = std::function<void(std::string_view)>;
    virtual Status ForEachKey(const std::string& prefix, const KeyVisitor& visit) const = 0;

    // Equal for two maps only if all of their references are equal; names the document and its
    // version.
    virtual std::string Identity() const = 0;
};

}  // namespace zarr
