// SPDX-License-Identifier: MIT
#pragma once

#include "core/array/array.h"

namespace zarr {

// Puts what is stored of a chunk, or the cache has of it, into `pending`, which has room for it.
// What overhangs the array stays as it is. `pending.mutex` is held, or nobody else has `pending`.
Status LoadStored(const Array& array, const DimVector<std::uint64_t>& chunk, PendingChunk& pending);

// Reads again what of a loaded pending chunk with locks was not written here: others may have
// stored it since. `pending.mutex` is held.
Status RefreshPending(const Array& array, const DimVector<std::uint64_t>& chunk,
                      PendingChunk& pending);

// Of what has `size` bytes for each element of a chunk.
Strides StridesInChunk(const ArrayMetadata& metadata, std::size_t size);

// The op between rows of std::string, or from what has `src_size` bytes.
ElementOp TextOp(ElementOp::Row row, std::size_t src_size);

}  // namespace zarr
