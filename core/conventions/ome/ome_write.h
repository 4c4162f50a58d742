// SPDX-License-Identifier: MIT
// Writes the metadata of an OME-Zarr image (versions 0.4, 0.5 and 0.6) for an array that has
// overviews. This library itself reads the array's location, names and overviews from other
// attributes, because OME-Zarr has no CRS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/ome/omero.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"

namespace zarr {

// Returns the OME type of an axis: "space", "time" or "channel".
std::string_view OmeType(AxisRole role);

// OME-Zarr version and name of an image.
struct OmeIdentity {
    std::string version;  // a version that SupportedOmeVersions() returns
    std::string name;
};

// An axis of an OME-Zarr image to write.
struct OmeWrittenAxis {
    std::string name;
    std::string type;  // "space", "time" or "channel"
    std::string unit;  // unit of the axis; empty if unknown
};

// An array of a multiscale image. Element `index` has its centre at index * scale + translation.
struct OmeWrittenLevel {
    std::string path;  // path relative to the group of the image
    std::vector<double> scale;
    std::vector<double> translation;
};

// An OME-Zarr image to write. Each list of numbers has one number per axis.
struct OmeWrittenImage {
    OmeIdentity identity;
    std::string method;  // resampling method of the overviews; empty if there are none
    std::vector<OmeWrittenAxis> axes;
    // The full-resolution array, then its overviews, largest first.
    std::vector<OmeWrittenLevel> levels;
    // Display settings of each channel, with all members set.
    std::vector<OmeroChannel> channels;
    bool is_grey = false;  // true if viewers are to show the channels in grey
};

// Returns the OME-Zarr versions that a store of this Zarr format can have; the first one is the
// default.
std::vector<std::string> SupportedOmeVersions(Format format);

// Returns version and name of the image that PutOmeImage() has written for the array at `base`, a
// path relative to the group. Returns nullopt for other images.
std::optional<OmeIdentity> FindWrittenOmeImage(const json::Value& group_attributes,
                                               std::string_view base);

// True if the group's attributes have OME-Zarr metadata, no matter which program wrote them.
bool DescribesOme(const json::Value& group_attributes);

// Writes the OME-Zarr metadata of an image to its group's attributes, and keeps all other
// attributes. In OME-Zarr 0.4, the entry of the image in `multiscales` also has the description of
// overviews; see overviews.h.
Status PutOmeImage(json::Object& group_attributes, const OmeWrittenImage& image);

}  // namespace zarr
