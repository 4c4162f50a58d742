// SPDX-License-Identifier: MIT
#include "core/conventions/ome.h"

#include <algorithm>
#include <charconv>

#include "core/conventions/named_members.h"
#include "core/dtype/element_text.h"
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

// False where the transformation is broken, or of another kind.
bool Apply(const json::Value& transformation, OmePlacement& placement, Warnings& warnings) {
    for (const char* type : {"scale", "translation"}) {
        const json::Value* value = transformation.Find(type);
        if (value == nullptr) continue;
        const json::Array* numbers = value->as_array();
        const bool is_scale = type[0] == 's';
        OmePlacement applied = placement;
        bool valid = numbers != nullptr && numbers->size() == placement.scale.size();
        for (std::size_t i = 0; valid && i < applied.scale.size(); ++i) {
            double number = 0;
            valid = (*numbers)[i].GetDouble(number) && (!is_scale || number > 0);
            if (is_scale) applied.scale[i] *= number;
            applied.shift[i] = is_scale ? applied.shift[i] * number : applied.shift[i] + number;
        }
        if (valid)
            placement = std::move(applied);
        else
            warnings.push_back(std::string("multiscales: coordinateTransformations: ") + type +
                               ": expected a number for each dimension" +
                               (is_scale ? ", above 0" : "") + ", got " + json::Brief(*value));
        return valid;
    }
    return false;
}

// As a text: a number is one, too, as labels of some writers are.
std::optional<std::string> TextOf(const json::Value& value) {
    if (value.as_string() != nullptr) return *value.as_string();
    if (value.is_number()) return json::Dump(value);
    return std::nullopt;
}

class ChannelReader {
  public:
    ChannelReader(std::string place, Faults& faults) : place_(std::move(place)), faults_(faults) {}

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
    // A member that is there and not null.
    static const json::Value* Member(const json::Value& object, std::string_view name) {
        const json::Value* member = object.Find(name);
        return member != nullptr && !member->is_null() ? member : nullptr;
    }

    void Warn(const std::string& member, std::string_view what, const json::Value& got) {
        faults_.Add(json::Expected(place_ + member, what, got).message());
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
    Faults& faults_;
};

}  // namespace

std::optional<OmePlacement> ReadOmePlacement(const json::Value& dataset,
                                             const json::Value& multiscale, std::size_t rank,
                                             Warnings& warnings) {
    OmePlacement placement{std::vector<double>(rank, 1), std::vector<double>(rank, 0)};
    bool any = false;
    for (const json::Value* owner : {&dataset, &multiscale}) {
        const json::Value* list = owner->Find("coordinateTransformations");
        const json::Array* items = list != nullptr ? list->as_array() : nullptr;
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
            any = Apply((*items)[i], placement, warnings) || any;
    }
    return any ? std::optional(std::move(placement)) : std::nullopt;
}

std::optional<CoordinateLabels> ImageCoordinates(const LevelListing& listing, std::size_t rank,
                                                 std::size_t axis, std::uint64_t size) {
    if (!listing.is_listed() || size > kMaxLabels) return std::nullopt;
    const std::vector<OmeAxis> axes = FindOmeAxes(listing.levels, rank);
    Warnings told;  // where the image is placed
    const auto placement =
        ReadOmePlacement(*listing.levels[0].dataset, *listing.levels[0].multiscale, rank, told);
    if (axes.empty() || axes[axis].is_channel || !placement) return std::nullopt;
    CoordinateLabels labels;
    labels.units = axes[axis].unit;
    for (std::uint64_t i = 0; i < size; ++i) {
        CoordinateLabel label;
        label.value =
            DoubleText(static_cast<double>(i) * placement->scale[axis] + placement->shift[axis]);
        label.label = label.value + (labels.units.empty() ? "" : " " + labels.units);
        labels.items.push_back(std::move(label));
    }
    return labels;
}

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
