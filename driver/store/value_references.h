// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/store/store.h"
#include "core/store/zip_reader.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// Returns the location of a file as references state it: a URL, or the absolute path of a local
// file. Relative paths are not used: fsspec resolves them in the working folder of the process, and
// this driver in the folder of the references. Returns kUnsupported for a file in memory, and for
// other file systems of GDAL.
zarr::Result<std::string> ReferenceLocation(const StorePath& path);

// Returns references to the values of a store: where each value is located. Thread-safe.
class ValueReferences {
  public:
    // Creates the object for `store`, the open store at `address`. Returns kUnsupported if the
    // values have no location that references can state.
    static zarr::Result<ValueReferences> Of(const StoreAddress& address,
                                            std::shared_ptr<const zarr::Store> store);

    // Returns the reference to the value of `key`; an absent reference if the value is absent.
    // `is_known` is true if the caller knows that the value exists. If false, a request checks that
    // the value exists. Returns kUnsupported if the value is compressed in a zip file.
    zarr::Result<zarr::Reference> Find(const std::string& key, bool is_known) const;

  private:
    ValueReferences() = default;
    zarr::Result<zarr::Reference> FindMember(const std::string& key) const;

    std::shared_ptr<const zarr::Store> store_;
    std::shared_ptr<const zarr::ZipArchive> archive_;  // nullptr if the store is not in a zip file
    std::string inner_;                                // folder of the store in the zip file
    StorePath folder_;                                 // path of the store, if not in a zip file
    std::string location_;                             // location of the zip file or of the folder
};

}  // namespace zarr_driver
