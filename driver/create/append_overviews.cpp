// SPDX-License-Identifier: MIT
#include "driver/create/append_overviews.h"

#include <cpl_string.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/pyramid/pyramid.h"
#include "core/store/keys.h"
#include "driver/overviews/overview_builder.h"
#include "driver/overviews/overview_plan.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Returns GDAL's name of a resampling method, or the default method for an unknown one.
std::string GdalMethod(const std::string& method) {
    const std::string known = GdalResampling(method);
    return known.empty() ? OverviewPlan().resampling : known;
}

// True if the overview `level` can be extended together with `array` along dimension `axis`. Before
// the append, the overview may have more or fewer slices than the array.
bool CanFollow(const zarr::ArrayFacts& level, const zarr::ArrayFacts& array, std::size_t axis) {
    const auto& sizes = level.metadata.shape;
    if (sizes.size() != array.metadata.shape.size() ||
        level.metadata.dtype.Native().ToString() != array.metadata.dtype.Native().ToString() ||
        !zarr::Array::CheckWritable(level.metadata).ok())
        return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool is_smaller = i == array.axes.x || i == array.axes.y;
        const std::uint64_t size = array.metadata.shape[i];
        // Along Z, the overview must have as many slices as the array. An overview with fewer
        // slices may have been reduced along Z, so that its slices do not correspond to slices of
        // the array.
        const bool may_differ = i == axis && array.dimensions[i].role != zarr::AxisRole::kZ;
        if (is_smaller ? sizes[i] > size : sizes[i] != size && !may_differ) return false;
    }
    return true;
}

// True if the overview `level` has the slices of the array, in the state from which the overview
// was made. The attributes of the overview's group record this state.
bool IsCurrent(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& array,
               const zarr::ArrayFacts& level, std::size_t axis) {
    if (level.dimensions[axis].size != array.dimensions[axis].size) return false;
    const std::string state = zarr::StatedBase(level.group_attributes, zarr::LastName(array.path));
    if (state.empty()) return true;
    const auto opened = hierarchy.OpenArray(array.path);
    return opened.ok() && zarr::Fingerprint(*opened).Is(state, level.path);
}

// Finds the overviews that pyramid metadata of the store lists for the array.
GrowingPyramid FindListedLevels(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& array,
                                std::size_t axis) {
    GrowingPyramid growing;
    const std::string group = zarr::ListingOfOverviews(hierarchy, array.path).group;
    const std::string name = array.path.substr(group.empty() ? 0 : group.size() + 1);
    for (const zarr::OverviewLevel& listed :
         zarr::OverviewsOf(zarr::AttributesOrEmpty(hierarchy, group), name)) {
        const std::string path = zarr::JoinKey(group, listed.path);
        const auto facts = zarr::DescribeArray(hierarchy, path);
        if (!facts.ok() || !CanFollow(*facts, array, axis)) {
            growing.cannot_grow = true;
            continue;
        }
        growing.levels.push_back({path, listed.method});
        growing.is_current = growing.is_current && IsCurrent(hierarchy, array, *facts, axis);
    }
    return growing;
}

}  // namespace

GrowingPyramid FindGrowingPyramid(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                                  std::size_t axis) {
    GrowingPyramid growing = FindListedLevels(hierarchy, layout.facts, axis);
    if (growing.cannot_grow || !growing.levels.empty()) return growing;
    const auto pyramid = zarr::FindPyramidOf(hierarchy, layout.facts.path).value;
    if (!pyramid || pyramid->levels[0].path != layout.facts.path) return growing;
    const std::uint64_t size = layout.facts.dimensions[axis].size;
    for (std::size_t i = 1; i < pyramid->levels.size(); ++i) {
        const std::string& path = pyramid->levels[i].path;
        const auto facts = zarr::DescribeArray(hierarchy, path);
        growing.cannot_grow = growing.cannot_grow || !facts.ok() ||
                              facts->dimensions.size() != layout.facts.dimensions.size() ||
                              facts->dimensions[axis].size != size ||
                              !zarr::Array::CheckWritable(facts->metadata).ok();
        if (growing.cannot_grow) break;
        growing.levels.push_back({path, ""});
    }
    if (growing.cannot_grow) growing.levels.clear();
    return growing;
}

Status FillGrowingLevels(ZarrDataset& raster, const GrowingPyramid& pyramid,
                         const std::vector<int>& bands, const std::string& resampling,
                         const ScaledProgress& progress) {
    std::map<std::string, std::vector<OverviewableDataset*>> levels;  // levels by resampling method
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
