// SPDX-License-Identifier: MIT
#include "driver/ome_names.h"

#include <cpl_error.h>
#include <cpl_minixml.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/text.h"
#include "core/conventions/lookup.h"
#include "core/conventions/named_members.h"
#include "core/store/keys.h"

namespace zarr_driver {

namespace {

// Largest OME-XML that is read for the names, in bytes.
constexpr std::size_t kMaxXmlBytes = std::size_t{16} << 20;

struct XmlDeleter {
    void operator()(CPLXMLNode* node) const { CPLDestroyXMLNode(node); }
};
using XmlPtr = std::unique_ptr<CPLXMLNode, XmlDeleter>;

// nullptr where it is no XML; the cause is not emitted.
XmlPtr ParseXml(const std::string& text) {
    CPLErrorStateBackuper keep_state;
    CPLPushErrorHandler(CPLQuietErrorHandler);
    XmlPtr xml(CPLParseXMLString(text.c_str()));
    CPLPopErrorHandler();
    return xml;
}

// The attribute Name of each Image in an element OME (OME model, "Image").
std::vector<std::string> NamesIn(const CPLXMLNode& ome) {
    std::vector<std::string> names;
    for (const CPLXMLNode* node = ome.psChild; node != nullptr; node = node->psNext)
        if (node->eType == CXT_Element && std::string(node->pszValue) == "Image")
            names.push_back(zarr::ReplaceInvalidUtf8(CPLGetXMLValue(node, "Name", "")));
    return names;
}

std::vector<std::string> ReadNames(const zarr::Hierarchy& hierarchy, const std::string& ome_group,
                                   zarr::Warnings& warnings) {
    const std::string key = zarr::JoinKey(ome_group, "METADATA.ome.xml");
    zarr::Buffer text;
    const auto found = hierarchy.store()->Get(key, text, kMaxXmlBytes);
    if (!found.ok()) {
        warnings.push_back(found.status().message() + "; the images keep the names of their paths");
        return {};
    }
    if (!*found) return {};
    const XmlPtr xml = ParseXml(std::string(std::as_const(text).span().text()));
    if (xml != nullptr) CPLStripXMLNamespace(xml.get(), nullptr, TRUE);
    if (const CPLXMLNode* ome = CPLGetXMLNode(xml.get(), "=OME")) return NamesIn(*ome);
    warnings.push_back(key + ": is no OME-XML; the images keep the names of their paths");
    return {};
}

// True where a path says it: "A/1/0", "/A/1/0", "0".
bool IsIn(const std::string& path, const std::string& title) {
    const auto normal = zarr::NormalizePath(title);
    return normal.ok() && (*normal == path || *normal == zarr::LastName(path));
}

}  // namespace

void NameImages(const zarr::Hierarchy& hierarchy, const std::string& root,
                std::vector<zarr::CatalogGroup>& groups, zarr::Warnings& warnings) {
    zarr::Warnings ignored;  // of the attributes, reported where the group is opened
    const std::string ome =
        zarr::OmeGroupOf(zarr::LenientAttributes(hierarchy, root, ignored), root);
    std::map<std::string, std::string> titles;
    if (!ome.empty()) {
        zarr::Faults told;
        const auto names = ReadNames(hierarchy, ome, warnings);
        const auto series =
            names.empty() ? std::vector<std::string>() : zarr::SeriesOf(hierarchy, root, told);
        for (std::size_t i = 0; i < std::min(names.size(), series.size()); ++i)
            titles.emplace(series[i], names[i]);
    }
    for (zarr::CatalogGroup& group : groups) {
        if (!group.is_image()) continue;
        const auto title = titles.find(group.path);
        if (title != titles.end() && !title->second.empty()) group.title = title->second;
        if (IsIn(group.path, group.title)) group.title.clear();
    }
}

}  // namespace zarr_driver
