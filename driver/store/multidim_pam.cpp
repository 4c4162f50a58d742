// SPDX-License-Identifier: MIT
#include "driver/store/multidim_pam.h"

#include <cpl_minixml.h>

#include <algorithm>
#include <utility>

#include "core/base/bytes.h"
#include "driver/base/xml_tree.h"
#include "driver/store/sidecars.h"

namespace zarr_driver {

using zarr::Status;

namespace {

constexpr const char* kMultidimPam = "pam.aux.xml";
// Name of the XML element for a CRS that StoreMultidimCrs() has copied from the store into the
// auxiliary file.
constexpr const char* kFromStore = "SRS.ofStore";

}  // namespace

Status StoreMultidimCrs(zarr::Store& store, const std::vector<MultidimCrs>& arrays) {
    zarr::Buffer held;
    const std::string key = kMultidimPam;
    ZARR_ASSIGN_OR_RETURN(
        const bool is_there,
        store.Get(key, held, static_cast<std::size_t>(zarr::LimitOf(zarr::Limit::kMetadataSize))));
    const bool has_crs = std::any_of(arrays.begin(), arrays.end(),
                                     [](const MultidimCrs& array) { return !array.wkt.empty(); });
    if (!is_there && !has_crs) return {};
    const std::string text(is_there ? std::as_const(held).span().text() : "");
    XmlTree root = ParsePam(text);
    if (root == nullptr) root = NewPam();
    for (CPLXMLNode* const node : ElementsOf(root.get(), "Array"))
        TakeElements(*node, [](const CPLXMLNode& child) { return IsElement(child, "Statistics"); });
    for (const MultidimCrs& array : arrays) {
        const std::string name = "/" + array.path;
        TakeElements(*root, [&](const CPLXMLNode& node) {
            return IsElement(node, "Array") && CPLGetXMLValue(&node, "name", "") == name;
        });
        if (array.wkt.empty()) continue;
        CPLXMLNode* const node = CPLCreateXMLNode(root.get(), CXT_Element, "Array");
        CPLAddXMLAttributeAndValue(node, "name", name.c_str());
        CPLXMLNode* const srs = CPLCreateXMLNode(node, CXT_Element, "SRS");
        CPLAddXMLAttributeAndValue(srs, "dataAxisToSRSAxisMapping", array.mapping.c_str());
        CPLAddXMLAttributeAndValue(srs, "ofStore", "1");
        CPLCreateXMLNode(srs, CXT_Text, array.wkt.c_str());
    }
    const std::string written = ElementText(*root);
    return written == text ? Status() : store.Set(key, zarr::ByteSpan(std::string_view(written)));
}

MultidimPam ReadMultidimPam(const std::string& store_path, const std::string& path,
                            const std::function<bool(std::int64_t)>& has_changed_since) {
    MultidimPam pam;
    const std::string file = store_path + "/" + kMultidimPam;
    const auto written = WrittenAt(file);
    if (!written) return pam;
    const XmlTree root = ReadPamFile(file);
    for (const CPLXMLNode* const node : ElementsOf(root.get(), "Array")) {
        if (CPLGetXMLValue(node, "name", "") != "/" + path) continue;
        if (CPLGetXMLNode(node, kFromStore) == nullptr) pam.crs = CPLGetXMLValue(node, "SRS", "");
        static constexpr const char* kItems[][2] = {{"Minimum", "STATISTICS_MINIMUM"},
                                                    {"Maximum", "STATISTICS_MAXIMUM"},
                                                    {"Mean", "STATISTICS_MEAN"},
                                                    {"StdDev", "STATISTICS_STDDEV"}};
        const CPLXMLNode* const statistics = CPLGetXMLNode(node, "Statistics");
        if (statistics == nullptr || has_changed_since(*written)) continue;
        for (const auto& [element, item] : kItems)
            if (const char* value = CPLGetXMLValue(statistics, element, nullptr))
                pam.statistics.SetNameValue(item, value);
        if (CPLTestBool(CPLGetXMLValue(statistics, "ApproxStats", "0")))
            pam.statistics.SetNameValue("STATISTICS_APPROXIMATE", "YES");
    }
    return pam;
}

std::vector<std::string> ArraysWithStatistics(const std::string& path) {
    std::vector<std::string> names;
    const XmlTree root = ReadPamFile(path);
    for (const CPLXMLNode* const node : ElementsOf(root.get(), "Array"))
        if (CPLGetXMLNode(node, "Statistics") != nullptr)
            names.emplace_back(CPLGetXMLValue(node, "name", ""));
    return names;
}

}  // namespace zarr_driver
