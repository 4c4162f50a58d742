// SPDX-License-Identifier: MIT
#include "driver/create/copied_metadata.h"

#include "driver/create/cube_dimensions.h"

namespace zarr_driver {

std::string CopiedDescription(GDALRasterBand& band) {
    const std::string description = band.GetDescription();
    const CPLStringList parts(CSLTokenizeString2(description.c_str(), ",", CSLT_STRIPLEADSPACES));
    bool is_placeholder = !parts.empty();
    for (int i = 0; i < parts.size(); ++i) {
        char* name = nullptr;
        const char* const index = CPLParseNameValue(parts[i], &name);
        const std::string item = std::string("DIM_") + (name != nullptr ? name : "");
        const char* const told = band.GetMetadataItem((item + "_INDEX").c_str());
        is_placeholder = is_placeholder && index != nullptr && told != nullptr &&
                         EQUAL(index, told) &&
                         band.GetMetadataItem((item + "_VALUE").c_str()) == nullptr;
        CPLFree(name);
    }
    return is_placeholder ? std::string() : description;
}

CPLStringList CopiedMetadata(GDALMajorObject& from, const std::vector<BandDimension>& dimensions) {
    CPLStringList kept;
    const CPLStringList metadata(CSLDuplicate(from.GetMetadata()));
    for (int i = 0; i < metadata.size(); ++i)
        if (!IsOfCubeDimension(metadata[i], dimensions)) kept.AddString(metadata[i]);
    return kept;
}

CPLStringList CopiedBandMetadata(GDALRasterBand& from,
                                 const std::vector<BandDimension>& dimensions) {
    CPLStringList kept;
    const CPLStringList metadata = CopiedMetadata(from, dimensions);
    for (int i = 0; i < metadata.size(); ++i)
        if (!STARTS_WITH_CI(metadata[i], "DIM_")) kept.AddString(metadata[i]);
    return kept;
}

}  // namespace zarr_driver
