// SPDX-License-Identifier: MIT
#include "core/hierarchy/node_cache.h"

#include <iterator>
#include <map>

#include "core/base/tuning.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

using Changes = std::atomic<std::uint64_t>;

// Counts the changes of each open store. Stores with equal Store::Identity() share a counter.
class ChangeRegistry {
  public:
    std::shared_ptr<const Changes> Of(const Store& store) {
        const std::string name = store.Identity();
        auto made = std::make_shared<Changes>(0);
        const std::lock_guard<std::mutex> lock(mutex_);
        std::weak_ptr<Changes>& entry = counts_[name];
        if (auto known = entry.lock()) return known;
        entry = made;
        if (counts_.size() > 2 * kept_) Clean();
        return made;
    }
    void Note(const std::string& identity) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = counts_.find(identity);
        const auto known = found != counts_.end() ? found->second.lock() : nullptr;
        if (known != nullptr) known->fetch_add(1);
    }

  private:
    void Clean() {
        for (auto it = counts_.begin(); it != counts_.end();)
            it = it->second.expired() ? counts_.erase(it) : std::next(it);
        kept_ = counts_.size();
    }

    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<Changes>> counts_;
    std::size_t kept_ = 16;  // number of counters after the last Clean()
};

// The registry is created when the library is loaded. It is never destroyed, because threads may
// still use it while the process ends.
auto& registry = *new ChangeRegistry();

// Clears the cached nodes. Only arrays of Zarr v1 stay known as such, so that their users need no
// second search.
void Forget(std::unordered_map<std::string, LoadedNode>& nodes) {
    for (auto it = nodes.begin(); it != nodes.end();) {
        if (!it->second.is_v1.value_or(false)) {
            it = nodes.erase(it);
            continue;
        }
        it->second = {};
        it->second.is_v1 = true;
        ++it;
    }
}

// Estimated memory of a parsed JSON value, in bytes per byte of its text.
constexpr std::size_t kBytesPerByte = 4;

}  // namespace

StoredDocument ParseDocument(const std::string& key, std::string_view text) {
    std::string own;
    if (LastName(key) == kV3Document &&
        text.find("\"consolidated_metadata\"") != std::string_view::npos) {
        own = SplitV3Consolidated(text).own;
        text = own;
    }
    StoredDocument document;
    document.exists = true;
    document.size = text.size();
    document.is_text_of_gdal = IsV3TextOfGdal(text);
    auto parsed = json::Parse(text);
    if (parsed.ok())
        document.value = std::make_shared<const json::Value>(parsed.Take());
    else
        document.text = text;
    return document;
}

Result<StoredDocument> ReadDocument(const Store& store, const std::string& key) {
    Buffer text;
    ObjectVersion version;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store, key, text, &version));
    if (!found) return StoredDocument();
    StoredDocument document = ParseDocument(key, std::as_const(text).span().text());
    if (version.exists) document.version = version;
    return document;
}

NodeCache::NodeCache(const Store& store) : changes_(registry.Of(store)), version_(*changes_) {}

std::uint64_t NodeCache::Renew() {
    const std::uint64_t version = changes_->load();
    if (version != version_) {
        Forget(nodes_);
        bytes_ = 0;
        version_ = version;
    }
    return version;
}

bool NodeCache::MakeRoom(std::size_t bytes) {
    if (bytes > tuning::kNodeCacheBytes / 4) return false;
    if (bytes_ + bytes > tuning::kNodeCacheBytes) {
        Forget(nodes_);
        bytes_ = 0;
    }
    bytes_ += bytes + sizeof(LoadedNode) / 2;
    return true;
}

std::size_t NodeCache::SizeOf(const StoredDocument& document) {
    return document.size * kBytesPerByte;
}

std::size_t NodeCache::SizeOf(const std::vector<StoreEntry>& entries) {
    std::size_t bytes = 0;
    for (const StoreEntry& entry : entries) bytes += sizeof(StoreEntry) + entry.name.size();
    return bytes;
}

void NotifyChange(const Store& store) { registry.Note(store.Identity()); }

ChangeScope::~ChangeScope() { registry.Note(identity_); }

}  // namespace zarr
