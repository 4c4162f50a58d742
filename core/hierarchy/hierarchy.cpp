// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy.h"

#include <algorithm>

#include "core/metadata/v1_metadata.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"
#include "core/store/overlay_store.h"

namespace zarr {

namespace {

Status CheckDepth(const std::string& path) {
    if (DepthOf(path) <= kMaxGroupDepth) return {};
    return Status::Limit(path.substr(0, 80) + "...: groups nest more than " +
                         std::to_string(kMaxGroupDepth) + " levels deep");
}

// Passes `document` to `read`: parsed JSON, or the text if it is not JSON. `read` may accept such a
// text, because it parses only the members that it needs.
template <class Read>
auto ReadStored(const StoredDocument& document, const Read& read) {
    return document.value ? read(*document.value) : read(std::string_view(document.text));
}

// Returns the kind of the node at `path` according to its metadata document. Returns kNone if the
// node has no document. `document_at` is a function that returns the StoredDocument of a key.
template <class Source>
Result<NodeKind> DescribedKindAt(const std::string& path, Format format,
                                 const Source& document_at) {
    ZARR_RETURN_IF_ERROR(CheckDepth(path));
    const std::string key = DocumentKey(path, Document::kArray, format);
    ZARR_ASSIGN_OR_RETURN(const StoredDocument document, document_at(key));
    if (format == Format::kV3) {
        if (!document.exists) return NodeKind::kNone;
        const auto type = ReadStored(document, [](const auto& read) { return V3NodeTypeOf(read); });
        if (!type.ok()) return type.status().WithContext(key);
        return *type == V3NodeType::kArray ? NodeKind::kArray : NodeKind::kGroup;
    }
    if (document.exists) return NodeKind::kArray;
    ZARR_ASSIGN_OR_RETURN(const StoredDocument group,
                          document_at(DocumentKey(path, Document::kGroup)));
    return group.exists ? NodeKind::kGroup : NodeKind::kNone;
}

Result<NodeKind> DescribedKindAt(const Store& store, const std::string& path, Format format) {
    return DescribedKindAt(path, format,
                           [&](const std::string& key) { return ReadDocument(store, key); });
}

// Decides whether a prefix without a metadata document is an implicit group. Searches below the
// prefix, and stops at the first node.
class NodeSearch {
  public:
    explicit NodeSearch(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

    // True if a node is below `path`. False if the store cannot list, or if the first kMaxFolders
    // prefixes contain no node.
    Result<bool> Finds(const std::string& path) {
        if (++folders_ > kMaxFolders) return false;
        // Nothing is searched below the maximum depth. The prefix counts as a node, so that
        // listings include it.
        if (DepthOf(path) >= kMaxGroupDepth) return true;
        const auto entries = hierarchy_.List(path);
        if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported) return false;
        if (!entries.ok()) return entries.status();
        for (const StoreEntry& entry : *entries) {
            if (entry.is_prefix) continue;
            if (MakesNode(entry.name)) return true;
            if (entry.name != DocumentKey("", Document::kArray, Format::kV1)) continue;
            ZARR_ASSIGN_OR_RETURN(const bool is_v1, hierarchy_.HoldsArray(path));
            if (is_v1) return true;
        }
        for (const StoreEntry& entry : *entries) {
            if (!entry.is_prefix) continue;
            ZARR_ASSIGN_OR_RETURN(const bool finds, Finds(JoinKey(path, entry.name)));
            if (finds) return true;
        }
        return false;
    }

  private:
    static constexpr std::size_t kMaxFolders = 10000;
    const Hierarchy& hierarchy_;
    std::size_t folders_ = 0;
};

// Returns kGroup for a prefix without a document if a node is below the prefix, else kNone.
Result<NodeKind> ImplicitKindAt(const Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const bool holds_node, NodeSearch(hierarchy).Finds(path));
    return holds_node ? NodeKind::kGroup : NodeKind::kNone;
}

bool IsFolder(const Store& store, const std::string& key) {
    const auto entries = store.List(std::string(ParentPath(key)));
    return entries.ok() && std::any_of(entries->begin(), entries->end(), [&](const auto& entry) {
               return entry.is_prefix && entry.name == LastName(key);
           });
}

// True for a folder of xcube's "levels" format (NAME.levels), in which each level is a separate
// store.
bool AreLevels(const Store& store) {
    const std::string folder = store.Describe();
    constexpr std::string_view kSuffix = ".levels";
    return folder.size() > kSuffix.size() &&
           folder.compare(folder.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
}

// Returns the Zarr version of `store`, as FormatOfStore() does. If the root has a `zarr.json`, sets
// `has_root` to true and copies the document into `root`.
Result<Format> ReadFormat(const Store& store, Buffer& root, bool& has_root) {
    has_root = false;
    const auto found = GetDocument(store, DocumentKey("", Document::kGroup, Format::kV3), root);
    if (found.ok() && *found) {
        has_root = true;
        return Format::kV3;
    }
    if (found.ok()) {
        if (!AreLevels(store)) return Format::kV2;
        for (const char* const level : {"0.zarr", "1.zarr"}) {
            const std::string key = DocumentKey(level, Document::kGroup, Format::kV3);
            const auto document = ReadDocument(store, key);
            if (document.ok() && document->exists) return Format::kV3;
        }
        return Format::kV2;
    }
    // If access to `zarr.json` is denied, v2 documents are searched, because some servers return
    // 403 for absent keys. If the root has a v2 document, `zarr.json` counts as absent.
    if (found.status().code() == StatusCode::kPermission)
        for (const Document document :
             {Document::kConsolidated, Document::kArray, Document::kGroup}) {
            Buffer ignored;
            const auto is_v2 = GetDocument(store, DocumentKey("", document), ignored);
            if (is_v2.ok() && *is_v2) return Format::kV2;
        }
    return found.status();
}

}  // namespace

std::size_t DepthOf(const std::string& path) {
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

Result<Format> FormatOfStore(const Store& store) {
    Buffer ignored;
    bool has_root = false;
    return ReadFormat(store, ignored, has_root);
}

Result<NodeKind> KindForWriting(const Store& store, const std::string& path, Format format) {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKindAt(store, path, format));
    if (kind != NodeKind::kNone) return kind;
    const auto entries = store.List(path);
    if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported)
        return NodeKind::kNone;
    if (!entries.ok()) return entries.status();
    const bool holds_something =
        std::any_of(entries->begin(), entries->end(), [](const StoreEntry& entry) {
            return entry.is_prefix || IsDocument(entry.name, Document::kAttributes);
        });
    return holds_something ? NodeKind::kGroup : NodeKind::kNone;
}

Result<bool> HoldsV1Array(const Store& store, const std::string& path, Buffer* text) {
    const std::string key = DocumentKey(path, Document::kArray, Format::kV1);
    Buffer own;
    Buffer& document = text != nullptr ? *text : own;
    const auto found = GetDocument(store, key, document);
    if (found.ok()) return *found && LooksLikeV1Metadata(std::as_const(document).span().text());
    // Software other than Zarr uses the name `meta`, too. A folder of this name, or a file larger
    // than a metadata document may be, is no Zarr v1 array.
    if (found.status().code() == StatusCode::kLimit || IsFolder(store, key)) return false;
    return found.status();
}

Status CheckNoV1Array(const Store& store, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const bool is_there, HoldsV1Array(store, path));
    return is_there ? V1IsReadOnly(DocumentKey(path, Document::kArray, Format::kV1)) : Status();
}

Result<std::shared_ptr<const Hierarchy>> Hierarchy::Open(std::shared_ptr<const Store> store,
                                                         UseConsolidated use_consolidated,
                                                         std::shared_ptr<ArrayContext> context,
                                                         std::string manner) {
    std::shared_ptr<Hierarchy> hierarchy(new Hierarchy());
    hierarchy->context_ = std::move(context);
    hierarchy->manner_ = std::move(manner);
    hierarchy->base_ =
        std::make_shared<const WatchedStore>(std::move(store), IsDocumentOfAnyFormat);
    hierarchy->store_ = hierarchy->base_;
    hierarchy->nodes_ = std::make_shared<NodeCache>(*hierarchy->base_);
    Buffer root;
    bool has_root = false;
    ZARR_ASSIGN_OR_RETURN(hierarchy->format_, ReadFormat(*hierarchy->base_, root, has_root));
    const std::string root_key = DocumentKey("", Document::kGroup, Format::kV3);
    StoredDocument document;
    SplitDocument split;
    if (has_root) {
        split = SplitV3Consolidated(std::as_const(root).span().text());
        document = ParseDocument(root_key, split.own);
    }
    hierarchy->nodes_->Put(root_key, &LoadedNode::document, document);
    if (use_consolidated == UseConsolidated::kIfPresent)
        ZARR_RETURN_IF_ERROR(has_root
                                 ? hierarchy->UseV3Consolidated(std::move(root), split.consolidated)
                                 : hierarchy->UseConsolidatedMetadata());
    return std::shared_ptr<const Hierarchy>(std::move(hierarchy));
}

Status Hierarchy::UseConsolidatedMetadata() {
    const std::string key = DocumentKey("", Document::kConsolidated);
    Buffer buffer;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, buffer));
    if (!found) return {};
    const std::string_view text = std::as_const(buffer).span().text();
    if (AreKerchunkReferences(text))
        return Status::Unsupported(key +
                                   ": contains Kerchunk references, which are unsupported here");
    const auto documents = ParseConsolidated(text).WithContext(key);
    is_consolidated_ = documents.ok();
    if (documents.ok()) {
        store_ = std::make_shared<const OverlayStore>(
            store_, std::move(buffer), *documents, [](std::string_view name) {
                return IsDocument(name) && !IsDocument(name, Document::kConsolidated);
            });
    } else if (documents.status().code() == StatusCode::kCorrupt) {
        consolidated_error_ = documents.status();
    } else {
        return documents.status();
    }
    return {};
}

Status Hierarchy::UseV3Consolidated(Buffer root, std::string_view consolidated) {
    if (consolidated.empty()) return {};
    const std::string key = DocumentKey("", Document::kConsolidated, Format::kV3);
    const std::string_view text = std::as_const(root).span().text();
    auto documents = ParseV3Consolidated(consolidated).WithContext(key);
    if (!documents.ok()) {
        consolidated_error_ = documents.status();
        return {};
    }
    is_consolidated_ = true;
    documents->emplace_back(key, text);
    store_ = std::make_shared<const OverlayStore>(
        store_, std::move(root), *documents,
        [](std::string_view name) { return name == kV3Document; });
    return {};
}

std::shared_ptr<const Hierarchy> Hierarchy::WithMetadata(
    std::map<std::string, ArrayMetadata> planned) const {
    std::shared_ptr<Hierarchy> hierarchy(new Hierarchy());
    hierarchy->store_ = store_;
    hierarchy->base_ = base_;
    hierarchy->nodes_ = nodes_;
    hierarchy->context_ = context_;
    hierarchy->manner_ = manner_;
    hierarchy->format_ = format_;
    hierarchy->is_consolidated_ = is_consolidated_;
    hierarchy->planned_ = std::move(planned);
    return hierarchy;
}

Result<StoredDocument> Hierarchy::DocumentAt(const std::string& key) const {
    return nodes_->Get(key, &LoadedNode::document, [&] { return ReadDocument(*store_, key); });
}

Result<StoredDocument> Hierarchy::OwnDocumentAt(const std::string& key) const {
    return nodes_->Get(key, &LoadedNode::own_document, [&] { return ReadDocument(*base_, key); });
}

Result<bool> Hierarchy::FindV1(const std::string& path) const {
    return nodes_->Get(path, &LoadedNode::is_v1, [&]() -> Result<bool> {
        Buffer text;
        ZARR_ASSIGN_OR_RETURN(const bool is_there, HoldsV1Array(*store_, path, &text));
        if (!is_there) return false;
        const auto metadata = ParseV1Metadata(std::as_const(text).span().text());
        if (metadata.ok()) nodes_->Put(path, &LoadedNode::metadata, *metadata);
        return true;
    });
}

Format Hierarchy::FormatOf(const std::string& path) const {
    if (format_ == Format::kV3) return format_;
    return nodes_->Find(path, &LoadedNode::is_v1).value_or(false) ? Format::kV1 : format_;
}

Result<NodeKind> Hierarchy::DescribedKind(const std::string& path) const {
    return DescribedKindAt(path, format_, [&](const std::string& key) { return DocumentAt(key); });
}

Result<bool> Hierarchy::Has(const std::string& path, Document document) const {
    if (format_ == Format::kV3) {
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKind(path));
        if (document == Document::kArray) return kind == NodeKind::kArray;
        return document == Document::kGroup ? kind == NodeKind::kGroup : kind != NodeKind::kNone;
    }
    ZARR_ASSIGN_OR_RETURN(const bool is_there, HasKey(DocumentKey(path, document)));
    const bool is_of_v1 = document == Document::kArray || document == Document::kAttributes;
    if (is_there || !is_of_v1 || FormatOf(path) != Format::kV1) return is_there;
    if (document == Document::kArray) return true;
    return HasKey(DocumentKey(path, document, Format::kV1));
}

Result<bool> Hierarchy::HasKey(const std::string& key) const {
    ZARR_ASSIGN_OR_RETURN(const StoredDocument document, DocumentAt(key));
    return document.exists;
}

bool Hierarchy::HasForeignKey(const std::string& key) const {
    const auto found = HasKey(key);
    if (!found.ok()) nodes_->Put(key, &LoadedNode::document, StoredDocument());
    return found.ok() && *found;
}

Result<NodeKind> Hierarchy::KindOf(const std::string& path) const {
    return nodes_->Get(path, &LoadedNode::kind, [&]() -> Result<NodeKind> {
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKind(path));
        // A prefix without a document may be a group in Zarr v2, but not in v3. The exception in v3
        // is the root of a folder in xcube's "levels" format.
        const bool may_be_implicit = format_ != Format::kV3 || (path.empty() && AreLevels(*store_));
        if (kind != NodeKind::kNone || !may_be_implicit) return kind;
        if (!is_consolidated_ && format_ != Format::kV3) {
            ZARR_ASSIGN_OR_RETURN(const bool is_v1, FindV1(path));
            if (is_v1) return NodeKind::kArray;
        }
        return ImplicitKindAt(*this, path);
    });
}

Result<bool> Hierarchy::HoldsArray(const std::string& path) const {
    ZARR_RETURN_IF_ERROR(CheckDepth(path));
    ZARR_ASSIGN_OR_RETURN(const bool is_array, Has(path, Document::kArray));
    return is_array || is_consolidated_ || format_ == Format::kV3 ? is_array : FindV1(path);
}

Status Hierarchy::CheckChangeable(const std::string& path) const {
    return FormatOf(path) == Format::kV1
               ? V1IsReadOnly(DocumentKey(path, Document::kArray, Format::kV1))
               : Status();
}

std::string Hierarchy::NameOf(const std::string& path, Document document) const {
    std::string key = KeyOf(path, document);
    if (!is_consolidated_) return key;
    if (format_ != Format::kV3) return DocumentKey("", Document::kConsolidated) + ": " + key;
    return path.empty() ? key : KeyOf("", document) + ": consolidated_metadata: " + key;
}

Status Hierarchy::CheckGroup(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const StoredDocument document, DocumentAt(KeyOf(path, Document::kGroup)));
    if (!document.exists) return {};
    const Status checked = ReadStored(document, [&](const auto& group) {
        return format_ == Format::kV3 ? CheckV3Group(group) : CheckGroupMetadata(group);
    });
    return checked.WithContext(NameOf(path, Document::kGroup));
}

Result<std::vector<StoreEntry>> Hierarchy::List(const std::string& prefix) const {
    return nodes_->Get(prefix, &LoadedNode::entries, [&] { return store_->List(prefix); });
}

Result<std::vector<Node>> Hierarchy::Members(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, List(path));
    std::vector<Node> members;
    for (const StoreEntry& entry : entries) {
        if (!entry.is_prefix) continue;
        Node node{entry.name, JoinKey(path, entry.name), NodeKind::kNone};
        const auto kind = KindOf(node.path);
        // A node with an unreadable document is listed as an array. A later attempt to open the
        // array returns the error, and the other nodes of the group stay listed.
        node.kind = kind.ok() ? *kind : NodeKind::kArray;
        if (node.kind != NodeKind::kNone) members.push_back(std::move(node));
    }
    return members;
}

std::vector<Node> Hierarchy::Unconsolidated(const std::string& path) const {
    std::vector<Node> nodes;
    if (!ComparesOwnDocuments()) return nodes;
    const auto known = List(path);
    const auto entries = base_->List(path);
    if (!known.ok() || !entries.ok()) return nodes;
    const auto before = [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; };
    for (const StoreEntry& entry : *entries) {
        if (!entry.is_prefix) continue;
        if (std::binary_search(known->begin(), known->end(), entry, before)) continue;
        Node node{entry.name, JoinKey(path, entry.name), NodeKind::kNone};
        const auto kind = DescribedKindAt(*base_, node.path, format_);
        node.kind = kind.ok() ? *kind : NodeKind::kNone;
        if (node.kind != NodeKind::kNone) nodes.push_back(std::move(node));
    }
    return nodes;
}

Result<json::Value> Hierarchy::ParseAttributesOf(const StoredDocument& document) const {
    if (!document.exists) return json::Value(json::Object{});
    return ReadStored(document, [&](const auto& stored) {
        return format_ == Format::kV3 ? ParseV3Attributes(stored) : ParseAttributes(stored);
    });
}

Result<json::Value> Hierarchy::Attributes(const std::string& path) const {
    // The attributes are cached under the key of their document, not under `path`. The key changes
    // if the array at `path` later turns out to be Zarr v1.
    const std::string key = KeyOf(path, Document::kAttributes);
    return nodes_->Get(key, &LoadedNode::attributes, [&]() -> Result<json::Value> {
        ZARR_ASSIGN_OR_RETURN(const StoredDocument document, DocumentAt(key));
        return ParseAttributesOf(document).WithContext(NameOf(path, Document::kAttributes));
    });
}

json::Value Hierarchy::MembersOfDocument(const std::string& key) const {
    const auto document = DocumentAt(key);
    return document.ok() && document->value ? *document->value : json::Value();
}

Result<ArrayMetadata> Hierarchy::Metadata(const std::string& path) const {
    const auto planned = planned_.find(path);
    if (planned != planned_.end()) return planned->second;
    return nodes_->Get(path, &LoadedNode::metadata, [&]() -> Result<ArrayMetadata> {
        const std::string name = NameOf(path, Document::kArray);
        if (FormatOf(path) == Format::kV1) {
            Buffer text;
            ZARR_ASSIGN_OR_RETURN(const bool is_v1, HoldsV1Array(*store_, path, &text));
            if (is_v1) return ParseV1Metadata(std::as_const(text).span().text()).WithContext(name);
        }
        const std::string key = DocumentKey(path, Document::kArray, format_);
        ZARR_ASSIGN_OR_RETURN(const StoredDocument document, DocumentAt(key));
        if (!document.exists) return Status::NotFound(key + ": there is no such array");
        return Parse(path, document).WithContext(name);
    });
}

Result<ArrayMetadata> Hierarchy::Parse(const std::string& path,
                                       const StoredDocument& document) const {
    return ReadStored(document, [&](const auto& stored) {
        if (format_ == Format::kV3) {
            auto metadata = ParseV3Array(stored);
            if (metadata.ok()) metadata->is_of_gdal = document.is_text_of_gdal;
            return metadata;
        }
        return ParseArrayMetadata(stored, [&] {
            auto read = Attributes(path);
            return read.ok() ? read.Take() : json::Value();
        });
    });
}

namespace {

std::string ConsolidatedIsOutdated(const std::string& key) {
    return "consolidated metadata of " + key + " is outdated; using " + key +
           " itself. Re-consolidate the store";
}

}  // namespace

bool Hierarchy::IsMissingInStore(const std::string& path) const {
    if (!ComparesOwnDocuments()) return false;
    const std::string key = KeyOf(path, Document::kArray);
    const auto listed = DocumentAt(key);
    const auto document = OwnDocumentAt(key);
    if (!listed.ok() || !listed->exists || !document.ok() || document->exists) return false;
    bool is_empty = true;
    const auto visit = [&](const StoreEntry& /*entry*/) {
        is_empty = false;
        return false;
    };
    if (!base_->VisitEntries(path, visit).ok() || !is_empty) return false;
    // A store without any folder has only consolidated metadata, because no chunk was ever written.
    // None of its arrays counts as missing.
    bool has_others = false;
    const auto look = [&](const StoreEntry& entry) {
        has_others = has_others || entry.is_prefix;
        return !has_others;
    };
    return base_->VisitEntries("", look).ok() && has_others;
}

Result<ArrayMetadata> Hierarchy::CurrentMetadata(const std::string& path,
                                                 std::vector<std::string>& warnings) const {
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata known, Metadata(path));
    if (!ComparesOwnDocuments()) return known;
    const std::string key = KeyOf(path, Document::kArray);
    const auto document = OwnDocumentAt(key);
    if (IsMissingInStore(path))
        warnings.push_back("consolidated metadata contains /" + path +
                           ", but the store has no key of that array; it reads as fill values. "
                           "Re-consolidate the store if the array was deleted");
    if (!document.ok() || !document->exists) return known;
    const auto consolidated = DocumentAt(key);
    if (consolidated.ok() && consolidated->value && document->value &&
        json::Equals(*consolidated->value, *document->value))
        return known;
    auto own = Parse(path, *document);
    if (!own.ok() || StoreEqualChunks(*own, known)) return known;
    warnings.push_back(ConsolidatedIsOutdated(key));
    return own;
}

Result<json::Value> Hierarchy::CurrentAttributes(const std::string& path,
                                                 std::vector<std::string>& warnings) const {
    ZARR_ASSIGN_OR_RETURN(json::Value known, Attributes(path));
    if (!ComparesOwnDocuments()) return known;
    const std::string key = KeyOf(path, Document::kAttributes);
    const auto document = OwnDocumentAt(key);
    if (!document.ok() || !document->exists) return known;
    auto own = ParseAttributesOf(*document);
    if (!own.ok() || json::Equals(*own, known)) return known;
    std::string warning = ConsolidatedIsOutdated(key);
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
        warnings.push_back(std::move(warning));
    return own;
}

Result<std::shared_ptr<const Array>> Hierarchy::OpenArray(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata metadata, Metadata(path));
    return OpenArray(path, std::move(metadata));
}

Result<std::shared_ptr<const Array>> Hierarchy::OpenArray(const std::string& path,
                                                          ArrayMetadata metadata) const {
    const std::string things = store_->Identity() + "\n" + path;
    const std::string name = things + "\n" + store_->Traits().access + "\n" + manner_;
    if (auto shared = context_->FindShared(name)) {
        if (SameMetadata(shared->metadata(), metadata)) {
            shared->DropChanged();
            return shared;
        }
    }
    auto instances = context_->InstancesOf(things, metadata);
    auto array = Array::Open(store_, path, std::move(metadata), context_, std::move(instances),
                             WatchedDocument(path));
    if (array.ok()) return context_->Share(name, *array);
    return std::move(array).WithContext(NameOf(path, Document::kArray));
}

std::unique_ptr<const ArrayDocument> Hierarchy::WatchedDocument(const std::string& path) const {
    if (!NoticesReplacement() || planned_.count(path) != 0) return nullptr;
    const Format format = FormatOf(path);
    const std::string key = DocumentKey(path, Document::kArray, format);
    for (const auto part : {&LoadedNode::own_document, &LoadedNode::document})
        if (const auto known = nodes_->Find(key, part); known && known->version)
            return std::make_unique<const ArrayDocument>(base_, path, format, known->version);
    return std::make_unique<const ArrayDocument>(base_, path, format, std::nullopt);
}

}  // namespace zarr
