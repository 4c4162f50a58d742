// SPDX-License-Identifier: MIT
// What an OME-NGFF image says of its channels, for the bands that show them.
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>
#include <gdal_rat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/catalog.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/ome.h"
#include "driver/georef/raster_layout.h"

namespace zarr_driver {

// The channels of one array; none where it is not an image with `omero`. Immutable.
class OmeChannels {
  public:
    OmeChannels() = default;
    // `listing` is the array's, as a level of an image.
    OmeChannels(const RasterLayout& layout, const zarr::LevelListing& listing,
                zarr::Warnings& warnings);

    // The channel that a slice shows, by its index along each of the layout's other axes; nullptr
    // where nothing is known of it.
    const zarr::OmeroChannel* Find(const std::vector<std::uint64_t>& indices) const;
    // The one of the layout's other axes that channels lie along.
    const std::optional<std::size_t>& axis() const { return axis_; }

  private:
    std::optional<std::size_t> axis_;
    std::vector<zarr::OmeroChannel> channels_;
};

// Sets OMERO_LABEL, OMERO_COLOR (RRGGBB), OMERO_MIN, OMERO_MAX, OMERO_START, OMERO_END and
// OMERO_ACTIVE, as far as they are known.
void AddChannelMetadata(const zarr::OmeroChannel& channel, CPLStringList& list);

// Red, green or blue where the channel is of just that colour, else GCI_Undefined.
GDALColorInterp ColorOf(const zarr::OmeroChannel& channel);

// The table of the values of labels: their names, colours and other properties (OME-NGFF 0.4,
// "image-label"); nullptr where the array is none, or nothing is said of them. What is broken is
// left out.
std::unique_ptr<GDALRasterAttributeTable> LabelTable(const zarr::LevelListing& listing);
// The colours among it; nullptr where there are none. Of values above 65535 there are none.
std::unique_ptr<GDALColorTable> LabelColours(const zarr::LevelListing& listing);

// Sets OME_UNIT_X and OME_UNIT_Y, the units of the geotransform, where the axes of the image that
// lists the array have some.
void AddOmeUnits(const RasterLayout& layout, const zarr::LevelListing& listing,
                 CPLStringList& list);

// The names of OME's images.

// Gives the images in `groups` the names that they have in the OME-XML of the group `root`, where
// that is one of bioformats2raw's. Without it they keep what `multiscales` call them. What the path
// says already is taken away. OME-XML that cannot be read gives a warning.
void NameImages(const zarr::Hierarchy& hierarchy, const std::string& root,
                std::vector<zarr::CatalogGroup>& groups, zarr::Warnings& warnings);

}  // namespace zarr_driver
