// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "core/array/chunk_store.h"
#include "core/array/packed_chunks.h"
#include "core/base/turn.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Chunks that are an object each, under the key that their place in the grid makes (Zarr v2
// specification, "Chunks").
//
// Where the metadata do not say what separates the indices in a key, the specification means ".",
// but stores in nested folders were written without a word as well: by zarr-python's
// NestedDirectoryStore before 2.8, and by programs that follow OGC's text, which has no such
// member. The store shows which it is once a chunk is found, or is looked for in vain. Thread-safe.
class KeyedChunks final : public ChunkStore {
  public:
    // `counts` are the numbers of chunks along each dimension.
    KeyedChunks(std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
                const DimVector<std::uint64_t>& counts);

    char separator() const override { return state_.load() == State::kSlash ? '/' : '.'; }
    Result<char> Separator() const override;

    Result<ReadResult> Read(const Index& chunk, const ValuePart& part,
                            const ReadSink& sink) const override;
    ObjectVersion VersionOf(const Index& chunk) const override;
    Result<std::optional<ChunkPlace>> PlaceOf(const Index& chunk) const override;
    const ChunkGroups* groups() const override { return packed_.has_value() ? &*packed_ : nullptr; }
    // The index of a chunk along each dimension.
    Index IndexOf(std::uint64_t number) const;
    std::string NameOf(const Index& chunk) const override;
    bool WaitsForDisk(const Index& chunk) const override {
        return store_->WaitsForDisk(NameOf(chunk));
    }
    Status ForEachPresent(const ChunkVisitor& visit, const SizeVisitor& visit_size) const override;
    void DropAssumptions() const override;
    Result<std::string> LockOf(const Index& chunk) const override;
    Status Set(Store& store, const Index& chunk, ByteSpan value) const override;
    // As Store::SetParts().
    Status SetParts(Store& store, const Index& chunk, const std::vector<ByteSpan>& parts) const;
    Status Erase(Store& store, const Index& chunk) const override;
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                        const std::shared_ptr<Synchronizer>& locks) const override;

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
    std::optional<const PackedChunks> packed_;
    mutable std::atomic<State> state_{State::kDot};
    mutable Lazy<State> looked_;
};

}  // namespace zarr
