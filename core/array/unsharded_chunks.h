// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/chunk_store.h"

namespace zarr {

class ArrayContext;

// Chunks of an array without shards; each chunk is one object of the store. If the store's values
// are parts of one file, such as a remote zip file, one request reads several chunks. Thread-safe.
class UnshardedChunks final : public ChunkStore {
  public:
    // Constructs the access to the chunks of the array at `path`. `counts` is the number of chunks
    // along each dimension. `context` provides scratch memory and must outlive this object.
    UnshardedChunks(std::shared_ptr<const Store> store, std::string path,
                    const ArrayMetadata& metadata, const Index& counts, ArrayContext& context);

    Status Read(const std::vector<ChunkRequest>& requests, const ReadRangesOptions& options,
                const ChunkTaker& take) const override;
    Result<std::optional<ChunkLocation>> Locate(const Index& chunk) const override;
    Status ForEachStored(const ChunkVisitor& visit, const SizeVisitor& visit_size) const override {
        return objects().ForEachStored(visit, visit_size);
    }
    void DropOutdatedState() const override { objects().DropOutdatedState(); }
    Status Put(Store& store, const Index& chunk, std::optional<ByteSpan> value,
               const WriteLocks& /*locks*/) const override {
        return value ? objects().Set(store, chunk, *value) : objects().Erase(store, chunk);
    }
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                        const std::shared_ptr<Synchronizer>& /*locks*/) const override {
        return objects().EraseOutside(store, counts);
    }

  private:
    // ReadOne() reads the chunk of a single request. ReadTogether() reads the chunks of all
    // requests, with few requests to the store.
    Status ReadOne(const std::vector<ChunkRequest>& requests, std::size_t position,
                   const ReadRangesOptions& options, const ChunkTaker& take) const;
    Status ReadTogether(const std::vector<ChunkRequest>& requests, const ReadRangesOptions& options,
                        const ChunkTaker& take) const;

    const std::shared_ptr<const Store> store_;
    ArrayContext& context_;
};

}  // namespace zarr
