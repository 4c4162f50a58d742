// SPDX-License-Identifier: MIT
#include "core/conventions/ome.h"

#include <algorithm>

#include "core/conventions/axis_roles.h"
#include "core/conventions/colour.h"
#include "core/dtype/element_text.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Reads an axis, which is an object, or a name in version 0.3.
OmeAxis DescribeOmeAxis(const json::Value& axis) {
    OmeAxis described;
    // OME-NGFF 0.3 writes only the name of an axis.
    if (const std::string* name = axis.as_string()) described.name = *name;
    if (const std::string* name = StringAttribute(axis, "name")) described.name = *name;
    if (const std::string* unit = StringAttribute(axis, "unit")) described.unit = *unit;
    const std::string* type = StringAttribute(axis, "type");
    if (type == nullptr || *type == "space" || *type == "time")
        described.role = RoleFromName(described.name);
    described.is_channel =
        type != nullptr ? *type == "channel" : described.name == "c" || described.name == "channel";
    return described;
}

// Returns the text of a string or number, because some writers store labels as numbers; nullopt for
// other values.
std::optional<std::string> TextOf(const json::Value& value) {
    if (value.as_string() != nullptr) return *value.as_string();
    if (value.is_number()) return json::Dump(value);
    return std::nullopt;
}

class ChannelReader {
  public:
    ChannelReader(std::string location, Faults& faults)
        : location_(std::move(location)), faults_(faults) {}

    OmeroChannel Read(const json::Value& value) {
        OmeroChannel channel;
        if (value.as_object() == nullptr) {
            Warn("", "an object", value);
            return channel;
        }
        if (const json::Value* label = Member(value, "label")) {
            if (const auto text = TextOf(*label))
                channel.label = *text;
            else
                Warn(".label", "a string", *label);
        }
        if (const json::Value* colour = Member(value, "color")) {
            if (colour->as_string() != nullptr) channel.colour = ParseColour(*colour->as_string());
            if (!channel.colour) Warn(".color", "six hexadecimal digits", *colour);
        }
        if (const json::Value* active = Member(value, "active")) {
            if (active->as_bool() != nullptr)
                channel.active = *active->as_bool();
            else
                Warn(".active", "true or false", *active);
        }
        if (const json::Value* window = Member(value, "window")) ReadWindow(*window, channel);
        return channel;
    }

  private:
    // Returns the member `name` of `object`; nullptr if the member is absent or null.
    static const json::Value* Member(const json::Value& object, std::string_view name) {
        const json::Value* member = object.Find(name);
        return member != nullptr && !member->is_null() ? member : nullptr;
    }

    void Warn(const std::string& member, std::string_view what, const json::Value& got) {
        faults_.Add(json::Expected(location_ + member, what, got).message());
    }

    void ReadWindow(const json::Value& window, OmeroChannel& channel) {
        if (window.as_object() == nullptr) return Warn(".window", "an object", window);
        const auto read = [&](const char* name) -> std::optional<double> {
            const json::Value* value = Member(window, name);
            double number = 0;
            if (value == nullptr) return std::nullopt;
            if (value->GetDouble(number)) return number;
            Warn(std::string(".window.") + name, "a number", *value);
            return std::nullopt;
        };
        channel.min = read("min");
        channel.max = read("max");
        channel.start = read("start");
        channel.end = read("end");
    }

    const std::string location_;
    Faults& faults_;
};

}  // namespace

std::vector<OmeAxis> ReadOmeAxes(const json::Value* listed) {
    std::vector<OmeAxis> axes;
    const json::Array* items = listed != nullptr ? listed->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
        axes.push_back(DescribeOmeAxis((*items)[i]));
    return axes;
}

std::string OmeSystemName(const json::Value* reference) {
    if (reference == nullptr) return {};
    if (reference->as_string() != nullptr) return *reference->as_string();
    const std::string* name = StringAttribute(*reference, "name");
    return name != nullptr ? *name : std::string();
}

std::vector<OmeAxis> OmeSystemAxes(const json::Value& multiscale, const std::string& name) {
    const json::Value* systems = multiscale.Find("coordinateSystems");
    const json::Array* items = systems != nullptr ? systems->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && !name.empty() && i < items->size(); ++i)
        if (OmeSystemName(&(*items)[i]) == name) return ReadOmeAxes((*items)[i].Find("axes"));
    return {};
}

std::vector<OmeAxis> OmeAxesOf(const MultiscaleLevel& level) {
    if (const json::Value* listed = level.multiscale->Find("axes")) return ReadOmeAxes(listed);
    const json::Value* systems = level.multiscale->Find("coordinateSystems");
    const json::Array* items = systems != nullptr ? systems->as_array() : nullptr;
    if (items == nullptr || items->empty()) return {};
    const json::Value* steps = level.dataset->Find("coordinateTransformations");
    const json::Array* own = steps != nullptr ? steps->as_array() : nullptr;
    for (std::size_t i = 0; own != nullptr && i < own->size(); ++i) {
        auto axes = OmeSystemAxes(*level.multiscale, OmeSystemName((*own)[i].Find("output")));
        if (!axes.empty()) return axes;
    }
    return ReadOmeAxes((*items)[0].Find("axes"));
}

std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank) {
    for (const MultiscaleLevel& level : levels) {
        std::vector<OmeAxis> axes = OmeAxesOf(level);
        const bool is_silent = level.multiscale->Find("axes") == nullptr &&
                               level.multiscale->Find("coordinateSystems") == nullptr;
        if (is_silent && rank == 5)
            for (const char* axis : {"t", "c", "z", "y", "x"})
                axes.push_back(DescribeOmeAxis(json::Value(std::string(axis))));
        const bool named = std::all_of(axes.begin(), axes.end(),
                                       [](const OmeAxis& axis) { return !axis.name.empty(); });
        if (named && axes.size() == rank) return axes;
    }
    return {};
}

bool IsOmeImage(const LevelListing& listing, std::size_t rank) {
    return listing.is_listed() && OmeMember(*listing.attributes, "image-label") == nullptr &&
           !FindOmeAxes(listing.levels, rank).empty();
}

std::vector<OmeroChannel> ReadOmeroChannels(const json::Value& group_attributes,
                                            Warnings& warnings) {
    std::vector<OmeroChannel> channels;
    const json::Value* omero = OmeMember(group_attributes, "omero");
    if (omero == nullptr || omero->is_null()) return channels;
    const json::Value* list = omero->Find("channels");
    if (omero->as_object() != nullptr && list == nullptr) return channels;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    if (items == nullptr) {
        warnings.push_back((list == nullptr ? json::Expected("omero", "an object", *omero)
                                            : json::Expected("omero.channels", "an array", *list))
                               .message());
        return channels;
    }
    Faults faults;
    for (std::size_t i = 0; i < items->size(); ++i)
        channels.push_back(
            ChannelReader("omero.channels[" + std::to_string(i) + "]", faults).Read((*items)[i]));
    faults.Report(warnings);
    return channels;
}

}  // namespace zarr
