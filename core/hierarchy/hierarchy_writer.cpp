// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/grid/chunk_grid.h"
#include "core/grid/row_major.h"
#include "core/hierarchy/tree.h"
#include "core/json/value.h"
#include "core/metadata/former_documents.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Returns the normal form of `path`; an error if a name in `path` is reserved or the path is too
// deep.
Result<std::string> NodePath(std::string_view path) {
    ZARR_ASSIGN_OR_RETURN(std::string normal, NormalizePath(path));
    std::size_t depth = 0;
    for (std::string_view rest = normal; !rest.empty(); rest = ParentPath(rest), ++depth)
        if (IsDocument(LastName(rest)))
            return Status::Invalid(Quoted(normal) + ": no array or group can have the name " +
                                   std::string(LastName(rest)));
    if (depth > kMaxGroupDepth + 1)
        return Status::Limit(normal.substr(0, 80) + "...: groups nest more than " +
                             std::to_string(kMaxGroupDepth) + " levels deep");
    ZARR_RETURN_IF_ERROR(CheckKey(DocumentKey(normal, Document::kConsolidated)));
    return normal;
}

// Returns the paths of all groups above `path`, from the root down, and `path` itself at the end.
std::vector<std::string> PathsTo(const std::string& path) {
    std::vector<std::string> paths{path};
    while (!paths.back().empty()) paths.emplace_back(ParentPath(paths.back()));
    std::reverse(paths.begin(), paths.end());
    return paths;
}

// Returns KindForWriting() of `path` for a caller that will change the node. Returns kUnsupported
// for a Zarr v1 array, which is read-only.
Result<NodeKind> KindToChange(const Store& store, const std::string& path, Format format) {
    if (format != Format::kV3) ZARR_RETURN_IF_ERROR(CheckNoV1Array(store, path));
    return KindForWriting(store, path, format);
}

Status NotEmpty(const std::string& path) {
    return Status::Invalid(Quoted(path) + ": an array, a group or other keys already exist");
}

Status NothingThere(const std::string& path) {
    return Status::NotFound(Quoted(path) + ": there is no such array or group");
}

// Calls `work`, which makes the node at `path`, and names the node in `nodes` meanwhile. `write`
// stores the intent. If the process is killed, the next writer removes the rest of the node.
template <class Nodes, class Write, class Work>
Status AsOne(Nodes& nodes, const std::string& path, Write&& write, Work&& work) {
    if (path.empty()) return work();
    nodes[path] = std::nullopt;
    const Status begun = write();
    if (!begun.ok()) nodes.erase(path);
    ZARR_RETURN_IF_ERROR(begun);
    const Status done = work();
    nodes.erase(path);
    const Status written = write();
    return done.ok() ? written : done;
}

// True if NczarrDocuments changes the document, too.
bool IsOfNczarrToo(const ChangeIntent::Document& document) {
    return document.after.compare(0, 1, "*") == 0;
}

Status NoObject(const std::string& key, const json::Value& got) {
    return Status::Invalid(key + ": expected an object, got " + json::Brief(got));
}

}  // namespace

Result<NodeDocuments*> HierarchyWriter::Documents() const {
    if (!documents_) {
        ZARR_ASSIGN_OR_RETURN(const Format format, FormatOfStore(*store_));
        if (format != Format::kV3) ZARR_RETURN_IF_ERROR(nczarr_.Learn());
        documents_.emplace(*store_, nczarr_, format);
    }
    return &*documents_;
}

void HierarchyWriter::UseLock(LockTarget target, const LockWait& wait) {
    intent_file_.reset();
    if (!target.path.empty()) intent_file_.emplace(target.path, nullptr);
    lock_target_ = std::move(target);
    lock_wait_ = wait;
}

Result<StoreLock> HierarchyWriter::Lock() { return LockWithin(lock_wait_); }

Result<StoreLock> HierarchyWriter::LockWithin(const LockWait& wait) {
    if (!lock_target_) return StoreLock();
    const bool is_nested = StoreLock::IsHeldByThisThread(*lock_target_);
    ZARR_ASSIGN_OR_RETURN(StoreLock lock, StoreLock::Take(*lock_target_, wait));
    if (!is_nested) ZARR_RETURN_IF_ERROR(Recover());
    return lock;
}

Status HierarchyWriter::Recover() {
    const std::lock_guard lock(mutex_);
    if (!intent_file_) return {};
    const auto left = intent_file_->Find();
    if (!left || !left->HasChange()) return {};
    const ChangeScope change(*store_);
    ZARR_RETURN_IF_ERROR(Restore(*left));
    // Finish() writes the consolidated metadata. It may fail, which must prevent no change.
    adopted_.insert(left->consolidated.begin(), left->consolidated.end());
    return WriteIntent();
}

Result<std::optional<std::string>> HierarchyWriter::OwnDocument(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    for (const Document document : {Document::kArray, Document::kGroup}) {
        ZARR_ASSIGN_OR_RETURN(auto text, documents->Text(documents->KeyOf(path, document)));
        if (text) return text;
    }
    return std::optional<std::string>();
}

std::string HierarchyWriter::FolderOf(const std::string& key) const {
    if (!intent_file_) return {};
    return FolderIdentity(JoinKey(lock_target_->path, ParentPath(key)));
}

void HierarchyWriter::Remember(const std::string& key, std::optional<std::string> before) {
    ChangeIntent::Document& document = changing_[key];
    document.before = std::move(before);
    document.folder = FolderOf(key);
}

Result<HierarchyWriter::Undoing> HierarchyWriter::UndoingOf(
    const std::string& key, const ChangeIntent::Document& document) {
    if (!document.folder.empty() && document.folder != FolderOf(key)) return Undoing{true, {}};
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    ZARR_ASSIGN_OR_RETURN(const auto text, documents->Text(key));
    const bool is_shared = IsOfNczarrToo(document);
    const auto digest = [&](const std::optional<std::string>& of) {
        return DigestOfDocument(is_shared ? WithFormerNczarr(of, std::nullopt) : of);
    };
    const bool is_own = digest(text) == digest(document.before) ||
                        document.after.find(digest(text) + " ") != std::string::npos;
    if (is_own) return Undoing{false, NodeDocuments::Change{key, document.before, std::nullopt}};
    if (is_shared)
        return Undoing{false, NodeDocuments::Change{key, WithFormerNczarr(text, document.before),
                                                    std::nullopt}};
    // Another program has changed the document. Of an array, the shape must fit to those of others.
    auto former = text ? WithFormerShape(*text, document.before, document.shapes) : std::nullopt;
    if (former) return Undoing{false, NodeDocuments::Change{key, std::move(former), std::nullopt}};
    const std::string shape = ShapeInDocument(text);
    return Undoing{shape != ShapeInDocument(document.before), {}};
}

Result<bool> HierarchyWriter::HasReplacedNode(const ChangeIntent& intent) {
    for (const auto& [key, document] : intent.documents) {
        ZARR_ASSIGN_OR_RETURN(const Undoing undoing, UndoingOf(key, document));
        if (undoing.is_replaced) return true;
    }
    return false;
}

Status HierarchyWriter::Restore(const ChangeIntent& intent) {
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    for (const auto& [key, document] : intent.documents) {
        ZARR_ASSIGN_OR_RETURN(const Undoing undoing, UndoingOf(key, document));
        if (undoing.change) ZARR_RETURN_IF_ERROR(documents->Apply(*undoing.change));
    }
    for (const auto& [path, before] : intent.nodes) {
        ZARR_ASSIGN_OR_RETURN(const auto text, OwnDocument(path));
        // A node that is complete, or that is another one by now, stays.
        if (text && text != before) continue;
        if (documents->format() != Format::kV3) ZARR_RETURN_IF_ERROR(nczarr_.Unlist(path));
        ZARR_RETURN_IF_ERROR(EraseNode(path));
    }
    return {};
}

Status HierarchyWriter::WriteIntent(std::string_view key) {
    if (!intent_file_) return {};
    ChangeIntent intent;
    intent.consolidated = adopted_;
    if (consolidated_ != WriteConsolidated::kNo)
        intent.consolidated.insert(erased_.begin(), erased_.end());
    intent.documents = changing_;
    intent.nodes = nodes_;
    intent.copy = intent_file_->FindCopy();  // CopyRecord removes it
    const Status written = intent_file_->Write(intent);
    return key.empty() ? written : written.WithContext(key);
}

Status HierarchyWriter::BeginChange(const std::vector<std::string>& paths) {
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    for (const std::string& path : paths) {
        // Consolidated metadata of a group is in its document in Zarr v3. It is erased first, so
        // that the recorded texts of groups lack it.
        ZARR_RETURN_IF_ERROR(EraseConsolidated(path));
        for (const std::string& key : documents->KeysThatChangeWith(path)) {
            ZARR_ASSIGN_OR_RETURN(auto before, documents->Text(key));
            Remember(key, std::move(before));
            // Documents of groups are changed by NczarrDocuments, not by Change().
            if (ParentPath(key) != path) changing_[key].after = "*";
        }
    }
    return WriteIntent(changing_.empty() ? std::string() : changing_.begin()->first);
}

Status HierarchyWriter::EndChange() {
    const std::lock_guard lock(mutex_);
    auto changed = std::exchange(changing_, {});
    Status ended = WriteIntent();
    if (!ended.ok()) changing_ = std::move(changed);  // UndoChange() needs it
    return ended;
}

Status HierarchyWriter::UndoChange() {
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ChangeIntent intent;
    intent.documents = changing_;
    ZARR_ASSIGN_OR_RETURN(const bool is_replaced, HasReplacedNode(intent));
    if (!is_replaced) ZARR_RETURN_IF_ERROR(Restore(intent));
    changing_.clear();
    ZARR_RETURN_IF_ERROR(WriteIntent());
    return is_replaced ? Status::Invalid("other documents have been written meanwhile") : Status();
}

Status HierarchyWriter::EraseConsolidated(const std::string& path, std::string_view key,
                                          bool is_recorded) {
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    std::vector<std::string> present;
    for (const std::string& group : PathsTo(path)) {
        touched_.insert(group);
        ZARR_ASSIGN_OR_RETURN(const bool exists, documents->HasConsolidated(group));
        if (exists) present.push_back(group);
    }
    if (present.empty()) return {};
    erased_.insert(present.begin(), present.end());
    const Status written =
        WriteIntent(key.empty() ? documents->KeyOf(present.front(), Document::kConsolidated) : key);
    if (is_recorded) ZARR_RETURN_IF_ERROR(written);
    for (const std::string& group : present)
        ZARR_RETURN_IF_ERROR(documents->EraseConsolidated(group));
    return {};
}

Status HierarchyWriter::CheckPlace(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    const bool may_be_v1 = documents->format() != Format::kV3;
    if (may_be_v1) ZARR_RETURN_IF_ERROR(CheckNoV1Array(*store_, path));
    if (path.empty()) return {};
    for (const std::string& group : PathsTo(std::string(ParentPath(path)))) {
        ZARR_ASSIGN_OR_RETURN(const bool is_array, documents->IsArray(group));
        if (is_array)
            return Status::Invalid(documents->KeyOf(group, Document::kArray) +
                                   ": is an array, so " + Quoted(path) +
                                   " cannot be created inside it");
        if (may_be_v1) ZARR_RETURN_IF_ERROR(CheckNoV1Array(*store_, group));
    }
    return {};
}

Status HierarchyWriter::MakeGroups(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    for (const std::string& group : PathsTo(path)) {
        ZARR_ASSIGN_OR_RETURN(const bool exists, documents->IsGroup(group));
        if (exists) continue;
        ZARR_RETURN_IF_ERROR(EraseConsolidated(path));
        ZARR_RETURN_IF_ERROR(documents->MakeGroup(group));
        if (group.empty()) nczarr_.IsNew();
    }
    // The group is added to NCZarr's lists even if the group exists. An earlier call may have
    // created the group and failed before it changed the lists.
    return documents->format() != Format::kV3 ? nczarr_.List(path) : Status();
}

Result<Format> HierarchyWriter::StoreFormat() {
    const std::lock_guard lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    return documents->format();
}

Status HierarchyWriter::CreateGroup(std::string_view path) {
    // Taken before the mutex, which another thread that holds the store's lock may need.
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string group, NodePath(path));
    ZARR_RETURN_IF_ERROR(CheckPlace(group));
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    ZARR_ASSIGN_OR_RETURN(const bool is_array, documents->IsArray(group));
    if (is_array)
        return Status::Invalid(documents->KeyOf(group, Document::kArray) +
                               ": an array already exists");
    if (!group.empty()) {
        ZARR_ASSIGN_OR_RETURN(const bool is_occupied, IsOccupied(group));
        if (!is_occupied) ZARR_RETURN_IF_ERROR(EraseStrayChunks(group).status());
    }
    return MakeGroups(group);
}

Result<bool> HierarchyWriter::IsOccupied(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    ZARR_ASSIGN_OR_RETURN(const bool is_array, documents->IsArray(path));
    if (is_array) return true;
    ZARR_ASSIGN_OR_RETURN(const bool is_group, documents->IsGroup(path));
    if (is_group) return true;
    const auto entries = store_->List(path);
    if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported) return false;
    if (!entries.ok()) return entries.status();
    // Without a prefix directly below it, `path` counts as free. Keys such as a `.zattrs` are
    // left-overs of a failed creation.
    if (std::none_of(entries->begin(), entries->end(),
                     [](const StoreEntry& entry) { return entry.is_prefix; }))
        return false;
    ZARR_ASSIGN_OR_RETURN(const bool is_left_over, HasOnlyStrayChunks(*store_, path));
    return !is_left_over;
}

Result<bool> HierarchyWriter::EraseStrayChunks(const std::string& path) {
    const auto entries = store_->List(path);
    if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported) return false;
    if (!entries.ok()) return entries.status();
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    const bool may_have_prefix = documents->format() == Format::kV3;
    bool found = false;
    for (const StoreEntry& entry : *entries) {
        const bool is_chunk =
            LooksLikeChunk(entry.name) || (may_have_prefix && LooksLikeChunk(entry.name, true));
        if (!entry.is_prefix && !is_chunk) continue;
        found = true;
        const std::string key = JoinKey(path, entry.name);
        ZARR_RETURN_IF_ERROR(entry.is_prefix ? EraseTree(*store_, key) : store_->Erase(key));
    }
    return found;
}

Status HierarchyWriter::EraseNode(const std::string& path) {
    ZARR_RETURN_IF_ERROR(EraseTree(*store_, path));
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    documents->ForgetBelow(path);
    for (std::set<std::string>* const groups : {&erased_, &adopted_})
        for (auto it = groups->begin(); it != groups->end();)
            it = IsAtOrBelow(*it, path) ? groups->erase(it) : std::next(it);
    return {};
}

Status HierarchyWriter::CreateArray(std::string_view path, const ArrayMetadata& metadata,
                                    const json::Object& attributes, IfExists if_exists) {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string array, NodePath(path));
    ZARR_RETURN_IF_ERROR(CheckPlace(array));
    ZARR_ASSIGN_OR_RETURN(const bool is_occupied, IsOccupied(array));
    if (is_occupied && (if_exists == IfExists::kFail || array.empty())) return NotEmpty(array);
    ZARR_RETURN_IF_ERROR(EraseConsolidated(array));
    if (is_occupied) ZARR_RETURN_IF_ERROR(EraseNode(array));
    ZARR_RETURN_IF_ERROR(EraseStrayChunks(array).status());
    if (!array.empty()) ZARR_RETURN_IF_ERROR(MakeGroups(std::string(ParentPath(array))));
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    // In Zarr v3, one document makes the array.
    if (documents->format() == Format::kV3)
        return documents->MakeArray(array, metadata, attributes);
    return AsOne(
        nodes_, array, [&] { return WriteIntent(array); },
        [&] { return documents->MakeArray(array, metadata, attributes); });
}

Status HierarchyWriter::SetAttributes(std::string_view path, const json::Value& attributes) {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    const std::string key = documents->KeyOf(node, Document::kAttributes);
    if (attributes.as_object() == nullptr) return NoObject(key, attributes);
    ZARR_ASSIGN_OR_RETURN(const auto document_lock, AcquireIfAny(locks_, key));
    return ReplaceAttributes(node, attributes);
}

Status HierarchyWriter::ChangeAttributes(std::string_view path, const AttributeChanges& changes,
                                         const AttributeMerge& merge) {
    if (changes.empty()) return {};
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    const std::string key = documents->KeyOf(node, Document::kAttributes);
    ZARR_ASSIGN_OR_RETURN(const auto document_lock, AcquireIfAny(locks_, key));
    ZARR_ASSIGN_OR_RETURN(json::Value stored, documents->Attributes(node));
    ApplyChanges(changes, merge, *stored.MutableObject());
    return ReplaceAttributes(node, stored);
}

Status HierarchyWriter::ChangeAttributes(std::string_view path, const json::Value& before,
                                         const json::Value& after) {
    for (const json::Value* attributes : {&before, &after}) {
        if (attributes->as_object() != nullptr) continue;
        const std::lock_guard lock(mutex_);
        ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
        ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
        return NoObject(documents->KeyOf(node, Document::kAttributes), *attributes);
    }
    return ChangeAttributes(path, DifferenceOf(before, after));
}

Status HierarchyWriter::ReplaceAttributes(const std::string& node, const json::Value& attributes) {
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, KindToChange(*store_, node, documents->format()));
    if (kind == NodeKind::kNone) return NothingThere(node);
    return Change(node, [&] { return documents->WithAttributes(node, attributes); });
}

Status HierarchyWriter::Change(const std::string& node,
                               const std::function<Result<NodeDocuments::Change>()>& make) {
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    ZARR_ASSIGN_OR_RETURN(NodeDocuments::Change change, make());
    ZARR_ASSIGN_OR_RETURN(const bool is_done, documents->IsDone(change));
    if (is_done) return {};
    ZARR_RETURN_IF_ERROR(EraseConsolidated(node, change.key));
    // In Zarr v3, EraseConsolidated() may have changed the document that `change` replaces, so
    // `change` is made again.
    if (documents->format() == Format::kV3) {
        ZARR_ASSIGN_OR_RETURN(change, make());
    }
    if (!changing_.empty()) {
        if (changing_.count(change.key) == 0) {
            if (!change.before) {
                ZARR_ASSIGN_OR_RETURN(change.before, documents->Text(change.key));
            }
            Remember(change.key, change.before);
        }
        ChangeIntent::Document& changed = changing_[change.key];
        changed.after +=
            DigestOfDocument(IsOfNczarrToo(changed) ? WithFormerNczarr(change.text, std::nullopt)
                                                    : change.text) +
            " ";
        if (auto shape = ShapeInDocument(change.text); !shape.empty())
            changed.shapes.insert(std::move(shape));
        ZARR_RETURN_IF_ERROR(WriteIntent(change.key));
    }
    return documents->Apply(change);
}

Status HierarchyWriter::ReplaceMetadata(std::string_view path, const ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string array, NodePath(path));
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    ZARR_ASSIGN_OR_RETURN(const auto document_lock,
                          AcquireIfAny(locks_, documents->KeyOf(array, Document::kArray)));
    NoteOwnMetadata(*store_, array, metadata);
    ZARR_RETURN_IF_ERROR(Change(array, [&] { return documents->WithArray(array, metadata); }));
    return documents->format() != Format::kV3 ? nczarr_.UpdateForShape(array, metadata.shape)
                                              : Status();
}

Status HierarchyWriter::DeleteNode(std::string_view path) {
    return DeleteNodes({std::string(path)});
}

Status HierarchyWriter::DeleteNodes(const std::vector<std::string>& paths) {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const NodeDocuments* const documents, Documents());
    std::map<std::string, std::optional<std::string>> nodes;
    for (const std::string& path : paths) {
        ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
        const Result<bool> is_node = FindForDeletion(node, documents->format());
        if (is_node.status().code() == StatusCode::kNotFound && path != paths.front()) continue;
        ZARR_RETURN_IF_ERROR(is_node.status());
        if (!*is_node) continue;
        ZARR_ASSIGN_OR_RETURN(nodes[node], OwnDocument(node));
    }
    for (const auto& [node, before] : nodes) nodes_[node] = before;
    Status erased = EraseNodes(nodes, documents->format());
    for (const auto& [node, before] : nodes) nodes_.erase(node);
    static_cast<void>(WriteIntent());
    return erased;
}

// Returns true if there is a node, whose keys can be listed. Returns false if only chunks were
// there, which it has erased; kNotFound if nothing was there.
Result<bool> HierarchyWriter::FindForDeletion(const std::string& node, Format format) {
    if (node.empty()) return Status::Invalid("the root cannot be deleted");
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, KindToChange(*store_, node, format));
    if (kind != NodeKind::kNone) {
        // If the store cannot list, the deletion fails here, before anything is erased.
        ZARR_RETURN_IF_ERROR(store_->List(node).status());
        return true;
    }
    ZARR_ASSIGN_OR_RETURN(const bool has_chunks, EraseStrayChunks(node));
    if (!has_chunks) return NothingThere(node);
    ZARR_RETURN_IF_ERROR(store_->ErasePrefix(node).status());
    return false;
}

// Erases the keys of `nodes`, which the intent names.
Status HierarchyWriter::EraseNodes(const std::map<std::string, std::optional<std::string>>& nodes,
                                   Format format) {
    for (const auto& [node, before] : nodes)
        ZARR_RETURN_IF_ERROR(EraseConsolidated(std::string(ParentPath(node)), {}, false));
    // An intent that cannot be stored, such as on a full disk, does not prevent a deletion.
    if (!nodes.empty()) static_cast<void>(WriteIntent());
    for (const auto& [node, before] : nodes) {
        if (format != Format::kV3) ZARR_RETURN_IF_ERROR(nczarr_.Unlist(node));
        ZARR_RETURN_IF_ERROR(EraseNode(node));
    }
    return {};
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

Status HierarchyWriter::CopyNode(const Store& from, std::string_view from_path,
                                 std::string_view path) {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string source, NodePath(from_path));
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    if (node.empty()) return Status::Invalid("the root of a store cannot be the target of a copy");
    ZARR_RETURN_IF_ERROR(CheckPlace(node));
    ZARR_ASSIGN_OR_RETURN(const bool is_occupied, IsOccupied(node));
    if (is_occupied) return NotEmpty(node);
    ZARR_RETURN_IF_ERROR(EraseConsolidated(node));
    ZARR_RETURN_IF_ERROR(EraseStrayChunks(node).status());
    ZARR_RETURN_IF_ERROR(MakeGroups(std::string(ParentPath(node))));
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    if (&from != store_.get()) documents->ForgetAll();
    const auto copy = [&] {
        Status copied = CopyTree({from, source}, {*store_, node});
        if (!copied.ok()) static_cast<void>(EraseTree(*store_, node));
        return copied;
    };
    const auto write_intent = [&] { return WriteIntent(node); };
    ZARR_RETURN_IF_ERROR(AsOne(nodes_, node, write_intent, copy));
    return documents->format() == Format::kV3 ? Status() : nczarr_.List(node);
}

Status HierarchyWriter::RenameNode(std::string_view path, std::string_view new_name) {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    ZARR_ASSIGN_OR_RETURN(const std::string node, NodePath(path));
    if (node.empty()) return Status::Invalid("the root cannot be renamed");
    if (!IsValidKey(new_name) || new_name.find('/') != std::string_view::npos)
        return Status::Invalid(Quoted(new_name) + ": not a valid name of an array or group");
    ZARR_ASSIGN_OR_RETURN(const std::string target, NodePath(JoinKey(ParentPath(node), new_name)));
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    const bool is_v3 = documents->format() == Format::kV3;
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, KindToChange(*store_, node, documents->format()));
    if (kind == NodeKind::kNone) return NothingThere(node);
    if (target == node) return {};
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> taken, store_->List(target));
    if (!taken.empty()) return NotEmpty(target);
    ZARR_RETURN_IF_ERROR(EraseConsolidated(std::string(ParentPath(node))));
    if (!is_v3) ZARR_RETURN_IF_ERROR(nczarr_.Unlist(node));
    documents->ForgetAll();
    ZARR_RETURN_IF_ERROR(MoveNode(node, target));
    if (!is_v3) ZARR_RETURN_IF_ERROR(nczarr_.UpdateForRename(node, target));
    if (!is_v3) ZARR_RETURN_IF_ERROR(nczarr_.List(target));
    std::set<std::string> erased;
    for (const std::string& group : erased_)
        erased.insert(IsAtOrBelow(group, node) ? target + group.substr(node.size()) : group);
    erased_ = std::move(erased);
    return {};
}

Status HierarchyWriter::WriteConsolidatedAt(const std::string& path, IfAbsent if_absent) {
    ZARR_ASSIGN_OR_RETURN(NodeDocuments* const documents, Documents());
    const std::string key = documents->KeyOf(path, Document::kConsolidated);
    // The lock is taken before the store is read, so that a slow writer cannot overwrite newer
    // consolidated metadata. Even the search for consolidated metadata needs the lock, because
    // another writer may be about to write it without this writer's changes.
    std::unique_ptr<Synchronizer::Lock> document_lock;
    if (if_absent == IfAbsent::kLeave) {
        if (locks_ != nullptr) {
            ZARR_ASSIGN_OR_RETURN(document_lock, locks_->AcquireIfKnown(key));
        }
        ZARR_ASSIGN_OR_RETURN(const bool exists, documents->HasConsolidated(path));
        if (!exists) return {};
    }
    if (document_lock == nullptr) {
        ZARR_ASSIGN_OR_RETURN(document_lock, AcquireIfAny(locks_, key));
    }
    // After each write, the consolidated metadata is computed again and compared with the stored
    // text, because another writer may have changed a node meanwhile. After kTries rounds,
    // completing the metadata is left to that writer's Finish().
    constexpr int kTries = 10;
    for (int i = 0; i < kTries; ++i) {
        ZARR_ASSIGN_OR_RETURN(const auto wanted, documents->Consolidated(path));
        // `wanted` is nullopt if the store was deleted meanwhile. Writing would create it anew.
        if (!wanted) break;
        ZARR_ASSIGN_OR_RETURN(const bool is_same, documents->IsDone(*wanted));
        if (is_same) break;
        ZARR_RETURN_IF_ERROR(documents->Apply(*wanted));
    }
    erased_.erase(path);
    return {};
}

Status HierarchyWriter::Consolidate() {
    ZARR_ASSIGN_OR_RETURN(const StoreLock store_lock, Lock());
    const std::lock_guard lock(mutex_);
    const ChangeScope change(*store_);
    return WriteConsolidatedAt("", IfAbsent::kWrite);
}

bool HierarchyWriter::HasOwnWork() {
    const std::lock_guard lock(mutex_);
    const bool is_first = consolidated_ == WriteConsolidated::kYes && !is_finished_;
    return is_first || !touched_.empty() || !erased_.empty() || !adopted_.empty();
}

Status HierarchyWriter::Finish() {
    const bool has_own_work = HasOwnWork();
    const auto left = intent_file_ ? intent_file_->Find() : std::nullopt;
    const bool is_left = left && left->HasChange();
    if (!has_own_work && !is_left) return {};
    // An intent of another writer, which may be alive and hold the lock, is no reason to wait.
    LockWait wait = lock_wait_;
    if (!has_own_work) wait.limit = std::chrono::milliseconds(0);
    const auto store_lock = LockWithin(wait);
    if (!has_own_work && !store_lock.ok()) return {};
    const bool is_deleted = store_lock.status().code() == StatusCode::kNotFound;
    if (!store_lock.ok() && !is_deleted) return store_lock.status();
    const std::lock_guard lock(mutex_);
    if (is_deleted) {
        // Another process has deleted the store, so nothing is left to finish or to restore.
        touched_.clear();
        erased_.clear();
        adopted_.clear();
        changing_.clear();
        is_finished_ = true;
        return WriteIntent();
    }
    // The next writer undoes a change that could not be undone, and then consolidates the metadata.
    if (!changing_.empty()) return WriteIntent();
    const ChangeScope change(*store_);
    std::set<std::string> groups = adopted_;
    if (consolidated_ != WriteConsolidated::kNo) groups.insert(erased_.begin(), erased_.end());
    const bool has_changed = !is_finished_ || !touched_.empty() || !erased_.empty();
    if (consolidated_ == WriteConsolidated::kYes && has_changed) groups.insert("");
    for (const std::string& group : groups)
        ZARR_RETURN_IF_ERROR(WriteConsolidatedAt(group, IfAbsent::kWrite));
    // If a changed group has consolidated metadata, another writer has written it. Write it again,
    // because it may lack the changes of this writer.
    for (const std::string& group : touched_)
        if (groups.count(group) == 0)
            ZARR_RETURN_IF_ERROR(WriteConsolidatedAt(group, IfAbsent::kLeave));
    touched_.clear();
    erased_.clear();
    adopted_.clear();
    is_finished_ = true;
    return WriteIntent();
}

namespace {

using Shape = std::vector<std::uint64_t>;

// Writes the fill value of `metadata` to all elements of `region`.
Status WriteFill(const ArrayMetadata& metadata, ArrayWriter& writer, const Region& region,
                 std::size_t threads) {
    if (metadata.dtype.kind == DataKind::kObject) {
        const std::vector<std::string> texts(static_cast<std::size_t>(region.size()),
                                             metadata.fill_value.TrimmedBytes());
        return writer.WriteObjects(region, texts, threads);
    }
    std::string fill = metadata.fill_value.Bytes();
    auto* const element = reinterpret_cast<std::uint8_t*>(fill.data());
    SwapElements(metadata.dtype, element, 1);
    const Source source{element, Strides(metadata.rank(), 0), CopyConverter(metadata.dtype.size)};
    return writer.Write(region, 0, source, threads);
}

// Writes the fill value to the elements outside of the new shape `shape`, in chunks that are partly
// inside of it.
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
        const std::uint64_t cut = metadata.ChunkAxis(axis).WholeChunks(shape[axis]);
        beyond.start[axis] = shape[axis];
        beyond.count[axis] = std::min(cut, metadata.shape[axis]) - shape[axis];
        // Along the axes before `axis`, the region ends at the edge of a whole chunk. Elements that
        // are outside along several axes are therefore included.
        for (std::size_t i = 0; i < axis; ++i)
            beyond.count[i] =
                std::min(metadata.ChunkAxis(i).WholeChunks(std::min(shape[i], metadata.shape[i])),
                         metadata.shape[i]);
        if (beyond.size() == 0) continue;
        ZARR_RETURN_IF_ERROR(WriteFill(metadata, writer, beyond, threads));
    }
    return writer.Flush(threads);
}

}  // namespace

Status EraseChunksOutside(Store& store, const Array& array, const ArrayMetadata& kept,
                          const std::shared_ptr<Synchronizer>& locks) {
    Shape counts;
    for (std::size_t i = 0; i < kept.rank(); ++i) counts.push_back(kept.ChunkAxis(i).count());
    return array.chunks().EraseOutside(store, counts, locks);
}

Status StoreAbsentChunks(const Array& array, ArrayWriter& writer, std::size_t threads) {
    const ArrayMetadata& metadata = array.metadata();
    const Result<ChunkListing> listing = array.ListChunks();
    if (listing.ok() && listing->chunks == array.chunk_count()) return {};
    // A shard holds several chunks, so that its key does not tell whether a chunk exists.
    const bool can_ask = metadata.shards.empty();
    if (!listing.ok() && !can_ask) return listing.status();
    DimVector<std::uint64_t> counts;
    for (std::size_t i = 0; i < metadata.rank(); ++i)
        counts.push_back(metadata.ChunkAxis(i).count());
    DimVector<std::uint64_t> chunk(counts.size(), 0);
    for (bool is_one = array.chunk_count() != 0; is_one; is_one = NextRowMajor(chunk, counts)) {
        if (listing.ok() && !array.IsKnownAbsent(chunk)) continue;
        // Asked again, because another process may have written the chunk after the listing.
        if (can_ask) {
            ZARR_ASSIGN_OR_RETURN(const std::string key, array.chunks().LockKeyOf(chunk));
            ZARR_ASSIGN_OR_RETURN(const bool exists, array.store()->Exists(key));
            if (exists) continue;
        }
        Region region;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const GridAxis axis = metadata.ChunkAxis(i);
            region.start.push_back(axis.StartOf(chunk[i]));
            region.count.push_back(axis.InsideOf(chunk[i]));
            region.step.push_back(1);
        }
        ZARR_RETURN_IF_ERROR(WriteFill(metadata, writer, region, threads));
    }
    return writer.Flush(threads);
}

Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer, const Shape& shape,
                   std::size_t threads) {
    const Array& array = writer.array();
    const ArrayMetadata& old = array.metadata();
    ZARR_ASSIGN_OR_RETURN(
        const ArrayMetadata resized,
        WithShape(old, shape).WithContext(DocumentKey(array.path(), Document::kArray, old.format)));
    if (shape == old.shape) return {};
    // Erase stray chunks outside of the old shape first. If the array grows, they would become
    // visible again.
    ZARR_RETURN_IF_ERROR(EraseChunksOutside(store, array, old, writer.locks()));
    ZARR_RETURN_IF_ERROR(FillBeyond(writer, shape, threads));
    ZARR_RETURN_IF_ERROR(metadata.ReplaceMetadata(array.path(), resized));
    return EraseChunksOutside(store, array, resized, writer.locks());
}

}  // namespace zarr
