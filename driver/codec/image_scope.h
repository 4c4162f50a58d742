// SPDX-License-Identifier: MIT
// What one use of a driver of GDAL on an image in memory needs.
#pragma once

#include <cpl_conv.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/base/gdal_errors.h"

namespace zarr_driver {

// Returns ok if GDAL has a raster driver named `driver`; else kUnsupported, which names the driver.
zarr::Status RequireDriver(const char* driver);

// Returns a name of a file in memory that no other code of the process can guess.
std::string SecretImageName();

// Hides GDAL errors of the current thread and sets configuration options for it, while the object
// exists. Belongs to one thread.
class ImageScope {
  public:
    // `driver` is the name of GDAL's driver; it must be a string literal.
    explicit ImageScope(const char* driver);

    // Returns the error of the driver, with GDAL's message or else `otherwise`.
    zarr::Status Failed(const char* otherwise) const;

  private:
    const char* const driver_;
    QuietErrors quiet_;
    std::vector<std::unique_ptr<CPLConfigOptionSetter>> options_;
};

// Prevents that reading blocks of an image flushes changed blocks of other datasets. A flush would
// wait for a store that itself waits for this image.
class NoFlush {
  public:
    NoFlush();
    ~NoFlush();
    NoFlush(const NoFlush&) = delete;
    NoFlush& operator=(const NoFlush&) = delete;
};

}  // namespace zarr_driver
