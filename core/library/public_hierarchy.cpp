// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "core/array/array_context.h"
#include "core/conventions/facts/dimensions.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/library/internal.h"
#include "core/library/new_array.h"
#include "core/library/zarr_core/hierarchy.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"

namespace zarr_core {

namespace json = zarr::json;

static_assert(static_cast<int>(Format::kV1) == static_cast<int>(zarr::Format::kV1) &&
              static_cast<int>(Format::kV2) == static_cast<int>(zarr::Format::kV2) &&
              static_cast<int>(Format::kV3) == static_cast<int>(zarr::Format::kV3));

using Tree = std::shared_ptr<const zarr::Hierarchy>;

struct Hierarchy::Impl {
    Impl(std::shared_ptr<zarr::Store> base, const HierarchyOptions& wanted,
         std::optional<zarr::Format> new_format)
        : store(std::move(base)), options(wanted) {
        if (options.threads == 0) options.threads = std::thread::hardware_concurrency();
        options.threads = std::max<std::size_t>(options.threads, 1);
        context = std::make_shared<zarr::ArrayContext>(options.cache_bytes);
        if (store->writer() != nullptr)
            writer = std::make_unique<zarr::HierarchyWriter>(
                store, zarr::WriteConsolidated::kIfPresent, nullptr, new_format);
    }
    ~Impl() {
        zarr::NoThrow([&] {
            if (is_changed) static_cast<void>(writer->Finish());
        });
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    // Returns the tree in its current state; opens it again after a change.
    zarr::Result<Tree> Current() {
        const std::lock_guard<std::mutex> lock(mutex);
        return CurrentLocked();
    }
    zarr::Result<Tree> CurrentLocked();

    // Calls `work`, which changes the store. Current() opens the tree again afterwards.
    template <class Work>
    zarr::Status Change(const Work& work) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (writer == nullptr)
            return zarr::Status::Unsupported(store->Describe() + ": the store is read-only");
        is_changed = true;
        tree = nullptr;
        return work(*writer);
    }

    // Note() records an open array. MarkDeleted() marks the open arrays at or below `path` as
    // deleted.
    void Note(const std::shared_ptr<Array::Impl>& array);
    void MarkDeleted(const std::string& path);

    zarr::Result<std::shared_ptr<Array::Impl>> Open(const std::string& path);

    const std::shared_ptr<zarr::Store> store;
    HierarchyOptions options;
    std::shared_ptr<zarr::ArrayContext> context;
    zarr::Format format = zarr::Format::kV2;
    std::mutex mutex;  // guards the members below
    Tree tree;         // nullptr after a change, until Current() opens it again
    std::unique_ptr<zarr::HierarchyWriter> writer;  // nullptr if the store is read-only
    bool is_changed = false;
    std::vector<std::weak_ptr<Array::Impl>> arrays;
};

namespace {

zarr::Status NoNode(const std::string& path, const char* what) {
    return zarr::Status::NotFound("/" + path + ": there is no " + what);
}

NodeKind ToPublicKind(zarr::NodeKind kind) {
    if (kind == zarr::NodeKind::kArray) return NodeKind::kArray;
    return kind == zarr::NodeKind::kGroup ? NodeKind::kGroup : NodeKind::kNone;
}

zarr::Result<zarr::NodeKind> RequireNode(const zarr::Hierarchy& tree, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, tree.KindOf(path));
    if (kind == zarr::NodeKind::kNone) return NoNode(path, "group or array");
    return kind;
}

zarr::Result<bool> HasRoot(const zarr::Store& store) {
    zarr::Status failure;
    const bool has_root = zarr::HoldsRootDocumentOfAnyFormat("", [&](const std::string& key) {
        const auto exists = store.Exists(key);
        if (!exists.ok()) failure = exists.status();
        return exists.ok() && *exists;
    });
    ZARR_RETURN_IF_ERROR(failure);
    return has_root;
}

}  // namespace

zarr::Result<Tree> Hierarchy::Impl::CurrentLocked() {
    if (tree != nullptr) return tree;
    const auto use = options.use_consolidated ? zarr::UseConsolidated::kIfPresent
                                              : zarr::UseConsolidated::kNever;
    ZARR_ASSIGN_OR_RETURN(tree, zarr::Hierarchy::Open(store, use, context));
    return tree;
}

void Hierarchy::Impl::Note(const std::shared_ptr<Array::Impl>& array) {
    const std::lock_guard<std::mutex> lock(mutex);
    arrays.erase(std::remove_if(arrays.begin(), arrays.end(),
                                [](const auto& known) { return known.expired(); }),
                 arrays.end());
    arrays.push_back(array);
}

void Hierarchy::Impl::MarkDeleted(const std::string& path) {
    for (const auto& known : arrays) {
        const std::shared_ptr<Array::Impl> array = known.lock();
        if (array == nullptr || !zarr::IsAtOrBelow(array->array->path(), path)) continue;
        array->is_deleted = true;
        array->array->DiscardPending();
    }
}

zarr::Result<std::shared_ptr<Array::Impl>> Hierarchy::Impl::Open(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const Tree current, Current());
    ZARR_ASSIGN_OR_RETURN(const bool is_array, current->HoldsArray(path));
    if (!is_array) return NoNode(path, "array");
    std::vector<std::string> warnings;
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayMetadata metadata, current->CurrentMetadata(path, warnings));
    ZARR_ASSIGN_OR_RETURN(auto opened, current->OpenArray(path, std::move(metadata)));
    const auto array = std::make_shared<Array::Impl>(std::move(opened), store);
    const zarr::ArrayMetadata& known = array->array->metadata();
    array->threads = options.threads;
    array->pending_bytes = options.pending_bytes;
    if (!known.shards.empty()) array->shard_shape = known.shards.front().shape;
    array->fill_value = zarr::FillValueText(known);
    array->codecs = zarr::CodecsText(known);
    const json::Value attributes = zarr::LenientAttributes(*current, path, warnings);
    for (zarr::NamedDimension& dimension :
         zarr::NameDimensions(*current, path, known, attributes).Report(warnings))
        array->dimension_names.push_back(dimension.is_named ? std::move(dimension.name) : "");
    array->dimension_names.resize(known.rank());
    array->warnings = std::move(warnings);
    Note(array);
    return array;
}

Hierarchy::Hierarchy(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

Result<Hierarchy> Hierarchy::Open(const Store& store, const HierarchyOptions& options) noexcept {
    return Guarded([&]() -> zarr::Result<Hierarchy> {
        const auto impl = std::make_shared<Impl>(store.impl().store, options, std::nullopt);
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl->Current());
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind root, tree->KindOf(""));
        if (root == zarr::NodeKind::kNone)
            return zarr::Status::NotFound(impl->store->Describe() +
                                          ": there is no Zarr group or array at the root");
        impl->format = tree->format();
        return Hierarchy(impl);
    });
}

Result<Hierarchy> Hierarchy::Create(const Store& store, Format format,
                                    const HierarchyOptions& options) noexcept {
    return Guarded([&]() -> zarr::Result<Hierarchy> {
        if (format != Format::kV2 && format != Format::kV3)
            return zarr::Status::Invalid("format: only Zarr v2 and v3 are written");
        const auto impl =
            std::make_shared<Impl>(store.impl().store, options, static_cast<zarr::Format>(format));
        impl->format = static_cast<zarr::Format>(format);
        ZARR_ASSIGN_OR_RETURN(const bool has_root, HasRoot(*impl->store));
        if (has_root)
            return zarr::Status::Invalid(impl->store->Describe() + ": a Zarr store already exists");
        ZARR_RETURN_IF_ERROR(
            impl->Change([](zarr::HierarchyWriter& writer) { return writer.CreateGroup(""); }));
        return Hierarchy(impl);
    });
}

Format Hierarchy::format() const noexcept { return static_cast<Format>(impl_->format); }

Result<bool> Hierarchy::is_consolidated() const noexcept {
    return Guarded([&]() -> zarr::Result<bool> {
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl_->Current());
        return tree->is_consolidated();
    });
}

Status Hierarchy::consolidated_error() const noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl_->Current());
        return tree->consolidated_error();
    });
}

Result<NodeKind> Hierarchy::KindOf(std::string_view path) const noexcept {
    return Guarded([&]() -> zarr::Result<NodeKind> {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl_->Current());
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, tree->KindOf(node));
        return ToPublicKind(kind);
    });
}

Result<std::vector<Member>> Hierarchy::Members(std::string_view path) const noexcept {
    return Guarded([&]() -> zarr::Result<std::vector<Member>> {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl_->Current());
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, tree->KindOf(node));
        if (kind != zarr::NodeKind::kGroup) return NoNode(node, "group");
        ZARR_ASSIGN_OR_RETURN(std::vector<zarr::Node> found, tree->Members(node));
        std::vector<Member> members;
        members.reserve(found.size());
        for (zarr::Node& member : found)
            members.push_back(
                {std::move(member.name), std::move(member.path), ToPublicKind(member.kind)});
        return members;
    });
}

Result<std::string> Hierarchy::Attributes(std::string_view path) const noexcept {
    return Guarded([&]() -> zarr::Result<std::string> {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl_->Current());
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, RequireNode(*tree, node));
        ZARR_ASSIGN_OR_RETURN(json::Value attributes, tree->Attributes(node));
        if (kind == zarr::NodeKind::kArray && attributes.Find(kDimensionsAttribute) != nullptr)
            json::EraseMember(*attributes.MutableObject(), kDimensionsAttribute);
        return json::Dump(attributes);
    });
}

Result<Array> Hierarchy::OpenArray(std::string_view path) const noexcept {
    return Guarded([&]() -> zarr::Result<Array> {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        ZARR_ASSIGN_OR_RETURN(auto array, impl_->Open(node));
        return Array(std::move(array));
    });
}

Status Hierarchy::CreateGroup(std::string_view path) noexcept {
    return Guarded([&]() -> zarr::Status {
        return impl_->Change(
            [&](zarr::HierarchyWriter& writer) { return writer.CreateGroup(path); });
    });
}

Result<Array> Hierarchy::CreateArray(std::string_view path, const ArrayOptions& options) noexcept {
    return Guarded([&]() -> zarr::Result<Array> {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        if (impl_->format == zarr::Format::kV1)
            return zarr::Status::Unsupported("stores of Zarr v1 are read-only");
        ZARR_ASSIGN_OR_RETURN(const NewArray made, MakeNewArray(impl_->format, options));
        ZARR_RETURN_IF_ERROR(impl_->Change([&](zarr::HierarchyWriter& writer) {
            return writer.CreateArray(node, made.metadata, made.attributes);
        }));
        ZARR_ASSIGN_OR_RETURN(auto array, impl_->Open(node));
        return Array(std::move(array));
    });
}

Status Hierarchy::SetAttributes(std::string_view path, std::string_view text) noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        ZARR_ASSIGN_OR_RETURN(json::Value attributes, ParseObject(text, "attributes"));
        ZARR_ASSIGN_OR_RETURN(const Tree tree, impl_->Current());
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, RequireNode(*tree, node));
        if (kind == zarr::NodeKind::kArray && attributes.Find(kDimensionsAttribute) == nullptr) {
            ZARR_ASSIGN_OR_RETURN(const json::Value old, tree->Attributes(node));
            if (const json::Value* const names = old.Find(kDimensionsAttribute))
                json::PutMember(*attributes.MutableObject(), kDimensionsAttribute, *names);
        }
        return impl_->Change(
            [&](zarr::HierarchyWriter& writer) { return writer.SetAttributes(node, attributes); });
    });
}

Status Hierarchy::Delete(std::string_view path) noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_ASSIGN_OR_RETURN(const std::string node, zarr::NormalizePath(path));
        return impl_->Change([&](zarr::HierarchyWriter& writer) {
            zarr::Status status = writer.DeleteNode(node);
            if (status.ok()) impl_->MarkDeleted(node);
            return status;
        });
    });
}

Status Hierarchy::Flush() noexcept {
    return Guarded([&]() -> zarr::Status {
        const std::lock_guard<std::mutex> lock(impl_->mutex);
        if (!impl_->is_changed) return {};
        ZARR_RETURN_IF_ERROR(impl_->writer->Finish());
        ZARR_RETURN_IF_ERROR(impl_->store->Flush());
        impl_->is_changed = false;
        impl_->tree = nullptr;
        return {};
    });
}

}  // namespace zarr_core
