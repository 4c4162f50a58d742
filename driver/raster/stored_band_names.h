// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

class ZarrDataset;

// Descriptions of bands that the store holds as text coordinates along the dimension of bands. Not
// thread-safe.
class StoredBandNames {
  public:
    // `dataset` must outlive this object.
    explicit StoredBandNames(ZarrDataset& dataset) : dataset_(dataset) {}
    ~StoredBandNames() = default;
    StoredBandNames(const StoredBandNames&) = delete;
    StoredBandNames& operator=(const StoredBandNames&) = delete;

    // True if the names can be stored: as coordinates along the only extra dimension of the only
    // array.
    bool CanBeStored();
    // Returns the path of the coordinates, if CanBeStored().
    std::string Path() const;
    // Records that the next Flush() writes the name of band `number`, from 1.
    void Change(int number) { changed_.insert(number); }
    bool HasChanges() const { return !changed_.empty(); }
    // Writes changed names. If this fails, the next call tries again.
    zarr::Status Flush();
    // Call when dimensions of the array were renamed, and when the array was replaced.
    void DimensionsRenamed() { can_be_stored_.reset(); }
    void ArrayReplaced() {
        DimensionsRenamed();
        changed_.clear();
    }

  private:
    bool FindOut() const;
    zarr::Result<std::vector<std::string>> Stored() const;

    ZarrDataset& dataset_;
    std::set<int> changed_;
    std::optional<bool> can_be_stored_;
};

}  // namespace zarr_driver
