// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/base/turn.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

// Chunks, or shards, that are an object each, under the key that their index in the grid makes
// (Zarr v2 specification, "Chunks").
//
// Where the metadata do not say what separates the indices in a key, the specification means ".",
// but stores in nested folders were written without a word as well: by zarr-python's
// NestedDirectoryStore before 2.8, and by programs that follow OGC's text, which has no such
// member. The store shows which it is once a chunk is found, or is looked for in vain. Thread-safe.
class KeyedChunks {
  public:
    // The index of a chunk along each dimension.
    using Index = DimVector<std::uint64_t>;

    // `counts` are the numbers of chunks along each dimension.
    KeyedChunks(std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
                const DimVector<std::uint64_t>& counts);

    // The separator of the indices in a key, '.' or '/', as far as it is known.
    char separator() const { return state_.load() == State::kSlash ? '/' : '.'; }
    // The separator. Looks at the store if no chunk has shown it yet.
    Result<char> Separator() const;

    // See Store::Read(). One request; two if the separator is not known yet.
    Result<ReadResult> Read(const Index& chunk, const ValuePart& part, const ReadSink& sink) const;
    ObjectVersion VersionOf(const Index& chunk) const { return store_->VersionOf(NameOf(chunk)); }
    bool WaitsForDisk(const Index& chunk) const { return store_->WaitsForDisk(NameOf(chunk)); }
    // The chunk of a number in row-major order of the grid.
    Index IndexOf(std::uint64_t number) const;
    // The key, as far as the separator is known.
    std::string NameOf(const Index& chunk) const;
    Result<std::string> KeyOf(const Index& chunk) const;

    // Visits the chunks that are stored, by their number in row-major order, and the size of each
    // object in bytes if the store tells it. kUnsupported if the store cannot list.
    using ChunkVisitor = std::function<void(std::uint64_t number)>;
    using SizeVisitor = std::function<void(std::optional<std::uint64_t> size)>;
    Status ForEachPresent(const ChunkVisitor& visit, const SizeVisitor& visit_size) const;
    // Forgets the separator if it was only assumed.
    void DropAssumptions() const;

    // Change `store`, which is the array's own, for writing. See the methods of Store.
    Status Set(Store& store, const Index& chunk, ByteSpan value) const;
    Status SetParts(Store& store, const Index& chunk, const std::vector<ByteSpan>& parts) const;
    Status Erase(Store& store, const Index& chunk) const;
    // Removes the chunks outside of a grid of `counts` chunks along each dimension.
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts) const;

  private:
    enum class State : std::uint8_t { kUnknown, kAssumedDot, kDot, kSlash };

    bool is_settled() const { return state_.load() != State::kUnknown; }
    // The separator. The first call that finds it unsettled looks at what the store has below the
    // array: a chunk joined by "." counts before one of a nested folder, and where there is
    // neither, it is asked for `chunk`, joined by "/"; if that is absent, "." is assumed.
    Result<char> Settle(const Index& chunk) const;
    Result<State> Look(const Index& chunk) const;
    // Where nothing is known for certain yet.
    void Know(State state) const;
    std::uint64_t NumberOf(const Index& chunk) const;
    std::string_view IndicesIn(std::string_view key) const;
    Status EraseOutsideBelow(Store& store, const std::string& name,
                             const std::vector<std::uint64_t>& counts) const;

    const std::shared_ptr<const Store> store_;
    const std::string path_;
    const DimVector<std::uint64_t> counts_;
    const bool has_prefix_;
    mutable std::atomic<State> state_{State::kDot};
    mutable Lazy<State> looked_;
};

}  // namespace zarr
