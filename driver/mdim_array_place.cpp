// SPDX-License-Identifier: MIT
// The part of ZarrMDArray that says where it lies, and shows it as a raster.
#include <algorithm>

#include "core/conventions/lookup.h"
#include "core/conventions/pyramid.h"
#include "core/store/keys.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_session.h"
#include "driver/raster_layout.h"
#include "driver/raster_open.h"
#include "driver/report.h"

namespace zarr_driver {

const Georeferencing& ZarrMDArray::Placed() const {
    return georeferencing_.Get([this] {
        // One dimension is a coordinate, not a raster.
        if (facts_.metadata.rank() < 2 || text_length_ != 0) return Georeferencing();
        const OpenOptions& options = session_->options();
        Georeferencing placed =
            ReadGeoreferencing(session_->hierarchy(), facts_, session_->store_path(),
                               {options.assume_longlat, false, options.threads});
        EmitWarnings(session_->store_path() + ": /" + facts_.path, placed.warnings);
        return placed;
    });
}

std::shared_ptr<OGRSpatialReference> ZarrMDArray::GetSpatialRef() const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<OGRSpatialReference> {
        if (auto from_pam = GDALPamMDArray::GetSpatialRef()) return from_pam;
        const Georeferencing& placed = Placed();
        if (!placed.srs) return nullptr;
        std::shared_ptr<OGRSpatialReference> srs(placed.srs->Clone(),
                                                 [](OGRSpatialReference* p) { p->Release(); });
        // The coordinate arrays stay in their own units here, so the CRS follows them.
        if (placed.coordinate_scale != 1) {
            const double metres = srs->GetLinearUnits() * placed.coordinate_scale;
            srs->SetLinearUnitsAndUpdateParameters(metres == 1000 ? "kilometre" : "unit", metres);
        }
        // In place of "X, Y" the mapping names dimensions, from 1.
        const auto number_of = [this](std::size_t stored) {
            const auto at = std::find(shown_.begin(), shown_.end(), stored);
            return at == shown_.end() ? 0 : static_cast<int>(at - shown_.begin()) + 1;
        };
        const int x = number_of(*facts_.axes.x);
        const int y = number_of(*facts_.axes.y);
        std::vector<int> mapping = srs->GetDataAxisToSRSAxisMapping();
        for (int& axis : mapping) axis = axis == 1 ? x : axis == 2 ? y : 0;
        mapping.resize(2);
        srs->SetDataAxisToSRSAxisMapping(mapping);
        return srs;
    });
}

std::vector<std::shared_ptr<GDALMDArray>> ZarrMDArray::GetCoordinateVariables() const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALMDArray>> {
        std::vector<std::shared_ptr<GDALMDArray>> variables;
        for (const std::string& name : zarr::WordsAttribute(facts_.attributes, "coordinates")) {
            const std::string path = zarr::FindVariable(
                session_->hierarchy(), std::string(zarr::ParentPath(facts_.path)), name);
            if (path.empty()) continue;
            auto array = session_->OpenArray(path);
            if (array.ok())
                variables.push_back(*array);
            else
                EmitError(session_->store_path(), array.status());
        }
        return variables;
    });
}

const std::vector<std::string>& ZarrMDArray::LevelPaths() const {
    return level_paths_.Get([this] {
        std::vector<std::string> paths;
        zarr::Warnings warnings;
        const auto pyramid = zarr::FindPyramidOf(session_->hierarchy(), facts_.path, warnings);
        EmitWarnings(session_->store_path(), warnings);
        if (pyramid && pyramid->levels[0].path == facts_.path)
            for (std::size_t i = 1; i < pyramid->levels.size(); ++i)
                paths.push_back(pyramid->levels[i].path);
        return paths;
    });
}

int ZarrMDArray::GetOverviewCount() const {
    return Guarded(session_->store_path(),
                   [&]() -> int { return static_cast<int>(LevelPaths().size()); });
}

std::shared_ptr<GDALMDArray> ZarrMDArray::GetOverview(int idx) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        const std::vector<std::string>& paths = LevelPaths();
        if (idx < 0 || idx >= static_cast<int>(paths.size())) return nullptr;
        auto array = session_->OpenArray(paths[static_cast<std::size_t>(idx)]);
        if (array.ok()) return *array;
        EmitError(session_->store_path(), array.status());
        return nullptr;
    });
}

GDALDataset* ZarrMDArray::AsClassicDataset(ZARR_AS_CLASSIC_PARAMETERS) const {
    return Guarded(session_->store_path(), [&]() -> GDALDataset* {
        for (const auto& dimension : dimensions_) {
            if (dimension->GetSize() != 0) continue;
            EmitError(session_->store_path(),
                      zarr::Status::Unsupported(
                          "/" + facts_.path + ": dimension " + dimension->GetName() +
                          " is empty (shape 0), and GDAL has no empty rasters"));
            return nullptr;
        }
        const bool is_its_raster = facts_.metadata.rank() >= 2 && text_length_ == 0 &&
                                   facts_.axes.x == iXDim && facts_.axes.y == iYDim &&
                                   GDALPamMDArray::GetSpatialRef() == nullptr;
        std::uint64_t slices = 1;
        for (std::size_t i = 0; i < facts_.metadata.rank(); ++i)
            if (i != iXDim && i != iYDim) slices *= facts_.metadata.shape[i];
        // Of more slices than bands GDAL itself says what to do.
        if (is_its_raster && slices <= kMaxBands && ZARR_AS_CLASSIC_IS_PLAIN) {
            Location location = session_->location();
            location.node = facts_.path;
            location.kind = zarr::NodeKind::kArray;
            OpenOptions options = session_->options();
            options.multiband = true;
            options.dim_x.clear();
            options.dim_y.clear();
            const std::string name = FormatConnectionString(location.store_path, location.node);
            auto dataset = OpenRaster(name, location, {}, options);
            if (dataset.ok()) {
                (*dataset)->Finish({{}, false});
                return dataset->release();
            }
        }
        return GDALPamMDArray::AsClassicDataset(ZARR_AS_CLASSIC_ARGUMENTS);
    });
}

}  // namespace zarr_driver
