// SPDX-License-Identifier: MIT
#include "driver/create/append_overviews.h"

#include <cpl_string.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/conventions/multiscales.h"
#include "core/conventions/overviews.h"
#include "core/conventions/pyramid.h"
#include "core/store/keys.h"
#include "driver/overviews/overview_builder.h"
#include "driver/overviews/overview_plan.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Returns the overviews that a description lists for the array at `path`, with paths from the root.
std::vector<zarr::OverviewLevel> DescribedLevels(const zarr::Hierarchy& hierarchy,
                                                 const std::string& path) {
    const std::string group = zarr::PlaceOfOverviews(hierarchy, path).group;
    auto levels = zarr::OverviewsOf(zarr::AttributesOfGroup(hierarchy, group),
                                    path.substr(group.empty() ? 0 : group.size() + 1));
    for (zarr::OverviewLevel& level : levels) level.path = zarr::JoinKey(group, level.path);
    return levels;
}

// Returns the resampling method of the level at `path`; empty if unknown.
std::string MethodOf(const std::vector<zarr::OverviewLevel>& described, const std::string& path) {
    for (const zarr::OverviewLevel& level : described)
        if (level.path == path) return level.method;
    return {};
}

// Returns GDAL's name of a resampling method.
std::string GdalMethod(std::string method) {
    method.erase(std::remove(method.begin(), method.end(), '_'), method.end());
    return IsOverviewResampling(method) && !method.empty() ? method : OverviewPlan().resampling;
}

}  // namespace

GrowingPyramid FindGrowingPyramid(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                                  std::size_t axis) {
    GrowingPyramid growing;
    zarr::Warnings ignored;  // opening the array has emitted them
    const auto pyramid = zarr::FindPyramidOf(hierarchy, layout.facts.path, ignored);
    if (!pyramid || pyramid->levels[0].path != layout.facts.path) return growing;
    const zarr::Dimension& dimension = layout.facts.dimensions[axis];
    const auto described = DescribedLevels(hierarchy, layout.facts.path);
    for (std::size_t i = 1; i < pyramid->levels.size(); ++i) {
        const std::string& path = pyramid->levels[i].path;
        const auto facts = zarr::DescribeArray(hierarchy, path);
        growing.is_stuck = growing.is_stuck || !facts.ok() ||
                           facts->dimensions.size() != layout.facts.dimensions.size() ||
                           facts->dimensions[axis].size != dimension.size ||
                           !zarr::Array::CheckWritable(facts->metadata).ok();
        if (growing.is_stuck) break;
        const std::string& coordinates = facts->dimensions[axis].coordinate_path;
        growing.levels.push_back({path, coordinates != dimension.coordinate_path ? coordinates : "",
                                  MethodOf(described, path)});
    }
    if (growing.is_stuck) growing.levels.clear();
    return growing;
}

Status FillGrowingLevels(ZarrDataset& raster, const GrowingPyramid& pyramid,
                         const std::vector<int>& bands, const std::string& resampling,
                         const ScaledProgress& progress) {
    std::map<std::string, std::vector<StoreRaster*>> levels;  // by method
    for (const GrowingLevel& level : pyramid.levels) {
        ZARR_ASSIGN_OR_RETURN(auto opened, raster.OpenLevel({level.path}, 0));
        levels[resampling.empty() ? GdalMethod(level.method) : resampling].push_back(opened.get());
        raster.overviews().Add(std::move(opened));
    }
    double done = 0;
    for (const auto& [method, of_method] : levels) {
        const double end = done + 1.0 / static_cast<double>(levels.size());
        const ScaledProgress part(done, end, ScaledProgress::Report, progress.data());
        done = end;
        OverviewRequest request;
        request.resampling = method;
        request.bands = bands;
        request.progress = ScaledProgress::Report;
        request.progress_data = part.data();
        if (OverviewBuilder(raster.overviews()).FillBands(request, of_method) != CE_None)
            return {zarr::StatusCode::kCancelled, ""};
    }
    return {};
}

}  // namespace zarr_driver
