// SPDX-License-Identifier: MIT
// Finds multiscale pyramids by any supported convention. In a pyramid, one raster exists in several
// sizes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/pyramid/level_checker.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Collects warnings about pyramids of several groups. Warnings that differ only in the group become
// one warning, with the first group and the number of others. Not thread-safe.
class PyramidFaults {
  public:
    // Adds the warnings of the group at path `group`.
    void Add(const std::string& group, const Warnings& warnings);
    // Adds the warning about a level that does not exist. Report() joins all warnings about missing
    // levels into one.
    void AddMissing(const std::string& warning) { Count("", warning); }
    // Appends the collected warnings to `warnings`, and clears the collection.
    void Report(Warnings& warnings);

  private:
    struct Alike {
        std::string first;
        std::size_t count = 0;
    };
    void Count(const std::string& what, const std::string& warning);

    // Index in `alike_`, by the text of a warning without its group.
    std::map<std::string, std::size_t> indices_;
    std::vector<Alike> alike_;  // in order of first occurrence
};

// Returns the pyramids that a group describes, in the order of the description. The first
// convention that lists a pyramid is used:
// 1. `multiscales` of the group's attributes (OME-NGFF, ndpyramid, zarr-conventions);
// 2. a folder of xcube levels;
// 3. `multiscales` of arrays in the group or its direct subgroups (GeoZarr 0.4).
//
// Variables: if levels are groups, each variable has a pyramid, sorted by name. A level need not
// have all variables.
//
// Warnings: each unsuitable level gives a warning with its origin; all missing levels together give
// one warning. Warnings about the base itself appear when the base is opened.
//
// kSkipped: pyramids whose smaller levels all lie in groups for overviews are not returned;
// FindPyramidOf() returns them. The function reads metadata and coordinate arrays.
std::vector<Pyramid> FindPyramids(const Hierarchy& hierarchy, const std::string& group,
                                  PyramidFaults& faults,
                                  OverviewGroups overviews = OverviewGroups::kIncluded);

// Returns the pyramid that has the array as a level: by the first convention of FindPyramids() by
// which an ancestor group lists the array or its group, that of the nearest ancestor. Returns
// nullopt if there is no such pyramid, or if the pyramid has only one level. Callers that open an
// array by name use the pyramid only if levels[0] is the array.
//
// Warnings about levels are given only if levels[0] is the array. Warnings about invalid
// descriptions in ancestors are given if no pyramid lists the array.
Fact<std::optional<Pyramid>> FindPyramidOf(const Hierarchy& hierarchy,
                                           const std::string& array_path);

// True if the overviews that FindPyramidOf() finds are all in groups that contain only overviews;
// see IsForOverviews(). Reads attributes of groups only.
bool HasOverviewsApart(const Hierarchy& hierarchy, const std::string& array_path);

// Returns a pyramid for each array of one group, in the given order. Levels larger than the array
// are removed. An array that is in no pyramid gives a pyramid of one level. Warnings are those of
// FindPyramidOf(), without duplicates.
Fact<std::vector<Pyramid>> FindPyramidsFrom(
    const Hierarchy& hierarchy, const std::vector<std::string>& array_paths,
    IncompleteLevels incomplete = IncompleteLevels::kLeftOut);

// Returns the smaller levels that all pyramids have in the same size, largest first: for each level
// the paths of its arrays, in the order of the pyramids.
std::vector<std::vector<std::string>> CommonLevels(const std::vector<Pyramid>& pyramids);

}  // namespace zarr
