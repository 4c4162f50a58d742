// SPDX-License-Identifier: MIT
// Checks which of the listed levels of a pyramid belong together.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "core/conventions/pyramid.h"
#include "core/conventions/pyramid_listing.h"

namespace zarr {

// Checks the pyramids of one group. Not for several threads.
class LevelChecker {
  public:
    LevelChecker(const Hierarchy& hierarchy, Warnings& warnings)
        : hierarchy_(hierarchy), warnings_(warnings) {}

    // The pyramid of arrays; nullopt where none is a raster. Levels that do not belong to the
    // largest one are left out with a warning each.
    std::optional<Pyramid> Check(const std::string& origin, const std::vector<ListedLevel>& arrays);

  private:
    struct Level {
        ListedLevel listed;
        ArrayFacts facts;
        std::uint64_t width = 0;
        std::uint64_t height = 0;
    };

    std::vector<Level> Describe(const std::vector<ListedLevel>& arrays);
    static void SortBySize(std::vector<Level>& levels);
    static void FollowBase(std::vector<Level>& levels);
    std::string WhyNoLevel(const Level& level, const Level& previous, const Level& base) const;
    bool HasExtentOf(const Level& base, const Level& level);
    std::optional<AffineSource> GeoTransformOf(const ArrayFacts& facts, const std::string& where);
    void LeaveOut(const ListedLevel& level, const std::string& why);

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    // Variables of one grid share their coordinate arrays, which are read once.
    std::map<std::string, std::optional<AffineSource>> transforms_;
    std::set<std::string> told_;  // of geotransforms
};

}  // namespace zarr
