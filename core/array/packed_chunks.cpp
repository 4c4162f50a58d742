// SPDX-License-Identifier: MIT
#include "core/array/packed_chunks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/array/keyed_chunks.h"
#include "core/base/checked.h"

namespace zarr {

namespace {

// Of a read, chunks that are looked at together are held in mind together: so many, or the chunks
// of one place along the first dimension.
constexpr std::uint64_t kChunksOfGroup = std::uint64_t{1} << 14;

}  // namespace

PackedChunks::PackedChunks(const KeyedChunks& chunks, std::shared_ptr<const Store> store,
                           const DimVector<std::uint64_t>& counts)
    : chunks_(chunks), store_(std::move(store)) {
    std::uint64_t others = 1;
    for (std::size_t i = 1; i < counts.size(); ++i) others = SaturatingMul(others, counts[i]);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint64_t most =
            i == 0 ? kChunksOfGroup / std::max<std::uint64_t>(others, 1) : counts[i];
        axes_.emplace_back(counts[i], std::max<std::uint64_t>(most, 1));
    }
}

Status PackedChunks::GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                             const ChunkTaker& take) const {
    std::vector<std::string> keys;
    keys.reserve(chunks.size());
    for (const std::uint64_t chunk : chunks) {
        ZARR_ASSIGN_OR_RETURN(std::string key, chunks_.LockOf(chunks_.IndexOf(chunk)));
        keys.push_back(std::move(key));
    }
    return store_->GetMany(keys, options,
                           [&](std::size_t place, const std::optional<ByteSpan>& bytes) {
                               return take(place, {bytes.has_value(), bytes.value_or(ByteSpan()),
                                                   store_->VersionOf(keys[place])});
                           });
}

}  // namespace zarr
