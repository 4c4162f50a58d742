// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_vsi.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "core/store/store.h"
#include "core/store/zip_store.h"
#include "driver/store/store_replacement.h"

namespace zarr_driver {

// Where a path leads to in a zip file.
struct ZipPlace {
    std::string archive;               // path of the zip file
    std::optional<std::string> inner;  // folder in it; none: wherever the store in it lies
};

// The place of a path below /vsizip/, or of a file whose name ends in ".zip"; none for other paths.
std::optional<ZipPlace> ZipPlaceOf(const std::string& path);

// Opens a zip file; the same object that is open already, where the file has not changed.
// Errors say what is wrong with the file. Thread-safe.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path);

// Makes a zip file without members, to be changed afterwards.
zarr::Status MakeEmptyZip(const std::string& path);

// The store that a place means, to be changed; the same object as long as someone has it. Errors
// say why the file cannot be changed. Thread-safe.
zarr::Result<std::shared_ptr<zarr::Store>> OpenZipForUpdate(const ZipPlace& place);

// Lets go of the zip file that was opened last, which is kept for the next opening.
void CloseIdleZip();

// Ok where a zip file that was just written holds what was put into it, which is read for that:
// GDAL's writer does not notice that bytes were not written, and leaves a hole in their place.
zarr::Status CheckZip(const std::string& path);

// The folder in an archive that a place means, "" for its root.
std::string InnerFolder(const ZipPlace& place, const zarr::ZipArchive& archive);

// True where a prefix of a zip file has one of the documents that a store of Zarr v2 has at its
// root.
bool HoldsStore(const zarr::ZipArchive& archive, const std::string& prefix);

// The archive of a path below /vsizip/, such as /vsizip/folder/x.zip/store; none for other paths.
std::optional<std::string> ArchiveOf(const std::string& path);

// Writes a new store into a new zip file, one member after another. A member that was written is
// there for good and cannot be read until the file is closed; so documents, and what else is small,
// are held in memory until Close(). An archive that was not closed is of no use. Thread-safe.
class ZipWriter final : public zarr::Store {
  public:
    // `folder` is below /vsizip/. `replacement` says where the zip file is built; it is committed
    // once that is closed and whole, else undone when the writer goes.
    static zarr::Result<std::shared_ptr<zarr::Store>> Create(const std::string& folder,
                                                             StoreReplacement replacement);
    ~ZipWriter() override;
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    std::string Describe() const override { return folder_; }
    std::string Identity() const override { return folder_; }
    zarr::Result<bool> Get(const std::string& key, zarr::Buffer& value,
                           std::size_t limit) const override;
    zarr::Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                zarr::Buffer& value) const override;
    zarr::Status Set(const std::string& key, zarr::ByteSpan value) override;
    zarr::Status Erase(const std::string& key) override;
    zarr::Status Close() override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;

  private:
    ZipWriter(std::string folder, VSILFILE* archive, StoreReplacement replacement)
        : replacement_(std::move(replacement)),
          folder_(std::move(folder)),
          building_folder_(replacement_.folder()),
          archive_(archive) {}

    zarr::Status Write(const std::string& key, zarr::ByteSpan value);

    // Values up to this size are held, as long as they take no more than the second together.
    static constexpr std::size_t kSmall = std::size_t{64} << 10;
    static constexpr std::size_t kHeld = std::size_t{16} << 20;

    StoreReplacement replacement_;  // ends when the file is closed
    const std::string folder_;
    const std::string building_folder_;  // the same in the zip file that is being built
    mutable std::mutex mutex_;
    bool is_damaged_ = false;  // a member could not be written
    VSILFILE* archive_;        // keeps the file open between members; nullptr once closed
    std::map<std::string, std::string> held_;
    std::size_t held_bytes_ = 0;
    std::set<std::string> written_;
};

}  // namespace zarr_driver
