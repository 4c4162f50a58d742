// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/store/store.h"

namespace zarr {

// The stored chunks of one array, by their place in the chunk grid: where they lie in a store, and
// under which keys, is not known above. Reading is thread-safe, and so is writing different chunks.
class ChunkStore {
  public:
    // The index of a chunk along each dimension.
    using Index = DimVector<std::uint64_t>;

    ChunkStore() = default;
    virtual ~ChunkStore() = default;
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;

    // A stored chunk, as Store::Get(), GetInto() and GetRange() read a value: one request, with no
    // question before it whether the chunk is there; two where its key is not known yet.
    virtual Result<bool> Get(const Index& chunk, Buffer& value, std::size_t limit) const = 0;
    virtual Result<std::optional<std::size_t>> GetInto(const Index& chunk,
                                                       MutableByteSpan memory) const = 0;
    virtual Result<bool> GetRange(const Index& chunk, std::uint64_t offset, std::size_t length,
                                  Buffer& value) const = 0;
    virtual ObjectVersion VersionOf(const Index& chunk) const = 0;

    // How messages name a chunk.
    virtual std::string NameOf(const Index& chunk) const = 0;

    // Visits the chunks that are stored, by their index in row-major order of the grid, and the
    // size of each object, where the store tells it. kUnsupported where the store cannot list.
    using ChunkVisitor = std::function<void(std::uint64_t index)>;
    using SizeVisitor = std::function<void(std::optional<std::uint64_t> size)>;
    virtual Status ForEachPresent(const ChunkVisitor& visit,
                                  const SizeVisitor& visit_size) const = 0;

    // What was concluded from a chunk that is absent is looked for again.
    virtual void DropAssumptions() const = 0;

    // The name of the lock that writers of a chunk agree on: of all that is stored with it.
    virtual Result<std::string> LockOf(const Index& chunk) const = 0;
    // Store or remove a chunk in `store`, which is the array's own, for writing.
    virtual Status Set(Store& store, const Index& chunk, ByteSpan value) const = 0;
    virtual Status Erase(Store& store, const Index& chunk) const = 0;
    // Removes the chunks outside of a grid of so many chunks along each dimension.
    virtual Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts) const = 0;
};

}  // namespace zarr
