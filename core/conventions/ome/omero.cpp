// SPDX-License-Identifier: MIT
#include "core/conventions/ome/omero.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "core/conventions/attributes/colour.h"

namespace zarr {

namespace {

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
