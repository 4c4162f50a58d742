// SPDX-License-Identifier: MIT
// Catalog of the rasters in a hierarchy, made from metadata alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/group/named_members.h"
#include "core/conventions/group/overviews.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// An array in the catalog, with the metadata that a list of rasters shows.
struct CatalogArray {
    std::string path;
    Status status;  // error if the array cannot be read; then the other members are empty
    ArrayMetadata metadata;
    std::vector<std::string> dimensions;
    std::string long_name;  // attribute `long_name`; may be empty
    std::string units;
    // Result of LocationStatements(): text of all statements about the array's location.
    std::string location_statements;
    bool is_raster = false;  // result of IsRaster()
    // Result of GeolocationRole(): kX or kY for an array whose name is that of longitudes or
    // latitudes.
    AxisRole geolocation = AxisRole::kNone;
    bool may_be_located_by_names = false;  // result of MayBeLocatedByNames()
    bool has_named_dimensions = false;     // false for the generated names dim0, dim1, ...
    // True for coordinates, bounds, grid mapping or mask of another array, and for the longitudes
    // and latitudes of its pixels.
    bool is_auxiliary = false;
    bool is_mask = false;         // true if the attributes say that the array is a mask
    bool is_unused_mask = false;  // true for a mask that no array of the group names
};

// A group in the catalog, with the arrays directly in it.
struct CatalogGroup {
    enum class Kind {
        kPlain,
        kContainer,  // container of OME-NGFF images, see NamedMembers; not an image itself
        // An image of a container, or a label image of an image. Only the largest level of its
        // pyramid is read and listed.
        kImage,
        kLabel,
    };
    std::string path;
    std::vector<CatalogArray> arrays;
    Kind kind = Kind::kPlain;
    std::string title;  // title that `multiscales` gives the image; may be empty
    // Number of bands if the group is opened as one dataset, else 0. Levels of pyramids that an
    // ancestor group describes are counted, although the list of rasters omits them.
    std::size_t band_count = 0;

    bool is_image() const { return kind == Kind::kImage || kind == Kind::kLabel; }

    // Returns the rasters of the group that are not auxiliary.
    std::vector<const CatalogArray*> Rasters() const;
    // True if the group has several rasters, and all are 2-D and have the same shape. If their
    // dimensions have names, the names must be equal, too.
    bool IsOneGrid() const;
};

// Describes one group without its subgroups.
Result<CatalogGroup> ListGroup(const Hierarchy& hierarchy, const std::string& path);

// Returns the groups at and below `path`, depth first, parents first. Groups that cannot be listed
// are omitted with a warning. If the store cannot list, only nodes of MembersOf() and
// ReadNamedMembers() are returned.
Fact<Result<std::vector<CatalogGroup>>> ListRasters(
    const Hierarchy& hierarchy, const std::string& path,
    OverviewGroups overviews = OverviewGroups::kIncluded);

// Describes an array by its metadata; the dimensions' names and coordinates are not read.
CatalogArray DescribeAlone(const Hierarchy& hierarchy, const std::string& path);

// Describes the group `path`, which has the members `members`.
CatalogGroup DescribeMembers(const Hierarchy& hierarchy, const std::string& path,
                             const std::vector<Node>& members);

// Visits each group once and adds its description to the catalog. Gives one warning for all missing
// nodes that attributes name.
class CatalogWalk {
  public:
    CatalogWalk(const Hierarchy& hierarchy, OverviewGroups overviews)
        : hierarchy_(hierarchy), overviews_(overviews) {}

    // Visits a group and the groups below. A group that cannot be listed is an error if `is_root`,
    // else a warning.
    Status Visit(const std::string& path, bool is_root);

    // Returns the visited groups. The walk cannot be used afterwards.
    Fact<Result<std::vector<CatalogGroup>>> Take();

  private:
    Status Count(std::size_t nodes);
    // Returns the members of a group. If the store cannot list (kUnsupported), later calls return
    // this error without a request.
    Result<std::vector<Node>> Members(const std::string& path);
    bool can_list() const { return cannot_list_.ok(); }
    Status VisitPlain(const std::string& path, bool is_root);
    Status VisitContainer(const std::string& path, const NamedMembers& named, bool is_root);
    // Returns `members` with each well of an OME-NGFF plate replaced by the images of the well.
    std::vector<NamedMember> Expand(const std::vector<NamedMember>& members);
    bool IsThere(const std::string& path);
    void PrefetchBases(const std::vector<NamedMember>& images);
    Status VisitImage(const NamedMember& image);
    // Visits the label images of an OME-NGFF image, which are in subgroups other than its `levels`.
    Status VisitLabels(const std::string& path, const std::set<std::string>& levels);

    const Hierarchy& hierarchy_;
    Warnings warnings_;
    const OverviewGroups overviews_;
    Faults faults_;
    std::vector<CatalogGroup> groups_;
    std::set<std::string> visited_;
    std::set<std::string> expanded_;  // wells that Expand() has replaced by their images
    std::size_t counted_ = 0;
    Status cannot_list_;  // kUnsupported after the store failed to list, else ok
};

}  // namespace zarr
