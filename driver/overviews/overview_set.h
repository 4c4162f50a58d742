// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/overviews/overview_plan.h"
#include "driver/overviews/store_raster.h"

namespace zarr_driver {

// The overviews that a raster has in its store, and what is pending for them.
class OverviewSet {
  public:
    using Levels = std::vector<std::unique_ptr<StoreRaster>>;

    struct Pending {
        bool is_description = false;   // the raster has changed since they were described
        bool is_reload = false;        // they were described since they were opened
        bool replaces_others = false;  // building removes overviews of other factors
        OverviewPlan plan;             // those to be built at closing
    };

    explicit OverviewSet(StoreRaster& raster) : raster_(raster) {}
    ~OverviewSet() = default;
    OverviewSet(const OverviewSet&) = delete;
    OverviewSet& operator=(const OverviewSet&) = delete;

    StoreRaster& raster() const { return raster_; }
    // Overviews of all bands, the largest first.
    const Levels& levels() const { return levels_; }
    // Overviews of all bands and of single arrays.
    std::vector<StoreRaster*> All() const;
    // The overviews of an array of the raster, the largest first.
    std::vector<StoreRaster*> LevelsOf(const RasterLayout& array) const;
    // Appends an overview, which is smaller than those before: of all bands, or of one of several
    // arrays, if none is of all bands.
    void Add(std::unique_ptr<StoreRaster> level, const RasterLayout* array = nullptr) {
        if (array == nullptr)
            levels_.push_back(std::move(level));
        else
            array_levels_.emplace_back(array, std::move(level));
    }
    // Adds new overviews of all bands in the order of their sizes.
    void Merge(Levels levels);
    // Removes overviews of all bands that are not `kept`, and returns their paths.
    std::vector<LevelPaths> Remove(const std::set<const StoreRaster*>& kept);
    void RemoveLevelsOfArrays();
    // The paths of the arrays of an overview.
    static std::vector<std::string> PathsOf(const StoreRaster& level);
    // Drops the arrays of an overview that goes from the update, which ends for it.
    void Release(StoreRaster& level) const;

    Pending& pending() { return pending_; }

  private:
    StoreRaster& raster_;
    Levels levels_;
    std::vector<std::pair<const RasterLayout*, std::unique_ptr<StoreRaster>>> array_levels_;
    Levels removed_;  // callers may hold their bands
    Pending pending_;
};

}  // namespace zarr_driver
