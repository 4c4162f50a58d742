// SPDX-License-Identifier: MIT
#include "driver/raster/stored_pam.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
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

bool IsElement(const CPLXMLNode& node, const char* name) {
    return node.eType == CXT_Element && EQUAL(node.pszValue, name);
}

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

// Removes those children of `parent` for which `is_wanted` returns true, and returns them.
template <class Predicate>
std::vector<XmlTree> TakeChildren(CPLXMLNode& parent, const Predicate& is_wanted) {
    std::vector<XmlTree> taken;
    for (CPLXMLNode* child = parent.psChild; child != nullptr;) {
        CPLXMLNode* const next = child->psNext;
        if (is_wanted(*child)) {
            CPLRemoveXMLChild(&parent, child);
            taken.emplace_back(child);
        }
        child = next;
    }
    return taken;
}

// Removes the CRS and the geotransform, because other attributes state them. Also removes control
// points whose CRS text is no CRS definition. The store may be untrusted, and other text must not
// reach PROJ.
void RemoveUnsafe(CPLXMLNode& tree) {
    TakeChildren(tree, [](const CPLXMLNode& node) {
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
    const CPLXMLNode* const band = CPLGetXMLNode(&tree, kBand);
    for (const CPLXMLNode* node = band != nullptr ? band->psChild : nullptr; node != nullptr;
         node = node->psNext) {
        if (IsElement(*node, "Description"))
            items.SetNameValue("long_name", CPLGetXMLValue(node, "", ""));
        if (!IsElement(*node, "Metadata") || CPLGetXMLValue(node, "domain", "")[0] != '\0')
            continue;
        for (const CPLXMLNode* item = node->psChild; item != nullptr; item = item->psNext)
            if (IsElement(*item, "MDI"))
                items.SetNameValue(CPLGetXMLValue(item, "key", ""), CPLGetXMLValue(item, "", ""));
    }
    return items;
}

// Removes the elements of bands from `tree`. Returns them by the number of the band, from 1.
std::map<int, XmlTree> TakeBands(CPLXMLNode& tree) {
    std::map<int, XmlTree> bands;
    for (XmlTree& band :
         TakeChildren(tree, [](const CPLXMLNode& node) { return IsElement(node, kBand); })) {
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

XmlTree CopyOf(const CPLXMLNode& node) {
    XmlTree copy(CPLCloneXMLTree(&node));
    CPLDestroyXMLNode(std::exchange(copy->psNext, nullptr));
    return copy;
}

std::string ElementText(const CPLXMLNode& node) {
    const std::unique_ptr<char, decltype(&VSIFree)> text(CPLSerializeXMLTree(CopyOf(node).get()),
                                                         VSIFree);
    return text != nullptr ? text.get() : "";
}

bool IsEmptyElement(const CPLXMLNode& node) {
    for (const CPLXMLNode* child = node.psChild; child != nullptr; child = child->psNext)
        if (child->eType == CXT_Element) return false;
    return true;
}

void RemoveElements(CPLXMLNode& parent, const std::function<bool(const CPLXMLNode&)>& is_unwanted) {
    TakeChildren(parent, [&](const CPLXMLNode& node) {
        return node.eType == CXT_Element && is_unwanted(node);
    });
}

XmlTree SafePam(XmlTree tree) {
    while (tree != nullptr && !IsElement(*tree, "PAMDataset")) {
        XmlTree next(std::exchange(tree->psNext, nullptr));
        tree = std::move(next);
    }
    if (tree != nullptr) RemoveUnsafe(*tree);
    return tree;
}

XmlTree ReadPam(const json::Value& attributes) {
    const std::string* const text = zarr::StringAttribute(attributes, kPamAttribute);
    if (text == nullptr) return nullptr;
    const QuietErrors quiet;
    return SafePam(XmlTree(CPLParseXMLString(text->c_str())));
}

XmlTree ReadPamFile(const std::string& path) {
    const QuietErrors quiet;
    return SafePam(XmlTree(CPLParseXMLFile(path.c_str())));
}

json::Value PamValue(const CPLXMLNode* tree) {
    if (tree == nullptr || IsEmptyElement(*tree)) return {};
    char* const text = CPLSerializeXMLTree(tree);
    json::Value value{std::string(text != nullptr ? text : "")};
    CPLFree(text);
    return value;
}

bool HoldsStatistics(const CPLXMLNode& tree) {
    for (const CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext)
        if (IsStatisticNode(*node) || HoldsStatistics(*node)) return true;
    return false;
}

void RemoveStatistics(CPLXMLNode& tree) {
    TakeChildren(tree, IsStatisticNode);
    for (CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext)
        RemoveStatistics(*node);
}

void RemoveColours(CPLXMLNode& tree) {
    for (CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext)
        if (IsElement(*node, kBand))
            RemoveElements(*node,
                           [](const CPLXMLNode& item) { return IsElement(item, "ColorInterp"); });
}

bool HasPixelReferences(const CPLXMLNode& tree) {
    for (const CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext)
        if (IsPixelReference(*node)) return true;
    return false;
}

void RemovePixelReferences(CPLXMLNode& tree) { TakeChildren(tree, IsPixelReference); }

namespace {

// True if `a` and `b` describe the same band, or are metadata domains of equal names.
// RemoveShared() compares the children of such elements one by one.
bool IsSameContainer(const CPLXMLNode& a, const CPLXMLNode& b) {
    const auto have = [&](const char* name, const char* attribute) {
        return IsElement(a, name) && IsElement(b, name) &&
               EQUAL(CPLGetXMLValue(&a, attribute, ""), CPLGetXMLValue(&b, attribute, ""));
    };
    return have(kBand, "band") || have("Metadata", "domain");
}

}  // namespace

void RemoveShared(CPLXMLNode& tree, const CPLXMLNode& other) {
    std::set<std::string> texts;
    for (const CPLXMLNode* node = other.psChild; node != nullptr; node = node->psNext) {
        if (node->eType != CXT_Element) continue;
        texts.insert(ElementText(*node));
        for (CPLXMLNode* own = tree.psChild; own != nullptr; own = own->psNext)
            if (IsSameContainer(*own, *node)) RemoveShared(*own, *node);
    }
    TakeChildren(tree, [&](const CPLXMLNode& node) {
        if (node.eType != CXT_Element) return false;
        const bool is_container = IsElement(node, kBand) || IsElement(node, "Metadata");
        return is_container ? IsEmptyElement(node) : texts.count(ElementText(node)) != 0;
    });
}

std::string PamItem(const CPLXMLNode& tree, const char* domain, const char* key) {
    for (const CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext) {
        if (!IsElement(*node, "Metadata") || !EQUAL(CPLGetXMLValue(node, "domain", ""), domain))
            continue;
        for (const CPLXMLNode* item = node->psChild; item != nullptr; item = item->psNext)
            if (IsElement(*item, "MDI") && EQUAL(CPLGetXMLValue(item, "key", ""), key))
                return CPLGetXMLValue(item, "", "");
    }
    return {};
}

void AddPamItems(CPLXMLNode& tree, const char* domain,
                 const std::vector<std::pair<std::string, std::string>>& items) {
    CPLXMLNode* const node = CPLCreateXMLNode(&tree, CXT_Element, "Metadata");
    CPLAddXMLAttributeAndValue(node, "domain", domain);
    for (const auto& [key, value] : items) {
        CPLXMLNode* const item = CPLCreateXMLElementAndValue(node, "MDI", value.c_str());
        CPLAddXMLAttributeAndValue(item, "key", key.c_str());
    }
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
    XmlTree joined = group != nullptr
                         ? std::move(group)
                         : XmlTree(CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset"));
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
        if (split[array] == nullptr)
            split[array].reset(CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset"));
        AddBand(*split[array], number - before, std::move(band));
    }
    return split;
}

bool NameBands(CPLXMLNode& tree, const std::vector<std::string>& names) {
    bool has_bands = false;
    for (CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext) {
        if (!IsElement(*node, kBand)) continue;
        has_bands = true;
        const int number = std::atoi(CPLGetXMLValue(node, "band", "0"));
        if (number < 1 || static_cast<std::size_t>(number) > names.size()) continue;
        const std::string& name = names[static_cast<std::size_t>(number - 1)];
        if (!name.empty()) CPLSetXMLValue(node, "#name", name.c_str());
    }
    return has_bands;
}

bool HasNamedBands(const CPLXMLNode& tree) {
    for (const CPLXMLNode* node = tree.psChild; node != nullptr; node = node->psNext)
        if (IsElement(*node, kBand) && CPLGetXMLValue(node, "name", "")[0] != '\0') return true;
    return false;
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
        TakeChildren(tree, [](const CPLXMLNode& node) { return IsElement(node, kBand); });
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
