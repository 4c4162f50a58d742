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

// References by key, in 24 bytes each for the keys of chunks. Filled by one thread, and then read
// by any number. Of a key that is added twice the last reference counts.
class ReferenceIndex {
  public:
    ReferenceIndex() = default;
    ReferenceIndex(const ReferenceIndex&) = delete;
    ReferenceIndex& operator=(const ReferenceIndex&) = delete;
    ~ReferenceIndex() = default;

    // Adds a value. kLimit if there are more than Limit::kReferences.
    Status AddInline(std::string_view key, std::string_view bytes);
    // Adds a byte range of a target; the whole target without `size`. `location` may have
    // templates.
    Status AddTarget(std::string_view key, std::string_view location, std::uint64_t offset,
                     std::optional<std::uint64_t> size);

    // Returns the reference of a key. Its location is as it was added.
    Reference Find(std::string_view key) const;

    // The direct children of a prefix, sorted by name, and all keys below it; as ReferenceMap.
    std::vector<StoreEntry> List(const std::string& prefix) const;
    void ForEachKey(const std::string& prefix, const ReferenceMap::KeyVisitor& visit) const;

    std::uint64_t size() const { return count_; }  // number of references that were added
    // A location that was added; empty if there is none.
    std::string_view sample_location() const;

  private:
    // Bytes that never move, in blocks.
    class Arena {
      public:
        // Returns the position of a copy of `bytes`.
        std::uint64_t Add(std::string_view bytes);
        std::string_view At(std::uint64_t position, std::size_t size) const;

      private:
        static constexpr std::size_t kBlock = std::size_t{1} << 20;
        std::vector<std::unique_ptr<char[]>> blocks_;
        std::size_t used_ = kBlock;  // of the last block
    };

    struct Entry {
        std::uint64_t chunk;   // its indices, packed; see Group
        std::uint64_t offset;  // in the target, or position in inline_
        std::uint32_t size;    // bytes, or kWhole
        std::uint32_t target;  // number of the location, or kInline
    };
    static_assert(sizeof(Entry) == 24);
    static constexpr std::uint32_t kWhole = UINT32_MAX;
    static constexpr std::uint32_t kInline = UINT32_MAX;

    // How the indices of a chunk are spelled after the path of the array (Zarr v2 specification,
    // "Storage"; Zarr v3 specification, "Default chunk key encoding").
    enum class Form : std::uint8_t { kDots, kSlashes, kPrefixDots, kPrefixSlashes };

    static constexpr std::size_t kMostIndices = 16;

    // A key of a chunk, taken apart. Every spelling of a number but the shortest makes another key.
    struct ChunkKey {
        std::string_view prefix;  // path of the array
        Form form = Form::kDots;
        std::size_t rank = 0;
        std::array<std::uint64_t, kMostIndices> indices{};
    };
    static std::optional<ChunkKey> Split(std::string_view key);

    // References to chunks with one prefix, form and number of indices. An index takes 64 / rank
    // bits of Entry::chunk.
    struct Group {
        std::string prefix;
        Form form = Form::kDots;
        std::size_t rank = 0;
        // Sorted by chunk, of equal ones the last added last, when first read.
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
    Status Count();
    static void ForEach(const Group& group, const std::function<void(std::string_view key)>& visit);

    std::uint64_t count_ = 0;
    Arena inline_;
    // Keys of metadata documents, and of what an Entry has no room for.
    std::map<std::string, Reference, std::less<>> others_;
    std::unordered_map<std::string, std::unique_ptr<Group>> groups_;
    Group* last_group_ = nullptr;  // that was added to
    std::vector<std::string> targets_;
    std::unordered_map<std::string, std::uint32_t> numbers_;  // of targets_
    std::uint32_t last_target_ = kInline;
};

}  // namespace zarr
