// SPDX-License-Identifier: MIT
#include "driver/plan_arrays.h"

#include <cpl_conv.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/conventions/array_facts.h"
#include "core/metadata/array_spec.h"
#include "core/store/keys.h"
#include "driver/coordinate_arrays.h"
#include "driver/georeferencing_write.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// Bands, and pixels along X and Y, in a chunk.
struct ChunkSize {
    std::uint64_t bands, side;
};

constexpr ChunkSize kChunkOfMaps = {1, 512};
// As many elements: of n bands a series touches n / 16 chunks, and a map of one band decodes 16.
constexpr ChunkSize kChunkOfSeries = {16, 128};

// A dimension of the arrays: size, and default chunk size.
struct PlannedAxis {
    std::string name;
    std::uint64_t size;
    std::uint64_t chunk;
};

class Planner {
  public:
    // `hierarchy` is what the arrays are appended to, or nullptr.
    Planner(const zarr::Hierarchy* hierarchy, std::string base, const NewRaster& raster,
            const CreationOptions& options)
        : hierarchy_(hierarchy),
          base_(std::move(base)),
          group_(zarr::ParentPath(base_)),
          raster_(raster),
          options_(options) {}

    Result<std::vector<PlannedArray>> Run() const {
        const std::vector<std::string> paths = Paths();
        const std::vector<PlannedAxis> axes = Axes(paths);
        std::vector<PlannedArray> arrays;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            ZARR_RETURN_IF_ERROR(CheckFree(paths[i]));
            ZARR_ASSIGN_OR_RETURN(PlannedArray array,
                                  Plan(paths[i], axes, paths.size() > 1 ? i + 1 : 0));
            arrays.push_back(std::move(array));
        }
        return arrays;
    }

  private:
    std::vector<std::string> Paths() const {
        if (options_.single_array || raster_.bands == 1) return {base_};
        std::vector<std::string> names;
        for (std::uint64_t i = 0; i < raster_.bands; ++i) names.push_back(BandName(i, names));
        for (std::string& name : names) name = zarr::JoinKey(group_, name);
        return names;
    }

    // The band's own name where it can be one, and is not taken.
    std::string BandName(std::uint64_t band, const std::vector<std::string>& taken) const {
        std::string fallback = "Band" + std::to_string(band + 1);
        if (band >= raster_.band_names.size()) return fallback;
        const std::string& name = raster_.band_names[static_cast<std::size_t>(band)];
        const bool usable = !name.empty() && zarr::IsValidKey(name) &&
                            name.find('/') == std::string::npos && name[0] != '.' &&
                            std::find(taken.begin(), taken.end(), name) == taken.end() &&
                            name != "x" && name != "y" && name != "spatial_ref";
        return usable ? name : fallback;
    }

    // The same for all arrays.
    std::vector<PlannedAxis> Axes(const std::vector<std::string>& paths) const {
        const ChunkSize chunk = DefaultChunk();
        std::vector<PlannedAxis> axes = {
            {"y", raster_.height, std::min(raster_.height, chunk.side)},
            {"x", raster_.width, std::min(raster_.width, chunk.side)}};
        const std::string suffix = Suffix(paths);
        for (PlannedAxis& axis : axes)
            if (!IsShared(axis)) axis.name += suffix;
        if (raster_.bands == 1 || !options_.single_array) return axes;
        if (options_.interleave_pixel)
            axes.push_back({"band" + suffix, raster_.bands, raster_.bands});
        else
            axes.insert(axes.begin(), {"band" + suffix, raster_.bands, chunk.bands});
        return axes;
    }

    // Who writes one band after the other, as programs may after Create(), would encode a chunk of
    // several bands once for each; and who says the size of a map's chunk means one of a map.
    ChunkSize DefaultChunk() const {
        const bool is_series = raster_.is_copied && options_.single_array &&
                               !options_.interleave_pixel && options_.array.chunks.empty() &&
                               raster_.bands > kChunkOfSeries.bands;
        return is_series ? kChunkOfSeries : kChunkOfMaps;
    }

    // What makes the names of dimensions ones that no other array has: coordinates of x that lie
    // elsewhere, or are of another number, would be of another x.
    std::string Suffix(const std::vector<std::string>& paths) const {
        std::set<std::string> taken;
        for (const std::string& path : paths) taken.insert(std::string(zarr::LastName(path)));
        if (hierarchy_ != nullptr) taken.merge(DimensionsInUse(*hierarchy_, group_));
        const auto is_free = [&](const std::string& suffix) {
            constexpr const char* kNames[] = {"x", "y", "band"};
            return std::none_of(std::begin(kNames), std::end(kNames), [&](const char* name) {
                return taken.count(name + suffix) != 0 || HasCoordinates(name + suffix);
            });
        };
        if (is_free("")) return "";
        std::string suffix = "_" + std::string(zarr::LastName(base_));
        for (int i = 2; !is_free(suffix); ++i)
            suffix = "_" + std::string(zarr::LastName(base_)) + "_" + std::to_string(i);
        return suffix;
    }

    // Also in a group above.
    bool HasCoordinates(const std::string& dimension) const {
        if (hierarchy_ == nullptr) return false;
        const std::uint64_t sizes[] = {raster_.width, raster_.height, raster_.bands};
        return std::any_of(std::begin(sizes), std::end(sizes), [&](std::uint64_t size) {
            return !zarr::FindCoordinateArray(*hierarchy_, group_, dimension, size).empty();
        });
    }

    // True where the coordinates of x or y that are there are those that the raster will have.
    bool IsShared(const PlannedAxis& axis) const {
        if (hierarchy_ == nullptr || !raster_.transform) return false;
        const auto path = zarr::JoinKey(group_, axis.name);
        const auto kind = hierarchy_->KindOf(path);
        return kind.ok() && *kind == zarr::NodeKind::kArray &&
               HoldsNumbers(*hierarchy_, path,
                            PixelCentres(*raster_.transform, axis.name == "x", axis.size));
    }

    Status CheckFree(const std::string& path) const {
        if (hierarchy_ == nullptr) return {};
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy_->KindOf(path));
        if (kind == zarr::NodeKind::kNone) return {};
        return Status::Invalid(
            "/" + path + ": is there already; creation option ARRAY_NAME gives " + "another name");
    }

    // `number` is that of the only band in the array, or 0.
    Result<PlannedArray> Plan(const std::string& path, const std::vector<PlannedAxis>& axes,
                              std::uint64_t number) const {
        zarr::ArraySpec spec;
        json::Array names;
        for (const PlannedAxis& axis : axes) {
            spec.shape.push_back(axis.size);
            spec.chunks.push_back(axis.chunk);
            names.emplace_back(axis.name);
        }
        spec.dtype = raster_.dtype;
        PlannedArray array;
        array.path = path;
        ZARR_ASSIGN_OR_RETURN(array.document, MakeDocument(std::move(spec), options_.array));
        SetMember(array.attributes, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
        if (number != 0) SetMember(array.attributes, kBandNumber, json::Value(number));
        return array;
    }

    const zarr::Hierarchy* const hierarchy_;
    const std::string base_;   // path of the only array
    const std::string group_;  // around the arrays
    const NewRaster& raster_;
    const CreationOptions& options_;
};

}  // namespace

Result<std::vector<PlannedArray>> PlanArrays(const std::shared_ptr<zarr::Store>& store,
                                             const NewRaster& raster,
                                             const CreationOptions& options) {
    std::string base = options.array_name;
    if (base.empty()) base = CPLGetBasename(store->Describe().c_str());
    // Of x.zarr.zip.
    if (EQUAL(CPLGetExtension(base.c_str()), "zarr")) base = CPLGetBasename(base.c_str());
    if (options.array_name.empty() && !zarr::IsValidKey(base)) base = "raster";
    ZARR_ASSIGN_OR_RETURN(base, zarr::NormalizePath(base));
    if (base.empty()) return Status::Invalid("creation option ARRAY_NAME: is empty");
    if (!options.append_subdataset) return Planner(nullptr, base, raster, options).Run();
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
    auto arrays = Planner(hierarchy.get(), base, raster, options).Run();
    // What could not be looked at may be in the way.
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return arrays;
}

}  // namespace zarr_driver
