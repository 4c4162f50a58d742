// SPDX-License-Identifier: MIT
// Groups that hold several OME-NGFF images: plates, wells, labels, and the series of
// bioformats2raw.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Most images of a container that are listed.
inline constexpr std::size_t kMaxOmeImages = 100'000;

// The images that a group holds, as paths of groups.
struct OmeContainer {
    enum class Kind {
        kNone,
        kPlate,   // `plate`: the images of its wells, well by well
        kWell,    // `well`: its fields of view
        kSeries,  // `bioformats2raw.layout` 3: `series` of the group OME, else 0, 1, 2 ...
        kLabels,  // `labels`; an image's own lie in its group "labels", which the image's
                  // attributes do not name
    };
    Kind kind = Kind::kNone;
    std::vector<std::string> images;  // each exists and is a group
};

// Reads what the attributes of a group list. A plate counts before a series: bioformats2raw writes
// both. What does not exist or is broken gives a warning and is left out.
OmeContainer ReadOmeContainer(const Hierarchy& hierarchy, const std::string& group,
                              Warnings& warnings);

}  // namespace zarr
