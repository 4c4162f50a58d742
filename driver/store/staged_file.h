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

// A file that is written under a temporary name and then replaces the file at its final path in one
// step. Files for object stores are built on the local disk, because objects are written as a
// whole. Not thread-safe.
class StagedFile final : public zarr::ByteSink {
  public:
    // Creates a temporary file that will become `path`.
    static zarr::Result<std::unique_ptr<StagedFile>> Create(const StorePath& path);

    // Deletes the temporary file, unless Commit() has succeeded.
    ~StagedFile() override;
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    zarr::Status Write(zarr::ByteSpan bytes) override;
    // Moves the temporary file to its final path, replacing a file there.
    zarr::Status Commit();

  private:
    explicit StagedFile(std::string path) : path_(std::move(path)) {}
    zarr::Status Open();

    const std::string path_;
    std::string staging_;  // path of the temporary file; empty after Commit()
    VsiFile file_;
    std::optional<zarr::PathLock> lock_;
};

}  // namespace zarr_driver
