// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/store/memory_store.h"
#include "driver/store/http_client.h"
#include "driver/store/store_kind.h"
#include "driver/store/vsi_store.h"

namespace zarr_driver {

// A store on a web server or in an object store. A read takes one request, whether or not the value
// exists. Metadata documents and prefetched values are cached in this object.
// If a URL cannot express GDAL's options, reads go through GDAL's file systems, which send more
// requests. Writes always go through GDAL's file systems.
class RemoteStore final : public VsiStore, private zarr::Prefetcher {
  public:
    RemoteStore(StorePath folder, const StoreAccess& access)
        : VsiStore(std::move(folder)), access_(access), link_(LinkTo(this->folder())) {}

    // Opens a store for reading. Returns the object of another dataset if that dataset opened the
    // store within the last tuning::kSharedFor, and this process has written nothing since then.
    // Datasets that are opened one after another thus share cached metadata.
    static std::shared_ptr<const RemoteStore> Open(const StorePath& folder,
                                                   const StoreAccess& access);

    zarr::StoreTraits Traits() const override;
    // Returns the version of a value without a request. ObjectVersion::mark counts how often a
    // partial read found other content than the previous partial read. Content differs if its ETag,
    // time or size differs.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    // Returns kUnsupported if the web server returns no page that lists a folder. Also returns
    // kUnsupported if the object store does not let the client list.
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    // Returns kUnsupported for web servers, whose pages can only be read as a whole.
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    // Returns kUnsupported for web servers, whose pages may not show all keys.
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    const zarr::Prefetcher* prefetcher() const override { return this; }
    static constexpr std::size_t kMostListed = 999;

  private:
    // Reads values and listings ahead, into the cache. While a web server has returned no listing
    // yet, only the first of several `prefixes` is requested, because most web servers return no
    // listings. A listing with more than kMostListed entries, about one answer of an object store,
    // is not cached.
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsCached(const std::string& key) const override;
    bool IsListingCached(const std::string& prefix) const override;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    // BeginCreate() starts a mode in which reads are answered from the documents that this object
    // has written. EndCreate() ends the mode. Writing a chunk ends the mode, too, because chunks
    // must not be kept in memory.
    void BeginCreate() override;
    void EndCreate() override;
    // Implements Read() for whole values of at most `limit` bytes. Returns false if `key` is
    // absent.
    zarr::Result<bool> ReadWhole(const std::string& key, zarr::Buffer& value,
                                 std::size_t limit) const;
    zarr::Result<bool> ReadRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                 zarr::Buffer& value) const;
    // Reads the last `length` bytes of a value into `value`. Returns the size of the whole value in
    // bytes, or nullopt if `key` is absent. Takes two requests if the server does not support
    // ranges from the end.
    zarr::Result<std::optional<std::uint64_t>> ReadTail(const std::string& key, std::size_t length,
                                                        zarr::Buffer& value) const;
    // Reads `part` of a value through GDAL's file systems. Returns false if `key` is absent.
    zarr::Result<bool> ReadThroughGdal(const std::string& key, const zarr::ValuePart& part,
                                       zarr::Buffer& value) const;
    // Returns the documents that were written since BeginCreate(); nullptr if BeginCreate() was not
    // called or its mode has ended.
    std::shared_ptr<zarr::MemoryStore> CreatedDocuments() const;
    // Caches the value of `key`; nullopt means that the key is absent. Does nothing if the cache is
    // full.
    void AddToCache(const std::string& key, std::optional<std::string_view> value) const;
    // True if a web server returns a page that lists the folder `prefix`. GDAL caches this page.
    bool HasListingPage(const std::string& prefix) const;
    // Requests a listing without looking into the cache. Returns kLimit if there are more than
    // `most` entries.
    zarr::Result<std::vector<zarr::StoreEntry>> RequestListing(const std::string& prefix,
                                                               std::size_t most) const;
    // Reads a whole value without looking into the cache. Returns false if `key` is absent.
    zarr::Result<bool> RequestValue(const std::string& key, zarr::Buffer& value,
                                    std::size_t limit) const;
    // Turns kPermission into false (key is absent) if StoreAccess::missing_on_403 is set.
    zarr::Result<bool> ApplyMissingOn403(zarr::Result<bool> answer) const;
    // True if the answer of an object store says that the bucket has another address. Such a value
    // must be read through GDAL's file systems, which can find that address.
    bool IsRedirected(const zarr::Result<bool>& answer, const zarr::Buffer& value) const;

    // Reads the range `extent` of a value from `url`, and records the version of the value for
    // VersionOf().
    zarr::Result<bool> FetchPart(const std::string& url, const std::string& key,
                                 zarr::Buffer& value, std::size_t limit, const ByteExtent& extent,
                                 ValueInfo& info) const;
    void NoteVersion(const std::string& key, const std::string& version) const;

    const StoreAccess access_;
    const zarr::LinkEstimate& link_;
    mutable std::mutex mutex_;
    // Cached values by key: metadata documents and prefetched values. The value is nullopt for an
    // absent key.
    mutable std::map<std::string, std::optional<std::string>> cached_values_;
    // Prefetched listings by prefix. A listing that failed with kUnsupported is cached as this
    // error.
    mutable std::map<std::string, zarr::Result<std::vector<zarr::StoreEntry>>> cached_lists_;
    mutable std::size_t cached_bytes_ = 0;  // size of cached_values_ and cached_lists_ together
    std::shared_ptr<zarr::MemoryStore> created_documents_;
    // Version of a value when it was last read in part.
    struct Seen {
        std::string version;      // ValueInfo::version; empty if the value was absent
        std::uint64_t count = 0;  // how often `version` was set to another value
    };
    mutable std::unordered_map<std::string, Seen> seen_;
    mutable std::int64_t seen_generation_ = 0;
    // State of listings: a web server lists either all of its folders or none, so one answer
    // decides for all folders.
    mutable std::atomic<bool> is_unlisted_{false};
    mutable std::atomic<bool> lists_{false};
};

extern const StoreKind kWebServerKind;
extern const StoreKind kObjectStoreKind;

// Removes the listings of an object store from GDAL's cache. GDAL keeps a listing even if another
// process, or a deletion, has changed the folder.
void ForgetListings(const std::string& folder);

}  // namespace zarr_driver
