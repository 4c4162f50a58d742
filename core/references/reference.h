// SPDX-License-Identifier: MIT
// References: documents that map each key of a store to the location of its value's bytes.
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

// Condition that a target must meet when it is read. A target is the file or object with the bytes
// of a value. If it fails the condition, it has changed since the reference was made.
struct TargetCondition {
    std::string etag;  // required ETag of the target; empty if any ETag is accepted
    // Latest allowed modification time of the target, in seconds since 1970-01-01 UTC.
    std::optional<std::int64_t> not_modified_after;

    bool is_empty() const { return etag.empty() && !not_modified_after; }
};

// Location of the bytes of one key's value.
struct Reference {
    enum class Kind : std::uint8_t {
        kAbsent,  // the key has no value
        kInline,  // the document contains the value itself: `bytes`
        kTarget,  // the value is a byte range of the file or object at `location`
    };

    Kind kind = Kind::kAbsent;
    std::string bytes;
    std::string location;      // URL or path as in the document, with templates expanded
    std::uint64_t offset = 0;  // position in the target in bytes
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

// Maps the keys of one store to references. Thread-safe and immutable: a call returns the same
// answer each time. Errors are kCorrupt for a damaged document, kUnsupported for an unsupported
// feature, and kLimit for an exceeded bound of core/base/limits.h. The message starts with the key
// or the name of the document.
class ReferenceMap {
  public:
    virtual ~ReferenceMap() = default;

    // Returns the reference of `key`, which must be valid by the rules of core/store/keys.h.
    virtual Result<Reference> Find(const std::string& key) const = 0;

    // Returns the references of `keys`, like Find() for each of them. Maps that load references on
    // request override this, to load several at once.
    virtual Result<std::vector<Reference>> FindMany(const std::vector<std::string>& keys) const;

    // Returns the direct children of `prefix`, sorted by name. `prefix` is "" for the root, and has
    // no '/' at its end.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const = 0;

    // Calls `visit` for each direct child of `prefix` until `visit` returns false, like
    // Store::VisitEntries().
    using EntryVisitor = Store::EntryVisitor;
    virtual Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const;

    // Calls `visit` for every key below `prefix`, in any order. `visit` gets the rest of the key
    // after "PREFIX/".
    using KeyVisitor = std::function<void(std::string_view)>;
    virtual Status ForEachKey(const std::string& prefix, const KeyVisitor& visit) const = 0;

    // Returns a text that identifies the document of references and the document's version. Maps
    // with equal identities must have equal references.
    virtual std::string Identity() const = 0;
};

}  // namespace zarr
