// SPDX-License-Identifier: MIT
// The tree of groups and arrays in a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "zarr_core/array.h"
#include "zarr_core/export.h"
#include "zarr_core/status.h"
#include "zarr_core/store.h"

namespace zarr_core {

// Version of the Zarr format. Zarr v1 is read-only.
enum class Format : std::uint8_t { kV1 = 1, kV2 = 2, kV3 = 3 };

// Kind of the node at a path; kNone if the path has no node.
enum class NodeKind : std::uint8_t { kNone, kGroup, kArray };

// A group or array that is a direct member of a group.
struct Member {
    std::string name;
    std::string path;  // path from the root, without '/' at either end
    NodeKind kind = NodeKind::kNone;
};

// Options for the use of a hierarchy and its arrays.
struct HierarchyOptions {
    // Maximum number of bytes of decoded chunks that are cached for later reads, for all arrays
    // together.
    std::size_t cache_bytes = std::size_t{64} << 20;
    // Maximum number of bytes of pending chunks, for each array: chunks that are written but not
    // stored yet.
    std::size_t pending_bytes = std::size_t{64} << 20;
    // Maximum number of threads that one call uses; 0 uses as many as the machine has.
    std::size_t threads = 0;
    // If false, consolidated metadata is ignored, and the document of each node is read separately.
    bool use_consolidated = true;
};

// The groups and arrays of a store. A path names a node from the root: "a/b", with or without '/'
// at either end; "" is the root. Metadata documents are cached when they are first read, so that
// later changes by other processes may not be seen. Copies refer to the same hierarchy. All methods
// are thread-safe. A moved-from Hierarchy may only be assigned to or destroyed.
class ZARR_CORE_EXPORT Hierarchy {
  public:
    // Opens the hierarchy of a store of Zarr v1, v2 or v3. kNotFound if the store has no node at
    // its root.
    static Result<Hierarchy> Open(const Store& store,
                                  const HierarchyOptions& options = {}) noexcept;
    // Creates a root group of Zarr v2 or v3 and opens its hierarchy. Returns kInvalidArgument if
    // the store has a node at its root.
    static Result<Hierarchy> Create(const Store& store, Format format,
                                    const HierarchyOptions& options = {}) noexcept;

    Format format() const noexcept;
    // True if consolidated metadata is used instead of the documents of the nodes.
    Result<bool> is_consolidated() const noexcept;
    // Returns why consolidated metadata of the store is not used; ok if the metadata is used or
    // absent.
    Status consolidated_error() const noexcept;

    // Returns the kind of the node at `path`; kNone if no node is there.
    Result<NodeKind> KindOf(std::string_view path) const noexcept;
    // Returns the groups and arrays directly in the group at `path`, sorted by name. kNotFound if
    // `path` is not a group. kUnsupported if the store cannot list and has no consolidated
    // metadata.
    Result<std::vector<Member>> Members(std::string_view path = {}) const noexcept;
    // Returns the attributes of the node at `path` as a JSON object. The dimension names of an
    // array are omitted: see Array::dimension_names(). kNotFound if no node is at `path`.
    Result<std::string> Attributes(std::string_view path) const noexcept;

    // Opens the array at `path`. kNotFound if no array is at `path`. Opening fails if a codec or
    // the data type is unsupported; other nodes of the hierarchy stay usable.
    Result<Array> OpenArray(std::string_view path) const noexcept;

    // Creates the group at `path` and the missing groups above it. Does nothing if the group
    // exists. kInvalidArgument if an array is at `path`.
    Status CreateGroup(std::string_view path) noexcept;
    // Creates and opens an array at `path`, and creates the missing groups above it. Returns
    // kInvalidArgument if a node exists at `path`. Returns kInvalidArgument with the name of the
    // member if a member of `options` is invalid or contradicts another.
    Result<Array> CreateArray(std::string_view path, const ArrayOptions& options) noexcept;
    // Replaces all attributes of the node at `path` by the members of the JSON object `text`. The
    // dimension names of an array do not change, unless the object has a member
    // "_ARRAY_DIMENSIONS".
    Status SetAttributes(std::string_view path, std::string_view text) noexcept;
    // Deletes the node at `path`, which must not be the root, and all nodes below it. kNotFound if
    // no node is at `path`. An Array that is open for a deleted node must not be used afterwards.
    Status Delete(std::string_view path) noexcept;

    // Writes consolidated metadata that changes have erased because they made it outdated.
    // Destroying the last copy of the Hierarchy writes it, too, but cannot report an error. Does
    // not flush chunks; see Array::Flush().
    Status Flush() noexcept;

    struct Impl;  // private to the library
    explicit Hierarchy(std::shared_ptr<Impl> impl) noexcept;

  private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace zarr_core
