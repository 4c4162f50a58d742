// SPDX-License-Identifier: MIT
// Reads channels, labels and image names of OME-NGFF, for the bands of a dataset.
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>
#include <gdal_rat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/catalog/catalog.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/ome/omero.h"
#include "driver/georef/raster_layout.h"

namespace zarr_driver {

// The OME channels of one array. Empty unless the array is a level of an image with the attribute
// `omero`. Immutable.
class OmeChannels {
  public:
    OmeChannels() = default;
    // `listing` describes the image of which the array is a level. Warnings about a faulty `omero`
    // are added to `warnings`.
    OmeChannels(const RasterLayout& layout, const zarr::LevelListing& listing,
                zarr::Warnings& warnings);

    // Returns the channel that a slice of the array shows. `indices` are the slice's indices along
    // RasterLayout::other_axes. Returns nullptr if the image does not describe the channel.
    const zarr::OmeroChannel* Find(const std::vector<std::uint64_t>& indices) const;
    // Returns the channel axis as an index into RasterLayout::other_axes. Returns nullopt if the
    // image has no channel axis.
    const std::optional<std::size_t>& axis() const { return axis_; }

  private:
    std::optional<std::size_t> axis_;
    std::vector<zarr::OmeroChannel> channels_;
};

// Adds facts about a channel to `list`: OMERO_LABEL, OMERO_COLOR (RRGGBB), OMERO_MIN, OMERO_MAX,
// OMERO_START, OMERO_END and OMERO_ACTIVE. Omits facts that the channel does not state.
void AddChannelMetadata(const zarr::OmeroChannel& channel, CPLStringList& list);

// Returns GDAL's red, green or blue if the channel has exactly that colour, else GCI_Undefined.
GDALColorInterp ColorOf(const zarr::OmeroChannel& channel);

// Returns a table with the names, colours and other properties of label values (OME-NGFF 0.4,
// "image-label"). Omits invalid entries. Returns nullptr if the array has no described labels.
std::unique_ptr<GDALRasterAttributeTable> LabelTable(const zarr::LevelListing& listing);
// Returns a colour table for the label values 0 to 65535. Returns nullptr if no label has a colour.
std::unique_ptr<GDALColorTable> LabelColours(const zarr::LevelListing& listing);

// Adds OME_UNIT_X and OME_UNIT_Y, the units of the geotransform, to `list`. Omits units that the
// image does not state. If the image has transformations from or to other coordinate systems, adds
// them as OME_TRANSFORMATIONS, a JSON array, and logs a debug message. `store_path` is for the
// message.
void AddOmePlacement(const std::string& store_path, const RasterLayout& layout,
                     const zarr::LevelListing& listing, CPLStringList& list);

// Sets the titles of the images in `groups` from the OME-XML in `root`, a group that bioformats2raw
// has written. Without OME-XML the titles come from `multiscales`. Removes a title that repeats the
// path. Invalid OME-XML adds a warning.
void NameImages(const zarr::Hierarchy& hierarchy, const std::string& root,
                std::vector<zarr::CatalogGroup>& groups, zarr::Warnings& warnings);

}  // namespace zarr_driver
