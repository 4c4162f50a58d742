// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "core/array/chunk_store.h"

namespace zarr {

class KeyedChunks;

// Reading of the chunks of a store whose values lie in one object, as in a zip file on a server:
// together, as far as they lie near each other. Thread-safe.
class PackedChunks final : public ChunkGroups {
  public:
    // `chunks` is borrowed; `counts` are the numbers of chunks along each dimension.
    PackedChunks(const KeyedChunks& chunks, std::shared_ptr<const Store> store,
                 const DimVector<std::uint64_t>& counts);

    const std::vector<GridAxis>& axes() const override { return axes_; }
    Status GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                   const ChunkTaker& take) const override;

  private:
    const KeyedChunks& chunks_;
    const std::shared_ptr<const Store> store_;
    std::vector<GridAxis> axes_;
};

}  // namespace zarr
