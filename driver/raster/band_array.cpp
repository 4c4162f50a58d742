// SPDX-License-Identifier: MIT
#include "driver/raster/band_array.h"

#include "core/conventions/attributes.h"
#include "core/conventions/nodata.h"
#include "driver/raster/band_colours.h"

namespace zarr_driver {

void BandArray::ReadLists(const zarr::Hierarchy& hierarchy, zarr::Warnings& warnings) {
    packing = zarr::ReadPacking(layout.facts.attributes);
    lists = zarr::BandLists::Find(hierarchy, layout.facts);
    nodata_of_bands = zarr::NodataOfBands(layout.facts.attributes, layout.facts.metadata);
    for (std::string& warning : lists.WarningsOf(layout.facts.attributes))
        warnings.push_back(std::move(warning));
    for (std::string& warning : ColourWarnings(layout.facts.attributes))
        warnings.push_back(std::move(warning));
}

}  // namespace zarr_driver
