// SPDX-License-Identifier: MIT
#include "driver/create_store.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/metadata/array_spec.h"
#include "core/store/keys.h"
#include "driver/dataset.h"
#include "driver/location.h"
#include "driver/report.h"
#include "driver/store_removal.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// The side of a chunk along X and Y, in pixels.
constexpr std::uint64_t kChunkSide = 512;

// The dimensions of one array: name, size, and default chunk size.
struct Axis {
    std::string name;
    std::uint64_t size;
    std::uint64_t chunk;
};

class Creator {
  public:
    Creator(std::string folder, NewRaster raster, const CreationOptions& options,
            StoreUpdate& update)
        : folder_(std::move(folder)),
          raster_(std::move(raster)),
          options_(options),
          update_(update) {}

    // Makes the arrays and returns their paths.
    Result<std::vector<std::string>> Run() const {
        ZARR_RETURN_IF_ERROR(update_.metadata().CreateGroup(""));
        std::vector<std::string> paths;
        if (options_.single_array || raster_.bands == 1) {
            paths.push_back(BaseName());
        } else {
            for (std::uint64_t i = 0; i < raster_.bands; ++i) paths.push_back(BandName(i, paths));
        }
        for (std::size_t i = 0; i < paths.size(); ++i)
            ZARR_RETURN_IF_ERROR(MakeArray(paths[i], paths.size() > 1 ? i + 1 : 0));
        return paths;
    }

  private:
    std::string BaseName() const {
        if (!options_.array_name.empty()) return options_.array_name;
        const std::string name = CPLGetBasename(folder_.c_str());
        return zarr::IsValidKey(name) ? name : "raster";
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

    std::vector<Axis> Axes(const std::string& path) const {
        const bool is_taken = path == "x" || path == "y" || path == "band";
        const std::string suffix = is_taken ? "_" : "";  // an array is not its own dimension
        std::vector<Axis> axes = {
            {"y" + suffix, raster_.height, std::min(raster_.height, kChunkSide)},
            {"x" + suffix, raster_.width, std::min(raster_.width, kChunkSide)}};
        if (raster_.bands == 1 || !options_.single_array) return axes;
        if (options_.interleave_pixel)
            axes.push_back({"band" + suffix, raster_.bands, raster_.bands});
        else
            axes.insert(axes.begin(), {"band" + suffix, raster_.bands, 1});
        return axes;
    }

    // `number` is that of the only band in the array, or 0.
    Status MakeArray(const std::string& path, std::uint64_t number) const {
        const std::vector<Axis> axes = Axes(path);
        zarr::ArraySpec spec;
        json::Array names;
        for (const Axis& axis : axes) {
            spec.shape.push_back(axis.size);
            spec.chunks.push_back(axis.chunk);
            names.emplace_back(axis.name);
        }
        const std::vector<std::uint64_t>& chunks = options_.array.chunks;
        if (chunks.size() > axes.size())
            return Status::Invalid("creation option BLOCKSIZE: " + std::to_string(chunks.size()) +
                                   " numbers for " + std::to_string(axes.size()) + " dimensions");
        // Fewer are those of the last dimensions.
        std::copy_backward(chunks.begin(), chunks.end(), spec.chunks.end());
        spec.dtype = raster_.dtype;
        spec.compressor = options_.array.compressor;
        spec.filters = options_.array.filters;
        spec.fortran_order = options_.array.fortran_order;
        spec.dimension_separator = options_.array.dimension_separator;
        ZARR_ASSIGN_OR_RETURN(const json::Object document, zarr::MakeArrayDocument(spec));
        json::Object attributes{{"_ARRAY_DIMENSIONS", json::Value(std::move(names))}};
        const json::Value band(number);
        if (number != 0) attributes.emplace_back(kBandNumber, band);
        return update_.metadata().CreateArray(path, document, attributes);
    }

    const std::string folder_;
    const NewRaster raster_;
    const CreationOptions& options_;
    StoreUpdate& update_;
};

// Makes the place free for a new store: an old one goes, anything else stays and is an error.
Status MakeRoom(const std::string& folder) {
    return IsStoreFolder(folder) ? RemoveStore(folder) : CheckRoom(folder);
}

Status CheckPlace(const std::string& folder, bool append) {
    if (!append) return MakeRoom(folder);
    if (IsStoreFolder(folder)) return {};
    return Status::NotFound("there is no Zarr v2 store to append a subdataset to");
}

}  // namespace

Result<std::unique_ptr<ZarrDataset>> MakeStore(const std::string& name, NewRaster raster,
                                               const CreationOptions& options) {
    const std::string folder = FolderOf(name);
    ZARR_RETURN_IF_ERROR(CheckPlace(folder, options.append_subdataset));
    const zarr::WriteConsolidated consolidate = !options.consolidate ? zarr::WriteConsolidated::kNo
                                                : options.append_subdataset
                                                    ? zarr::WriteConsolidated::kIfPresent
                                                    : zarr::WriteConsolidated::kYes;
    auto update = std::make_unique<StoreUpdate>(std::make_shared<VsiStore>(folder), consolidate);
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                          Creator(folder, std::move(raster), options, *update).Run());
    ZARR_ASSIGN_OR_RETURN(OpenOptions open_options, OpenOptions::Parse(nullptr));
    open_options.use_consolidated = zarr::UseConsolidated::kNever;
    ConnectionString place;
    place.path = folder;
    place.has_node = true;
    place.node = paths.size() == 1 ? paths[0] : "";
    ZARR_ASSIGN_OR_RETURN(Location location, Locate(place, open_options));
    auto dataset = std::make_unique<ZarrDataset>(name, location, open_options);
    for (const std::string& path : paths) {
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              LayOut(*location.hierarchy, path, open_options, {}));
        ZARR_RETURN_IF_ERROR(update->CheckWritable(layout.array));
        dataset->AddArray(std::move(layout), paths.size() > 1);
    }
    dataset->Finish();
    dataset->EnableUpdate(std::move(update), options.georeferenced);
    return dataset;
}

}  // namespace zarr_driver
