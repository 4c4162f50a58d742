// SPDX-License-Identifier: MIT
#include "driver/georef/georeferencing_form.h"

namespace zarr_driver {

// clang-format off
const OptionRow<GeoreferencingForm> kConventionRows[1] = {
    {{"GEOREFERENCING_CONVENTION", "string-select", "", "How CRS and geotransform are written: `GDAL` (the attribute `_CRS`), `SPATIAL_PROJ` (the attributes `proj:` and `spatial:`), `CF` (a grid mapping array), or `ALL`, which is the default with the attributes of `SPATIAL_PROJ`. By default as a CF grid mapping, and in the forms that [every reader](writing.md#who-finds-the-crs) finds\n. If the multidimensional API copies the source's grid mapping, too, the array keeps it", "GDAL|SPATIAL_PROJ|CF|ALL"}, To<GeoreferencingForm, ReadOneOf<GeoreferencingForm::kGdal, GeoreferencingForm::kSpatialProj, GeoreferencingForm::kCf, GeoreferencingForm::kAll>>},
};
// clang-format on

}  // namespace zarr_driver
