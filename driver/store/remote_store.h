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

// A store on a web server or in an object store. A value takes one request, be it there or not: no
// question for its size or its existence before, and no listing. What was read of the metadata,
// or asked for ahead, is not asked for again by the same object. Where GDAL's options ask for what
// a URL cannot say, GDAL's own file systems are asked, which take more requests. They do what
// writes, too.
class RemoteStore final : public VsiStore, private zarr::Prefetcher {
  public:
    RemoteStore(StorePath folder, const StoreAccess& access)
        : VsiStore(std::move(folder)), access_(access), link_(LinkTo(this->folder())) {}

    // For reading: the store that another dataset has open, where that was opened in the last
    // tuning::kSharedFor and nothing was written through this process since, so that datasets of
    // one store that are opened one after another share what was read of the metadata; else a new
    // one.
    static std::shared_ptr<const RemoteStore> Open(const StorePath& folder,
                                                   const StoreAccess& access);

    zarr::StoreTraits Traits() const override;
    // Asks nothing. Of a value that parts were read of it counts how often a part was of another
    // content than the part before, by what the server says with them.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    // As far as a web server lists folders as pages, and an object store may be listed by the
    // client; kUnsupported otherwise.
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    // Not of a web server, which would be asked for a page, and for all of it.
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    // Not of a web server, whose pages may not show all.
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    const zarr::Prefetcher* prefetcher() const override { return this; }
    static constexpr std::size_t kMostListed = 999;

  private:
    // Asks a web server for the first of several prefixes alone, unless it has listed one before:
    // most do not list. Listings of more than kMostListed entries, which is one answer of an object
    // store, are not read on and not kept.
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsAtHand(const std::string& key) const override;
    bool IsListAtHand(const std::string& prefix) const override;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    // In between, reading is answered from the documents that were written. The first value that is
    // no document ends it, too, so that no chunks are kept in memory.
    void BeginCreate() override;
    void EndCreate() override;
    // The kinds of Read().
    zarr::Result<bool> ReadWhole(const std::string& key, zarr::Buffer& value,
                                 std::size_t limit) const;
    zarr::Result<bool> ReadRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                 zarr::Buffer& value) const;
    // Returns the value's size, nullopt if the key is absent. Two requests if the server does not
    // serve the end of a value.
    zarr::Result<std::optional<std::uint64_t>> ReadTail(const std::string& key, std::size_t length,
                                                        zarr::Buffer& value) const;
    // Reads through GDAL's file systems.
    zarr::Result<bool> AskGdal(const std::string& key, const zarr::ValuePart& part,
                               zarr::Buffer& value) const;
    // The documents written since BeginCreate(); nullptr otherwise.
    std::shared_ptr<zarr::MemoryStore> Made() const;
    // Keeps an answer, an empty one for absence, where there is room.
    void Keep(const std::string& key, std::optional<std::string_view> value) const;
    // True where a web server answers with a page that lists a folder, which GDAL then remembers.
    bool ShowsPage(const std::string& prefix) const;
    // List() without what is remembered; kLimit where there are more than `most` entries.
    zarr::Result<std::vector<zarr::StoreEntry>> AskForList(const std::string& prefix,
                                                           std::size_t most) const;
    // ReadWhole() without what is remembered.
    zarr::Result<bool> Ask(const std::string& key, zarr::Buffer& value, std::size_t limit) const;
    // What an answer means by `access_`.
    zarr::Result<bool> CheckAnswer(zarr::Result<bool> answer) const;
    // True where an object store answered that it has to be asked elsewhere, which GDAL can find
    // out.
    bool IsMisdirected(const zarr::Result<bool>& answer, const zarr::Buffer& value) const;

    // Reads a part of a value by its URL, and notes of which content it is.
    zarr::Result<bool> FetchPart(const std::string& url, const std::string& key,
                                 zarr::Buffer& value, std::size_t limit, const ByteExtent& extent,
                                 ToldOfValue& told) const;
    void NoteVersion(const std::string& key, const std::string& version) const;

    const StoreAccess access_;
    const zarr::LinkEstimate& link_;
    mutable std::mutex mutex_;
    // Metadata documents, and what else was asked for ahead, by key; nullopt for what is absent.
    mutable std::map<std::string, std::optional<std::string>> kept_;
    // Listings that were asked for ahead, by prefix; what failed as not listed is kept so.
    mutable std::map<std::string, zarr::Result<std::vector<zarr::StoreEntry>>> kept_lists_;
    mutable std::size_t kept_bytes_ = 0;  // of both
    std::shared_ptr<zarr::MemoryStore> made_;
    // What was last told of values that parts were read of, by key.
    struct Seen {
        std::string version;      // ToldOfValue::version; empty where it was absent
        std::uint64_t count = 0;  // of different contents one after the other
    };
    mutable std::unordered_map<std::string, Seen> seen_;
    mutable std::int64_t times_forgotten_ = 0;
    // Web servers list all folders or none.
    mutable std::atomic<bool> does_not_list_{false};
    mutable std::atomic<bool> lists_{false};
};

extern const StoreKind kWebServerKind;
extern const StoreKind kObjectStoreKind;

// Forgets what an object store has listed: GDAL remembers that, whatever others have done since,
// and whatever was deleted.
void ForgetListings(const std::string& folder);

}  // namespace zarr_driver
