// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/overviews/overview_plan.h"
#include "driver/overviews/overviewable_dataset.h"

namespace zarr_driver {

// The overviews that a store holds for a raster, and work on them that is still to be done.
class OverviewSet {
  public:
    using Levels = std::vector<std::unique_ptr<OverviewableDataset>>;

    struct Pending {
        bool is_description = false;   // the raster has changed; Update() must change the levels
        bool is_reload = false;        // the levels have changed and must be opened again
        bool replaces_others = false;  // the next build removes all levels that it does not fill
        OverviewPlan plan;             // overviews to build when the dataset is closed
        // Warnings about levels that are left out. The next build replaces these levels.
        std::vector<std::string> warnings;
    };

    explicit OverviewSet(OverviewableDataset& raster) : raster_(raster) {}
    // Emits the pending warnings.
    ~OverviewSet();
    OverviewSet(const OverviewSet&) = delete;
    OverviewSet& operator=(const OverviewSet&) = delete;

    OverviewableDataset& raster() const { return raster_; }
    // Registers `load`, which calls Add() for each overview. `load` is called when the overviews
    // are first needed.
    void LoadLater(std::function<void()> load) { load_ = std::move(load); }
    // Returns the overviews that show all bands, in order of decreasing size.
    const Levels& levels() const {
        Load();
        return levels_;
    }
    // Returns the overviews of all bands, and the overviews of single arrays.
    std::vector<OverviewableDataset*> All() const;
    // Returns the overviews that show `array`, in order of decreasing size.
    std::vector<OverviewableDataset*> LevelsOf(const RasterLayout& array) const;
    // Appends an overview, which must be smaller than the overviews before it. If `array` is
    // nullptr, the overview shows all bands. Otherwise it shows only the bands of `array`, which is
    // allowed only if no overview shows all bands.
    void Add(std::unique_ptr<OverviewableDataset> level, const RasterLayout* array = nullptr) {
        if (array == nullptr)
            levels_.push_back(std::move(level));
        else
            array_levels_.emplace_back(array, std::move(level));
    }
    // Adds new overviews of all bands, and sorts the overviews by decreasing size.
    void Merge(Levels levels);
    // Removes the overviews that show all bands, except the overviews in `kept`. Returns the paths
    // of the removed arrays.
    std::vector<LevelPaths> Remove(const std::set<const OverviewableDataset*>& kept);
    void RemoveLevelsOfArrays();
    static std::vector<std::string> PathsOf(const OverviewableDataset& level);
    // Discards pending data of an overview that the caller will remove, and ends the update mode of
    // that overview.
    void Release(OverviewableDataset& level) const;

    Pending& pending() { return pending_; }
    // Call when pixels of `array` are written. Lets the levels be described anew, and warns once
    // that they are outdated.
    void WarnOfWrite(const RasterLayout& array);
    // Emits warnings about levels that are left out. In update mode they wait for the next build,
    // which makes them needless, or for the end of the dataset.
    void Warn(const std::vector<std::string>& warnings);

  private:
    void Load() const {
        if (load_ != nullptr) std::exchange(load_, nullptr)();
    }

    OverviewableDataset& raster_;
    mutable std::function<void()> load_;  // called by the first Load(), then empty
    Levels levels_;
    std::vector<std::pair<const RasterLayout*, std::unique_ptr<OverviewableDataset>>> array_levels_;
    Levels removed_;  // removed overviews; callers may still hold their bands
    Pending pending_;
    std::once_flag write_warned_;
};

// Gives the bands of an overview the metadata item RESAMPLING, by which GDAL fills the overview
// again. `method` is a name of zarr-conventions, such as "cubic_spline", or empty.
void SetResampling(OverviewableDataset& level, const std::string& method);

}  // namespace zarr_driver
