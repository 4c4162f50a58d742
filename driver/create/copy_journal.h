// SPDX-License-Identifier: MIT
// The journal of a copy records which pixels are already stored. If the copy is interrupted, a
// later copy with creation option RESUME=YES continues after these pixels.
#pragma once

#include <gdal_priv.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/store.h"
#include "driver/create/pixel_copy.h"

namespace zarr_driver {

// Returns a text that identifies the pixels of `source`: files with sizes and times, open options,
// nodata values, and the XML of a VRT. Files on servers are identified by name only, because each
// size would take a request.
//
// Returns an empty text if `source` has no files. A copy from such a source cannot be resumed.
std::string SourceText(GDALDataset& source);

// Journal of one copy: a small file in the store that is being built. Not thread-safe.
class CopyJournal {
  public:
    // `signature` identifies the source and the new arrays. `has_entry` is true if the store
    // already contains a journal of this copy, from an earlier process.
    CopyJournal(std::shared_ptr<zarr::Store> store, std::string signature, bool has_entry)
        : store_(std::move(store)), signature_(std::move(signature)), has_entry_(has_entry) {}

    // Content of the journal: the signature of the copy, and the position before which all pixels
    // are stored.
    struct Entry {
        std::string signature;
        CopyPosition position;
    };
    // Returns nullopt if the store has no journal, or if the journal cannot be read.
    static std::optional<Entry> Read(const zarr::Store& store);

    // True if Record() has not been called for kInterval, and should be called.
    bool IsDue() const { return std::chrono::steady_clock::now() - recorded_ >= kInterval; }
    // Records that all pixels before `position` are stored.
    zarr::Status Record(CopyPosition position);
    // True if the store contains a journal of this copy.
    bool HasEntry() const { return has_entry_; }
    // Removes the journal from the store, because the copy is complete.
    zarr::Status Erase();

  private:
    // Minimum time between two calls of Record(). A call costs little more than writing a small
    // file.
    static constexpr std::chrono::seconds kInterval{1};

    std::shared_ptr<zarr::Store> store_;
    std::string signature_;
    std::chrono::steady_clock::time_point recorded_ = std::chrono::steady_clock::now();
    bool has_entry_;
};

// Finds the unfinished store that a copy with RESUME=YES continues.
class UnfinishedCopies {
  public:
    // `signature` identifies the source and the new arrays, as for CopyJournal.
    explicit UnfinishedCopies(std::string signature) : signature_(std::move(signature)) {}

    // True if the store in `folder` is an unfinished copy with this signature.
    bool IsContinuedIn(const std::string& folder);
    // True if IsContinuedIn() has found a copy of another source or with other options.
    bool HasOthers() const { return has_others_; }

  private:
    const std::string signature_;
    bool has_others_ = false;
};

}  // namespace zarr_driver
