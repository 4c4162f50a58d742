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
#include "core/base/completion.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

// Chunks or shards of an array, each of which is one object of the store. The key of an object is
// made from its index in the grid (Zarr v2 specification, "Chunks").
//
// The metadata may lack the separator of the indices in a key. The specification's default is ".".
// However, zarr-python's NestedDirectoryStore before 2.8 and programs that follow the OGC
// specification wrote "/" without stating the separator. If the metadata lacks the separator, the
// first chunk found in the store shows the separator. Thread-safe.
class KeyedChunks {
  public:
    // Index of a chunk along each dimension.
    using Index = DimVector<std::uint64_t>;

    // Constructs the access to the chunks of the array at `path`; sends no request. `counts` is the
    // number of chunks along each dimension.
    KeyedChunks(std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
                const DimVector<std::uint64_t>& counts);

    // Returns the separator of indices in keys: '.' or '/'. Returns '.' while the separator is
    // unknown. Sends no request.
    char separator() const { return state_.load() == State::kSlash ? '/' : '.'; }
    // Returns the separator of indices in keys. Searches the store for a chunk if the separator is
    // unknown.
    Result<char> DetermineSeparator() const;

    // Reads part of a chunk's value; see Store::Read(). Sends one request, or more while the
    // separator is unknown.
    Result<ReadResult> Read(const Index& chunk, const ValuePart& part, const ReadSink& sink) const;
    ObjectVersion VersionOf(const Index& chunk) const { return store_->VersionOf(NameOf(chunk)); }
    StoreTraits Traits() const { return store_->Traits(); }
    bool WaitsForDisk(const Index& chunk) const { return store_->WaitsForDisk(NameOf(chunk)); }
    // Returns the index of the chunk with row-major number `number`.
    Index IndexOf(std::uint64_t number) const;
    // Return the key of a chunk. NameOf() sends no request; if the separator is unknown, the key
    // has the separator ".". KeyOf() determines the separator before it returns the key.
    std::string NameOf(const Index& chunk) const;
    Result<std::string> KeyOf(const Index& chunk) const;

    // Calls `visit` with the row-major number of each stored chunk. Calls `visit_size` with the
    // size in bytes of each object below the array; nullopt if the size is unknown. Fails with
    // kUnsupported if the store cannot list.
    using ChunkVisitor = std::function<void(std::uint64_t number)>;
    using SizeVisitor = std::function<void(std::optional<std::uint64_t> size)>;
    Status ForEachStored(const ChunkVisitor& visit, const SizeVisitor& visit_size) const;
    // Forgets the separator of chunk keys if it was only assumed, not found in the store. The next
    // call that needs the separator searches the store again.
    void DropOutdatedState() const;

    // Store or remove chunks in `store`, which must be the array's store, opened for writing. Each
    // method works like the method of Store with the same name.
    Status Set(Store& store, const Index& chunk, ByteSpan value) const;
    Status SetParts(Store& store, const Index& chunk, const std::vector<ByteSpan>& parts) const;
    Status Erase(Store& store, const Index& chunk) const;
    // Removes the chunks outside a grid of `counts` chunks along each dimension.
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts) const;

  private:
    enum class State : std::uint8_t { kUnknown, kAssumedDot, kDot, kSlash };

    bool is_separator_known() const { return state_.load() != State::kUnknown; }
    // Returns the separator. The first call determines the separator from the keys in the store. If
    // a key is a chunk name with ".", the separator is ".". Otherwise, if the name of a folder is a
    // single chunk index, the separator is "/". Otherwise looks for `chunk` under its key with "/".
    // If that key is absent, too, assumes ".".
    Result<char> DetermineSeparator(const Index& chunk) const;
    Result<State> FindSeparator(const Index& chunk) const;
    // Records the separator, unless a separator is already known for certain.
    void RecordSeparator(State state) const;
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
