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

// A version of the Zarr format. v1 is only read.
enum class Format : std::uint8_t { kV1 = 1, kV2 = 2, kV3 = 3 };

// Kind of the node at a path; kNone if there is no node.
enum class NodeKind : std::uint8_t { kNone, kGroup, kArray };

// A direct member of a group.
struct Member {
    std::string name;
    std::string path;  // from the root, without '/' at either end
    NodeKind kind = NodeKind::kNone;
};

// How a hierarchy and its arrays are used.
struct HierarchyOptions {
    // The most bytes of decoded chunks that are cached for later reads, of all arrays together.
    std::size_t cache_bytes = std::size_t{64} << 20;
    // The most bytes of written chunks that wait in memory, of each array.
    std::size_t pending_bytes = std::size_t{64} << 20;
    // The most threads that one call uses; 0: as many as the machine has.
    std::size_t threads = 0;
    // False: consolidated metadata is not read, and each node is read by itself.
    bool use_consolidated = true;
};

// The groups and arrays of a store. A path names a node from the root: "a/b", with or without '/'
// at either end; "" is the root. Documents are read when they are first asked for and then kept;
// what other processes change later may not be seen. Copies are the same hierarchy. All methods may
// be called from several threads at once. A moved-from Hierarchy may only be assigned to or
// destroyed.
class ZARR_CORE_EXPORT Hierarchy {
  public:
    // Opens the hierarchy of a store of Zarr v1, v2 or v3. kNotFound if there is no node at the
    // root.
    static Result<Hierarchy> Open(const Store& store,
                                  const HierarchyOptions& options = {}) noexcept;
    // Makes a root group of Zarr v2 or v3 in a store that has none. kInvalidArgument if the store
    // has a node at its root.
    static Result<Hierarchy> Create(const Store& store, Format format,
                                    const HierarchyOptions& options = {}) noexcept;

    Format format() const noexcept;
    // True if consolidated metadata answers in place of the documents themselves.
    Result<bool> is_consolidated() const noexcept;
    // Returns why consolidated metadata in the store is not used; ok if it is, or if there is none.
    Status consolidated_error() const noexcept;

    // Returns the kind of the node at a path; kNone if there is none.
    Result<NodeKind> KindOf(std::string_view path) const noexcept;
    // Returns the groups and arrays directly in a group, sorted by name. kNotFound if there is no
    // group at `path`; kUnsupported if the store cannot list and has no consolidated metadata.
    Result<std::vector<Member>> Members(std::string_view path = {}) const noexcept;
    // Returns the attributes of a node as the text of a JSON object. The dimension names of an
    // array are not among them: see Array::dimension_names(). kNotFound if there is no such node.
    Result<std::string> Attributes(std::string_view path) const noexcept;

    // Opens an array. kNotFound if there is none at `path`. An array whose codecs or data type are
    // not supported fails here; the other nodes stay usable.
    Result<Array> OpenArray(std::string_view path) const noexcept;

    // Makes a group, and the groups above it. A group that exists is no error; an array is one, of
    // kInvalidArgument.
    Status CreateGroup(std::string_view path) noexcept;
    // Makes an array, and the groups above it, and opens it. kInvalidArgument if there is a node at
    // `path` already, or for options that contradict each other or the format; the message names
    // the member.
    Result<Array> CreateArray(std::string_view path, const ArrayOptions& options) noexcept;
    // Replaces all attributes of a node by the members of a JSON object. The dimension names of an
    // array stay, unless the object has a member "_ARRAY_DIMENSIONS".
    Status SetAttributes(std::string_view path, std::string_view json) noexcept;
    // Deletes a node and all that is below it, but not the root. kNotFound if there is no such
    // node. An Array that is open for it must not be used afterwards.
    Status Delete(std::string_view path) noexcept;

    // Writes anew the consolidated metadata that changes have made outdated and therefore removed.
    // The end of the last copy of the Hierarchy does so too, but then nobody learns of an error.
    // Chunks are flushed by Array::Flush().
    Status Flush() noexcept;

    struct Impl;  // private to the library
    explicit Hierarchy(std::shared_ptr<Impl> impl) noexcept;

  private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace zarr_core
