// SPDX-License-Identifier: MIT
#include "driver/raster/builtin_pam.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/conventions/cf/band_lists.h"
#include "core/store/keys.h"
#include "driver/raster/band_colours.h"
#include "driver/store/sidecars.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

namespace {

std::string FolderOf(const std::string& store_path, const BandArray& array) {
    const std::string& path = array.path();
    return path.empty() ? store_path : store_path + "/" + path;
}

std::string FileOf(const std::string& store_path, const BandArray& array) {
    const bool is_v3 = array.facts().metadata.format == zarr::Format::kV3;
    return FolderOf(store_path, array) + (is_v3 ? "/zarr.json.aux.xml" : "/.zarray.aux.xml");
}

// True if the store is in a folder that takes no requests.
bool IsInLocalFolder(const std::string& store_path) {
    return TakesNoRequests(store_path) && !StorePath(store_path).is_below_vsizip();
}

// Returns the time when a local file was written; nullopt if it is missing or not local.
std::optional<std::int64_t> WriteTime(const std::string& store_path, const std::string& file) {
    return IsInLocalFolder(store_path) ? WrittenAt(file) : std::nullopt;
}

// True if the array states a fact itself that the element of a band would override.
bool IsStatedByArray(const CPLXMLNode& element, const BandArray& array, std::size_t band) {
    const zarr::Packing& packing = array.packing.value;
    const auto has = [&](const char* name, bool is_stated) {
        return is_stated && IsElement(element, name);
    };
    const auto colour = StoredColour(array.lists, array.facts().attributes, band, band);
    const bool has_nodata = array.nodata.has_value() || !array.nodata_of_bands.empty();
    return has("NoDataValue", has_nodata) || has("Scale", packing.scale.has_value()) ||
           has("Offset", packing.offset.has_value()) || has("UnitType", !packing.units.empty()) ||
           has("ColorInterp", colour.value_or(GCI_Undefined) != GCI_Undefined);
}

void RemoveFactsOfArray(CPLXMLNode& tree, const BandArray& array) {
    for (CPLXMLNode* const node : ElementsOf(&tree, "Metadata"))
        TakeElements(*node, [&](const CPLXMLNode& item) {
            return array.facts().attributes.Find(CPLGetXMLValue(&item, "key", "")) != nullptr;
        });
    for (CPLXMLNode* const node : ElementsOf(&tree, "PAMRasterBand")) {
        const int number = std::max(std::atoi(CPLGetXMLValue(node, "band", "1")), 1);
        TakeElements(*node, [&](const CPLXMLNode& element) {
            return IsStatedByArray(element, array, static_cast<std::size_t>(number) - 1);
        });
    }
}

// Returns the first text below `node` that ends with ".ovr", without that end; empty if none does.
std::string OverviewBaseIn(const CPLXMLNode& node) {
    constexpr std::string_view kExtension = ".ovr";
    for (const CPLXMLNode* child = node.psChild; child != nullptr; child = child->psNext) {
        const std::string_view text = child->pszValue;
        const bool is_name = child->eType == CXT_Text && text.size() > kExtension.size() &&
                             text.substr(text.size() - kExtension.size()) == kExtension;
        if (is_name) return std::string(text.substr(0, text.size() - kExtension.size()));
        if (std::string found = OverviewBaseIn(*child); !found.empty()) return found;
    }
    return {};
}

// Returns the overview file `base`, which is in one of `folders`; empty if none has it. Folders in
// `base` are ignored, because the store may be untrusted.
std::string FindOverviews(const std::string& base, std::initializer_list<std::string> folders) {
    for (const std::string& folder : folders) {
        std::string path = folder + "/" + CPLGetFilename(base.c_str());
        if (!base.empty() && PathExists(path + ".ovr")) return path;
    }
    return {};
}

// Returns the metadata in `file` of the array as a raster; nullptr if there is none.
XmlTree TreeOf(const CPLXMLNode& file, const RasterLayout& layout) {
    if (layout.x_axis && layout.y_axis) {
        const std::string view = "AsClassicDataset(" + std::to_string(*layout.x_axis) + "," +
                                 std::to_string(*layout.y_axis) + ") view of /" + layout.facts.path;
        for (const CPLXMLNode* const node : ElementsOf(&file, "DerivedDataset")) {
            if (CPLGetXMLValue(node, "name", "") != view) continue;
            const CPLXMLNode* const inner = FirstElement(node, "PAMDataset");
            return inner != nullptr ? SafePam(CopyOf(*inner)) : nullptr;
        }
    }
    return CopyOf(file);
}

}  // namespace

BuiltinPamFile ReadBuiltinPamFile(const std::string& store_path, const BandArray& array) {
    const std::string path = FileOf(store_path, array);
    BuiltinPamFile file;
    if (const auto written = WriteTime(store_path, path)) {
        file.written = *written;
        file.tree = SafePam(ReadPamFile(path));
    }
    return file;
}

XmlTree BuiltinPam(const BuiltinPamFile& file, const BandArray& array,
                   const std::function<bool(std::int64_t)>& has_changed_since) {
    if (file.tree == nullptr) return nullptr;
    XmlTree tree = TreeOf(*file.tree, array.layout());
    if (tree == nullptr) return tree;
    RemoveFactsOfArray(*tree, array);
    if (HoldsStatistics(*tree) && has_changed_since(file.written)) RemoveStatistics(*tree);
    return tree;
}

std::string BuiltinOverviewBase(const std::string& store_path, const BandArray& array,
                                const BuiltinPamFile& file) {
    const std::string folder = FolderOf(store_path, array);
    const std::string path = FileOf(store_path, array);
    if (!IsInLocalFolder(store_path)) return {};
    const std::string name(zarr::LastName(array.path()));
    const std::string old = path.substr(0, path.size() - std::strlen("aux.xml")) + name;
    if (std::string found = FindOverviews(old, {folder}); !found.empty()) return found;
    if (file.tree != nullptr)
        if (std::string found = FindOverviews(OverviewBaseIn(*file.tree), {folder, store_path});
            !found.empty())
            return found;
    const std::string shared = store_path + "/pam.aux.xml";
    const XmlTree tree = WriteTime(store_path, shared) ? ReadPamFile(shared) : nullptr;
    for (const CPLXMLNode* const node : ElementsOf(tree.get(), "Array"))
        if (CPLGetXMLValue(node, "name", "") == "/" + array.path())
            return FindOverviews(OverviewBaseIn(*node), {store_path, folder});
    return {};
}

}  // namespace zarr_driver
