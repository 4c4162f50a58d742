// SPDX-License-Identifier: MIT
// Metadata and descriptions that a copy takes from its source.
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>

#include <string>
#include <vector>

#include "driver/create/band_dimension.h"

namespace zarr_driver {

// Returns the description of a band. Returns an empty text for a placeholder such as "time=3,
// level=0". Drivers make placeholders from the indices of dimensions without coordinates.
std::string CopiedDescription(GDALRasterBand& band);

// Returns the metadata items of the default domain of `from` that a copy keeps: all but the items
// that describe one of the band dimensions `dimensions`.
CPLStringList CopiedMetadata(GDALMajorObject& from, const std::vector<BandDimension>& dimensions);

// Returns the items of the band's default metadata domain that a copy keeps. The items DIM_ are
// omitted, because the copied raster computes them from its coordinates.
CPLStringList CopiedBandMetadata(GDALRasterBand& from,
                                 const std::vector<BandDimension>& dimensions);

// Copies the metadata domains of `from` to `to`. Omits the default domain, which
// CopiedMetadata() selects, and domains that drivers compute.
void CopyDomains(GDALMajorObject& from, GDALMajorObject& to);

// Copies the colour table, the category names, the colour interpretation and the attribute table of
// a band. Leaves those of `to` that `from` does not have.
void CopyClasses(GDALRasterBand& from, GDALRasterBand& to);

}  // namespace zarr_driver
