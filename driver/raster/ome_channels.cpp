// SPDX-License-Identifier: MIT
#include "driver/raster/ome_channels.h"

#include <cpl_minixml.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/colour.h"
#include "core/conventions/group/named_members.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/conventions/ome/ome_placement.h"
#include "core/conventions/ome/omero.h"
#include "core/dtype/element_text.h"
#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/xml_tree.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

// Maximum size in bytes of an OME-XML document.
constexpr std::size_t kMaxXmlBytes = std::size_t{16} << 20;

// Returns the names of all Image elements in the XML element `ome` (OME data model, "Image").
std::vector<std::string> NamesIn(const CPLXMLNode& ome) {
    std::vector<std::string> names;
    for (const CPLXMLNode* const image : ElementsOf(&ome, "Image"))
        names.push_back(zarr::ReplaceInvalidUtf8(CPLGetXMLValue(image, "Name", "")));
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
    const XmlTree xml = ParseXml(std::string(std::as_const(text).span().text()));
    if (xml != nullptr) CPLStripXMLNamespace(xml.get(), nullptr, TRUE);
    if (const CPLXMLNode* ome = CPLGetXMLNode(xml.get(), "=OME")) return NamesIn(*ome);
    warnings.push_back(key + ": is not OME-XML; the images keep the names of their paths");
    return {};
}

// True if an image's title only repeats its path: for "A/1/0", the titles "A/1/0", "/A/1/0" and
// "0".
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
    // Without a channel axis, the image has only channel 0.
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

namespace {

// Colour and properties of one pixel value in an OME-Zarr label image.
struct LabelEntry {
    std::optional<std::array<int, 4>> colour;  // red, green, blue, alpha
    std::vector<std::pair<std::string, const json::Value*>> properties;
};
using LabelEntries = std::map<std::int64_t, LabelEntry>;  // by pixel value of the label image

// Reads the colours and properties in the attribute "image-label". Omits entries without a pixel
// value, and colours that are not four bytes.
LabelEntries EntriesOf(const zarr::LevelListing& listing) {
    LabelEntries entries;
    const json::Value* const said =
        listing.is_listed() ? zarr::OmeMember(*listing.attributes, "image-label") : nullptr;
    const auto for_each = [&](const char* name, const auto& take) {
        const json::Value* const list = said != nullptr ? said->Find(name) : nullptr;
        const json::Array* const items = list != nullptr ? list->as_array() : nullptr;
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
            const json::Value* const value = (*items)[i].Find("label-value");
            std::int64_t number = 0;
            if (value != nullptr && value->GetInt64(number)) take(entries[number], (*items)[i]);
        }
    };
    for_each("colors", [](LabelEntry& entry, const json::Value& item) {
        const json::Value* const rgba = item.Find("rgba");
        const json::Array* const parts = rgba != nullptr ? rgba->as_array() : nullptr;
        std::array<int, 4> colour{};
        bool is_sound = parts != nullptr && parts->size() == colour.size();
        for (std::size_t i = 0; is_sound && i < colour.size(); ++i) {
            std::int64_t part = 0;
            is_sound = (*parts)[i].GetInt64(part) && part >= 0 && part <= 255;
            colour[i] = static_cast<int>(part);
        }
        if (is_sound) entry.colour = colour;
    });
    for_each("properties", [](LabelEntry& entry, const json::Value& item) {
        for (const auto& [name, value] : *item.as_object())
            if (name != "label-value") entry.properties.emplace_back(name, &value);
    });
    return entries;
}

std::string PropertyText(const json::Value& value) {
    return value.as_string() != nullptr ? *value.as_string() : json::Dump(value);
}

// Adds one column to `table` for each label property. Returns the column number of each property
// name.
std::map<std::string, int> AddProperties(const LabelEntries& entries,
                                         GDALRasterAttributeTable& table) {
    constexpr std::size_t kMaxColumns = 256;
    std::map<std::string, int> columns;
    for (const auto& [number, entry] : entries)
        for (const auto& [name, value] : entry.properties) {
            if (columns.size() >= kMaxColumns || columns.count(name) != 0) continue;
            columns.emplace(name, table.GetColumnCount());
            const bool is_name = name == "name" || name == "class" || name == "label";
            table.CreateColumn(name.c_str(), value->is_number() ? GFT_Real : GFT_String,
                               is_name ? GFU_Name : GFU_Generic);
        }
    return columns;
}

void SetProperty(GDALRasterAttributeTable& table, int row, int column, const json::Value& value) {
    double real = 0;
    if (table.GetTypeOfCol(column) == GFT_Real && value.GetDouble(real))
        table.SetValue(row, column, real);
    else
        table.SetValue(row, column, PropertyText(value).c_str());
}

}  // namespace

std::unique_ptr<GDALRasterAttributeTable> LabelTable(const zarr::LevelListing& listing) {
    const auto entries = EntriesOf(listing);
    if (entries.empty()) return nullptr;
    auto table = std::make_unique<GDALDefaultRasterAttributeTable>();
    table->CreateColumn("Value", GFT_Integer, GFU_MinMax);
    constexpr std::pair<const char*, GDALRATFieldUsage> kColours[] = {
        {"Red", GFU_Red}, {"Green", GFU_Green}, {"Blue", GFU_Blue}, {"Alpha", GFU_Alpha}};
    for (const auto& [name, usage] : kColours) table->CreateColumn(name, GFT_Integer, usage);
    const std::map<std::string, int> columns = AddProperties(entries, *table);
    table->SetRowCount(static_cast<int>(entries.size()));
    int row = 0;
    for (const auto& [number, entry] : entries) {
        table->SetValue(row, 0, static_cast<double>(number));
        for (int i = 0; i < 4; ++i)
            table->SetValue(row, i + 1,
                            entry.colour ? (*entry.colour)[static_cast<std::size_t>(i)] : 0);
        for (const auto& [name, value] : entry.properties) {
            const auto column = columns.find(name);
            if (column != columns.end()) SetProperty(*table, row, column->second, *value);
        }
        ++row;
    }
    return table;
}

std::unique_ptr<GDALColorTable> LabelColours(const zarr::LevelListing& listing) {
    constexpr std::int64_t kLargest = 65535;
    auto table = std::make_unique<GDALColorTable>();
    for (const auto& [number, entry] : EntriesOf(listing)) {
        if (!entry.colour || number < 0 || number > kLargest) continue;
        const auto part = [&, colour = *entry.colour](std::size_t i) {
            return static_cast<short>(colour[i]);
        };
        const GDALColorEntry colour{part(0), part(1), part(2), part(3)};
        table->SetColorEntry(static_cast<int>(number), &colour);
    }
    return table->GetColorEntryCount() > 0 ? std::move(table) : nullptr;
}

void AddOmePlacement(const std::string& store_path, const RasterLayout& layout,
                     const zarr::LevelListing& listing, CPLStringList& list) {
    const std::size_t rank = layout.facts.metadata.rank();
    const std::vector<zarr::OmeAxis> axes = zarr::FindOmeAxes(listing.levels, rank);
    if (axes.empty()) return;
    const auto placement = zarr::ReadOmePlacement(listing, rank).value;
    const auto set = [&](const char* item, const std::optional<std::size_t>& axis) {
        if (!axis) return;
        const auto row = placement ? placement->RowOf(axes[*axis], *axis) : std::nullopt;
        const std::string& unit = row ? placement->axes[*row].unit : axes[*axis].unit;
        if (!unit.empty()) list.SetNameValue(item, unit.c_str());
    };
    set("OME_UNIT_X", layout.x_axis);
    set("OME_UNIT_Y", layout.y_axis);
    if (!placement || placement->unused.empty()) return;
    list.SetNameValue("OME_TRANSFORMATIONS", json::Dump(json::Value(placement->unused)).c_str());
    LogUnusedTransformations(store_path, layout.facts.path, placement->system,
                             placement->unused.size());
}

void NameImages(const zarr::Hierarchy& hierarchy, const std::string& root,
                std::vector<zarr::CatalogGroup>& groups, zarr::Warnings& warnings) {
    const std::string ome = zarr::OmeGroupOf(zarr::AttributesOrEmpty(hierarchy, root), root);
    std::map<std::string, std::string> titles;
    if (!ome.empty()) {
        zarr::Faults told;  // dropped, because opening the group emits them
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
