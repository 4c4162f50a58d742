// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/json/value.h"
#include "core/store/store.h"

namespace zarr {

enum class NodeKind { kNone, kArray, kGroup };

// A direct member of a group.
struct Node {
    std::string name;
    std::string path;  // from the root, without a leading '/'
    NodeKind kind = NodeKind::kNone;
};

enum class UseConsolidated { kIfPresent, kNever };

// Deepest group that is followed, against links that lead back up.
inline constexpr std::size_t kMaxGroupDepth = 64;
// Largest metadata document that is read, in bytes.
inline constexpr std::size_t kMaxMetadataBytes = std::size_t{256} << 20;

// What lies at `path`, by its `.zarray` or `.zgroup`. A prefix that holds something without either
// is an implicit group where the store can list.
Result<NodeKind> NodeKindAt(const Store& store, const std::string& path);

// The tree of groups and arrays in a store. Paths are in the normal form of NormalizePath(). All
// methods are const and may be called from several threads.
class Hierarchy {
  public:
    // Looks for `.zmetadata` at the root unless told not to. Broken consolidated metadata is an
    // error.
    static Result<std::shared_ptr<const Hierarchy>> Open(std::shared_ptr<const Store> store,
                                                         UseConsolidated use_consolidated,
                                                         std::shared_ptr<ReadContext> context);

    // The store as given, or with its consolidated metadata in front.
    const std::shared_ptr<const Store>& store() const { return store_; }
    ReadContext& context() const { return *context_; }
    bool is_consolidated() const { return is_consolidated_; }

    // NodeKindAt() `path`.
    Result<NodeKind> KindOf(const std::string& path) const;

    // Checks the `.zgroup` of a group; one without is ok.
    Status CheckGroup(const std::string& path) const;

    // The arrays and groups directly in a group, sorted by name.
    Result<std::vector<Node>> Members(const std::string& path) const;

    // The attributes of a node; an empty object where it has none.
    Result<json::Value> Attributes(const std::string& path) const;

    // The validated metadata of an array, without opening it.
    Result<ArrayMetadata> Metadata(const std::string& path) const;

    // Opens an array: the same object that someone else holds open through this context, where its
    // metadata are still the same; of its cached chunks those that have not changed remain.
    Result<std::shared_ptr<const Array>> OpenArray(const std::string& path) const;

    // True where `key` holds something; for metadata keys.
    Result<bool> Has(const std::string& key) const;

  private:
    Hierarchy() = default;

    // The text of a metadata key; false where absent.
    Result<bool> ReadText(const std::string& key, Buffer& text) const;
    // How messages name a metadata key: with the document that it was taken from.
    std::string Name(const std::string& key) const;

    std::shared_ptr<const Store> store_;
    std::shared_ptr<ReadContext> context_;
    bool is_consolidated_ = false;
};

}  // namespace zarr
