// SPDX-License-Identifier: MIT
#include "driver/raster/stored_pam.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/crs/crs_text.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

bool IsStatisticNode(const CPLXMLNode& node) {
    return IsElement(node, "Histograms") ||
           (IsElement(node, "MDI") &&
            STARTS_WITH_CI(CPLGetXMLValue(&node, "key", ""), "STATISTICS_"));
}

bool IsPixelReference(const CPLXMLNode& node) {
    if (IsElement(node, "GCPList")) return true;
    const char* const domain = CPLGetXMLValue(&node, "domain", "");
    return IsElement(node, "Metadata") && (EQUAL(domain, "RPC") || EQUAL(domain, "GEOLOCATION"));
}

// Removes the CRS and the geotransform, because other attributes state them. Also removes control
// points whose CRS text is no CRS definition. The store may be untrusted, and other text must not
// reach PROJ.
void RemoveUnsafe(CPLXMLNode& tree) {
    TakeElements(tree, [](const CPLXMLNode& node) {
        if (IsElement(node, "SRS") || IsElement(node, "GeoTransform")) return true;
        if (!IsElement(node, "GCPList")) return false;
        const char* const crs = CPLGetXMLValue(&node, "Projection", "");
        return crs[0] != '\0' && !zarr::SafeCrsText(crs).value.ok();
    });
}

constexpr const char* kBand = "PAMRasterBand";

// Returns the metadata items of the tree's only band, as NAME=VALUE, from the default domain. The
// band's description becomes the item "long_name".
CPLStringList BandItems(const CPLXMLNode& tree) {
    CPLStringList items;
    for (const CPLXMLNode* const node : ElementsOf(FirstElement(&tree, kBand))) {
        if (IsElement(*node, "Description"))
            items.SetNameValue("long_name", CPLGetXMLValue(node, "", ""));
        if (!IsElement(*node, "Metadata") || CPLGetXMLValue(node, "domain", "")[0] != '\0')
            continue;
        for (const CPLXMLNode* const item : ElementsOf(node, "MDI"))
            items.SetNameValue(CPLGetXMLValue(item, "key", ""), CPLGetXMLValue(item, "", ""));
    }
    return items;
}

// Removes the elements of bands from `tree`. Returns them by the number of the band, from 1.
std::map<int, XmlTree> TakeBands(CPLXMLNode& tree) {
    std::map<int, XmlTree> bands;
    for (XmlTree& band :
         TakeElements(tree, [](const CPLXMLNode& node) { return IsElement(node, kBand); })) {
        const int number = std::atoi(CPLGetXMLValue(band.get(), "band", "0"));
        if (number > 0) bands.try_emplace(number, std::move(band));
    }
    return bands;
}

void AddBand(CPLXMLNode& tree, int number, XmlTree band) {
    CPLSetXMLValue(band.get(), "#band", std::to_string(number).c_str());
    CPLAddXMLChild(&tree, band.release());
}

}  // namespace

XmlTree SafePam(XmlTree tree) {
    if (tree != nullptr) RemoveUnsafe(*tree);
    return tree;
}

XmlTree ReadPam(const json::Value& attributes) {
    const std::string* const text = zarr::StringAttribute(attributes, kPamAttribute);
    return text != nullptr ? SafePam(ParsePam(*text)) : XmlTree();
}

json::Value PamValue(const CPLXMLNode* tree) {
    if (tree == nullptr || IsEmptyElement(*tree)) return {};
    return json::Value(ElementText(*tree));
}

bool HoldsStatistics(const CPLXMLNode& tree) {
    const auto elements = ElementsOf(&tree);
    return std::any_of(elements.begin(), elements.end(), [](const CPLXMLNode* node) {
        return IsStatisticNode(*node) || HoldsStatistics(*node);
    });
}

void RemoveStatistics(CPLXMLNode& tree) {
    TakeElements(tree, IsStatisticNode);
    for (CPLXMLNode* const node : ElementsOf(&tree)) RemoveStatistics(*node);
}

void RemoveColours(CPLXMLNode& tree) {
    for (CPLXMLNode* const band : ElementsOf(&tree, kBand))
        TakeElements(*band, [](const CPLXMLNode& item) { return IsElement(item, "ColorInterp"); });
}

bool HasPixelReferences(const CPLXMLNode& tree) {
    const auto elements = ElementsOf(&tree);
    return std::any_of(elements.begin(), elements.end(),
                       [](const CPLXMLNode* node) { return IsPixelReference(*node); });
}

void RemovePixelReferences(CPLXMLNode& tree) { TakeElements(tree, IsPixelReference); }

void RemoveShared(CPLXMLNode& tree, const CPLXMLNode& other) {
    std::set<std::string> texts;
    for (const CPLXMLNode* const node : ElementsOf(&other)) texts.insert(ElementText(*node));
    const auto others = ElementsById(&other);
    TakeElements(tree, [&](CPLXMLNode& node) {
        if (!IsElement(node, kBand) && !IsElement(node, "Metadata"))
            return texts.count(ElementText(node)) != 0;
        const auto found = others.find(IdentityOf(node));
        if (found != others.end()) RemoveShared(node, *found->second);
        return IsEmptyElement(node);
    });
}

bool IsOfStore(const CPLXMLNode& node) {
    const char* const domain = CPLGetXMLValue(&node, "domain", "");
    return IsElement(node, "Metadata") &&
           (EQUAL(domain, "IMAGE_STRUCTURE") || EQUAL(domain, "SUBDATASETS"));
}

XmlTree RemoveStoredItems(XmlTree tree, const CPLStringList& stored) {
    if (tree == nullptr) return nullptr;
    TakeElements(*tree, IsOfStore);
    for (CPLXMLNode* const band : ElementsOf(tree.get(), kBand)) TakeElements(*band, IsOfStore);
    for (CPLXMLNode* const metadata : ElementsOf(tree.get(), "Metadata"))
        if (CPLGetXMLValue(metadata, "domain", "")[0] == '\0')
            TakeElements(*metadata, [&](const CPLXMLNode& item) {
                const char* const value = stored.FetchNameValue(CPLGetXMLValue(&item, "key", ""));
                return IsElement(item, "MDI") && value != nullptr &&
                       std::strcmp(value, CPLGetXMLValue(&item, "", "")) == 0;
            });
    TakeElements(*tree, [](const CPLXMLNode& node) {
        const bool is_default =
            IsElement(node, "Metadata") && CPLGetXMLValue(&node, "domain", "")[0] == '\0';
        return (is_default || IsElement(node, kBand)) && IsEmptyElement(node);
    });
    return IsEmptyElement(*tree) ? nullptr : std::move(tree);
}

void RemoveBandItems(const json::Value& attributes, CPLStringList& list) {
    const XmlTree tree = ReadPam(attributes);
    if (tree == nullptr) return;
    for (const auto& [name, value] : ItemsOf(BandItems(*tree))) {
        const char* const existing = list.FetchNameValue(name.c_str());
        if (existing != nullptr && EQUAL(existing, value.c_str()))
            list.SetNameValue(name.c_str(), nullptr);
    }
}

XmlTree JoinPam(XmlTree group, std::vector<XmlTree> arrays, const std::vector<int>& bands) {
    XmlTree joined = group != nullptr ? std::move(group) : NewPam();
    TakeBands(*joined);
    int before = 0;  // number of bands of the arrays before arrays[i]
    for (std::size_t i = 0; i < arrays.size(); before += bands[i++]) {
        if (arrays[i] == nullptr) continue;
        for (auto& [number, band] : TakeBands(*arrays[i]))
            if (number <= bands[i]) AddBand(*joined, before + number, std::move(band));
    }
    return joined;
}

std::vector<XmlTree> SplitPam(CPLXMLNode& tree, const std::vector<int>& bands) {
    std::vector<XmlTree> split(bands.size());
    std::size_t array = 0;
    int before = 0;  // number of bands of the arrays before `array`
    for (auto& [number, band] : TakeBands(tree)) {
        while (array < bands.size() && number > before + bands[array]) before += bands[array++];
        if (array == bands.size()) break;
        if (split[array] == nullptr) split[array] = NewPam();
        AddBand(*split[array], number - before, std::move(band));
    }
    return split;
}

bool NameBands(CPLXMLNode& tree, const std::vector<std::string>& names) {
    const auto bands = ElementsOf(&tree, kBand);
    for (CPLXMLNode* const node : bands) {
        const int number = std::atoi(CPLGetXMLValue(node, "band", "0"));
        if (number < 1 || static_cast<std::size_t>(number) > names.size()) continue;
        const std::string& name = names[static_cast<std::size_t>(number - 1)];
        if (!name.empty()) CPLSetXMLValue(node, "#name", name.c_str());
    }
    return !bands.empty();
}

bool HasNamedBands(const CPLXMLNode& tree) {
    const auto bands = ElementsOf(&tree, kBand);
    return std::any_of(bands.begin(), bands.end(), [](const CPLXMLNode* band) {
        return CPLGetXMLValue(band, "name", "")[0] != '\0';
    });
}

int CurrentBand(int number, const std::string& name, const std::vector<std::string>& names,
                std::size_t written) {
    const auto index = static_cast<std::size_t>(number) - 1;
    if (!name.empty() && index < names.size() && names[index] == name) return number;
    const auto found = std::find(names.begin(), names.end(), name);
    if (!name.empty() && found != names.end()) return static_cast<int>(found - names.begin()) + 1;
    return names.size() >= written ? number : 0;
}

void RenumberBands(CPLXMLNode& tree, const std::vector<std::string>& names, std::size_t written) {
    std::vector<XmlTree> bands =
        TakeElements(tree, [](const CPLXMLNode& node) { return IsElement(node, kBand); });
    const auto name_of = [](const XmlTree& band) { return CPLGetXMLValue(band.get(), "name", ""); };
    std::stable_partition(bands.begin(), bands.end(), [&](const XmlTree& band) {
        return std::count(names.begin(), names.end(), name_of(band)) != 0;
    });
    std::map<int, XmlTree> placed;
    for (XmlTree& band : bands) {
        const int before = std::atoi(CPLGetXMLValue(band.get(), "band", "0"));
        const int number = CurrentBand(before, name_of(band), names, written);
        if (number > 0) placed.try_emplace(number, std::move(band));
    }
    for (auto& [number, band] : placed) AddBand(tree, number, std::move(band));
}

}  // namespace zarr_driver
