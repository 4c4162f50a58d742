// SPDX-License-Identifier: MIT
#include "autotest/fuzz/exercise_hierarchy.h"

#include <algorithm>
#include <string>

#include "autotest/fuzz/targets.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/cf/flags.h"
#include "core/conventions/crs/affine.h"
#include "core/conventions/crs/crs_sources.h"
#include "core/conventions/crs/geolocation.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/crs/ground_control.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/ome/omero.h"
#include "core/conventions/pyramid/pyramid.h"
#include "core/dtype/stored_converter.h"

namespace zarr::fuzz {

namespace {

constexpr std::size_t kCloseNodes = 16;        // maximum number of nodes that are read
constexpr std::uint64_t kElementsAlong = 256;  // maximum number of elements read per dimension
constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 20;

// Reads the first elements of an array, if they and their chunks are small.
void ReadCorner(const Array& array) {
    const ArrayMetadata& metadata = array.metadata();
    Region region;
    std::uint64_t elements = 1;
    for (const std::uint64_t size : metadata.shape) {
        region.start.push_back(0);
        region.step.push_back(1);
        region.count.push_back(std::min(size, elements > kReadBytes ? 1 : kElementsAlong));
        elements *= std::max<std::uint64_t>(region.count[region.count.size() - 1], 1);
    }
    if (elements > kReadBytes || array.DecodedBytes(region) > kReadBytes) return;
    if (metadata.dtype.kind == DataKind::kObject) {
        const auto objects = array.ReadObjects(region, 1);
        Check(!objects.ok() || objects->size() == region.size(), "each element has an object");
        return;
    }
    if (metadata.dtype.size * elements > kReadBytes) return;
    Buffer data;
    Check(data.Resize(static_cast<std::size_t>(elements) * metadata.dtype.size).ok(), "memory");
    const auto op = ReadConverter(metadata.dtype, metadata.dtype.Native());
    if (!op.ok()) return;
    const Destination to{data.data(), ContiguousStrides(region.count, metadata.dtype.size, false),
                         *op};
    (void)array.Read(region, 0, to, {1});
}

void AskConventions(const Hierarchy& hierarchy, const std::string& path) {
    const auto facts = DescribeArray(hierarchy, path);
    if (!facts.ok()) return;
    Warnings warnings;
    (void)FindCrsSources(hierarchy, *facts, AssumeLonglat::kByName);
    (void)FindGridMapping(hierarchy, *facts);
    (void)FindGeoTransform(hierarchy, *facts, 1, warnings);
    (void)FindGeolocation(hierarchy, *facts);
    (void)FindGroundControl(hierarchy, *facts, 1, warnings);
    (void)FindStatedPoints(hierarchy, *facts, warnings);
    (void)FindPyramidOf(hierarchy, path);
    (void)FlagNames(facts->attributes);
    (void)ApplyUnsigned(facts->metadata.dtype, facts->attributes);
    for (const Dimension& dimension : facts->dimensions) {
        LabelRange range;
        range.count = std::min(dimension.size, kElementsAlong);
        (void)ReadCoordinateLabels(hierarchy, dimension, range);
    }
}

void AskGroup(const Hierarchy& hierarchy, const std::string& path) {
    Warnings warnings;
    (void)hierarchy.CheckGroup(path);
    PyramidFaults faults;
    (void)FindPyramids(hierarchy, path, faults);
    faults.Report(warnings);
    const auto attributes = hierarchy.Attributes(path);
    if (!attributes.ok()) return;
    (void)ReadOmeroChannels(*attributes, warnings);
    (void)AllOverviewPaths(*attributes);
}

void Exercise(const Hierarchy& hierarchy) {
    const auto groups = ListRasters(hierarchy, "").value;
    if (!groups.ok()) return;
    std::size_t nodes = 0;
    for (const CatalogGroup& group : *groups) {
        if (++nodes > kCloseNodes) return;
        AskGroup(hierarchy, group.path);
        (void)hierarchy.Unconsolidated(group.path);
        for (const CatalogArray& entry : group.arrays) {
            if (++nodes > kCloseNodes) return;
            const auto array = hierarchy.OpenArray(entry.path);
            if (!array.ok()) continue;
            AskConventions(hierarchy, entry.path);
            ReadCorner(**array);
        }
    }
}

}  // namespace

void ExerciseHierarchy(const std::shared_ptr<const Store>& store) {
    for (const UseConsolidated use : {UseConsolidated::kIfPresent, UseConsolidated::kNever}) {
        const auto hierarchy =
            Hierarchy::Open(store, use, std::make_shared<ArrayContext>(std::size_t{4} << 20));
        if (!hierarchy.ok()) continue;
        Exercise(**hierarchy);
        if (!(*hierarchy)->is_consolidated()) break;
    }
}

}  // namespace zarr::fuzz
