// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/completion.h"
#include "core/conventions/array_facts.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class MdimSession;

// Writes pending changes, and opens the raster of the array at `path` for update. Emits an error
// and returns nullptr on failure.
std::unique_ptr<GDALDataset> OpenRasterForUpdate(MdimSession& session, const std::string& path);

// Overviews of an array in the multidimensional API: the smaller levels of its pyramid, if the
// array is the largest level. Const methods may be called from several threads at once.
class ArrayOverviews {
  public:
    // Both must outlive this object. `facts` may change.
    ArrayOverviews(MdimSession& session, const zarr::ArrayFacts& facts)
        : session_(session), facts_(facts) {}
    ~ArrayOverviews() = default;
    ArrayOverviews(const ArrayOverviews&) = delete;
    ArrayOverviews& operator=(const ArrayOverviews&) = delete;

    // Returns the paths of the overviews, largest first. Finds them at the first call.
    const std::vector<std::string>& Paths() const;
    // Finds the overviews anew at the next call of Paths().
    void Forget() { paths_.Reset(); }
#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
    // Builds overviews as the array's raster dataset does. Emits an error on failure.
    CPLErr Build(const char* resampling, const std::vector<int>& factors, GDALProgressFunc progress,
                 void* progress_data, CSLConstList options);
#endif

  private:
    MdimSession& session_;
    const zarr::ArrayFacts& facts_;
    zarr::Lazy<std::vector<std::string>> paths_;
};

}  // namespace zarr_driver
