// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "driver/vsi_store.h"

namespace zarr_driver {

// A store on a web server, under a path of /vsicurl/. A value takes one request, be it there or
// not: no question for its size or its existence before, and no listing. What was read of the
// metadata is not asked for again by the same object.
class HttpStore final : public VsiStore {
  public:
    explicit HttpStore(std::string folder) : VsiStore(std::move(folder)) {}

    std::size_t ReadsAtOnce() const override;
    zarr::Result<bool> Get(const std::string& key, zarr::Buffer& value,
                           std::size_t limit) const override;
    zarr::Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                                     zarr::MutableByteSpan memory) const override;
    zarr::Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                zarr::Buffer& value) const override;
    // As far as the server lists folders as web pages do; kUnsupported where it does not.
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;

  private:
    mutable std::mutex mutex_;
    // Metadata documents by key; nullopt for those that are absent.
    mutable std::map<std::string, std::optional<std::string>> documents_;
    mutable std::size_t documents_bytes_ = 0;
};

// True for stores that every request to takes a while.
bool IsRemote(const std::string& folder);

// The store in a folder, remote or not.
std::shared_ptr<VsiStore> OpenStore(const std::string& folder);

}  // namespace zarr_driver
