// SPDX-License-Identifier: MIT
#include "core/references/icechunk_snapshot.h"

#include <algorithm>
#include <utility>

#include "core/base/endian.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Fields of the tables in Icechunk's schema snapshot.fbs, by their numbers.
struct SnapshotTable {
    enum : unsigned { kNodes = 2 };
};
struct NodeTable {
    enum : unsigned { kId = 0, kPath = 1, kUserData = 2, kNodeType = 3, kNodeData = 4 };
};
struct ArrayDataTable {
    enum : unsigned { kManifests = 2 };
};
struct ManifestRefTable {
    enum : unsigned { kObjectId = 0, kExtents = 1 };
};

constexpr std::uint8_t kArrayType = 1;
constexpr std::size_t kRangeSize = 8;  // size of a ChunkIndexRange in bytes

Status MissingNodeField(const char* field) {
    return Status::Corrupt(std::string("the field ") + field + " of a node is missing");
}

}  // namespace

bool IcechunkManifestRef::Covers(const DimVector<std::uint64_t>& chunk) const {
    for (std::size_t i = 0; i < from.size(); ++i)
        if (chunk[i] < from[i] || chunk[i] >= to[i]) return false;
    return true;
}

Result<std::shared_ptr<const IcechunkSnapshot>> IcechunkSnapshot::Read(const Store& repository,
                                                                       const std::string& id) {
    const std::string key = JoinKey(kIcechunkSnapshots, id);
    std::shared_ptr<IcechunkSnapshot> snapshot(new IcechunkSnapshot());
    ZARR_ASSIGN_OR_RETURN(snapshot->file_,
                          ReadIcechunkFile(repository, key, IcechunkFileType::kSnapshot));
    ZARR_RETURN_IF_ERROR(snapshot->Parse().WithContext(key));
    return std::shared_ptr<const IcechunkSnapshot>(std::move(snapshot));
}

// Returns the node that an entry of the list of nodes describes.
Result<IcechunkSnapshot::Node> IcechunkSnapshot::NodeOf(const FlatTable& table) {
    ZARR_ASSIGN_OR_RETURN(const auto id, table.Struct(NodeTable::kId, kIcechunkNodeIdSize));
    ZARR_ASSIGN_OR_RETURN(const auto path, table.String(NodeTable::kPath));
    ZARR_ASSIGN_OR_RETURN(const auto document, table.String(NodeTable::kUserData));
    ZARR_ASSIGN_OR_RETURN(const std::uint8_t type, table.Uint8(NodeTable::kNodeType, 0));
    if (!id) return MissingNodeField("id");
    if (!path || path->empty() || (*path)[0] != '/') return MissingNodeField("path");
    if (!document) return MissingNodeField("user_data");
    Node node;
    node.path = path->substr(1);
    node.document = *document;
    node.is_array = type == kArrayType;
    node.id = *id;
    node.table = table.position();
    return node;
}

Status IcechunkSnapshot::Parse() {
    const ByteSpan buffer = std::as_const(file_.payload).span();
    ZARR_ASSIGN_OR_RETURN(const FlatTable root, FlatTable::Root(buffer, "Ichk"));
    ZARR_ASSIGN_OR_RETURN(const auto nodes, root.Vector(SnapshotTable::kNodes, 4));
    if (!nodes) return MissingNodeField("nodes");
    // Many entries of the list may name one node, so that the file is much smaller than its nodes.
    ZARR_RETURN_IF_ERROR(file_.memory.Add(nodes->size() * sizeof(Node)));
    nodes_.reserve(nodes->size());
    for (std::size_t i = 0; i < nodes->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const FlatTable table, nodes->Table(i));
        ZARR_ASSIGN_OR_RETURN(const Node node, NodeOf(table));
        if (node.path.empty() || IsValidKey(node.path)) nodes_.push_back(node);
    }
    // The specification requires sorted nodes, but some writers do not sort them.
    const auto before = [](const Node& a, const Node& b) { return a.path < b.path; };
    BudgetShare sorting(budget());
    ZARR_RETURN_IF_ERROR(sorting.Add(nodes_.size() * sizeof(Node)));
    if (!std::is_sorted(nodes_.begin(), nodes_.end(), before))
        std::stable_sort(nodes_.begin(), nodes_.end(), before);
    const auto twice =
        std::adjacent_find(nodes_.begin(), nodes_.end(),
                           [](const Node& a, const Node& b) { return a.path == b.path; });
    if (twice != nodes_.end())
        return Status::Corrupt("two nodes have the path /" + std::string(twice->path));
    return {};
}

const IcechunkSnapshot::Node* IcechunkSnapshot::Find(std::string_view path) const {
    const auto found = std::lower_bound(
        nodes_.begin(), nodes_.end(), path,
        [](const Node& node, std::string_view wanted) { return node.path < wanted; });
    return found != nodes_.end() && found->path == path ? &*found : nullptr;
}

Result<std::vector<IcechunkManifestRef>> IcechunkSnapshot::ManifestsOf(const Node& array,
                                                                       std::size_t rank,
                                                                       BudgetShare& memory) const {
    std::vector<IcechunkManifestRef> manifests;
    const ByteSpan buffer = file_.payload.span();
    ZARR_ASSIGN_OR_RETURN(const FlatTable node, FlatTable::At(buffer, array.table));
    ZARR_ASSIGN_OR_RETURN(const auto data, node.Table(NodeTable::kNodeData));
    if (!data) return MissingNodeField("node_data");
    ZARR_ASSIGN_OR_RETURN(const auto list, data->Vector(ArrayDataTable::kManifests, 4));
    if (!list) return MissingNodeField("manifests");
    // A manifest's name and box are allocated apart, with up to 32 bytes each besides their
    // contents.
    const std::size_t size = sizeof(IcechunkManifestRef) + 3 * 32 + 8 * rank;
    BudgetShare sorting(memory.budget());
    ZARR_RETURN_IF_ERROR(memory.Add(list->size() * size));
    ZARR_RETURN_IF_ERROR(sorting.Add(list->size() * sizeof(IcechunkManifestRef)));
    manifests.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const FlatTable table, list->Table(i));
        ZARR_ASSIGN_OR_RETURN(const auto id,
                              table.Struct(ManifestRefTable::kObjectId, kIcechunkIdSize));
        ZARR_ASSIGN_OR_RETURN(const auto extents,
                              table.Vector(ManifestRefTable::kExtents, kRangeSize));
        if (!id) return MissingNodeField("object_id");
        IcechunkManifestRef manifest;
        manifest.id = IcechunkObjectName(*id);
        // A manifest's extents (a range of chunk indices per dimension) are ignored if their number
        // differs from the array's rank.
        for (std::size_t k = 0; extents && extents->size() == rank && k < rank; ++k) {
            manifest.from.push_back(LoadLittle32(extents->Bytes(k).data));
            manifest.to.push_back(LoadLittle32(extents->Bytes(k).data + 4));
        }
        manifests.push_back(std::move(manifest));
    }
    std::stable_sort(manifests.begin(), manifests.end(),
                     [](const IcechunkManifestRef& a, const IcechunkManifestRef& b) {
                         return !b.from.empty() && (a.from.empty() || a.from[0] < b.from[0]);
                     });
    return manifests;
}

}  // namespace zarr
