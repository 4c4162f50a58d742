// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/reference.h"

namespace zarr {

// References by key, in a compact form: the reference of a chunk takes 24 bytes. A single thread
// must add all references; afterwards, any number of threads may read them. If a key is added
// twice, its last reference is used.
class ReferenceIndex {
  public:
    ReferenceIndex() = default;
    ReferenceIndex(const ReferenceIndex&) = delete;
    ReferenceIndex& operator=(const ReferenceIndex&) = delete;
    ~ReferenceIndex() = default;

    // Adds a reference that contains the value `bytes` itself. kLimit if the index has more than
    // Limit::kReferences references.
    Status AddInline(std::string_view key, std::string_view bytes);
    // Adds a reference to `size` bytes of the target (a file or URL) at `location`; nullopt means
    // the whole target. `location` may contain templates. kLimit if the index has more than
    // Limit::kReferences references.
    Status AddTarget(std::string_view key, std::string_view location, std::uint64_t offset,
                     std::optional<std::uint64_t> size);

    // Returns the reference of `key`. Templates in its location are not expanded.
    Reference Find(std::string_view key) const;

    // Return the children of a prefix and visit the keys below a prefix, like ReferenceMap's List()
    // and ForEachKey().
    std::vector<StoreEntry> List(const std::string& prefix) const;
    void ForEachKey(const std::string& prefix, const ReferenceMap::KeyVisitor& visit) const;

    // Returns the number of added references, including replaced ones.
    std::uint64_t size() const { return count_; }
    // Returns the location of some added target, unexpanded; empty if no target was added.
    std::string_view sample_location() const;

  private:
    // Append-only memory for inline values. Blocks never move, so returned views stay valid.
    class Arena {
      public:
        // Copies `bytes` into the arena and returns the position of the copy.
        std::uint64_t Add(std::string_view bytes);
        std::string_view At(std::uint64_t position, std::size_t size) const;

      private:
        static constexpr std::size_t kBlock = std::size_t{1} << 20;
        std::vector<std::unique_ptr<char[]>> blocks_;
        std::size_t used_ = kBlock;  // bytes in use in the last block
    };

    struct Entry {
        std::uint64_t chunk;   // the chunk's indices in one integer; see Group
        std::uint64_t offset;  // position in the target, or in `inline_` if `target` is kInline
        std::uint32_t size;    // size of the value in bytes; kWhole: the whole target
        std::uint32_t target;  // index into `targets_`; kInline if the value is in `inline_`
    };
    static_assert(sizeof(Entry) == 24);
    static constexpr std::uint32_t kWhole = UINT32_MAX;
    static constexpr std::uint32_t kInline = UINT32_MAX;

    // Spelling of a chunk's indices after the array's path: "0.1", "0/1", "c.0.1" or "c/0/1" (Zarr
    // v2 specification, "Storage"; Zarr v3 specification, "Default chunk key encoding").
    enum class Form : std::uint8_t { kDots, kSlashes, kPrefixDots, kPrefixSlashes };

    static constexpr std::size_t kMostIndices = 16;

    // A chunk's key, split into the array's path and the chunk's indices. Keys with leading zeros
    // in an index are not split, because the zeros would be lost.
    struct ChunkKey {
        std::string_view prefix;  // path of the array
        Form form = Form::kDots;
        std::size_t rank = 0;
        std::array<std::uint64_t, kMostIndices> indices{};
    };
    static std::optional<ChunkKey> Split(std::string_view key);

    // References to the chunks of one array: their keys have the array path `prefix`, the spelling
    // `form` and `rank` indices. Each index takes 64 / rank bits of Entry::chunk.
    struct Group {
        std::string prefix;
        Form form = Form::kDots;
        std::size_t rank = 0;
        // Sorted by Entry::chunk at the first read. Entries of one chunk stay in the order in which
        // they were added.
        mutable std::vector<Entry> entries;
        mutable std::mutex mutex;
        mutable std::atomic<bool> is_sorted{false};

        std::optional<std::uint64_t> Pack(const ChunkKey& key) const;
        std::string KeyOf(std::uint64_t chunk) const;
        const std::vector<Entry>& Sorted() const;
    };

    Group& GroupOf(const ChunkKey& key);
    const Group* FindGroup(const ChunkKey& key) const;
    static std::string NameOf(const ChunkKey& key);
    std::uint32_t TargetNumber(std::string_view location);
    Reference ReferenceOf(const Entry& entry) const;
    // Counts a reference that takes `bytes` of memory. Returns kLimit if there are too many.
    Status Count(std::size_t bytes);
    static void ForEach(const Group& group, const std::function<void(std::string_view key)>& visit);

    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;  // memory of all added references, estimated
    Arena inline_;
    // References whose key is not a chunk's key, and chunk references that do not fit into an
    // Entry.
    std::map<std::string, Reference, std::less<>> others_;
    std::unordered_map<std::string, std::unique_ptr<Group>> groups_;
    Group* last_group_ = nullptr;  // group of the last added chunk reference
    std::vector<std::string> targets_;
    std::unordered_map<std::string, std::uint32_t> numbers_;  // indices into `targets_` by location
    std::uint32_t last_target_ = kInline;
};

}  // namespace zarr
