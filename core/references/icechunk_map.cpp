// SPDX-License-Identifier: MIT
#include "core/references/icechunk_map.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "core/grid/chunk_grid.h"
#include "core/metadata/documents.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

using Chunk = DimVector<std::uint64_t>;

bool IsInGrid(const ArrayMetadata& metadata, const Chunk& chunk) {
    if (chunk.size() != metadata.rank()) return false;
    for (std::size_t i = 0; i < chunk.size(); ++i)
        if (chunk[i] >= metadata.StoredAxis(i).count()) return false;
    return true;
}

// Returns the part of `key` after the path of a node, without the slash between them.
std::string_view Below(std::string_view key, std::string_view path) {
    return path.empty() ? key : key.substr(path.size() + 1);
}

}  // namespace

const IcechunkSnapshot::Node* IcechunkMap::ArrayOf(std::string_view key) const {
    for (std::string_view path = key; !path.empty();) {
        path = ParentPath(path);
        const Node* const node = snapshot_->Find(path);
        if (node != nullptr) return node->is_array ? node : nullptr;
    }
    return nullptr;
}

Result<IcechunkMap::ArrayPtr> IcechunkMap::Load(const Node& node) const {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = arrays_.find(&node);
        if (known != arrays_.end()) return known->second;
    }
    auto array = std::make_shared<Array>();
    ZARR_ASSIGN_OR_RETURN(array->metadata,
                          ParseV3Array(node.document).WithContext(JoinKey(node.path, kV3Document)));
    array->memory = BudgetShare(snapshot_->budget());
    ZARR_ASSIGN_OR_RETURN(array->manifests,
                          snapshot_->ManifestsOf(node, array->metadata.rank(), array->memory)
                              .WithContext("/" + std::string(node.path)));
    for (const IcechunkManifestRef& each : array->manifests)
        if (!each.from.empty() && each.to[0] > each.from[0])
            array->longest = std::max<std::uint64_t>(array->longest, each.to[0] - each.from[0]);
    const std::lock_guard<std::mutex> lock(mutex_);
    return arrays_.emplace(&node, std::move(array)).first->second;
}

Result<IcechunkMap::ManifestPtr> IcechunkMap::LoadManifest(const std::string& id) const {
    return manifests_.GetOrLoad(id, [&] { return ReadManifest(id); });
}

// Reads a manifest within the budget of the store. If other manifests leave too little, drops the
// cached ones, waits until no other thread reads or uses one, and tries again.
Result<IcechunkMap::ManifestPtr> IcechunkMap::ReadManifest(const std::string& id) const {
    const auto read = [&]() -> Result<ManifestPtr> {
        ZARR_ASSIGN_OR_RETURN(ManifestPtr manifest,
                              IcechunkManifest::Read(*repository_, id, snapshot_->budget()));
        const std::lock_guard<std::mutex> lock(mutex_);
        ForgetUnused();
        read_.push_back(manifest);
        return manifest;
    };
    {
        const std::shared_lock<std::shared_mutex> together(reading_);
        auto manifest = read();
        if (manifest.status().code() != StatusCode::kLimit) return manifest;
    }
    const std::unique_lock<std::shared_mutex> alone(reading_);
    // Other threads use a manifest for the time of one search. They wait for no manifest meanwhile.
    constexpr int kWaits = 1000;
    for (int waits = 0; waits < kWaits && IsInUse(); ++waits)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return read();
}

// Drops all cached manifests. True if other threads still use some of them.
bool IcechunkMap::IsInUse() const {
    manifests_.DropIf([](const std::string&) { return true; });
    const std::lock_guard<std::mutex> lock(mutex_);
    ForgetUnused();
    return !read_.empty();
}

// The caller has locked `mutex_`.
void IcechunkMap::ForgetUnused() const {
    read_.erase(
        std::remove_if(read_.begin(), read_.end(), [](const auto& each) { return each.expired(); }),
        read_.end());
}

Result<Reference> IcechunkMap::FindChunk(const Node& node, const Array& array,
                                         const Chunk& chunk) const {
    auto each = array.manifests.begin();
    if (!chunk.empty()) {
        // Manifests without a box of chunk indices come first; any of them may have the chunk. If
        // there are none, the search starts at the first box that may contain the chunk.
        const auto boxes = std::find_if(each, array.manifests.end(),
                                        [](const auto& ref) { return !ref.from.empty(); });
        const std::uint64_t from = chunk[0] - std::min(chunk[0], array.longest);
        if (boxes == each)
            each = std::lower_bound(
                each, array.manifests.end(), from,
                [](const auto& ref, std::uint64_t wanted) { return ref.from[0] < wanted; });
    }
    for (; each != array.manifests.end(); ++each) {
        if (!each->from.empty() && !chunk.empty() && each->from[0] > chunk[0]) break;
        if (!each->Covers(chunk)) continue;
        ZARR_ASSIGN_OR_RETURN(const ManifestPtr manifest, LoadManifest(each->id));
        ZARR_ASSIGN_OR_RETURN(
            Reference reference,
            manifest->Find(node.id, chunk).WithContext(JoinKey(kIcechunkManifests, each->id)));
        if (reference.kind == Reference::Kind::kAbsent) continue;
        if (!checks_targets_) reference.condition = {};
        return reference;
    }
    return Reference::Absent();
}

Result<Reference> IcechunkMap::Find(const std::string& key) const {
    if (LastName(key) == kV3Document) {
        const Node* const node = snapshot_->Find(ParentPath(key));
        return node != nullptr ? Reference::Inline(std::string(node->document))
                               : Reference::Absent();
    }
    const Node* const node = ArrayOf(key);
    if (node == nullptr) return Reference::Absent();
    ZARR_ASSIGN_OR_RETURN(const ArrayPtr array, Load(*node));
    const auto chunk = ParseChunkName(Below(key, node->path), array->metadata.rank(),
                                      array->metadata.key_encoding());
    if (!chunk || !IsInGrid(array->metadata, *chunk)) return Reference::Absent();
    return FindChunk(*node, *array, *chunk).WithContext(key);
}

Status IcechunkMap::ForEachChunk(const Node& node, const KeyVisitor& visit) const {
    ZARR_ASSIGN_OR_RETURN(const ArrayPtr array, Load(node));
    for (const IcechunkManifestRef& ref : array->manifests) {
        ZARR_ASSIGN_OR_RETURN(const ManifestPtr manifest, LoadManifest(ref.id));
        ZARR_RETURN_IF_ERROR(manifest->ForEachChunk(node.id, [&](const Chunk& chunk) {
            if (IsInGrid(array->metadata, chunk) && ref.Covers(chunk))
                visit(ChunkKey(node.path, chunk, array->metadata.key_encoding()));
        }));
    }
    return {};
}

Status IcechunkMap::ForEachKey(const std::string& prefix, const KeyVisitor& visit) const {
    const auto visit_below = [&](std::string_view key) {
        if (key.size() > prefix.size() && IsAtOrBelow(key, prefix)) visit(Below(key, prefix));
    };
    const Node* const array = ArrayOf(prefix);
    if (array != nullptr) return ForEachChunk(*array, visit_below);
    for (const Node& node : snapshot_->nodes()) {
        if (!IsAtOrBelow(node.path, prefix)) continue;
        visit_below(JoinKey(node.path, kV3Document));
        if (node.is_array) ZARR_RETURN_IF_ERROR(ForEachChunk(node, visit_below));
    }
    return {};
}

Result<std::vector<StoreEntry>> IcechunkMap::List(const std::string& prefix) const {
    // Direct children by name: true for a prefix of further keys, false for a key.
    std::map<std::string, bool> children;
    const Node* const node = snapshot_->Find(prefix);
    if (ArrayOf(prefix) != nullptr || (node != nullptr && node->is_array)) {
        ZARR_RETURN_IF_ERROR(ForEachKey(prefix, [&](std::string_view key) {
            const std::size_t slash = key.find('/');
            bool& is_prefix = children[std::string(key.substr(0, slash))];
            is_prefix = is_prefix || slash != std::string_view::npos;
        }));
    } else {
        if (node != nullptr) children[std::string(kV3Document)] = false;
        // Visits each direct child of the prefix once, and skips the nodes below that child.
        const auto& nodes = snapshot_->nodes();
        const auto from = [&](const std::string& path) {
            return std::lower_bound(
                nodes.begin(), nodes.end(), path,
                [](const Node& each, const std::string& wanted) { return each.path < wanted; });
        };
        auto each = prefix.empty() ? nodes.begin() : from(prefix + "/");
        if (prefix.empty() && each != nodes.end() && each->path.empty()) ++each;
        while (each != nodes.end() && IsAtOrBelow(each->path, prefix)) {
            const std::string_view rest = Below(each->path, prefix);
            const std::size_t slash = rest.find('/');
            const std::string name(rest.substr(0, slash));
            children[name] = true;
            // '0' is the character after '/', so this finds the first node that is not below the
            // child.
            if (slash == std::string_view::npos)
                ++each;
            else
                each = from(JoinKey(prefix, name) + "0");
        }
    }
    std::vector<StoreEntry> entries;
    entries.reserve(children.size());
    for (const auto& [name, is_prefix] : children) entries.push_back({name, is_prefix});
    return entries;
}

}  // namespace zarr
