// SPDX-License-Identifier: MIT
#include "driver/create.h"

#include <cpl_string.h>

#include <memory>
#include <new>

#include "driver/create_store.h"
#include "driver/report.h"
#include "driver/store_folder.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

GDALDataset* Create(const char* name, int x_size, int y_size, int bands, GDALDataType type,
                    NameValueList options) {
    const auto run = [&]() -> Result<std::unique_ptr<ZarrDataset>> {
        if (bands < 1) return Status::Invalid("a raster needs at least one band");
        NewRaster raster;
        raster.width = static_cast<std::uint64_t>(x_size);
        raster.height = static_cast<std::uint64_t>(y_size);
        raster.bands = static_cast<std::uint64_t>(bands);
        ZARR_ASSIGN_OR_RETURN(raster.dtype,
                              StoredTypeFor(type, CSLFetchNameValue(options, "PIXELTYPE")));
        ZARR_ASSIGN_OR_RETURN(const CreationOptions parsed,
                              CreationOptions::Parse(options, raster.dtype));
        if (!parsed.append_dim.empty())
            return Status::Unsupported(
                "creation option APPEND_DIM needs a source: it is for CreateCopy and "
                "gdal_translate");
        ZARR_ASSIGN_OR_RETURN(const std::string path, TargetPath(name));
        ZARR_ASSIGN_OR_RETURN(NewStore made, NewStore::Make(path, raster, parsed));
        ZARR_RETURN_IF_ERROR(made.Commit());
        ZARR_ASSIGN_OR_RETURN(auto dataset, made.Open());
        if (type == GDT_Byte && raster.dtype.kind == zarr::DataKind::kInt)
            dataset->TakeBytesAsSigned();
        return dataset;
    };
    auto dataset = run();
    if (dataset.ok()) return dataset->release();
    EmitError(name, dataset.status());
    return nullptr;
}

}  // namespace zarr_driver
