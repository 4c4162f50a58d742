// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/references/reference_writer.h"
#include "core/store/partial_files.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"

namespace zarr_driver {

// A file that is written under a staging name, and then replaces the file at its final path in one
// step. Files in object stores are built on the local disk, because an object can only be written
// as a whole. Not thread-safe.
class StagedFile final : public zarr::ByteSink {
  public:
    // Creates the staging file for `path`.
    static zarr::Result<std::unique_ptr<StagedFile>> Create(const StorePath& path);

    // Deletes the staging file, unless Commit() has succeeded.
    ~StagedFile() override;
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    zarr::Status Write(zarr::ByteSpan bytes) override;
    // Renames the file to its final path, and replaces an existing file there.
    zarr::Status Commit();

  private:
    explicit StagedFile(std::string path) : path_(std::move(path)) {}
    zarr::Status Open();

    const std::string path_;
    std::string staging_;  // empty after Commit()
    VsiFile file_;
    std::optional<zarr::PathLock> lock_;
};

}  // namespace zarr_driver
