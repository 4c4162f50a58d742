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

#include "driver/base/open_options.h"
#include "driver/transport/http_client.h"
#include "driver/transport/remote_creation.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

// A store on a web server or in an object store. A read takes one request, even for an absent
// value. Metadata documents and prefetched values are cached. Writes go through GDAL's file
// systems, and so do reads if a plain URL cannot express GDAL's options.
class RemoteStore final : public VsiStore, private zarr::Prefetcher {
  public:
    RemoteStore(StorePath folder, const StoreAccess& access)
        : VsiStore(std::move(folder)),
          access_(access),
          creation_(RemoteCreation::Find(Identity())),
          link_(LinkTo(this->folder())) {}

    // Opens a store for reading. Returns the object of another dataset, with its cached metadata,
    // if that dataset opened the store within the last tuning::kSharedFor. Writes of this process
    // end the sharing.
    static std::shared_ptr<const RemoteStore> Open(const StorePath& folder,
                                                   const StoreAccess& access);

    zarr::StoreTraits Traits() const override;
    // Returns the version of a value without a request. ObjectVersion::mark counts how often a
    // partial read found another ETag, time or size than the partial read before.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    // Returns kUnsupported if the web server has no page that lists the folder, or if the object
    // store forbids listing.
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    // Returns kUnsupported for web servers, which send the listing only as a whole page.
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    // Returns kUnsupported for web servers, whose listing pages may omit keys.
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    const zarr::Prefetcher* prefetcher() const override { return this; }
    static constexpr std::size_t kMostListed = 999;

  private:
    // Requests values and listings in advance, and caches them. Listings of more than kMostListed
    // entries, about one answer of an object store, are not cached. Until a web server has returned
    // a listing, only the first of `prefixes` is requested, because most web servers return none.
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsCached(const std::string& key) const override;
    bool IsListingCached(const std::string& prefix) const override;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    // Publishes a new store, whose documents are in memory until then; see RemoteCreation.
    zarr::Status Commit() override;
    // Between these calls, Commit() does not publish a new store.
    void BeginCreate() override;
    void EndCreate() override;
    // Implements Read() for whole values of at most `limit` bytes. Returns false if the key is
    // absent.
    zarr::Result<bool> ReadWhole(const std::string& key, zarr::Buffer& value,
                                 std::size_t limit) const;
    zarr::Result<bool> ReadRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                 zarr::Buffer& value) const;
    // Reads the last `length` bytes of a value, and returns the whole value's size in bytes, or
    // nullopt if the key is absent. Takes two requests if the server does not support ranges from
    // the end.
    zarr::Result<std::optional<std::uint64_t>> ReadTail(const std::string& key, std::size_t length,
                                                        zarr::Buffer& value) const;
    // Reads `part` of a value through GDAL's file systems. Returns false if the key is absent.
    zarr::Result<bool> ReadThroughGdal(const std::string& key, const zarr::ValuePart& part,
                                       zarr::Buffer& value) const;
    // True if this process is creating the store, and nobody can open it yet.
    bool IsUnpublished() const { return creation_ != nullptr && !creation_->IsPublished(); }
    // Caches the value of `key`, or its absence if the value is nullopt. Does nothing if the cache
    // is full.
    void AddToCache(const std::string& key, std::optional<std::string_view> value) const;
    // True if a web server returns a page that lists the folder `prefix`. GDAL caches the page.
    bool HasListingPage(const std::string& prefix) const;
    // Requests a listing without looking into the cache. Returns kLimit if it has more than `most`
    // entries.
    zarr::Result<std::vector<zarr::StoreEntry>> RequestListing(const std::string& prefix,
                                                               std::size_t most) const;
    // Reads a whole value without looking into the cache. Returns false if `key` is absent.
    zarr::Result<bool> RequestValue(const std::string& key, zarr::Buffer& value,
                                    std::size_t limit) const;
    // If StoreAccess::missing_on_403 is set, turns a kPermission error into false: the key counts
    // as absent.
    zarr::Result<bool> ApplyMissingOn403(zarr::Result<bool> answer) const;
    // True if an object store answers that the bucket has another address, which only GDAL's file
    // systems can find.
    bool IsRedirected(const zarr::Result<bool>& answer) const;

    // Reads the range `extent` of the value at `url`, and records the value's version for
    // VersionOf().
    zarr::Result<bool> FetchPart(const std::string& url, const std::string& key,
                                 zarr::Buffer& value, std::size_t limit, const ByteExtent& extent,
                                 ValueInfo& info) const;
    void NoteVersion(const std::string& key, const std::string& version) const;

    // Returns the listing of `prefix` again if it is empty. GDAL returns an empty listing after
    // each failure. Returns kUnsupported if the server lists nothing at all.
    zarr::Result<std::vector<zarr::StoreEntry>> ConfirmEmpty(const std::string& prefix,
                                                             std::size_t most) const;

    const StoreAccess access_;
    const std::shared_ptr<RemoteCreation> creation_;  // nullptr unless the store is new
    const zarr::LinkEstimate& link_;
    mutable std::mutex mutex_;
    // Metadata documents and prefetched values by key; nullopt for an absent key.
    mutable std::map<std::string, std::optional<std::string>> cached_values_;
    // Prefetched listings by prefix. A kUnsupported error is cached, too.
    mutable std::map<std::string, zarr::Result<std::vector<zarr::StoreEntry>>> cached_lists_;
    mutable std::size_t cached_bytes_ = 0;  // bytes in cached_values_ and cached_lists_ together
    // Version that the last partial read of a value found.
    struct Seen {
        std::string version;      // ValueInfo::version; empty if the value did not exist
        std::uint64_t count = 0;  // how often `version` was set to another value
    };
    mutable std::unordered_map<std::string, Seen> seen_;
    mutable std::int64_t seen_generation_ = 0;
    // Whether a web server lists folders is known after one answer, because it lists either all
    // folders or none.
    mutable std::atomic<bool> is_unlisted_{false};
    mutable std::atomic<bool> lists_{false};
};

}  // namespace zarr_driver
