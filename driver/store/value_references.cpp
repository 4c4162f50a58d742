// SPDX-License-Identifier: MIT
#include "driver/store/value_references.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/store/keys.h"
#include "driver/store/xcube_store.h"
#include "driver/store/zip_kind.h"
#include "driver/transport/open_zip.h"

namespace zarr_driver {

using zarr::Reference;
using zarr::Result;
using zarr::Status;

namespace {

// URL schemes of object stores, and the prefixes of their paths in GDAL's file systems.
constexpr const char* kObjectSchemes[][2] = {
    {"/vsis3/", "s3://"},     {"/vsigs/", "gs://"},   {"/vsiaz/", "az://"},
    {"/vsiadls/", "abfs://"}, {"/vsioss/", "oss://"},
};

Result<Reference> ToReference(const zarr::ValueLocation& value) {
    if (value.bytes) return Reference::Inline(*value.bytes);
    // An empty value is stored inline, because some readers take a size of 0 as the whole target.
    if (value.size == std::uint64_t{0}) return Reference::Inline({});
    ZARR_ASSIGN_OR_RETURN(std::string location, ReferenceLocation(value.target));
    return Reference::Target(std::move(location), value.offset, value.size);
}

}  // namespace

Result<std::string> ReferenceLocation(const StorePath& path) {
    const std::string& text = path.text();
    if (path.kind() == StorePath::Kind::kLocal) {
        std::error_code error;
        const auto absolute = std::filesystem::absolute(std::filesystem::u8path(text), error);
        if (error) return Status::Io(zarr::Quoted(text) + ": " + error.message());
        return absolute.lexically_normal().generic_u8string();
    }
    if (path.kind() == StorePath::Kind::kWebServer)
        if (auto url = path.Url()) return *std::move(url);
    for (const auto& [prefix, scheme] : kObjectSchemes)
        if (text.rfind(prefix, 0) == 0) return scheme + text.substr(std::string(prefix).size());
    return Status::Unsupported(zarr::Quoted(text) +
                               ": references cannot name a file in memory or in this file system "
                               "of GDAL; copy the store to a folder or a server");
}

Result<ValueReferences> ValueReferences::Of(const StoreAddress& address,
                                            std::shared_ptr<const zarr::Store> store) {
    ValueReferences made;
    made.store_ = std::move(store);
    if (made.store_->Traits().locator != nullptr) return made;
    if (!address.archive.empty()) {
        ZARR_ASSIGN_OR_RETURN(made.archive_, OpenZip(address.archive));
        made.inner_ = InnerFolder(address, *made.archive_);
        ZARR_ASSIGN_OR_RETURN(made.location_, ReferenceLocation(address.archive));
        return made;
    }
    if (IsLevelsFolder(address))
        return Status::Unsupported(
            "references to the levels of xcube are not written; write those of one level");
    made.folder_ = address.path();
    ZARR_ASSIGN_OR_RETURN(made.location_, ReferenceLocation(address));
    while (!made.location_.empty() && made.location_.back() == '/') made.location_.pop_back();
    return made;
}

Result<Reference> ValueReferences::FindMember(const std::string& key) const {
    const std::string name = zarr::JoinKey(inner_, key);
    const zarr::ZipMember* const member = archive_->Find(name);
    if (member == nullptr) return Reference::Absent();
    ZARR_RETURN_IF_ERROR(archive_->Check(*member).WithContext(key));
    if (!member->is_stored())
        return Status::Unsupported(key +
                                   ": is compressed in the zip file, so that references cannot "
                                   "name its bytes; store the members uncompressed");
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset,
                          archive_->FindContents(*member).WithContext(key));
    return Reference::Target(location_, offset, member->size);
}

Result<Reference> ValueReferences::Find(const std::string& key, bool is_known) const {
    if (const auto* const locator = store_->Traits().locator) {
        ZARR_ASSIGN_OR_RETURN(const auto value, locator->Locate(key));
        return value ? ToReference(*value).WithContext(key) : Reference::Absent();
    }
    if (archive_ != nullptr) return FindMember(key);
    if (!is_known) {
        ZARR_ASSIGN_OR_RETURN(const bool exists, store_->Exists(key));
        if (!exists) return Reference::Absent();
    }
    // On a web server, the location is the file's URL, percent-encoded and perhaps with a query.
    if (folder_.kind() == StorePath::Kind::kWebServer)
        if (auto url = folder_.Url(key)) return Reference::Target(*std::move(url), 0, std::nullopt);
    return Reference::Target(location_ + "/" + key, 0, std::nullopt);
}

}  // namespace zarr_driver
