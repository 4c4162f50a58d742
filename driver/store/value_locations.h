// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/store/store.h"
#include "core/store/zip_store.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Returns the location of a file as references name it: a URL, or the absolute path of a local
// file. Relative paths are not used: fsspec takes them from the working folder of the process, and
// this driver from the folder of the references. kUnsupported for a file in memory, and for other
// file systems of GDAL.
zarr::Result<std::string> ReferenceLocation(const StorePath& path);

// Tells where the values of a store are, for references to them. Thread-safe.
class ValueLocations {
  public:
    // `store` is the open store at `path`. kUnsupported if its values have no location that
    // references can name.
    static zarr::Result<ValueLocations> Of(const StorePath& path,
                                           std::shared_ptr<const zarr::Store> store);

    // Returns the reference to the value of `key`; absent if the value is absent. Sends a request
    // if `is_known` is false, which says that the value may be absent. kUnsupported if the value is
    // compressed in a zip file.
    zarr::Result<zarr::Reference> Find(const std::string& key, bool is_known) const;

  private:
    ValueLocations() = default;
    zarr::Result<zarr::Reference> FindMember(const std::string& key) const;

    std::shared_ptr<const zarr::Store> store_;
    std::shared_ptr<const zarr::ZipArchive> archive_;  // nullptr if the store is not in a zip file
    std::string inner_;                                // folder of the store in the zip file
    StorePath folder_;                                 // of the store, if not in a zip file
    std::string location_;                             // of the zip file or of the folder
};

}  // namespace zarr_driver
