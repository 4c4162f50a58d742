// SPDX-License-Identifier: MIT
#include "driver/raster/stored_pam.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/crs_text.h"
#include "driver/base/metadata_text.h"
#include "driver/base/report.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

bool IsElement(const CPLXMLNode& node, const char* name) {
    return node.eType == CXT_Element && EQUAL(node.pszValue, name);
}

bool IsStatisticNode(const CPLXMLNode& node) {
    return IsElement(node, "Histograms") ||
           (IsElement(node, "MDI") &&
            STARTS_WITH_CI(CPLGetXMLValue(&node, "key", ""), "STATISTICS_"));
}

// Takes the children for which `is_wanted` is true.
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

bool IsEmpty(const CPLXMLNode& tree) {
    for (const CPLXMLNode* child = tree.psChild; child != nullptr; child = child->psNext)
        if (child->eType == CXT_Element) return false;
    return true;
}

// A CRS of a stranger's store is handed to PROJ only where it is a definition.
void RemoveUnsafe(CPLXMLNode& tree) {
    TakeChildren(tree, [](const CPLXMLNode& node) {
        if (IsElement(node, "SRS") || IsElement(node, "GeoTransform")) return true;
        if (!IsElement(node, "GCPList")) return false;
        const char* const crs = CPLGetXMLValue(&node, "Projection", "");
        zarr::Warnings ignored;
        return crs[0] != '\0' && !zarr::SafeCrsText(crs, ignored).ok();
    });
}

constexpr const char* kBand = "PAMRasterBand";

// The items of the default metadata domain of the only band, as NAME=VALUE, and its description
// as the item "long_name".
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

}  // namespace

XmlTree ReadPam(const json::Value& attributes) {
    const std::string* const text = zarr::StringAttribute(attributes, kPamAttribute);
    if (text == nullptr) return nullptr;
    const QuietErrors quiet;
    XmlTree tree(CPLParseXMLString(text->c_str()));
    while (tree != nullptr && !IsElement(*tree, "PAMDataset")) {
        XmlTree next(std::exchange(tree->psNext, nullptr));
        tree = std::move(next);
    }
    if (tree != nullptr) RemoveUnsafe(*tree);
    return tree;
}

json::Value PamValue(const CPLXMLNode* tree) {
    if (tree == nullptr || IsEmpty(*tree)) return {};
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
        const char* const held = list.FetchNameValue(name.c_str());
        if (held != nullptr && EQUAL(held, value.c_str())) list.SetNameValue(name.c_str(), nullptr);
    }
}

XmlTree JoinPam(XmlTree group, std::vector<XmlTree> arrays) {
    XmlTree joined = group != nullptr
                         ? std::move(group)
                         : XmlTree(CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset"));
    const auto is_band = [](const CPLXMLNode& node) { return IsElement(node, kBand); };
    TakeChildren(*joined, is_band);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i] == nullptr) continue;
        std::vector<XmlTree> bands = TakeChildren(*arrays[i], is_band);
        if (bands.empty()) continue;
        CPLSetXMLValue(bands[0].get(), "#band", std::to_string(i + 1).c_str());
        CPLAddXMLChild(joined.get(), bands[0].release());
    }
    return joined;
}

std::vector<XmlTree> SplitPam(CPLXMLNode& tree, int bands) {
    std::vector<XmlTree> split(static_cast<std::size_t>(bands));
    for (XmlTree& band :
         TakeChildren(tree, [](const CPLXMLNode& node) { return IsElement(node, kBand); })) {
        const int number = std::atoi(CPLGetXMLValue(band.get(), "band", "0"));
        if (number < 1 || number > bands) continue;
        XmlTree& own = split[static_cast<std::size_t>(number - 1)];
        own.reset(CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset"));
        CPLSetXMLValue(band.get(), "#band", "1");
        CPLAddXMLChild(own.get(), band.release());
    }
    return split;
}

}  // namespace zarr_driver
