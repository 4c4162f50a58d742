// SPDX-License-Identifier: MIT
#include "driver/overviews/overview_set.h"

#include <algorithm>
#include <iterator>

#include "driver/base/gdal_errors.h"

namespace zarr_driver {

OverviewSet::~OverviewSet() { EmitWarnings(raster_.store_path(), pending_.warnings); }

void OverviewSet::WarnOfWrite(const RasterLayout& array) {
    if (LevelsOf(array).empty()) return;
    // This write changes the array, so the state of the array that the overview groups record must
    // be updated.
    pending_.is_description = true;
    std::call_once(write_warned_, [&] {
        EmitWarning(
            raster_.store_path() + ": /" + array.facts.path,
            "its overviews are outdated by this write; build them again when all is written");
    });
}

void OverviewSet::Warn(const std::vector<std::string>& warnings) {
    if (raster_.update() == nullptr) return EmitWarnings(raster_.store_path(), warnings);
    pending_.warnings.insert(pending_.warnings.end(), warnings.begin(), warnings.end());
}

std::vector<OverviewableDataset*> OverviewSet::All() const {
    Load();
    std::vector<OverviewableDataset*> all;
    for (const auto& level : levels_) all.push_back(level.get());
    for (const auto& [array, level] : array_levels_) all.push_back(level.get());
    return all;
}

std::vector<OverviewableDataset*> OverviewSet::LevelsOf(const RasterLayout& array) const {
    Load();
    std::vector<OverviewableDataset*> own;
    for (const auto& level : levels_) own.push_back(level.get());
    for (const auto& [of, level] : array_levels_)
        if (of == &array && levels_.empty()) own.push_back(level.get());
    return own;
}

void OverviewSet::Merge(Levels levels) {
    std::move(levels.begin(), levels.end(), std::back_inserter(levels_));
    std::stable_sort(levels_.begin(), levels_.end(), [](const auto& a, const auto& b) {
        return a->GetRasterXSize() * 1.0 * a->GetRasterYSize() >
               b->GetRasterXSize() * 1.0 * b->GetRasterYSize();
    });
}

std::vector<LevelPaths> OverviewSet::Remove(const std::set<const OverviewableDataset*>& kept) {
    std::vector<LevelPaths> removed;
    for (auto& level : levels_) {
        if (kept.count(level.get()) != 0) continue;
        removed.push_back({PathsOf(*level), 0, 0, ""});
        Release(*level);
        removed_.push_back(std::move(level));
    }
    levels_.erase(std::remove(levels_.begin(), levels_.end(), nullptr), levels_.end());
    return removed;
}

void OverviewSet::RemoveLevelsOfArrays() {
    for (auto& [array, level] : array_levels_) {
        Release(*level);
        removed_.push_back(std::move(level));
    }
    array_levels_.clear();
}

std::vector<std::string> OverviewSet::PathsOf(const OverviewableDataset& level) {
    std::vector<std::string> paths;
    for (const RasterLayout* array : level.Layouts()) paths.push_back(array->facts.path);
    return paths;
}

void OverviewSet::Release(OverviewableDataset& level) const {
    for (const RasterLayout* array : level.Layouts()) raster_.update()->Forget(*array->array);
    level.EndUpdate();
}

// Calls the function of GDALMajorObject, so that the item is neither stored nor saved as PAM.
void SetResampling(OverviewableDataset& level, const std::string& method) {
    const std::string name = GdalResampling(method);
    for (int i = 1; i <= level.GetRasterCount(); ++i)
        level.GetRasterBand(i)->GDALMajorObject::SetMetadataItem(
            "RESAMPLING", name.empty() ? nullptr : name.c_str());
}

}  // namespace zarr_driver
