// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/references/flatbuffer.h"
#include "core/references/icechunk_file.h"
#include "core/references/reference.h"
#include "core/store/store.h"

struct ZSTD_DDict_s;

namespace zarr {

// References to chunks in one manifest file of an Icechunk repository. The decompressed file stays
// in memory, where Find() searches it. Immutable and thread-safe.
class IcechunkManifest {
  public:
    // Reads the manifest `id` of a repository, and checks the positions of all its references in
    // the file. Returns kLimit if the manifest exceeds `budget`; see ReadIcechunkFile().
    static Result<std::shared_ptr<const IcechunkManifest>> Read(
        const Store& repository, const std::string& id,
        std::shared_ptr<MemoryBudget> budget = nullptr);

    // Returns the reference of a chunk of the array with the Icechunk id `node`; kAbsent if the
    // manifest lacks the chunk. The location is "chunks/ID" for a chunk of the repository, and a
    // URL for a virtual chunk.
    Result<Reference> Find(ByteSpan node, const DimVector<std::uint64_t>& chunk) const;

    // Calls `visit` with the indices of each chunk of the array `node` that the manifest has, in
    // any order.
    using ChunkVisitor = std::function<void(const DimVector<std::uint64_t>& chunk)>;
    Status ForEachChunk(ByteSpan node, const ChunkVisitor& visit) const;

    // Returns the size of the manifest in memory, in bytes.
    std::size_t bytes() const;

  private:
    // References to the chunks of one array.
    struct Array {
        ByteSpan node;
        FlatVector refs;
        // Indices of the references, sorted by the chunk's indices. Empty if the file has sorted
        // references, as the specification requires.
        std::vector<std::uint32_t> order;

        std::size_t At(std::size_t i) const { return order.empty() ? i : order[i]; }
    };

    IcechunkManifest() = default;
    Status Parse();
    Status ReadDictionary(const FlatTable& root);
    Status CheckOrder(Array& array);
    Result<Reference> ReferenceOf(const FlatTable& ref) const;
    Result<std::string> Location(ByteSpan compressed) const;

    IcechunkFile file_;
    std::vector<Array> arrays_;
    // Zstandard dictionary that decompresses the locations of virtual chunks; nullptr if the
    // manifest has none.
    std::shared_ptr<const ZSTD_DDict_s> dictionary_;
};

}  // namespace zarr
