// SPDX-License-Identifier: MIT
#include "driver/raster/ome.h"

#include <cpl_error.h>
#include <cpl_minixml.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "core/base/text.h"
#include "core/conventions/attributes.h"
#include "core/conventions/named_members.h"
#include "core/conventions/ome.h"
#include "core/dtype/element_text.h"
#include "core/store/keys.h"

namespace zarr_driver {

namespace {

// Largest OME-XML that is read for the names, in bytes.
constexpr std::size_t kMaxXmlBytes = std::size_t{16} << 20;

struct XmlDeleter {
    void operator()(CPLXMLNode* node) const { CPLDestroyXMLNode(node); }
};
using XmlPtr = std::unique_ptr<CPLXMLNode, XmlDeleter>;

// nullptr where it is not XML; the cause is not emitted.
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
    warnings.push_back(key + ": is not OME-XML; the images keep the names of their paths");
    return {};
}

// True where a path says it: "A/1/0", "/A/1/0", "0".
bool IsIn(const std::string& path, const std::string& title) {
    const auto normal = zarr::NormalizePath(title);
    return normal.ok() && (*normal == path || *normal == zarr::LastName(path));
}

}  // namespace

OmeChannels::OmeChannels(const RasterLayout& layout, const zarr::LevelListing& listing,
                         zarr::Warnings& warnings) {
    if (!listing.is_listed()) return;
    const zarr::ArrayFacts& facts = layout.facts;
    const std::vector<zarr::OmeAxis> axes =
        zarr::FindOmeAxes(listing.levels, facts.metadata.rank());
    for (std::size_t i = 0; i < layout.other_axes.size(); ++i) {
        const std::size_t axis = layout.other_axes[i];
        const std::string& name = facts.dimensions[axis].name;
        if (axes.empty() ? name == "c" || name == "channel" : axes[axis].is_channel) axis_ = i;
    }
    channels_ = zarr::ReadOmeroChannels(*listing.attributes, warnings);
    if (!channels_.empty() && axis_ &&
        channels_.size() != facts.dimensions[layout.other_axes[*axis_]].size)
        warnings.push_back("omero.channels: describes " + std::to_string(channels_.size()) +
                           " channels, the array has " +
                           std::to_string(facts.dimensions[layout.other_axes[*axis_]].size));
}

const zarr::OmeroChannel* OmeChannels::Find(const std::vector<std::uint64_t>& indices) const {
    // An image without a channel axis is one channel.
    const std::uint64_t index = axis_ ? indices[*axis_] : 0;
    return index < channels_.size() ? &channels_[index] : nullptr;
}

void AddChannelMetadata(const zarr::OmeroChannel& channel, CPLStringList& list) {
    const auto set = [&list](const char* name, const std::string& value) {
        list.SetNameValue(name, value.c_str());
    };
    if (!channel.label.empty()) set("OMERO_LABEL", channel.label);
    if (channel.colour) {
        const auto& [red, green, blue] = *channel.colour;
        set("OMERO_COLOR", CPLSPrintf("%02X%02X%02X", red, green, blue));
    }
    const std::pair<const char*, const std::optional<double>*> numbers[] = {
        {"OMERO_MIN", &channel.min},
        {"OMERO_MAX", &channel.max},
        {"OMERO_START", &channel.start},
        {"OMERO_END", &channel.end}};
    for (const auto& [name, number] : numbers)
        if (*number) set(name, zarr::DoubleText(**number));
    if (channel.active) set("OMERO_ACTIVE", *channel.active ? "YES" : "NO");
}

GDALColorInterp ColorOf(const zarr::OmeroChannel& channel) {
    using Colour = std::array<std::uint8_t, 3>;
    if (!channel.colour) return GCI_Undefined;
    if (*channel.colour == Colour{255, 0, 0}) return GCI_RedBand;
    if (*channel.colour == Colour{0, 255, 0}) return GCI_GreenBand;
    if (*channel.colour == Colour{0, 0, 255}) return GCI_BlueBand;
    return GCI_Undefined;
}

void AddOmeUnits(const RasterLayout& layout, const zarr::LevelListing& listing,
                 CPLStringList& list) {
    const std::vector<zarr::OmeAxis> axes =
        zarr::FindOmeAxes(listing.levels, layout.facts.metadata.rank());
    if (axes.empty()) return;
    if (layout.x_axis && !axes[*layout.x_axis].unit.empty())
        list.SetNameValue("OME_UNIT_X", axes[*layout.x_axis].unit.c_str());
    if (layout.y_axis && !axes[*layout.y_axis].unit.empty())
        list.SetNameValue("OME_UNIT_Y", axes[*layout.y_axis].unit.c_str());
}

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
