// SPDX-License-Identifier: MIT
#include "core/hierarchy/reference_export.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/array/keyed_chunks.h"
#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Number of references that are collected in memory before they are written.
constexpr std::size_t kBatch = 4096;

class Exporter {
  public:
    Exporter(const Hierarchy& hierarchy, const ReferenceExport& part, const ReferenceFinder& find,
             ReferenceWriter& writer, const ExportProgress& progress)
        : hierarchy_(hierarchy),
          store_(*hierarchy.store()),
          part_(part),
          find_(find),
          writer_(writer),
          progress_(progress) {}

    Status Run() {
        ZARR_RETURN_IF_ERROR(FindArrays());
        ZARR_RETURN_IF_ERROR(writer_.Begin(most_chunks_));
        for (const std::string& group : groups_) ZARR_RETURN_IF_ERROR(WriteGroup(group));
        for (const ArrayNode& array : arrays_) ZARR_RETURN_IF_ERROR(WriteDocuments(array.path));
        for (std::size_t i = 0; i < arrays_.size(); ++i) ZARR_RETURN_IF_ERROR(WriteChunks(i));
        ZARR_RETURN_IF_ERROR(Report(1.0));
        return writer_.Finish();
    }

  private:
    struct ArrayNode {
        std::string path;
        ArrayMetadata metadata;
        DimVector<std::uint64_t> counts;  // number of chunks or shards along each dimension
        std::uint64_t chunks = 1;         // product of `counts`
    };

    Status Report(double complete) const {
        return progress_(complete) ? Status() : Status(StatusCode::kCancelled, "was cancelled");
    }

    // Returns `path`, a path or key of the store, relative to the exported group.
    std::string Renamed(const std::string& path) const {
        return part_.root.empty() || path.size() <= part_.root.size()
                   ? (part_.root.empty() ? path : std::string())
                   : path.substr(part_.root.size() + 1);
    }

    // -----------------------------------------------------------------------------------------
    // Nodes

    Status FindArrays() {
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(part_.root));
        // If the exported root is an array, only that array is exported.
        if (kind == NodeKind::kArray) return AddArray(part_.root);
        groups_.push_back(part_.root);
        return part_.array ? AddArray(*part_.array) : FindBelow(part_.root, 0);
    }

    Status FindBelow(const std::string& group, std::size_t depth) {
        if (depth > kMaxGroupDepth)
            return Status::Limit(group.substr(0, 80) + "...: groups nest more than " +
                                 std::to_string(kMaxGroupDepth) + " levels deep");
        ZARR_ASSIGN_OR_RETURN(const std::vector<Node> members, hierarchy_.Members(group));
        for (const Node& member : members) {
            if (member.kind == NodeKind::kArray) {
                ZARR_RETURN_IF_ERROR(AddArray(member.path));
                continue;
            }
            groups_.push_back(member.path);
            ZARR_RETURN_IF_ERROR(FindBelow(member.path, depth + 1));
        }
        return Report(0.0);
    }

    Status AddArray(const std::string& path) {
        ArrayNode node;
        node.path = path;
        ZARR_ASSIGN_OR_RETURN(node.metadata, hierarchy_.Metadata(path));
        if (node.metadata.format == Format::kV1)
            return Status::Unsupported("/" + path +
                                       ": references to arrays of Zarr v1 are not "
                                       "written; copy the array to Zarr v2 first");
        node.counts = DimVector<std::uint64_t>(node.metadata.rank(), 0);
        for (std::size_t i = 0; i < node.metadata.rank(); ++i) {
            node.counts[i] = node.metadata.StoredAxis(i).count();
            const auto product = CheckedMul(node.chunks, node.counts[i]);
            if (!product)
                return OverLimit(Limit::kReferences,
                                 "/" + path + ": the array has too many chunks");
            node.chunks = *product;
        }
        most_chunks_ = std::max(most_chunks_, node.chunks);
        arrays_.push_back(std::move(node));
        return {};
    }

    // -----------------------------------------------------------------------------------------
    // Metadata documents

    Status WriteGroup(const std::string& path) {
        const std::string key = hierarchy_.KeyOf(path, Document::kGroup);
        Buffer text;
        ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store_, key, text));
        if (!found)
            ZARR_RETURN_IF_ERROR(writer_.AddDocument(
                Renamed(key), hierarchy_.format() == Format::kV3 ? V3GroupText() : GroupText()));
        return WriteDocuments(path);
    }

    // Writes all documents of the node at `path`. If the store can list, documents of other
    // software, such as NCZarr, are included.
    Status WriteDocuments(const std::string& path) {
        if (!IsValidUtf8(path)) return Status::Unsupported("/" + path + ": the name is not UTF-8");
        std::vector<std::string> keys;
        for (const Document document :
             {Document::kGroup, Document::kArray, Document::kAttributes}) {
            std::string key = hierarchy_.KeyOf(path, document);
            if (keys.empty() || keys.back() != key) keys.push_back(std::move(key));
        }
        const auto add_other = [&](const StoreEntry& entry) {
            if (!entry.is_prefix && LooksLikeDocument(entry.name) && !IsDocument(entry.name))
                keys.push_back(JoinKey(path, entry.name));
            return true;
        };
        Status listed = store_.VisitEntries(path, add_other);
        if (!listed.ok() && listed.code() != StatusCode::kUnsupported) return listed;
        for (const std::string& key : keys) {
            Buffer text;
            ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store_, key, text));
            if (found) ZARR_RETURN_IF_ERROR(WriteDocument(key, std::as_const(text).span().text()));
        }
        return {};
    }

    // Writes the metadata document `text` of `key`. Consolidated metadata in a `zarr.json` is left
    // out unless it is the root's, is in use, and all nodes are exported. zarr-python writes empty
    // consolidated metadata for groups below the root, which would hide their nodes.
    Status WriteDocument(const std::string& key, std::string_view text) {
        const bool is_used = hierarchy_.is_consolidated() && !part_.array && key == kV3Document;
        if (is_used || LastName(key) != kV3Document || !HasV3Consolidated(text))
            return writer_.AddDocument(Renamed(key), text);
        return writer_.AddDocument(Renamed(key), SplitV3Consolidated(text).own);
    }

    // -----------------------------------------------------------------------------------------
    // Chunks

    // Returns the row-major numbers of the stored chunks in ascending order; nullopt if the store
    // cannot list.
    Result<std::optional<std::vector<std::uint64_t>>> ListChunks(const KeyedChunks& chunks) const {
        std::vector<std::uint64_t> numbers;
        const Status listed =
            chunks.ForEachStored([&](std::uint64_t number) { numbers.push_back(number); },
                                 [](std::optional<std::uint64_t> /*size*/) {});
        if (listed.code() == StatusCode::kUnsupported)
            return std::optional<std::vector<std::uint64_t>>();
        if (!listed.ok()) return listed;
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        return std::optional(std::move(numbers));
    }

    Status WriteChunks(std::size_t index) {
        const ArrayNode& array = arrays_[index];
        const KeyedChunks chunks(hierarchy_.store(), array.path, array.metadata, array.counts);
        ZARR_ASSIGN_OR_RETURN(const auto listed, ListChunks(chunks));
        const std::uint64_t count = listed ? listed->size() : array.chunks;
        if (count > LimitOf(Limit::kReferences))
            return OverLimit(Limit::kReferences,
                             "/" + array.path + ": the array has too many chunks");
        for (std::uint64_t first = 0; first < count; first += kBatch) {
            const double done = static_cast<double>(first) / static_cast<double>(count);
            ZARR_RETURN_IF_ERROR(
                Report((static_cast<double>(index) + done) / static_cast<double>(arrays_.size())));
            std::vector<std::uint64_t> numbers;
            for (std::uint64_t i = first; i < count && i - first < kBatch; ++i)
                numbers.push_back(listed ? (*listed)[static_cast<std::size_t>(i)] : i);
            ZARR_RETURN_IF_ERROR(WriteBatch(array, chunks, numbers, listed.has_value()));
        }
        return {};
    }

    Status WriteBatch(const ArrayNode& array, const KeyedChunks& chunks,
                      const std::vector<std::uint64_t>& numbers, bool is_listed) {
        std::vector<Reference> found(numbers.size());
        const auto find = [&](std::size_t i) -> Status {
            ZARR_ASSIGN_OR_RETURN(const std::string key, chunks.KeyOf(chunks.IndexOf(numbers[i])));
            ZARR_ASSIGN_OR_RETURN(found[i], find_(key, is_listed));
            return {};
        };
        const StoreTraits traits = store_.Traits();
        ZARR_RETURN_IF_ERROR(
            ParallelFor(numbers.size(), traits.remote ? traits.concurrent_reads : 1, find));
        const std::string path = Renamed(array.path);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (found[i].kind == Reference::Kind::kAbsent) continue;
            // References must have the chunk key separator that the metadata states. In the store,
            // the key may have another separator.
            const std::string key =
                ChunkKey(path, chunks.IndexOf(numbers[i]), array.metadata.key_encoding());
            ZARR_RETURN_IF_ERROR(writer_.AddChunk({path, key, numbers[i]}, found[i]));
        }
        return {};
    }

    const Hierarchy& hierarchy_;
    const Store& store_;
    const ReferenceExport& part_;
    const ReferenceFinder& find_;
    ReferenceWriter& writer_;
    const ExportProgress& progress_;
    std::vector<std::string> groups_;
    std::vector<ArrayNode> arrays_;
    std::uint64_t most_chunks_ = 0;
};

}  // namespace

Status ExportReferences(const Hierarchy& hierarchy, const ReferenceExport& part,
                        const ReferenceFinder& find, ReferenceWriter& writer,
                        const ExportProgress& progress) {
    return Exporter(hierarchy, part, find, writer, progress).Run();
}

}  // namespace zarr
