// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

enum class NodeKind { kNone, kArray, kGroup };

// A document of metadata.
struct StoredDocument {
    bool exists = false;
    std::size_t size = 0;              // bytes
    std::optional<json::Value> value;  // null where the document is absent or is no JSON
    std::string text;                  // of a document that is no JSON
};

// The document under a key, parsed, without the consolidated metadata that a group of Zarr v3 has
// in its own.
Result<StoredDocument> ReadDocument(const Store& store, const std::string& key);
StoredDocument ParseDocument(const std::string& key, std::string_view text);

// A node as far as it was asked for. A document is a part of its key, not of its node.
struct LoadedNode {
    std::optional<StoredDocument> document;
    std::optional<StoredDocument> own_document;  // without consolidated metadata in front
    std::optional<NodeKind> kind;
    std::optional<bool> is_v1;
    std::optional<ArrayMetadata> metadata;
    std::optional<json::Value> attributes;
    std::optional<std::vector<StoreEntry>> entries;
    std::map<std::type_index, std::shared_ptr<const void>> derived;  // see GetDerived()
};

// Nodes of one store by their paths, and documents by their keys. All are forgotten when a
// HierarchyWriter of this process has changed the store, or when they take too much memory.
// Thread-safe.
class NodeCache {
  public:
    explicit NodeCache(const Store& store);

    // Returns a part of what is cached under `name`; calls `load` for it where it is not cached.
    // Errors of `load` are returned and not cached.
    template <class T, class Load>
    Result<T> Get(const std::string& name, std::optional<T> LoadedNode::*part, Load&& load) {
        std::uint64_t version = 0;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            version = Renew();
            const auto found = nodes_.find(name);
            if (found != nodes_.end() && found->second.*part) return *(found->second.*part);
        }
        Result<T> loaded = load();
        if (loaded.ok()) Put(name, part, *loaded, version);
        return loaded;
    }

    template <class T>
    void Put(const std::string& name, std::optional<T> LoadedNode::*part, const T& loaded) {
        Put(name, part, loaded, changes_->load());
    }

    // Returns the T that was computed from the nodes for `name`; computes it with `load` where it
    // is not cached. Neither errors are cached, nor a T during whose computation `failures` grew.
    template <class T, class Load, class Failures>
    Result<std::shared_ptr<const T>> GetDerived(const std::string& name, Load&& load,
                                                Failures&& failures) {
        std::uint64_t version = 0;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            version = Renew();
            const auto node = nodes_.find(name);
            if (node != nodes_.end()) {
                const auto found = node->second.derived.find(typeid(T));
                if (found != node->second.derived.end())
                    return std::static_pointer_cast<const T>(found->second);
            }
        }
        const std::uint64_t failures_before = failures();
        Result<T> loaded = load();
        if (!loaded.ok()) return loaded.status();
        auto shared = std::make_shared<const T>(loaded.Take());
        if (failures() != failures_before) return {std::move(shared)};
        const std::lock_guard<std::mutex> lock(mutex_);
        if (Renew() == version && MakeRoom(name.size() + sizeof(T)))
            nodes_[name].derived[typeid(T)] = shared;
        return {std::move(shared)};
    }

  private:
    template <class T>
    void Put(const std::string& name, std::optional<T> LoadedNode::*part, const T& loaded,
             std::uint64_t version) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (Renew() != version || !MakeRoom(name.size() + SizeOf(loaded))) return;
        nodes_[name].*part = loaded;
    }
    // Forgets everything where the store has changed. Returns the number of changes.
    std::uint64_t Renew();
    // False where `bytes` are too many to be cached.
    bool MakeRoom(std::size_t bytes);

    // Estimates of bytes.
    static std::size_t SizeOf(const StoredDocument& document);
    static std::size_t SizeOf(const std::vector<StoreEntry>& entries);
    template <class T>
    static std::size_t SizeOf(const T&) {
        return sizeof(T);
    }

    const std::shared_ptr<const std::atomic<std::uint64_t>> changes_;
    std::mutex mutex_;
    std::uint64_t version_;
    std::size_t bytes_ = 0;
    std::unordered_map<std::string, LoadedNode> nodes_;
};

// Says that the metadata of a store have changed, to all NodeCaches of stores of its Identity().
void NoteChange(const Store& store);

// NoteChange() at the end of a scope.
class ChangeScope {
  public:
    explicit ChangeScope(const Store& store) : identity_(store.Identity()) {}
    ~ChangeScope();
    ChangeScope(const ChangeScope&) = delete;
    ChangeScope& operator=(const ChangeScope&) = delete;

  private:
    const std::string identity_;  // a destructor must not run out of memory
};

}  // namespace zarr
