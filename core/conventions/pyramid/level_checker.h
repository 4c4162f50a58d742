// SPDX-License-Identifier: MIT
// Decides which of the levels that a description lists form a pyramid. In a pyramid, one raster
// exists in several sizes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/level_statement.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// An array that is a level of a pyramid.
struct PyramidLevel {
    std::string path;
    std::uint64_t width = 0;   // elements along X
    std::uint64_t height = 0;  // elements along Y
    std::string method;        // resampling method, such as "average"; empty if not stated
};

// Rasters that are the levels of one pyramid. All levels have the same data type (except byte
// order), scale, offset, unit, nodata value, CRS and rank.
//
// Sizes shrink along X, Y or both. All other dimensions are equal, but smaller levels may have
// fewer slices along Z. All levels whose extent is stated cover the same extent, with a tolerance
// of one pixel of the smaller level.
struct Pyramid {
    std::string origin;  // description of the pyramid, for messages, such as "multiscales[0]"
    std::vector<PyramidLevel> levels;  // at least one; largest first; the first is the base
    // True if the smaller levels are overviews that were built for the base. A group that describes
    // overviews is opened as if the description did not exist.
    bool is_overviews = false;
    std::vector<std::string> left_out;  // arrays of listed overviews that do not fit the base
};

// True if an array has no dimension names, but its rows and columns are known: the array is a
// colour image, or `spatial:shape` states them. Smaller levels of the array's pyramid get the axes
// of the array.
bool AreAxesDeclared(const ArrayFacts& facts);

// Controls whether a pyramid has levels whose pixels a writer has begun to replace and
// has not finished, see kIncompleteState.
enum class IncompleteLevels : std::uint8_t { kLeftOut, kIncluded };

// A level that a description of a pyramid lists. The level may not exist or not fit the other
// levels.
struct ListedLevel {
    std::string path;    // path of an array or group, from the root
    std::string origin;  // the entry that lists the level, for messages
    // Statements of the entry about the level, with paths from the root. nullptr if the convention
    // of the description has no such statements.
    std::shared_ptr<const LevelStatement> statement = nullptr;
};

struct ListedPyramid {
    std::string group;   // the group that the pyramid belongs to
    std::string origin;  // description of the pyramid, for messages
    std::vector<ListedLevel> levels;
    bool is_overviews = false;  // true if the levels are overviews of an existing array
};

// Returns the warning about a level that is not used. `why` is a predicate such as "is not a
// raster".
inline std::string LevelWarning(const ListedLevel& level, const std::string& why) {
    return level.origin + ": level /" + level.path + " " + why + "; it is left out";
}

// Decides which listed levels form a pyramid, for the pyramids of one group. Caches facts about the
// group's arrays. Not thread-safe.
class LevelChecker {
  public:
    LevelChecker(const Hierarchy& hierarchy, Warnings& warnings,
                 IncompleteLevels incomplete = IncompleteLevels::kLeftOut)
        : hierarchy_(hierarchy), warnings_(warnings), incomplete_(incomplete) {}

    // Arrays that can be levels: only rasters, or also 1-D arrays such as coordinates of a raster's
    // levels.
    enum class Ranks { kRasters, kAny };

    // Returns the pyramid that the `arrays` of `listed` form; nullopt if no array can be a level.
    // Levels that do not match the largest one are left out with a warning each.
    std::optional<Pyramid> Check(const ListedPyramid& listed,
                                 const std::vector<ListedLevel>& arrays, Ranks ranks);

    // Prefetches the documents that describe the arrays and their coordinates.
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
    static void UseAxesOfBase(std::vector<Level>& levels);
    std::string LevelMismatch(const Level& level, const Level& previous, const Level& base) const;
    bool HasExtentOf(const Level& base, const Level& level);
    std::optional<AffineSource> GeoTransformOf(const ArrayFacts& facts, const std::string& where);
    std::string StateMismatch(const Level& level, const Level& base);
    std::string CrsMismatch(const Level& level, const Level& base);
    std::string ContentMismatch(const Level& level, const Level& base, bool is_overview);
    void LeaveOut(const ListedLevel& level, const std::string& why);
    void CheckStatement(const Level& level, const std::vector<Level>& levels);
    std::string WrongSource(const std::string& source, const Level& level) const;

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    const IncompleteLevels incomplete_;
    // Geotransforms by the coordinate arrays from which they were computed. Variables of one grid
    // share coordinate arrays.
    std::map<std::string, std::optional<AffineSource>> transforms_;
    std::map<std::string, std::string> crs_codes_;  // EPSG codes by the attributes that state them
    // States of the bases by their paths; nullopt for a base that cannot be opened.
    std::map<std::string, std::optional<Fingerprint>> states_;
    // Warnings about geotransforms and statements, each of which is given only once.
    std::set<std::string> reported_;
};

}  // namespace zarr
