// SPDX-License-Identifier: MIT
// Which arrays of a hierarchy are rasters, found from metadata alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/named_members.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// An array as a listing shows it.
struct CatalogArray {
    std::string path;
    Status status;  // why it cannot be read; the rest is empty then
    ArrayMetadata metadata;
    std::vector<std::string> dimensions;
    std::string long_name;  // by its attributes; may be empty, as may the units
    std::string units;
    std::string placing;        // PlacingStatements()
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
    // Bands that the group opens with, 0 where it makes no dataset of bands. That may be more than
    // its rasters here, as levels of pyramids that groups above it describe are not listed. Set by
    // the one who leaves levels out.
    std::size_t band_count = 0;

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

// How a catalog goes through a hierarchy.

// An array by its metadata alone: without dimensions.
CatalogArray DescribeAlone(const Hierarchy& hierarchy, const std::string& path);

// A group of which the members are known.
CatalogGroup DescribeMembers(const Hierarchy& hierarchy, const std::string& path,
                             const std::vector<Node>& members);

// Visits each group once. What attributes name and is not there is told in one warning for all.
class CatalogWalk {
  public:
    CatalogWalk(const Hierarchy& hierarchy, Warnings& warnings)
        : hierarchy_(hierarchy), warnings_(warnings) {}

    // A group and what is below it. Only of the root it is an error that it cannot be listed.
    Status Visit(const std::string& path, bool is_root);

    // What was visited; nothing is visited afterwards.
    std::vector<CatalogGroup> Take();

  private:
    Status Count(std::size_t nodes);
    // A store that says kUnsupported once is not asked again.
    Result<std::vector<Node>> Members(const std::string& path);
    bool can_list() const { return cannot_list_.ok(); }
    Status VisitPlain(const std::string& path, bool is_root);
    Status VisitContainer(const std::string& path, const NamedMembers& named, bool is_root);
    // The images that members mean: those of a well in its place.
    std::vector<NamedMember> Expand(const std::vector<NamedMember>& members);
    bool IsThere(const std::string& path);
    void PrefetchBases(const std::vector<NamedMember>& images);
    Status VisitImage(const NamedMember& image);
    // What lies in an image beside its levels: its labels.
    Status VisitBeside(const std::string& path, const std::set<std::string>& levels);

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    Faults faults_;
    std::vector<CatalogGroup> groups_;
    std::set<std::string> visited_;
    std::set<std::string> expanded_;  // wells
    std::size_t counted_ = 0;
    Status cannot_list_;  // why
};

}  // namespace zarr
