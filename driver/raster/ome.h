// SPDX-License-Identifier: MIT
// Channels, labels and image names of OME-NGFF, for the bands that show them.
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

// The OME channels of one array; empty if the array is not a level of an image with `omero`.
// Immutable.
class OmeChannels {
  public:
    OmeChannels() = default;
    // `listing` holds the image that has the array as a level. Faults of `omero` go to `warnings`.
    OmeChannels(const RasterLayout& layout, const zarr::LevelListing& listing,
                zarr::Warnings& warnings);

    // Returns the channel of a slice, given its index along each of the layout's other axes;
    // nullptr if the image does not describe the channel.
    const zarr::OmeroChannel* Find(const std::vector<std::uint64_t>& indices) const;
    // Returns the channel axis as an index into the layout's other axes; nullopt if the image has
    // none.
    const std::optional<std::size_t>& axis() const { return axis_; }

  private:
    std::optional<std::size_t> axis_;
    std::vector<zarr::OmeroChannel> channels_;
};

// Adds OMERO_LABEL, OMERO_COLOR (RRGGBB), OMERO_MIN, OMERO_MAX, OMERO_START, OMERO_END and
// OMERO_ACTIVE to `list`. Items that the channel does not state are omitted.
void AddChannelMetadata(const zarr::OmeroChannel& channel, CPLStringList& list);

// Returns red, green or blue if the channel has exactly that colour; else GCI_Undefined.
GDALColorInterp ColorOf(const zarr::OmeroChannel& channel);

// Returns the names, colours and other properties of label values as a table (OME-NGFF 0.4,
// "image-label"). nullptr if the array has no described labels. Invalid entries are omitted.
std::unique_ptr<GDALRasterAttributeTable> LabelTable(const zarr::LevelListing& listing);
// Returns the colours of the label values 0 to 65535; nullptr if no label has a colour.
std::unique_ptr<GDALColorTable> LabelColours(const zarr::LevelListing& listing);

// Adds OME_UNIT_X and OME_UNIT_Y, the units of the geotransform, if the image states units of its
// axes.
void AddOmeUnits(const RasterLayout& layout, const zarr::LevelListing& listing,
                 CPLStringList& list);

// Gives the images in `groups` the titles of the OME-XML in `root`, a group of bioformats2raw.
// Without OME-XML the titles of `multiscales` stay. A title that repeats the path is removed.
// Invalid OME-XML gives a warning.
void NameImages(const zarr::Hierarchy& hierarchy, const std::string& root,
                std::vector<zarr::CatalogGroup>& groups, zarr::Warnings& warnings);

}  // namespace zarr_driver
