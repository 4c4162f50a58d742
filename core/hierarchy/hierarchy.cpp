// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy.h"

#include <algorithm>
#include <mutex>

#include "core/metadata/v1_metadata.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"
#include "core/store/overlay_store.h"

namespace zarr {

namespace {

// Whether a document is there. Where a request takes a while it is read whole, as the store keeps
// it for the next reader.
Result<bool> Has(const Store& store, const std::string& key) {
    Buffer text;
    return store.Traits().remote ? GetDocument(store, key, text) : store.Exists(key);
}

Status CheckDepth(const std::string& path) {
    if (DepthOf(path) <= kMaxGroupDepth) return {};
    return Status::Limit(path.substr(0, 80) + "...: groups nest more than " +
                         std::to_string(kMaxGroupDepth) + " levels deep");
}

// What the document of Zarr v3 says that lies at a path.
Result<NodeKind> V3KindAt(const Store& store, const std::string& path) {
    const std::string key = DocumentKey(path, Document::kArray, Format::kV3);
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store, key, text));
    if (!found) return NodeKind::kNone;
    const auto type = V3NodeTypeOf(std::as_const(text).span().text());
    if (!type.ok()) return type.status().WithContext(key);
    return *type == V3NodeType::kArray ? NodeKind::kArray : NodeKind::kGroup;
}

// The kind of a node that has a document.
Result<NodeKind> DescribedKindAt(const Store& store, const std::string& path, Format format) {
    ZARR_RETURN_IF_ERROR(CheckDepth(path));
    if (format == Format::kV3) return V3KindAt(store, path);
    ZARR_ASSIGN_OR_RETURN(const bool is_array, Has(store, DocumentKey(path, Document::kArray)));
    if (is_array) return NodeKind::kArray;
    ZARR_ASSIGN_OR_RETURN(const bool is_group, Has(store, DocumentKey(path, Document::kGroup)));
    return is_group ? NodeKind::kGroup : NodeKind::kNone;
}

// Looks for a node below a prefix without a document, in as few folders as that takes. What lies
// too deep is taken for one, so that a listing tells of it.
class NodeSearch {
  public:
    explicit NodeSearch(const Store& store) : store_(store) {}

    // False, too, where the store cannot list, or where nothing was found in kMostFolders.
    Result<bool> Finds(const std::string& path) {
        if (++folders_ > kMostFolders) return false;
        if (DepthOf(path) >= kMaxGroupDepth) return true;  // it is not looked at
        const auto entries = store_.List(path);
        if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported) return false;
        if (!entries.ok()) return entries.status();
        for (const StoreEntry& entry : *entries) {
            if (entry.is_prefix) continue;
            if (MakesNode(entry.name)) return true;
            if (entry.name != DocumentKey("", Document::kArray, Format::kV1)) continue;
            ZARR_ASSIGN_OR_RETURN(const bool is_v1, HoldsV1Array(store_, path));
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
    static constexpr std::size_t kMostFolders = 10000;
    const Store& store_;
    std::size_t folders_ = 0;
};

// The kind of a node without a document: a group where a node lies below.
Result<NodeKind> ImplicitKindAt(const Store& store, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const bool holds_node, NodeSearch(store).Finds(path));
    return holds_node ? NodeKind::kGroup : NodeKind::kNone;
}

bool IsFolder(const Store& store, const std::string& key) {
    const auto entries = store.List(std::string(ParentPath(key)));
    return entries.ok() && std::any_of(entries->begin(), entries->end(), [&](const auto& entry) {
               return entry.is_prefix && entry.name == LastName(key);
           });
}

// True for a folder of xcube's levels, each of which is a store of its own.
bool AreLevels(const Store& store) {
    const std::string folder = store.Describe();
    constexpr std::string_view kSuffix = ".levels";
    return folder.size() > kSuffix.size() &&
           folder.compare(folder.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
}

}  // namespace

std::size_t DepthOf(const std::string& path) {
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

Result<Format> FormatOfStore(const Store& store) {
    const auto is_v3 = Has(store, DocumentKey("", Document::kGroup, Format::kV3));
    if (is_v3.ok() && !*is_v3 && AreLevels(store))
        for (const char* const level : {"0.zarr", "1.zarr"}) {
            const auto is_level_v3 = Has(store, DocumentKey(level, Document::kGroup, Format::kV3));
            if (is_level_v3.ok() && *is_level_v3) return Format::kV3;
        }
    if (is_v3.ok()) return *is_v3 ? Format::kV3 : Format::kV2;
    // Some servers refuse what is absent. A document of Zarr v2 makes that of v3 needless.
    if (is_v3.status().code() == StatusCode::kPermission)
        for (const Document document :
             {Document::kConsolidated, Document::kArray, Document::kGroup}) {
            const auto is_v2 = Has(store, DocumentKey("", document));
            if (is_v2.ok() && *is_v2) return Format::kV2;
        }
    return is_v3.status();
}

Result<NodeKind> NodeKindAt(const Store& store, const std::string& path, Format format) {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKindAt(store, path, format));
    // Zarr v3 has no implicit groups.
    const bool may_be_implicit = format != Format::kV3 || (path.empty() && AreLevels(store));
    return kind != NodeKind::kNone || !may_be_implicit ? kind : ImplicitKindAt(store, path);
}

Result<NodeKind> OccupantAt(const Store& store, const std::string& path, Format format) {
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

Result<bool> HoldsV1Array(const Store& store, const std::string& path) {
    const std::string key = DocumentKey(path, Document::kArray, Format::kV1);
    Buffer text;
    const auto found = GetDocument(store, key, text);
    if (found.ok()) return *found && IsOrWasV1Metadata(std::as_const(text).span().text());
    // Others use the name for large files and for folders.
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
    hierarchy->base_->Prefetch(
        {DocumentKey("", Document::kGroup, Format::kV3), DocumentKey("", Document::kConsolidated)},
        {});
    ZARR_ASSIGN_OR_RETURN(hierarchy->format_, FormatOfStore(*hierarchy->base_));
    if (use_consolidated == UseConsolidated::kIfPresent)
        ZARR_RETURN_IF_ERROR(hierarchy->format_ == Format::kV3
                                 ? hierarchy->UseV3Consolidated()
                                 : hierarchy->UseConsolidatedMetadata());
    return std::shared_ptr<const Hierarchy>(std::move(hierarchy));
}

Status Hierarchy::UseConsolidatedMetadata() {
    const std::string key = DocumentKey("", Document::kConsolidated);
    Buffer buffer;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, buffer));
    if (!found) return {};
    const std::string_view text = std::as_const(buffer).span().text();
    if (AreReferences(text)) return Status::Unsupported(key + ": lists Kerchunk references");
    const auto documents = ParseConsolidated(text).WithContext(key);
    is_consolidated_ = documents.ok();
    if (documents.ok()) {
        store_ = std::make_shared<const OverlayStore>(
            store_, std::move(buffer), *documents, [](std::string_view name) {
                return IsDocument(name) && !IsDocument(name, Document::kConsolidated);
            });
    } else if (documents.status().code() == StatusCode::kCorrupt) {
        consolidated_fault_ = documents.status();
    } else {
        return documents.status();
    }
    return {};
}

Status Hierarchy::UseV3Consolidated() {
    const std::string key = DocumentKey("", Document::kConsolidated, Format::kV3);
    Buffer buffer;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, buffer));
    if (!found) return {};
    const std::string_view text = std::as_const(buffer).span().text();
    auto documents = ParseV3Consolidated(text).WithContext(key);
    if (!documents.ok()) {
        consolidated_fault_ = documents.status();
        return {};
    }
    if (!*documents) return {};
    is_consolidated_ = true;
    // The attributes of the root are read for each array below it: the consolidated metadata of all
    // of them must not be read each time.
    Buffer own;
    ZARR_RETURN_IF_ERROR(own.Assign(ByteSpan(std::string_view(WithNullAsV3Consolidated(text)))));
    (**documents).emplace_back(key, std::as_const(own).span().text());
    store_ = std::make_shared<const OverlayStore>(
        store_, std::move(buffer), **documents,
        [](std::string_view name) { return name == kV3Document; }, std::move(own));
    return {};
}

std::shared_ptr<const Hierarchy> Hierarchy::WithMetadata(
    std::map<std::string, ArrayMetadata> planned) const {
    std::shared_ptr<Hierarchy> hierarchy(new Hierarchy());
    hierarchy->store_ = store_;
    hierarchy->base_ = base_;
    hierarchy->context_ = context_;
    hierarchy->manner_ = manner_;
    hierarchy->format_ = format_;
    hierarchy->is_consolidated_ = is_consolidated_;
    hierarchy->planned_ = std::move(planned);
    return hierarchy;
}

Result<bool> Hierarchy::FindV1(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const bool is_there, HoldsV1Array(*store_, path));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_there) v1_arrays_.insert(path);
    return is_there;
}

Format Hierarchy::FormatOf(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return v1_arrays_.count(path) != 0 ? Format::kV1 : format_;
}

Result<bool> Hierarchy::Has(const std::string& path, Document document) const {
    if (format_ == Format::kV3) {
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, V3KindAt(*store_, path));
        if (document == Document::kArray) return kind == NodeKind::kArray;
        return document == Document::kGroup ? kind == NodeKind::kGroup : kind != NodeKind::kNone;
    }
    ZARR_ASSIGN_OR_RETURN(const bool is_there, zarr::Has(*store_, DocumentKey(path, document)));
    const bool is_of_v1 = document == Document::kArray || document == Document::kAttributes;
    if (is_there || !is_of_v1 || FormatOf(path) != Format::kV1) return is_there;
    return zarr::Has(*store_, DocumentKey(path, document, Format::kV1));
}

Result<bool> Hierarchy::HasKey(const std::string& key) const { return zarr::Has(*store_, key); }

bool Hierarchy::RootHolds(std::string_view key) const {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = root_keys_.find(key);
        if (known != root_keys_.end()) return known->second;
    }
    const auto found = HasKey(std::string(key));
    const std::lock_guard<std::mutex> lock(mutex_);
    return root_keys_.emplace(key, found.ok() && *found).first->second;
}

Result<NodeKind> Hierarchy::KindOf(const std::string& path) const {
    if (is_consolidated_ || format_ == Format::kV3) return NodeKindAt(*store_, path, format_);
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKindAt(*store_, path, format_));
    if (kind != NodeKind::kNone) return kind;
    ZARR_ASSIGN_OR_RETURN(const bool is_v1, FindV1(path));
    return is_v1 ? NodeKind::kArray : ImplicitKindAt(*store_, path);
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
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found,
                          GetDocument(*store_, KeyOf(path, Document::kGroup), text));
    if (!found) return {};
    const std::string_view group = std::as_const(text).span().text();
    return (format_ == Format::kV3 ? CheckV3Group(group) : CheckGroupMetadata(group))
        .WithContext(NameOf(path, Document::kGroup));
}

Result<std::vector<Node>> Hierarchy::Members(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store_->List(path));
    std::vector<Node> members;
    for (const StoreEntry& entry : entries) {
        if (!entry.is_prefix) continue;
        Node node{entry.name, JoinKey(path, entry.name), NodeKind::kNone};
        const auto kind = KindOf(node.path);
        // A node that cannot be looked at is listed as an array: its siblings stay listed, and
        // opening it tells the reason.
        node.kind = kind.ok() ? *kind : NodeKind::kArray;
        if (node.kind != NodeKind::kNone) members.push_back(std::move(node));
    }
    return members;
}

std::vector<Node> Hierarchy::Unconsolidated(const std::string& path) const {
    std::vector<Node> nodes;
    if (!is_consolidated_ || base_->Traits().remote) return nodes;
    const auto known = store_->List(path);
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

Result<json::Value> Hierarchy::Attributes(const std::string& path) const {
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found,
                          GetDocument(*store_, KeyOf(path, Document::kAttributes), text));
    if (!found) return json::Value(json::Object{});
    const std::string_view stored = std::as_const(text).span().text();
    return (format_ == Format::kV3 ? ParseV3Attributes(stored) : ParseAttributes(stored))
        .WithContext(NameOf(path, Document::kAttributes));
}

json::Value Hierarchy::MembersOfDocument(const std::string& key) const {
    Buffer text;
    const auto found = GetDocument(*store_, key, text);
    if (!found.ok() || !*found) return {};
    auto parsed = json::Parse(std::as_const(text).span().text());
    return parsed.ok() ? parsed.Take() : json::Value();
}

Result<ArrayMetadata> Hierarchy::Metadata(const std::string& path) const {
    const auto planned = planned_.find(path);
    if (planned != planned_.end()) return planned->second;
    const Format format = FormatOf(path);
    Buffer buffer;
    const std::string key = DocumentKey(path, Document::kArray, format);
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, buffer));
    if (!found && format == Format::kV1) {  // converted to v2 meanwhile
        const std::lock_guard<std::mutex> lock(mutex_);
        v1_arrays_.erase(path);
    }
    if (!found && format == Format::kV1) return Metadata(path);
    if (!found) return Status::NotFound(key + ": there is no such array");
    return Parse(path, std::as_const(buffer).span().text(), format)
        .WithContext(NameOf(path, Document::kArray));
}

Result<ArrayMetadata> Hierarchy::Parse(const std::string& path, std::string_view text,
                                       Format format) const {
    if (format == Format::kV1) return ParseV1Metadata(text);
    if (format == Format::kV3) return ParseV3Array(text);
    return ParseArrayMetadata(text, [&] {
        auto read = Attributes(path);
        return read.ok() ? read.Take() : json::Value();
    });
}

namespace {

// True where both are the same codec, and no option of one is another in the other: programs that
// consolidate metadata add those that older ones did not write.
bool Agree(const CodecSpec& a, const CodecSpec& b) {
    const json::Object* options = a.configuration.as_object();
    if (a.name != b.name || options == nullptr) return a.name == b.name;
    return std::all_of(options->begin(), options->end(), [&](const json::Member& option) {
        const json::Value* other = b.configuration.Find(option.first);
        return other == nullptr || json::Dump(*other) == json::Dump(option.second);
    });
}

// True where both describe the same array, however their members are spelled and ordered.
bool AreAlike(const ArrayMetadata& a, const ArrayMetadata& b) {
    return a.shape == b.shape && a.chunks == b.chunks && a.dtype.ToString() == b.dtype.ToString() &&
           a.axis_order == b.axis_order && a.dimension_separator == b.dimension_separator &&
           a.has_key_prefix == b.has_key_prefix && a.edges == b.edges &&
           a.stored_chunks() == b.stored_chunks() && a.has_fill_value == b.has_fill_value &&
           a.fill_meaning == b.fill_meaning && a.fill_value.held() == b.fill_value.held() &&
           std::equal(a.codecs.begin(), a.codecs.end(), b.codecs.begin(), b.codecs.end(), Agree);
}

// True for values that mean the same: numbers by their value, objects in any order of members.
bool MeansSame(const json::Value& a, const json::Value& b) {
    double one = 0;
    double other = 0;
    if (a.is_number() && b.is_number())
        return json::Dump(a) == json::Dump(b) ||
               (a.GetDouble(one) && b.GetDouble(other) && one == other);
    const json::Array* items = a.as_array();
    if (items != nullptr && b.as_array() != nullptr)
        return std::equal(items->begin(), items->end(), b.as_array()->begin(), b.as_array()->end(),
                          MeansSame);
    const json::Object* members = a.as_object();
    if (members == nullptr || b.as_object() == nullptr) return json::Dump(a) == json::Dump(b);
    return members->size() == b.as_object()->size() &&
           std::all_of(members->begin(), members->end(), [&](const json::Member& member) {
               const json::Value* value = b.Find(member.first);
               return value != nullptr && MeansSame(member.second, *value);
           });
}

std::string OutdatedBy(const std::string& key) {
    return "the consolidated metadata are not those of " + key +
           ", which counts; consolidate them anew";
}

}  // namespace

Result<ArrayMetadata> Hierarchy::CurrentMetadata(const std::string& path,
                                                 std::vector<std::string>& warnings) const {
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata held, Metadata(path));
    if (!is_consolidated_ || base_->Traits().remote) return held;
    const std::string key = KeyOf(path, Document::kArray);
    Buffer buffer;
    const auto found = GetDocument(*base_, key, buffer);
    if (!found.ok() || !*found) return held;
    auto own = Parse(path, std::as_const(buffer).span().text(), format_);
    if (!own.ok() || AreAlike(*own, held)) return held;
    warnings.push_back(OutdatedBy(key));
    return own;
}

Result<json::Value> Hierarchy::CurrentAttributes(const std::string& path,
                                                 std::vector<std::string>& warnings) const {
    ZARR_ASSIGN_OR_RETURN(json::Value held, Attributes(path));
    if (!is_consolidated_ || base_->Traits().remote) return held;
    const std::string key = KeyOf(path, Document::kAttributes);
    Buffer text;
    const auto found = GetDocument(*base_, key, text);
    if (!found.ok() || !*found) return held;
    const std::string_view stored = std::as_const(text).span().text();
    auto own = format_ == Format::kV3 ? ParseV3Attributes(stored) : ParseAttributes(stored);
    if (!own.ok() || MeansSame(*own, held)) return held;
    std::string warning = OutdatedBy(key);
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
    auto array = Array::Open(store_, path, std::move(metadata), context_, std::move(instances));
    if (array.ok()) return context_->Share(name, *array);
    return std::move(array).WithContext(NameOf(path, Document::kArray));
}

}  // namespace zarr
