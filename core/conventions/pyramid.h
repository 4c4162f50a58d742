// SPDX-License-Identifier: MIT
// Multiscale pyramids: one raster at several sizes, by any of the conventions that describe it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/affine.h"
#include "core/conventions/attributes.h"
#include "core/conventions/level_statement.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// An array of a pyramid.
struct PyramidLevel {
    std::string path;
    std::uint64_t width = 0;   // elements along the X axis
    std::uint64_t height = 0;  // along the Y axis
};

// Levels that belong together: rasters whose stored values mean the same (data type but for byte
// order, scale, offset, units, nodata value), in one CRS, and of one rank. Dimensions other than X
// and Y are the same, but for Z, of which smaller levels may have fewer slices. Sizes shrink along
// X, Y or both. All cover the same extent to a pixel of the smaller one, where they say what they
// cover.
struct Pyramid {
    std::string origin;                // where it is described, for messages: "multiscales[0]"
    std::vector<PyramidLevel> levels;  // at least one, the largest first: that one is the base
    // The smaller levels are overviews that were built for the base: a group that describes them is
    // opened as without them.
    bool is_overviews = false;
};

// True for an array without names for its dimensions of which colours or `spatial:shape` tell the
// rows and columns. Smaller levels of its pyramid lie in the same way.
bool AreAxesDeclared(const ArrayFacts& facts);

// Collects the warnings about pyramids of several groups. Warnings that differ only in the place
// become one, which names the first place and says how many more there are. Not thread-safe.
class PyramidFaults {
  public:
    // Adds the warnings of a group, by its path.
    void Add(const std::string& group, const Warnings& warnings);
    // Adds a level that does not exist.
    void AddMissing(const std::string& warning) { Count("", warning); }
    // Adds the collected warnings to `warnings`, and forgets them.
    void Report(Warnings& warnings);

  private:
    struct Alike {
        std::string first;
        std::size_t count = 0;
    };
    void Count(const std::string& what, const std::string& warning);

    std::map<std::string, std::size_t> indices_;  // by what is wrong
    std::vector<Alike> alike_;                    // in their order
};

// The pyramids that a group describes, in the order of the description: by `multiscales` in its
// attributes (OME-NGFF 0.1 to 0.4, ndpyramid, zarr-conventions), as a folder of xcube levels, or by
// `multiscales` of arrays in it or its groups (GeoZarr 0.4). Of these the first that holds counts.
// Levels that are groups give a pyramid for each variable, in the order of their names; a level
// need not have every variable. Each level that is left out gives one warning with the place that
// lists it, those that do not exist together one; what is wrong with a base alone is reported when
// it is opened. Reads metadata and coordinate arrays.
std::vector<Pyramid> FindPyramids(const Hierarchy& hierarchy, const std::string& group,
                                  PyramidFaults& faults);

// The pyramid that has the array as a level: described by its own attributes, or by the nearest
// group above it that lists it. nullopt where there is none, or none with another level. A
// caller that opens an array by name wants the pyramid only where levels[0] is that array; warnings
// are given only then, or where the array is all that is left of a pyramid, or where nothing lists
// it and what a group above it says can list nothing.
std::optional<Pyramid> FindPyramidOf(const Hierarchy& hierarchy, const std::string& array_path,
                                     Warnings& warnings);

// The pyramids of arrays of one group, in their order, each from its array on: levels that are
// larger are left out. Only the array where nothing lists it. Warnings are those of
// FindPyramidOf(), once.
std::vector<Pyramid> FindPyramidsFrom(const Hierarchy& hierarchy,
                                      const std::vector<std::string>& array_paths,
                                      Warnings& warnings);

// A level of a pyramid as something lists it, not checked.
struct ListedLevel {
    std::string path;    // of an array or a group, from the root
    std::string origin;  // where it is listed, for messages
    // What is said of it there, with paths from the root; nullptr where nothing can be.
    std::shared_ptr<const LevelStatement> statement = nullptr;
};

struct ListedPyramid {
    std::string group;   // whose pyramid it is
    std::string origin;  // where it is described, for messages
    std::vector<ListedLevel> levels;
    bool is_overviews = false;  // of an array that is there without them
};

// The warning for a level that is not used: `why` is a predicate, "is not a raster".
inline std::string LeftOut(const ListedLevel& level, const std::string& why) {
    return level.origin + ": level /" + level.path + " " + why + "; it is left out";
}

// Checks which of the listed levels of a pyramid belong together.

// Checks the pyramids of one group. Not for several threads.
class LevelChecker {
  public:
    LevelChecker(const Hierarchy& hierarchy, Warnings& warnings)
        : hierarchy_(hierarchy), warnings_(warnings) {}

    // Which arrays can be levels: rasters, or also arrays of one dimension, as the coordinates of
    // the levels of a raster are.
    enum class Ranks { kRasters, kAny };

    // The pyramid of arrays that `listed` describes; nullopt where none can be a level. Levels that
    // do not belong to the largest one are left out with a warning each.
    std::optional<Pyramid> Check(const ListedPyramid& listed,
                                 const std::vector<ListedLevel>& arrays, Ranks ranks);

    // Prefetches what describes the arrays, as far as it is known before they are read.
    void Prefetch(const std::vector<ListedLevel>& arrays) const;

  private:
    struct Level {
        ListedLevel listed;
        ArrayFacts facts;
        std::uint64_t width = 0;
        std::uint64_t height = 0;
    };

    std::vector<Level> Describe(const std::vector<ListedLevel>& arrays, Ranks ranks);
    static void SortBySize(std::vector<Level>& levels);
    static void FollowBase(std::vector<Level>& levels);
    std::string WhyNoLevel(const Level& level, const Level& previous, const Level& base) const;
    bool HasExtentOf(const Level& base, const Level& level);
    std::optional<AffineSource> GeoTransformOf(const ArrayFacts& facts, const std::string& where);
    bool IsOfOtherContent(const Level& level, const Level& base);
    std::string OtherCrs(const Level& level, const Level& base);
    std::string WhyNotOf(const Level& level, const Level& base, bool is_overview);
    void LeaveOut(const ListedLevel& level, const std::string& why);
    void CheckStatement(const Level& level, const std::vector<Level>& levels);
    std::string WrongSource(const std::string& source, const Level& level) const;

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    // Variables of one grid share their coordinate arrays, which are read once.
    std::map<std::string, std::optional<AffineSource>> transforms_;
    std::map<std::string, std::string> crs_codes_;  // likewise, by what states them
    // Whether an array is in a state that overviews state of it; several have the same.
    std::map<std::pair<std::string, std::string>, bool> states_;
    std::set<std::string> reported_;  // of geotransforms and statements
};

}  // namespace zarr
