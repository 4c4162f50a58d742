// SPDX-License-Identifier: MIT
#include "core/conventions/ome.h"

#include <algorithm>
#include <charconv>

#include "core/json/value.h"

namespace zarr {

namespace {

OmeAxis Describe(const json::Value& axis) {
    OmeAxis described;
    if (const std::string* name = axis.as_string()) described.name = *name;  // version 0.3
    if (const std::string* name = StringAttribute(axis, "name")) described.name = *name;
    if (const std::string* unit = StringAttribute(axis, "unit")) described.unit = *unit;
    const std::string* type = StringAttribute(axis, "type");
    if (type == nullptr || *type == "space" || *type == "time")
        described.role = RoleFromName(described.name);
    described.is_channel =
        type != nullptr ? *type == "channel" : described.name == "c" || described.name == "channel";
    return described;
}

using Colour = std::array<std::uint8_t, 3>;

// "RRGGBB"; a '#' before it is found too.
std::optional<Colour> ParseColour(std::string_view text) {
    if (!text.empty() && text[0] == '#') text.remove_prefix(1);
    if (text.size() != 6) return std::nullopt;
    Colour colour{};
    for (std::size_t i = 0; i < 3; ++i) {
        const char* first = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(first, first + 2, colour[i], 16);
        if (error != std::errc() || end != first + 2) return std::nullopt;
    }
    return colour;
}

class ChannelReader {
  public:
    ChannelReader(std::string place, Warnings& warnings)
        : place_(std::move(place)), warnings_(warnings) {}

    OmeroChannel Read(const json::Value& value) {
        OmeroChannel channel;
        if (value.as_object() == nullptr) {
            Warn("", "an object", value);
            return channel;
        }
        if (const json::Value* label = Member(value, "label")) {
            if (label->as_string() != nullptr)
                channel.label = *label->as_string();
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
    // A member that is there and not null.
    static const json::Value* Member(const json::Value& object, std::string_view name) {
        const json::Value* member = object.Find(name);
        return member != nullptr && !member->is_null() ? member : nullptr;
    }

    void Warn(const std::string& member, std::string_view what, const json::Value& got) {
        warnings_.push_back(json::Expected(place_ + member, what, got).message());
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

    const std::string place_;
    Warnings& warnings_;
};

}  // namespace

std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank) {
    for (const MultiscaleLevel& level : levels) {
        std::vector<OmeAxis> axes;
        const json::Value* listed = level.multiscale->Find("axes");
        if (listed == nullptr && rank == 5)
            for (const char* axis : {"t", "c", "z", "y", "x"})
                axes.push_back(Describe(json::Value(std::string(axis))));
        const json::Array* items = listed != nullptr ? listed->as_array() : nullptr;
        for (std::size_t j = 0; items != nullptr && j < items->size(); ++j)
            axes.push_back(Describe((*items)[j]));
        const bool named = std::all_of(axes.begin(), axes.end(),
                                       [](const OmeAxis& axis) { return !axis.name.empty(); });
        if (named && axes.size() == rank) return axes;
    }
    return {};
}

std::vector<OmeroChannel> ReadOmeroChannels(const json::Value& group_attributes,
                                            Warnings& warnings) {
    std::vector<OmeroChannel> channels;
    const json::Value* omero = group_attributes.Find("omero");
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
    for (std::size_t i = 0; i < items->size(); ++i)
        channels.push_back(
            ChannelReader("omero.channels[" + std::to_string(i) + "]", warnings).Read((*items)[i]));
    return channels;
}

}  // namespace zarr
