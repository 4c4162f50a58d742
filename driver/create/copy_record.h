// SPDX-License-Identifier: MIT
// What a copy says of itself in its unfinished store, so that a later copy with creation option
// RESUME=YES continues it.
#pragma once

#include <gdal_priv.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/hierarchy/change_intent.h"
#include "core/store/store.h"
#include "driver/create/pixel_copy.h"

namespace zarr_driver {

// Returns a text that identifies the pixels of `source`: files with sizes and times, open options,
// nodata values, and the XML of a VRT. Files on servers are identified by name only, because each
// size would take a request.
//
// Returns an empty text if `source` has no files. A copy from such a source cannot be resumed.
std::string SourceText(GDALDataset& source);

// Records in the intent of the store that a copy makes which pixels are stored. Not thread-safe.
class CopyRecord {
  public:
    // `signature` identifies the source and the new arrays. `has_entry` is true if an earlier
    // process has recorded this copy in the store.
    CopyRecord(const std::shared_ptr<zarr::Store>& store, std::string signature, bool has_entry);

    // Returns what was recorded in an unfinished store; nullopt if there is nothing.
    static std::optional<zarr::ChangeIntent::Copy> Find(const std::shared_ptr<zarr::Store>& store);

    // True if Write() has not been called for kInterval, and should be called.
    bool IsDue() const { return std::chrono::steady_clock::now() - recorded_ >= kInterval; }
    // Records that all pixels before `position` are stored.
    zarr::Status Write(CopyPosition position);
    // True if a position of this copy is recorded.
    bool HasEntry() const { return has_entry_; }
    // Removes the record, because the copy is complete.
    zarr::Status Erase();

  private:
    // Minimum time between two calls of Write(). A call costs little more than writing a small
    // file.
    static constexpr std::chrono::seconds kInterval{1};

    zarr::IntentFile intent_;
    const std::string signature_;
    std::chrono::steady_clock::time_point recorded_ = std::chrono::steady_clock::now();
    bool has_entry_;
};

}  // namespace zarr_driver
