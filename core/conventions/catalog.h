// SPDX-License-Identifier: MIT
// Which arrays of a hierarchy are rasters, found from metadata alone.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// An array as a listing shows it.
struct CatalogArray {
    std::string path;
    Status status;  // why it cannot be read; the rest is empty then
    ArrayMetadata metadata;
    std::vector<std::string> dimensions;
    bool is_raster = false;     // IsRaster()
    bool is_auxiliary = false;  // coordinates, bounds or grid mapping of another array
};

// A group with the arrays directly in it.
struct CatalogGroup {
    enum class Kind {
        kPlain,
        kContainer,  // of OME-NGFF's images, see NamedMembers; none itself
        // An image of a container, or labels. Of its pyramid the largest level is all that is
        // listed and was looked at.
        kImage,
        kLabel,
    };
    std::string path;
    std::vector<CatalogArray> arrays;
    Kind kind = Kind::kPlain;
    std::string title;  // of an image, by its `multiscales`; may be empty

    bool is_image() const { return kind == Kind::kImage || kind == Kind::kLabel; }

    // The rasters that are not auxiliary.
    std::vector<const CatalogArray*> Rasters() const;
    // True where there are several rasters, all 2-D and on one grid: of the same shape, and where
    // their dimensions have names, of the same dimensions.
    bool IsOneGrid() const;
};

// One group, without those below it.
Result<CatalogGroup> ListGroup(const Hierarchy& hierarchy, const std::string& path);

// The groups below `path`, itself first, depth first; images of a container in its order, then
// everything else in the order of the names. A group that cannot be listed is reported in
// `warnings` and left out. Where the store cannot list, what MembersOf() and ReadNamedMembers()
// find.
Result<std::vector<CatalogGroup>> ListRasters(const Hierarchy& hierarchy, const std::string& path,
                                              Warnings& warnings);

// True for an array of at least two dimensions, not empty, with numbers in it.
bool IsRaster(const ArrayMetadata& metadata);

// True where elements of `type` are numbers, or structures with a number among the fields.
bool HasNumbers(const DataType& type);

}  // namespace zarr
