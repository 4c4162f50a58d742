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
#include "core/conventions/ome.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"

namespace zarr {

// Version and name of an image.
struct OmeIdentity {
    std::string version;  // a value of SupportedOmeVersions()
    std::string name;
};

// An axis of an image that is written.
struct OmeWrittenAxis {
    std::string name;
    std::string type;  // "space", "time" or "channel"
    std::string unit;  // empty if unknown
};

// An array of an image, and the coordinates of its elements' centres: index * scale + translation.
struct OmeWrittenLevel {
    std::string path;  // relative to the image's group
    std::vector<double> scale;
    std::vector<double> translation;
};

// An image that is written. All lists of numbers have one number for each axis.
struct OmeWrittenImage {
    OmeIdentity identity;
    std::string method;  // resampling method of the overviews; empty without overviews
    std::vector<OmeWrittenAxis> axes;
    std::vector<OmeWrittenLevel> levels;  // the array first, then its overviews, largest first
    // Display settings of each channel, with all members set.
    std::vector<OmeroChannel> channels;
    bool is_grey = false;  // true if the channels are shown in grey
};

// Returns the versions that can be written in a format; the first one is the default.
std::vector<std::string> SupportedOmeVersions(Format format);

// Returns the identity of the image that PutOmeImage() has written for the array `base`, a path
// relative to the group. Returns nullopt for other images.
std::optional<OmeIdentity> FindWrittenOmeImage(const json::Value& group_attributes,
                                               std::string_view base);

// True if the attributes describe an OME-Zarr node, no matter which program wrote them.
bool DescribesOme(const json::Value& group_attributes);

// Sets or replaces the description of an image in the attributes of its group. In version 0.4 the
// image and its overviews share one entry in `multiscales`; see overviews.h. Other members are
// kept.
Status PutOmeImage(json::Object& group_attributes, const OmeWrittenImage& image);

}  // namespace zarr
