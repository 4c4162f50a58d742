// SPDX-License-Identifier: MIT
#include "core/array/chunk_files.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/checked.h"
#include "core/base/digest.h"
#include "core/grid/chunk_grid.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// True for the version of a file, which has an inode number.
bool IsOfFile(const ObjectVersion& version) { return version.exists && version.mark != 0; }
// True for the version of a member of a zip file, which has a checksum in place of a time.
bool IsOfMember(const ObjectVersion& version) {
    return version.exists && version.mark == 0 && version.is_certain;
}

// True if `name` is the key of a chunk or shard inside of the array's grid, without the path.
bool IsStoredName(const ArrayMetadata& metadata, std::string_view name) {
    for (const char separator : {metadata.dimension_separator, '.', '/'}) {
        if (metadata.has_separator && separator != metadata.dimension_separator) continue;
        const auto chunk =
            ParseChunkName(name, metadata.rank(), {separator, metadata.has_key_prefix});
        for (std::size_t axis = 0; chunk && axis < metadata.rank(); ++axis)
            if ((*chunk)[axis] >= metadata.StoredAxis(axis).count()) return false;
        if (chunk) return true;
    }
    return false;
}

// Returns a number that changes with the value of the chunk `name`; nullopt if none is known.
std::optional<std::uint64_t> MarkOf(const Store& store, const std::string& key,
                                    const ObjectVersion& version, bool is_in_folder) {
    const auto time = static_cast<std::uint64_t>(version.modified);
    const StoreTraits traits = store.Traits();
    if (traits.locator != nullptr) {
        const auto found = traits.locator->Locate(key);
        if (!found.ok() || !*found) return std::nullopt;
        const ValueLocation& place = **found;
        const Digest digest = DigestOf(LastName(place.target)).Add(place.offset);
        return Digest(digest).Add(place.bytes.value_or("")).value();
    }
    if (traits.in_memory) {
        Buffer bytes;
        const auto is_there = store.Get(key, bytes, kNoLimit);
        if (!is_there.ok() || !*is_there) return std::nullopt;
        return Crc32Of(std::as_const(bytes).span());
    }
    const bool is_known = is_in_folder ? IsOfFile(version) : IsOfMember(version);
    return is_known ? std::optional(time) : std::nullopt;
}

std::uint64_t CountStored(const ArrayMetadata& metadata) {
    std::uint64_t count = 1;
    for (std::size_t axis = 0; axis < metadata.rank(); ++axis)
        count = SaturatingMul(count, metadata.StoredAxis(axis).count());
    return count;
}

// Sums are independent of the order of files.
struct Sums {
    std::uint64_t sizes = 0;
    std::uint64_t times = 0;

    // `mark` is a time, or what stands for it.
    void Add(std::string_view name, const ObjectVersion& version, std::uint64_t mark) {
        sizes += DigestOf(name).Add(version.size).Summand();
        times += DigestOf(name).Add(mark).Summand();
    }
};

void AddTime(ChunkFiles& files, const ObjectVersion& version) {
    files.oldest = std::min(files.oldest, version.modified);
    files.newest = std::max(files.newest, version.modified);
}

// Adds the times of the folders that lie `depth` levels below the folder `name` of the array.
// Returns false if there are more than `most` or they cannot be listed.
bool AddFolders(const Array& array, const std::string& name, std::size_t depth, std::uint64_t& most,
                ChunkFiles& files, Sums& sums) {
    const Store& store = *array.store();
    const std::string path = name.empty() ? array.path() : JoinKey(array.path(), name);
    if (depth == 0) {
        const ObjectVersion folder = store.VersionOfFolder(path);
        AddTime(files, folder);
        sums.Add(name, folder, static_cast<std::uint64_t>(folder.modified));
        return folder.exists && most-- > 0;
    }
    bool is_good = true;
    const auto visit = [&](const StoreEntry& entry) {
        if (entry.is_prefix)
            is_good = AddFolders(array, JoinKey(name, entry.name), depth - 1, most, files, sums);
        return is_good;
    };
    return store.VisitEntries(path, visit).ok() && is_good;
}

}  // namespace

ChunkFiles ListChunkFiles(const Array& array) {
    const ArrayMetadata& metadata = array.metadata();
    const Store& store = *array.store();
    const StoreTraits traits = store.Traits();
    const bool are_references = traits.locator != nullptr;
    if (traits.remote || (traits.packed && !are_references)) return {};
    ChunkFiles files;
    files.are_in_folder = store.VersionOfFolder(array.path()).exists;
    ChunkFiles unknown = files;
    if (files.are_in_folder) unknown.newest = std::numeric_limits<std::int64_t>::max();
    Sums sums;
    const bool are_too_many = CountStored(metadata) > kMaxChunkFiles;
    if (are_too_many && are_references) return {};
    if (are_too_many && files.are_in_folder) {
        std::uint64_t most = kMaxChunkFiles;
        const DimVector<std::uint64_t> first(metadata.rank(), 0);
        const std::string key = ChunkKey("", first, metadata.key_encoding());
        const auto depth = static_cast<std::size_t>(std::count(key.begin(), key.end(), '/'));
        if (!AddFolders(array, "", depth, most, files, sums)) return unknown;
        files.times = Digest().Add(sums.times).Text();
        return files;
    }
    bool are_known = true;
    const auto add = [&](std::string_view name, const std::optional<ObjectVersion>& listed) {
        if (!are_known || !IsStoredName(metadata, name)) return;
        const std::string key = JoinKey(array.path(), name);
        const ObjectVersion version = traits.in_memory || !listed ? store.VersionOf(key) : *listed;
        if (!version.exists) return;
        const auto mark = MarkOf(store, key, version, files.are_in_folder);
        are_known = mark.has_value();
        if (IsOfFile(version) || traits.in_memory) AddTime(files, version);
        sums.Add(name, version, mark.value_or(0));
    };
    if (!store.ForEachKey(array.path(), add, {}).ok() || !are_known) return unknown;
    files.sizes = Digest().Add(sums.sizes).Text();
    files.times = Digest().Add(sums.times).Text();
    return files;
}

std::optional<std::int64_t> FileTime(const Store& store, const std::string& key) {
    const StoreTraits traits = store.Traits();
    if (traits.remote || traits.packed || traits.locator != nullptr) return std::nullopt;
    const ObjectVersion version = store.VersionOf(key);
    const bool is_time = IsOfFile(version) || (version.exists && traits.in_memory);
    return is_time ? std::optional(version.modified) : std::nullopt;
}

}  // namespace zarr
