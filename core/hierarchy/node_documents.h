// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "core/metadata/documents.h"
#include "core/metadata/nczarr_documents.h"
#include "core/store/store.h"

namespace zarr {

// The documents of the nodes of a store as operations that do not depend on the version of the
// format: v2 has one for each purpose, v3 one for all. A HierarchyWriter's; one thread at a time.
// Errors start with a key.
class NodeDocuments {
  public:
    // `nczarr` keeps what netCDF-C adds to stores of v2. Both are borrowed.
    NodeDocuments(Store& store, NczarrDocuments& nczarr, Format format)
        : store_(store), nczarr_(nczarr), format_(format) {}

    Format format() const { return format_; }
    std::string KeyOf(std::string_view path, Document document) const {
        return DocumentKey(path, document, format_);
    }

    Result<bool> IsArray(const std::string& path) const;
    Result<bool> IsGroup(const std::string& path) const;

    // Make a node, whose place is free. The one that makes an array is written last.
    Status MakeGroup(const std::string& path);
    Status MakeArray(const std::string& path, const ArrayMetadata& metadata,
                     const json::Object& attributes);

    // A document as it is to be; none where it is to be gone.
    struct Change {
        std::string key;
        std::optional<std::string> text;
    };
    // True where the document is so already.
    Result<bool> IsDone(const Change& change) const;
    Status Apply(const Change& change);

    // The stored attributes of a node; an empty object where it has none.
    Result<json::Value> Attributes(const std::string& path) const;
    Result<Change> WithAttributes(const std::string& path, const json::Value& attributes) const;
    // Members of the stored document that the format does not define are kept. kNotFound where
    // there is no array.
    Result<Change> WithArray(const std::string& path, const ArrayMetadata& metadata) const;

    // The consolidated metadata of a group, at and below it.
    Result<bool> HasConsolidated(const std::string& group) const;
    Status EraseConsolidated(const std::string& group);
    // None where there is nothing to consolidate, as the store was deleted meanwhile.
    Result<std::optional<Change>> Consolidated(const std::string& group) const;

  private:
    // The text under a key; none where it is absent.
    Result<std::optional<std::string>> Text(const std::string& key) const;

    Store& store_;
    NczarrDocuments& nczarr_;
    const Format format_;
};

}  // namespace zarr
