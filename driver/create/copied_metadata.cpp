// SPDX-License-Identifier: MIT
#include "driver/create/copied_metadata.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "driver/base/metadata_text.h"
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

void CopyDomains(GDALMajorObject& from, GDALMajorObject& to) {
    constexpr const char* kDerived[] = {
        "",         "IMAGE_STRUCTURE", "SUBDATASETS",     "DERIVED_SUBDATASETS", "GEOLOCATION",
        "xml:VRT",  "vrt_sources",     "new_vrt_sources", "LocationInfo",        "OVERVIEWS",
        kZarrDomain};
    const CPLStringList domains(from.GetMetadataDomainList());
    for (int i = 0; i < domains.size(); ++i) {
        const char* const domain = domains[i];
        const bool is_derived = std::any_of(std::begin(kDerived), std::end(kDerived),
                                            [&](const char* name) { return EQUAL(name, domain); });
        if (is_derived) continue;
        const CPLStringList items(CSLDuplicate(from.GetMetadata(domain)));
        if (!items.empty()) to.SetMetadata(CPLStringList(items).List(), domain);
    }
}

void CopyClasses(GDALRasterBand& from, GDALRasterBand& to) {
    if (const GDALColorTable* const colours = from.GetColorTable()) {
        const GDALColorTable* const own = to.GetColorTable();
        if (own == nullptr || own->IsSame(colours) == FALSE) to.SetColorTable(from.GetColorTable());
    }
    CPLStringList names(CSLDuplicate(from.GetCategoryNames()));
    const CPLStringList own_names(CSLDuplicate(to.GetCategoryNames()));
    const bool are_same = names.size() == own_names.size() &&
                          std::equal(names.List(), names.List() + names.size(), own_names.List(),
                                     [](std::string_view a, std::string_view b) { return a == b; });
    if (!names.empty() && !are_same) to.SetCategoryNames(names.List());
    // Colours that names of bands state are stored as well, because other programs do not read
    // names as colours.
    const GDALColorInterp colour = from.GetColorInterpretation();
    const bool is_default = colour == GCI_GrayIndex || colour == GCI_PaletteIndex;
    if (colour != GCI_Undefined && !(is_default && colour == to.GetColorInterpretation()))
        to.SetColorInterpretation(colour);
    if (const GDALRasterAttributeTable* const table = from.GetDefaultRAT()) to.SetDefaultRAT(table);
}

}  // namespace zarr_driver
