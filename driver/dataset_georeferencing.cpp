// SPDX-License-Identifier: MIT
// The part of ZarrDataset that says where it lies.
#include "driver/array_description.h"
#include "driver/dataset.h"
#include "driver/guard.h"
#include "driver/report.h"
#include "driver/sidecar_names.h"
#include "driver/store_failures.h"

namespace zarr_driver {

const Georeferencing& ZarrDataset::Placed() const {
    if (georeferencing_) return *georeferencing_;
    georeferencing_.emplace();
    if (arrays_.empty()) return *georeferencing_;
    const zarr::ArrayFacts& facts = arrays_[0]->layout.facts;
    georeferencing_ =
        ReadGeoreferencing(*location_.hierarchy, facts, location_.store_path,
                           {options_.assume_longlat, options_.wrap_longitude, options_.threads});
    EmitWarnings(location_.store_path + ": /" + facts.path, georeferencing_->warnings);
    WarnOfFailure(*location_.hierarchy, location_.store_path);
    return *georeferencing_;
}

const OGRSpatialReference* ZarrDataset::GetSpatialRef() const {
    return Guarded(store_path(), [&]() -> const OGRSpatialReference* {
        if (const OGRSpatialReference* from_pam = GDALPamDataset::GetSpatialRef()) return from_pam;
        const Georeferencing& placed = Placed();
        return placed.srs && placed.points.empty() ? &*placed.srs : nullptr;
    });
}

CPLErr ZarrDataset::GetGeoTransform(ZARR_GEOTRANSFORM_PARAMETER) ZARR_GEOTRANSFORM_QUALIFIER {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (GDALPamDataset::GetGeoTransform(transform) == CE_None) return CE_None;
        const Georeferencing& placed = Placed();
        if (!placed.transform) return CE_Failure;
        for (int i = 0; i < 6; ++i) transform[i] = (*placed.transform)[static_cast<std::size_t>(i)];
        return CE_None;
    });
}

void ZarrDataset::LoadPoints() {
    const Georeferencing& placed = Placed();
    if (!points_.empty() || placed.points.empty()) return;
    for (std::size_t i = 0; i < placed.points.size(); ++i)
        point_ids_.push_back(std::to_string(i + 1));
    static char no_info[] = "";
    for (std::size_t i = 0; i < placed.points.size(); ++i) {
        const zarr::GroundControlPoint& point = placed.points[i];
        points_.push_back({point_ids_[i].data(), no_info, point.pixel, point.line, point.longitude,
                           point.latitude, point.height});
    }
}

int ZarrDataset::GetGCPCount() {
    return Guarded(store_path(), [&]() -> int {
        const int from_pam = GDALPamDataset::GetGCPCount();
        LoadPoints();
        return from_pam > 0 ? from_pam : static_cast<int>(points_.size());
    });
}

const GDAL_GCP* ZarrDataset::GetGCPs() {
    return Guarded(store_path(), [&]() -> const GDAL_GCP* {
        if (GDALPamDataset::GetGCPCount() > 0) return GDALPamDataset::GetGCPs();
        LoadPoints();
        return points_.data();
    });
}

const OGRSpatialReference* ZarrDataset::GetGCPSpatialRef() const {
    return Guarded(store_path(), [&]() -> const OGRSpatialReference* {
        if (const OGRSpatialReference* from_pam = GDALPamDataset::GetGCPSpatialRef())
            return from_pam;
        if (Placed().points.empty()) return nullptr;
        if (points_srs_.IsEmpty()) {
            points_srs_.importFromEPSG(4326);
            points_srs_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        }
        return &points_srs_;
    });
}

char** ZarrDataset::GetMetadataDomainList() {
    return Guarded(store_path(), [&]() -> char** {
        CPLStringList domains(BuildMetadataDomainList(GDALPamDataset::GetMetadataDomainList(), TRUE,
                                                      "GEOLOCATION", kZarrDomain, nullptr));
        const int hidden = domains.FindString(kSidecarDomain);
        return hidden < 0 ? domains.StealList()
                          : CSLRemoveStrings(domains.StealList(), hidden, 1, nullptr);
    });
}

void ZarrDataset::LoadGeolocation() {
    if (GDALPamDataset::GetMetadata("GEOLOCATION") != nullptr) return;
    CPLStringList list(Placed().geolocation);
    // Past PAM: what comes from the store is not to be written beside it.
    if (!list.empty()) GDALDataset::SetMetadata(list.List(), "GEOLOCATION");
}

// Not among what GDAL keeps of metadata, which PAM would save.
NameValueList ZarrDataset::Description() {
    if (!description_.empty()) return description_.List();
    if (arrays_.size() == 1) {  // those of several are their bands'
        const RasterLayout& layout = arrays_[0]->layout;
        DescribeStorage(*layout.array, layout.listing, description_);
        DescribeCodecs(layout.facts.metadata, description_);
    }
    const auto set = [this](const char* name, const std::string& value) {
        if (!value.empty()) description_.SetNameValue(name, value.c_str());
    };
    set("CRS_SOURCE", Placed().srs_origin);
    set("GEOTRANSFORM_SOURCE", Placed().transform_origin);
    set("CONSOLIDATED_METADATA", location_.hierarchy->is_consolidated() ? "YES" : "NO");
    return description_.List();
}

NameValueList ZarrDataset::GetMetadata(const char* pszDomain) {
    return Guarded(store_path(), [&]() -> NameValueList {
        if (pszDomain != nullptr && EQUAL(pszDomain, "GEOLOCATION")) LoadGeolocation();
        if (pszDomain != nullptr && EQUAL(pszDomain, kZarrDomain)) return Description();
        return GDALPamDataset::GetMetadata(pszDomain);
    });
}

const char* ZarrDataset::GetMetadataItem(const char* pszName, const char* pszDomain) {
    return Guarded(store_path(), [&]() -> const char* {
        if (pszDomain != nullptr && EQUAL(pszDomain, "GEOLOCATION")) LoadGeolocation();
        if (pszDomain != nullptr && EQUAL(pszDomain, kZarrDomain))
            return CSLFetchNameValue(Description(), pszName);
        return GDALPamDataset::GetMetadataItem(pszName, pszDomain);
    });
}

}  // namespace zarr_driver
