// SPDX-License-Identifier: MIT
#include "core/array/chunk_files.h"

#include <optional>
#include <string_view>

#include "core/base/checked.h"
#include "core/base/digest.h"
#include "core/grid/chunk_grid.h"

namespace zarr {

namespace {

// True if listing takes no requests, and the versions of values may be those of files.
bool MayHaveFiles(const Store& store) {
    const StoreTraits traits = store.Traits();
    return !traits.remote && !traits.packed && traits.locator == nullptr;
}

// True for the version of a file, which has an inode number.
bool IsOfFile(const ObjectVersion& version) { return version.exists && version.mark != 0; }

std::uint64_t CountStored(const ArrayMetadata& metadata) {
    std::uint64_t count = 1;
    for (std::size_t axis = 0; axis < metadata.rank(); ++axis)
        count = SaturatingMul(count, metadata.StoredAxis(axis).count());
    return count;
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

}  // namespace

ChunkFiles DigestChunkFiles(const Array& array) {
    const ArrayMetadata& metadata = array.metadata();
    const Store& store = *array.store();
    if (!MayHaveFiles(store) || CountStored(metadata) > kMaxChunkFiles) return {};
    bool are_files = true;
    std::uint64_t sizes = 0;  // sums are independent of the order of files
    std::uint64_t times = 0;
    const auto add = [&](std::string_view name, const std::optional<ObjectVersion>& version) {
        if (!IsStoredName(metadata, name)) return;
        are_files = are_files && version && IsOfFile(*version);
        if (!are_files) return;
        sizes += DigestOf(name).Add(version->size).Summand();
        times += DigestOf(name).Add(static_cast<std::uint64_t>(version->modified)).Summand();
    };
    if (!store.ForEachKey(array.path(), add, {}).ok() || !are_files) return {};
    return {Digest().Add(sizes).Text(), Digest().Add(times).Text()};
}

std::string DigestFileTime(const Store& store, const std::string& key) {
    if (!MayHaveFiles(store)) return {};
    const ObjectVersion version = store.VersionOf(key);
    if (!IsOfFile(version)) return {};
    return Digest().Add(static_cast<std::uint64_t>(version.modified)).Text();
}

}  // namespace zarr
