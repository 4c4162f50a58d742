// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/base/text.h"
#include "core/grid/chunk_grid.h"
#include "core/hierarchy/tree.h"
#include "core/json/value.h"
#include "core/metadata/v2_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// The normal form of a path that a node can have.
Result<std::string> NodePath(std::string_view path) {
    ZARR_ASSIGN_OR_RETURN(std::string normal, NormalizePath(path));
    std::size_t depth = 0;
    for (std::string_view rest = normal; !rest.empty(); rest = ParentPath(rest), ++depth)
        if (IsDocument(LastName(rest)))
            return Status::Invalid(Quoted(normal) + ": no node can be called " +
                                   std::string(LastName(rest)));
    if (depth > kMaxGroupDepth + 1)
        return Status::Limit(normal.substr(0, 80) + "...: groups nest more than " +
                             std::to_string(kMaxGroupDepth) + " levels deep");
    ZARR_RETURN_IF_ERROR(CheckKey(DocumentKey(normal, Document::kConsolidated)));
    return normal;
}

// The paths from the root to `path`, both included.
std::vector<std::string> PathsTo(const std::string& path) {
    std::vector<std::string> paths{path};
    while (!paths.back().empty()) paths.emplace_back(ParentPath(paths.back()));
    std::reverse(paths.begin(), paths.end());
    return paths;
}

// OccupantAt() a path that is to be changed, where it can be.
Result<NodeKind> KindToChange(const Store& store, const std::string& path) {
    ZARR_RETURN_IF_ERROR(CheckNoV1Array(store, path));
    return OccupantAt(store, path);
}

Result<bool> Exists(const Store& store, const std::string& key) {
    Buffer ignored;
    return store.GetRange(key, 0, 1, ignored);
}

Status NotEmpty(const std::string& path) {
    return Status::Invalid(Quoted(path) + ": there is a node or something else already");
}

Status NothingThere(const std::string& path) {
    return Status::NotFound(Quoted(path) + ": there is no such node");
}

Status NoObject(const std::string& key, const json::Value& got) {
    return Status::Invalid(key + ": expected an object, got " + json::Brief(got));
}

void EraseMember(json::Object& object, const std::string& name) {
    object.erase(std::remove_if(object.begin(), object.end(),
                                [&](const json::Member& member) { return member.first == name; }),
                 object.end());
}

// Does to `object` what leads from `before` to `after`, which is an object.
void ApplyChange(const json::Object& before, const json::Value& after, json::Object& object) {
    const json::Value old(before);
    for (const json::Member& member : before)
        if (after.Find(member.first) == nullptr) EraseMember(object, member.first);
    for (const json::Member& member : *after.as_object()) {
        const json::Value* const was = old.Find(member.first);
        if (was != nullptr && json::Dump(*was) == json::Dump(member.second)) continue;
        EraseMember(object, member.first);
        object.push_back(member);
    }
}

// Writes the documents of an array, the one that makes it last.
Status PutNewArray(Store& store, NczarrDocuments& nczarr, const std::string& path,
                   const ArrayMetadata& metadata, const json::Object& attributes) {
    NczarrDocuments::NewArray array{metadata.document, attributes};
    ZARR_ASSIGN_OR_RETURN(const bool is_nczarr, nczarr.DescribeArray(path, array));
    const auto text_of = [](json::Object& members) {
        return json::DumpIndented(json::Value(std::move(members)));
    };
    const std::string key = DocumentKey(path, Document::kAttributes);
    ZARR_RETURN_IF_ERROR(array.attributes.empty()
                             ? store.Erase(key)
                             : store.Set(key, ByteSpan(text_of(array.attributes))));
    ZARR_RETURN_IF_ERROR(
        store.Set(DocumentKey(path, Document::kArray), ByteSpan(text_of(array.document))));
    return is_nczarr ? nczarr.List(path) : Status();
}

}  // namespace

Result<bool> HierarchyWriter::Holds(const std::string& key, std::string_view text) const {
    Buffer value;
    const auto found = store_->Get(key, value, text.size());
    // What is too large is another text.
    if (!found.ok() && found.status().code() == StatusCode::kLimit) return false;
    if (!found.ok()) return found.status();
    return *found && std::as_const(value).span().text() == text;
}

Status HierarchyWriter::SetText(const std::string& key, std::string_view text) {
    return store_->Set(key, ByteSpan(text));
}

Status HierarchyWriter::EraseConsolidated(const std::string& path) {
    for (const std::string& group : PathsTo(path)) {
        const std::string key = DocumentKey(group, Document::kConsolidated);
        touched_.insert(group);
        ZARR_ASSIGN_OR_RETURN(const bool exists, Exists(*store_, key));
        if (!exists) continue;
        erased_.insert(group);
        ZARR_RETURN_IF_ERROR(store_->Erase(key));
    }
    return {};
}

Status HierarchyWriter::CheckPlace(const std::string& path) const {
    ZARR_RETURN_IF_ERROR(CheckNoV1Array(*store_, path));
    if (path.empty()) return {};
    for (const std::string& group : PathsTo(std::string(ParentPath(path)))) {
        const std::string key = DocumentKey(group, Document::kArray);
        ZARR_ASSIGN_OR_RETURN(const bool is_array, Exists(*store_, key));
        if (is_array)
            return Status::Invalid(key + ": is an array, which cannot hold " + Quoted(path));
        ZARR_RETURN_IF_ERROR(CheckNoV1Array(*store_, group));
    }
    return {};
}

Status HierarchyWriter::MakeGroups(const std::string& path) {
    const std::string text = GroupText();
    bool has_made = false;
    for (const std::string& group : PathsTo(path)) {
        const std::string key = DocumentKey(group, Document::kGroup);
        ZARR_ASSIGN_OR_RETURN(const bool exists, Exists(*store_, key));
        if (exists) continue;
        ZARR_RETURN_IF_ERROR(EraseConsolidated(path));
        ZARR_RETURN_IF_ERROR(SetText(key, text));
        if (group.empty()) nczarr_.IsNew();
        has_made = true;
    }
    return has_made ? nczarr_.List(path) : Status();
}

Status HierarchyWriter::CreateGroup(std::string_view path) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string group, NodePath(path));
    ZARR_RETURN_IF_ERROR(CheckPlace(group));
    const std::string key = DocumentKey(group, Document::kArray);
    ZARR_ASSIGN_OR_RETURN(const bool is_array, Exists(*store_, key));
    if (is_array) return Status::Invalid(key + ": is an array already");
    return MakeGroups(group);
}

Result<bool> HierarchyWriter::IsOccupied(const std::string& path) const {
    for (const Document document : {Document::kArray, Document::kGroup}) {
        ZARR_ASSIGN_OR_RETURN(const bool exists, Exists(*store_, DocumentKey(path, document)));
        if (exists) return true;
    }
    const auto entries = store_->List(path);
    if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported) return false;
    if (!entries.ok()) return entries.status();
    // A `.zattrs` alone is what a creation that failed leaves.
    return std::any_of(entries->begin(), entries->end(),
                       [](const StoreEntry& entry) { return entry.is_prefix; });
}

Result<bool> HierarchyWriter::EraseStrayChunks(const std::string& path) {
    const auto entries = store_->List(path);
    if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported) return false;
    if (!entries.ok()) return entries.status();
    bool found = false;
    for (const StoreEntry& entry : *entries) {
        if (entry.is_prefix || !LooksLikeChunk(entry.name)) continue;
        found = true;
        ZARR_RETURN_IF_ERROR(store_->Erase(JoinKey(path, entry.name)));
    }
    return found;
}

Status HierarchyWriter::EraseNode(const std::string& path) {
    ZARR_RETURN_IF_ERROR(EraseTree(*store_, path));
    for (auto it = erased_.begin(); it != erased_.end();)
        it = IsAtOrBelow(*it, path) ? erased_.erase(it) : std::next(it);
    return {};
}

Status HierarchyWriter::CreateArray(std::string_view path, const ArrayMetadata& metadata,
                                    const json::Object& attributes, IfExists if_exists) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string array, NodePath(path));
    ZARR_RETURN_IF_ERROR(CheckPlace(array));
    ZARR_ASSIGN_OR_RETURN(const bool is_occupied, IsOccupied(array));
    if (is_occupied && (if_exists == IfExists::kFail || array.empty())) return NotEmpty(array);
    ZARR_RETURN_IF_ERROR(EraseConsolidated(array));
    if (is_occupied) ZARR_RETURN_IF_ERROR(EraseNode(array));
    ZARR_RETURN_IF_ERROR(EraseStrayChunks(array).status());
    if (!array.empty()) ZARR_RETURN_IF_ERROR(MakeGroups(std::string(ParentPath(array))));
    return PutNewArray(*store_, nczarr_, array, metadata, attributes);
}

Status HierarchyWriter::SetAttributes(std::string_view path, const json::Value& attributes) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    const std::string key = DocumentKey(node, Document::kAttributes);
    if (attributes.as_object() == nullptr) return NoObject(key, attributes);
    ZARR_ASSIGN_OR_RETURN(const auto held, AcquireIfAny(locks_, key));
    return ReplaceAttributes(node, attributes);
}

Status HierarchyWriter::ChangeAttributes(std::string_view path, const json::Value& before,
                                         const json::Value& after) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    const std::string key = DocumentKey(node, Document::kAttributes);
    for (const json::Value* attributes : {&before, &after})
        if (attributes->as_object() == nullptr) return NoObject(key, *attributes);
    ZARR_ASSIGN_OR_RETURN(const auto held, AcquireIfAny(locks_, key));
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, text));
    json::Value stored{json::Object{}};
    if (found) {
        ZARR_ASSIGN_OR_RETURN(stored,
                              ParseAttributes(std::as_const(text).span().text()).WithContext(key));
    }
    ApplyChange(*before.as_object(), after, *stored.as_object());
    return ReplaceAttributes(node, stored);
}

Status HierarchyWriter::ReplaceAttributes(const std::string& node, const json::Value& attributes) {
    ZARR_ASSIGN_OR_RETURN(const json::Value stored, nczarr_.AsStored(node, attributes));
    const std::string key = DocumentKey(node, Document::kAttributes);
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, KindToChange(*store_, node));
    if (kind == NodeKind::kNone) return NothingThere(node);
    if (stored.as_object()->empty()) {
        ZARR_ASSIGN_OR_RETURN(const bool exists, Exists(*store_, key));
        if (!exists) return {};
        ZARR_RETURN_IF_ERROR(EraseConsolidated(node));
        return store_->Erase(key);
    }
    const std::string text = json::DumpIndented(stored);
    ZARR_ASSIGN_OR_RETURN(const bool is_same, Holds(key, text));
    if (is_same) return {};
    ZARR_RETURN_IF_ERROR(EraseConsolidated(node));
    return SetText(key, text);
}

Status HierarchyWriter::ReplaceMetadata(std::string_view path, ArrayMetadata metadata) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string array, NodePath(path));
    const std::string key = DocumentKey(array, Document::kArray);
    ZARR_ASSIGN_OR_RETURN(const auto held, AcquireIfAny(locks_, key));
    Buffer stored;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, stored));
    if (!found) return Status::NotFound(key + ": there is no such array");
    const auto old = json::Parse(std::as_const(stored).span().text());
    if (!old.ok()) return old.status().WithContext(key);
    if (const json::Object* members = old->as_object()) AddUndefined(*members, metadata);
    const std::string text = ArrayText(metadata);
    if (text == std::as_const(stored).span().text()) return {};
    ZARR_RETURN_IF_ERROR(EraseConsolidated(array));
    ZARR_RETURN_IF_ERROR(SetText(key, text));
    return nczarr_.UpdateForShape(array, metadata.shape);
}

Status HierarchyWriter::DeleteNode(std::string_view path) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    if (node.empty()) return Status::Invalid("the root cannot be deleted");
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, KindToChange(*store_, node));
    if (kind == NodeKind::kNone) {
        ZARR_ASSIGN_OR_RETURN(const bool found, EraseStrayChunks(node));
        if (!found) return NothingThere(node);
        return store_->ErasePrefix(node).status();
    }
    ZARR_RETURN_IF_ERROR(store_->List(node).status());  // before anything is gone
    ZARR_RETURN_IF_ERROR(EraseConsolidated(std::string(ParentPath(node))));
    ZARR_RETURN_IF_ERROR(nczarr_.Unlist(node));
    return EraseNode(node);
}

Status HierarchyWriter::MoveNode(const std::string& path, const std::string& target) {
    ZARR_RETURN_IF_ERROR(store_->ErasePrefix(target).status());
    ZARR_ASSIGN_OR_RETURN(const bool is_done, store_->RenamePrefix(path, target));
    if (is_done) return {};
    Status copied = CopyTree({*store_, path}, {*store_, target});
    if (!copied.ok()) {
        static_cast<void>(EraseTree(*store_, target));
        return copied;
    }
    return EraseTree(*store_, path);
}

Status HierarchyWriter::RenameNode(std::string_view path, std::string_view new_name) {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    if (node.empty()) return Status::Invalid("the root cannot be renamed");
    if (!IsValidKey(new_name) || new_name.find('/') != std::string_view::npos)
        return Status::Invalid(Quoted(new_name) + ": not a valid name");
    ZARR_ASSIGN_OR_RETURN(const std::string target, NodePath(JoinKey(ParentPath(node), new_name)));
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, KindToChange(*store_, node));
    if (kind == NodeKind::kNone) return NothingThere(node);
    if (target == node) return {};
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> taken, store_->List(target));
    if (!taken.empty()) return NotEmpty(target);
    ZARR_RETURN_IF_ERROR(EraseConsolidated(std::string(ParentPath(node))));
    ZARR_RETURN_IF_ERROR(nczarr_.Unlist(node));
    ZARR_RETURN_IF_ERROR(MoveNode(node, target));
    ZARR_RETURN_IF_ERROR(nczarr_.UpdateForRename(node, target));
    ZARR_RETURN_IF_ERROR(nczarr_.List(target));
    std::set<std::string> erased;
    for (const std::string& group : erased_)
        erased.insert(IsAtOrBelow(group, node) ? target + group.substr(node.size()) : group);
    erased_ = std::move(erased);
    return {};
}

Status HierarchyWriter::WriteConsolidatedAt(const std::string& path, IfAbsent if_absent) {
    const std::string key = DocumentKey(path, Document::kConsolidated);
    // What one writer has gathered must not come after what another gathered later. Whether it is
    // the store is asked under the lock too: its holder may be about to write metadata that lack a
    // change.
    std::unique_ptr<Synchronizer::Lock> held;
    if (if_absent == IfAbsent::kLeave) {
        if (locks_ != nullptr) {
            ZARR_ASSIGN_OR_RETURN(held, locks_->AcquireIfKnown(key));
        }
        ZARR_ASSIGN_OR_RETURN(const bool exists, Exists(*store_, key));
        if (!exists) return {};
    }
    if (held == nullptr) {
        ZARR_ASSIGN_OR_RETURN(held, AcquireIfAny(locks_, key));
    }
    // Looked at again after it was written: another writer may have changed something between. One
    // that goes on and on does the same when it is done.
    constexpr int kTries = 10;
    for (int i = 0; i < kTries; ++i) {
        ZARR_ASSIGN_OR_RETURN(const std::string text,
                              ConsolidatedText(*store_, path).WithContext(key));
        // The store was deleted meanwhile, and is not to come back as an empty one.
        if (text.empty()) break;
        ZARR_ASSIGN_OR_RETURN(const bool is_same, Holds(key, text));
        if (is_same) break;
        ZARR_RETURN_IF_ERROR(SetText(key, text));
    }
    erased_.erase(path);
    return {};
}

Status HierarchyWriter::Consolidate() {
    const std::lock_guard lock(mutex_);
    return WriteConsolidatedAt("", IfAbsent::kWrite);
}

Status HierarchyWriter::Finish() {
    const std::lock_guard lock(mutex_);
    std::set<std::string> groups;
    if (consolidated_ != WriteConsolidated::kNo) groups = erased_;
    if (consolidated_ == WriteConsolidated::kYes) groups.insert("");
    for (const std::string& group : groups)
        ZARR_RETURN_IF_ERROR(WriteConsolidatedAt(group, IfAbsent::kWrite));
    // Consolidated metadata that exist by now were made by another writer, which may not have seen
    // these changes.
    for (const std::string& group : touched_)
        if (groups.count(group) == 0)
            ZARR_RETURN_IF_ERROR(WriteConsolidatedAt(group, IfAbsent::kLeave));
    touched_.clear();
    erased_.clear();
    return {};
}

namespace {

using Shape = std::vector<std::uint64_t>;

Status WriteFill(ArrayWriter& writer, const Region& region, std::size_t threads) {
    const ArrayMetadata& metadata = writer.array().metadata();
    if (metadata.dtype.kind == DataKind::kObject) {
        const std::vector<std::string> texts(static_cast<std::size_t>(region.size()),
                                             metadata.fill_value.held());
        return writer.WriteObjects(region, texts, threads);
    }
    std::string fill = metadata.fill_value.Bytes();
    auto* const element = reinterpret_cast<std::uint8_t*>(fill.data());
    SwapElements(metadata.dtype, element, 1);
    const Source source{element, Strides(metadata.rank(), 0), CopyConverter(metadata.dtype.size)};
    return writer.Write(region, 0, source, threads);
}

// Fills what lies beyond the new edge in the chunks that it cuts through.
Status FillBeyond(ArrayWriter& writer, const Shape& shape, std::size_t threads) {
    const ArrayMetadata& metadata = writer.array().metadata();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] >= metadata.shape[axis]) continue;
        Region beyond;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            beyond.start.push_back(0);
            beyond.count.push_back(std::min(shape[i], metadata.shape[i]));
            beyond.step.push_back(1);
        }
        const std::uint64_t chunk = metadata.chunks[axis];
        const std::uint64_t cut = CeilDiv(shape[axis], chunk) * chunk;
        beyond.start[axis] = shape[axis];
        beyond.count[axis] = std::min(cut, metadata.shape[axis]) - shape[axis];
        // Along the axes that were filled before, the corner too.
        for (std::size_t i = 0; i < axis; ++i)
            beyond.count[i] = std::min(CeilDiv(shape[i], metadata.chunks[i]) * metadata.chunks[i],
                                       metadata.shape[i]);
        if (beyond.size() == 0) continue;
        ZARR_RETURN_IF_ERROR(WriteFill(writer, beyond, threads));
    }
    return writer.Flush(threads);
}

}  // namespace

Status EraseChunksOutside(Store& store, const Array& array, const Shape& shape) {
    Shape counts;
    for (std::size_t i = 0; i < shape.size(); ++i)
        counts.push_back(CeilDiv(shape[i], array.metadata().chunks[i]));
    return array.chunks().EraseOutside(store, counts);
}

Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer, const Shape& shape,
                   std::size_t threads) {
    const Array& array = writer.array();
    const ArrayMetadata& old = array.metadata();
    ZARR_ASSIGN_OR_RETURN(
        ArrayMetadata resized,
        WithShape(old, shape).WithContext(DocumentKey(array.path(), Document::kArray)));
    if (shape == old.shape) return {};
    // Chunks that were left outside of the old shape would reappear inside of the new one.
    ZARR_RETURN_IF_ERROR(EraseChunksOutside(store, array, old.shape));
    ZARR_RETURN_IF_ERROR(FillBeyond(writer, shape, threads));
    ZARR_RETURN_IF_ERROR(metadata.ReplaceMetadata(array.path(), std::move(resized)));
    return EraseChunksOutside(store, array, shape);
}

}  // namespace zarr
