// SPDX-License-Identifier: MIT
// Reads Zarr stores in local zip files.
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "core/library/internal.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "core/store/zip_reader.h"

namespace zarr_core {

namespace {

class LocalSource final : public zarr::ByteSource {
  public:
    explicit LocalSource(zarr::LocalFile file) : file_(std::move(file)) {}

    std::uint64_t size() const override { return file_.size(); }
    zarr::Status ReadAt(std::uint64_t offset, zarr::MutableByteSpan memory) const override {
        const int error = memory.size == 0 ? 0 : file_.ReadAt(offset, memory);
        if (error == 0) return {};
        return zarr::Status::Io("the zip file cannot be read: " +
                                std::generic_category().message(error));
    }

  private:
    const zarr::LocalFile file_;
};

zarr::Status CannotOpen(int error) {
    const std::string message = std::generic_category().message(error);
    if (error == ENOENT || error == ENOTDIR) return zarr::Status::NotFound(message);
    if (error == EACCES || error == EPERM) return zarr::Status::Permission(message);
    return zarr::Status::Io(message);
}

}  // namespace

zarr::Result<std::shared_ptr<zarr::Store>> OpenLocalZip(const std::string& path,
                                                        const std::optional<std::string>& inner) {
    zarr::LocalFile file;
    if (const int error = file.Open(path); error != 0) return CannotOpen(error).WithContext(path);
    // File number, time and size are part of the identity, so that a replaced zip file counts as a
    // different store.
    const std::string identity = path + "\n" + std::to_string(file.number()) + "\n" +
                                 std::to_string(file.modified()) + "\n" +
                                 std::to_string(file.size());
    auto opened =
        zarr::ZipArchive::Open(std::make_unique<LocalSource>(std::move(file)), identity, path);
    if (!opened.ok()) return opened.status().WithContext(path);
    const std::shared_ptr<const zarr::ZipArchive> archive = opened.Take();
    std::string prefix;
    if (inner) {
        auto normal = zarr::NormalizePath(*inner);
        if (!normal.ok()) return normal.status().WithContext(path);
        prefix = normal.Take();
    } else {
        prefix = archive->FindRoot([&](const std::string& folder) {
            return zarr::HoldsRootDocumentOfAnyFormat(
                folder, [&](const std::string& key) { return archive->Find(key) != nullptr; });
        });
    }
    return std::shared_ptr<zarr::Store>(std::make_shared<zarr::ZipStore>(archive, prefix));
}

}  // namespace zarr_core
