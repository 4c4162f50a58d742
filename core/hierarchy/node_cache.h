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

// A metadata document of a store, parsed if its text is JSON.
struct StoredDocument {
    bool exists = false;
    std::size_t size = 0;                      // size of the document's text, in bytes
    std::shared_ptr<const json::Value> value;  // nullptr if the document is absent or not JSON
    std::string text;              // text of a document that is not JSON; otherwise empty
    bool is_text_of_gdal = false;  // see IsV3TextOfGdal()
    // Version of the document; nullopt if it was not read from the store itself.
    std::optional<ObjectVersion> version;
};

// Reads and parses the document under `key`; `exists` is false if the key is absent. In a
// `zarr.json`, "consolidated_metadata" becomes null.
Result<StoredDocument> ReadDocument(const Store& store, const std::string& key);
StoredDocument ParseDocument(const std::string& key, std::string_view text);

// Cached results for one document or one node (array or group). Documents and attributes are cached
// under the document's key, other results under the node's path. Each member is set when it is
// first needed.
struct LoadedNode {
    std::optional<StoredDocument> document;
    // The node's document in the store, which may differ from its copy in consolidated metadata.
    std::optional<StoredDocument> own_document;
    std::optional<NodeKind> kind;
    std::optional<bool> is_v1;
    std::optional<ArrayMetadata> metadata;
    std::optional<json::Value> attributes;
    std::optional<std::vector<StoreEntry>> entries;
    // Values that NodeCache::GetDerived() caches, by their types.
    std::map<std::type_index, std::shared_ptr<const void>> derived;
};
// A member of LoadedNode.
template <class T>
using LoadedPart = std::optional<T> LoadedNode::*;

// Cache of nodes by path, and of documents by key, of one store. Cleared when a HierarchyWriter of
// this process changes the store, or when the memory limit is reached. Thread-safe.
class NodeCache {
  public:
    explicit NodeCache(const Store& store);

    // Returns the member `part` of the cached LoadedNode `name`. If the member is not cached, calls
    // `load` and caches its result. Errors of `load` are returned, not cached.
    template <class T, class Load>
    Result<T> Get(const std::string& name, LoadedPart<T> part, Load&& load) {
        std::uint64_t version = 0;
        if (auto found = Find(name, part, version)) return *std::move(found);
        Result<T> loaded = load();
        if (loaded.ok()) Put(name, part, *loaded, version);
        return loaded;
    }

    // Returns the member `part` of the cached LoadedNode `name`; nullopt if the member is not
    // cached.
    template <class T>
    std::optional<T> Find(const std::string& name, LoadedPart<T> part) {
        std::uint64_t version = 0;
        return Find(name, part, version);
    }

    template <class T>
    void Put(const std::string& name, LoadedPart<T> part, const T& loaded) {
        Put(name, part, loaded, changes_->load());
    }

    // Returns the cached value of type T for `name`. If there is none, calls `load`; its value is
    // cached unless failures(), the number of failed requests, has grown. Errors of `load` are
    // returned, not cached.
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
    // Returns the member `part` of the cached LoadedNode `name`; nullopt if it is not cached. Sets
    // `version` to the current number of changes of the store.
    template <class T>
    std::optional<T> Find(const std::string& name, LoadedPart<T> part, std::uint64_t& version) {
        const std::lock_guard<std::mutex> lock(mutex_);
        version = Renew();
        const auto found = nodes_.find(name);
        return found != nodes_.end() ? found->second.*part : std::nullopt;
    }
    template <class T>
    void Put(const std::string& name, LoadedPart<T> part, const T& loaded, std::uint64_t version) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (Renew() != version || !MakeRoom(name.size() + SizeOf(loaded))) return;
        nodes_[name].*part = loaded;
    }
    // Clears the cache if the store has changed since the last call. Returns the number of changes
    // of the store so far.
    std::uint64_t Renew();
    // Reserves `bytes` of the cache's memory limit; clears the cache if too few are left. Returns
    // false if `bytes` exceeds what may be cached.
    bool MakeRoom(std::size_t bytes);

    // Return an estimate of the memory that a cached value takes, in bytes.
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

// Clears the NodeCaches of all stores that have the Identity() of `store`. Call after metadata has
// changed.
void NotifyChange(const Store& store);

// Calls NotifyChange() for a store at the end of a scope.
class ChangeScope {
  public:
    explicit ChangeScope(const Store& store) : identity_(store.Identity()) {}
    ~ChangeScope();
    ChangeScope(const ChangeScope&) = delete;
    ChangeScope& operator=(const ChangeScope&) = delete;

  private:
    // Computed in the constructor, because the destructor must not allocate memory.
    const std::string identity_;
};

}  // namespace zarr
