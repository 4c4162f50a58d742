// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy.h"

#include <algorithm>

#include "core/hierarchy/v1_store.h"
#include "core/metadata/v1_metadata.h"
#include "core/store/consolidated_store.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

Result<bool> Has(const Store& store, const std::string& key) {
    Buffer text;
    return GetDocument(store, key, text);
}

Result<bool> IsArrayAt(const Store& store, const std::string& path) {
    if (DepthOf(path) > kMaxGroupDepth)
        return Status::Limit(path.substr(0, 80) + "...: groups nest more than " +
                             std::to_string(kMaxGroupDepth) + " levels deep");
    return Has(store, JoinKey(path, kArrayKey));
}

// What has a document of Zarr v2.
Result<NodeKind> DescribedKindAt(const Store& store, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const bool is_array, IsArrayAt(store, path));
    if (is_array) return NodeKind::kArray;
    ZARR_ASSIGN_OR_RETURN(const bool is_group, Has(store, JoinKey(path, kGroupKey)));
    return is_group ? NodeKind::kGroup : NodeKind::kNone;
}

// What has none.
Result<NodeKind> ImplicitKindAt(const Store& store, const std::string& path) {
    const auto entries = store.List(path);
    if (!entries.ok() && entries.status().code() == StatusCode::kUnsupported)
        return NodeKind::kNone;
    if (!entries.ok()) return entries.status();
    const bool holds_something = std::any_of(
        entries->begin(), entries->end(),
        [](const StoreEntry& entry) { return entry.is_prefix || entry.name == kAttributesKey; });
    return holds_something ? NodeKind::kGroup : NodeKind::kNone;
}

}  // namespace

std::size_t DepthOf(const std::string& path) {
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

Result<NodeKind> NodeKindAt(const Store& store, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKindAt(store, path));
    return kind != NodeKind::kNone ? kind : ImplicitKindAt(store, path);
}

Result<std::shared_ptr<const Hierarchy>> Hierarchy::Open(std::shared_ptr<const Store> store,
                                                         UseConsolidated use_consolidated,
                                                         std::shared_ptr<ArrayContext> context,
                                                         std::string manner) {
    std::shared_ptr<Hierarchy> hierarchy(new Hierarchy());
    hierarchy->context_ = std::move(context);
    hierarchy->manner_ = std::move(manner);
    hierarchy->base_ = std::make_shared<const WatchedStore>(std::move(store));
    hierarchy->store_ = hierarchy->base_;
    if (use_consolidated == UseConsolidated::kIfPresent) {
        const std::string key(kConsolidatedKey);
        Buffer text;
        ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*hierarchy->store_, key, text));
        if (found && AreReferences(std::as_const(text).span().text()))
            return Status::Unsupported(key + ": lists Kerchunk references");
        if (found) {
            auto consolidated =
                ConsolidatedStore::Make(hierarchy->store_, std::move(text)).WithContext(key);
            hierarchy->is_consolidated_ = consolidated.ok();
            if (consolidated.ok())
                hierarchy->store_ = consolidated.Take();
            else if (consolidated.status().code() == StatusCode::kCorrupt)
                hierarchy->consolidated_fault_ = consolidated.status();
            else
                return consolidated.status();
        }
    }
    if (!hierarchy->is_consolidated_) {
        hierarchy->v1_ = std::make_shared<const V1Store>(hierarchy->store_);
        hierarchy->store_ = hierarchy->v1_;
    }
    return std::shared_ptr<const Hierarchy>(std::move(hierarchy));
}

Result<bool> Hierarchy::ReadText(const std::string& key, Buffer& text) const {
    return GetDocument(*store_, key, text);
}

Result<bool> Hierarchy::Has(const std::string& key) const { return zarr::Has(*store_, key); }

bool Hierarchy::RootHolds(std::string_view key) const {
    {
        const std::lock_guard<Mutex> lock(mutex_);
        const auto known = root_keys_.find(key);
        if (known != root_keys_.end()) return known->second;
    }
    const auto found = Has(std::string(key));
    const std::lock_guard<Mutex> lock(mutex_);
    return root_keys_.emplace(key, found.ok() && *found).first->second;
}

Result<NodeKind> Hierarchy::KindOf(const std::string& path) const {
    if (v1_ == nullptr) return NodeKindAt(*store_, path);
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, DescribedKindAt(*store_, path));
    if (kind != NodeKind::kNone) return kind;
    ZARR_ASSIGN_OR_RETURN(const bool is_v1, v1_->Find(path));
    return is_v1 ? NodeKind::kArray : ImplicitKindAt(*store_, path);
}

Result<bool> Hierarchy::HoldsArray(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const bool is_array, IsArrayAt(*store_, path));
    return is_array || v1_ == nullptr ? is_array : v1_->Find(path);
}

Status Hierarchy::CheckChangeable(const std::string& path) const {
    const bool is_v1 = v1_ != nullptr && v1_->HasFound(path);
    return is_v1 ? V1IsReadOnly(JoinKey(path, kV1ArrayKey)) : Status();
}

std::string Hierarchy::NameOf(const std::string& key) const {
    return is_consolidated_ ? std::string(kConsolidatedKey) + ": " + key : v1_->SourceOf(key);
}

Status Hierarchy::CheckGroup(const std::string& path) const {
    const std::string key = JoinKey(path, kGroupKey);
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, ReadText(key, text));
    if (!found) return {};
    return CheckGroupMetadata(std::as_const(text).span().text()).WithContext(NameOf(key));
}

Result<std::vector<Node>> Hierarchy::Members(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store_->List(path));
    std::vector<Node> members;
    for (const StoreEntry& entry : entries) {
        if (!entry.is_prefix) continue;
        Node node{entry.name, JoinKey(path, entry.name), NodeKind::kNone};
        const auto kind = KindOf(node.path);
        // What cannot be looked at is listed as an array, so that it hides none of its siblings;
        // whoever opens it learns why.
        node.kind = kind.ok() ? *kind : NodeKind::kArray;
        if (node.kind != NodeKind::kNone) members.push_back(std::move(node));
    }
    return members;
}

std::vector<Node> Hierarchy::Unconsolidated(const std::string& path) const {
    std::vector<Node> nodes;
    if (!is_consolidated_ || base_->ReadsAtOnce() > 1) return nodes;
    const auto known = store_->List(path);
    const auto entries = base_->List(path);
    if (!known.ok() || !entries.ok()) return nodes;
    const auto before = [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; };
    for (const StoreEntry& entry : *entries) {
        if (!entry.is_prefix) continue;
        if (std::binary_search(known->begin(), known->end(), entry, before)) continue;
        Node node{entry.name, JoinKey(path, entry.name), NodeKind::kNone};
        const auto kind = DescribedKindAt(*base_, node.path);
        node.kind = kind.ok() ? *kind : NodeKind::kNone;
        if (node.kind != NodeKind::kNone) nodes.push_back(std::move(node));
    }
    return nodes;
}

Result<json::Value> Hierarchy::Attributes(const std::string& path) const {
    const std::string key = JoinKey(path, kAttributesKey);
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, ReadText(key, text));
    if (!found) return json::Value(json::Object{});
    return ParseAttributes(std::as_const(text).span().text()).WithContext(NameOf(key));
}

Result<ArrayMetadata> Hierarchy::Metadata(const std::string& path) const {
    const std::string key = JoinKey(path, kArrayKey);
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, ReadText(key, text));
    if (!found) return Status::NotFound(key + ": there is no such array");
    const auto attributes = [&] {
        auto read = Attributes(path);
        return read.ok() ? read.Take() : json::Value();
    };
    ZARR_ASSIGN_OR_RETURN(
        ArrayMetadata metadata,
        ParseArrayMetadata(std::as_const(text).span().text(), attributes).WithContext(NameOf(key)));
    metadata.is_v1 = v1_ != nullptr && v1_->HasFound(path);
    return metadata;
}

Result<std::shared_ptr<const Array>> Hierarchy::OpenArray(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata metadata, Metadata(path));
    const std::string things = store_->Identity() + "\n" + path;
    const std::string name = things + "\n" + store_->Manner() + "\n" + manner_;
    if (auto shared = context_->FindShared(name)) {
        if (SameDocument(shared->metadata(), metadata)) {
            shared->DropChanged();
            return shared;
        }
    }
    auto peers = context_->PeersOf(things, metadata);
    auto array = Array::Open(store_, path, std::move(metadata), context_, std::move(peers));
    if (array.ok()) return context_->Share(name, *array);
    return std::move(array).WithContext(NameOf(JoinKey(path, kArrayKey)));
}

}  // namespace zarr
