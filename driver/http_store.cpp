// SPDX-License-Identifier: MIT
#include "driver/http_store.h"

#include <cpl_vsi.h>

#include <algorithm>

#include "core/store/keys.h"
#include "driver/http_fetch.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr std::size_t kReadsAtOnce = 32;
constexpr std::size_t kMaxDocumentsBytes = std::size_t{64} << 20;

bool IsDocument(std::string_view key) {
    const std::string_view name = zarr::LastName(key);
    return name == zarr::kArrayKey || name == zarr::kGroupKey || name == zarr::kAttributesKey ||
           name == zarr::kV1ArrayKey || name == zarr::kV1AttributesKey;
}

}  // namespace

std::size_t HttpStore::ReadsAtOnce() const { return kReadsAtOnce; }

Result<bool> HttpStore::Get(const std::string& key, zarr::Buffer& value, std::size_t limit) const {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    const bool is_document = IsDocument(key);
    if (is_document) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = documents_.find(key);
        if (known != documents_.end()) {
            if (!known->second) return false;
            if (known->second->size() > limit)
                return zarr::ValueTooLarge(key, known->second->size(), limit);
            ZARR_RETURN_IF_ERROR(value.Assign(zarr::ByteSpan(*known->second)).WithContext(key));
            return true;
        }
    }
    ZARR_ASSIGN_OR_RETURN(const bool found, FetchUrl(*HttpUrl(folder(), key), key, value, limit));
    if (is_document) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::string_view text =
            found ? std::as_const(value).span().text() : std::string_view();
        if (documents_bytes_ + text.size() + key.size() <= kMaxDocumentsBytes) {
            documents_bytes_ += text.size() + key.size();
            documents_[key] = found ? std::optional(std::string(text)) : std::nullopt;
        }
    }
    return found;
}

Result<std::optional<std::size_t>> HttpStore::GetInto(const std::string& key,
                                                      zarr::MutableByteSpan memory) const {
    return Store::GetInto(key, memory);
}

Result<bool> HttpStore::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                 zarr::Buffer& value) const {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    return FetchUrl(*HttpUrl(folder(), key), key, value, zarr::kNoLimit,
                    ByteExtent{offset, std::max<std::size_t>(length, 1)});
}

Result<std::vector<zarr::StoreEntry>> HttpStore::List(const std::string& prefix) const {
    auto entries = VsiStore::List(prefix);
    if (entries.ok() && !entries->empty()) return entries;
    return Status::Unsupported(prefix +
                               ": the server does not list what it has; consolidated "
                               "metadata, or the path of an array, do without");
}

bool IsRemote(const std::string& folder) { return HttpUrl(folder, "").has_value(); }

std::shared_ptr<VsiStore> OpenStore(const std::string& folder) {
    if (IsRemote(folder)) return std::make_shared<HttpStore>(folder);
    return std::make_shared<VsiStore>(folder);
}

}  // namespace zarr_driver
