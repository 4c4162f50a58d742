// SPDX-License-Identifier: MIT
#include "core/conventions/ome/ome_write.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/group/overviews.h"

namespace zarr {

namespace {

constexpr std::string_view kOme = "ome";
constexpr std::string_view kVersion04 = "0.4";
constexpr std::string_view kVersion05 = "0.5";
constexpr std::string_view kVersion06 = "0.6";
// Name of the coordinate system of an image of version 0.6.
constexpr std::string_view kSystem = "physical";

json::Value NumberList(const std::vector<double>& numbers) {
    json::Array list;
    for (const double number : numbers) list.emplace_back(number);
    return json::Value(std::move(list));
}

json::Value AxisList(const std::vector<OmeWrittenAxis>& axes) {
    json::Array list;
    for (const OmeWrittenAxis& axis : axes) {
        json::Object described{{"name", json::Value(axis.name)}, {"type", json::Value(axis.type)}};
        if (!axis.unit.empty()) described.emplace_back("unit", json::Value(axis.unit));
        list.emplace_back(std::move(described));
    }
    return json::Value(std::move(list));
}

json::Value DatasetOf(const OmeWrittenLevel& level, bool has_systems) {
    json::Array steps{json::Value(json::Object{{"type", json::Value("scale")},
                                               {"scale", NumberList(level.scale)}}),
                      json::Value(json::Object{{"type", json::Value("translation")},
                                               {"translation", NumberList(level.translation)}})};
    if (has_systems) {
        const json::Object input{{"path", json::Value(level.path)}};
        const json::Object output{{"name", json::Value(kSystem)}};
        json::Object sequence{{"type", json::Value("sequence")},
                              {"input", json::Value(input)},
                              {"output", json::Value(output)},
                              {"transformations", json::Value(std::move(steps))}};
        steps = json::Array{json::Value(std::move(sequence))};
    }
    return json::Value(json::Object{{"path", json::Value(level.path)},
                                    {"coordinateTransformations", json::Value(std::move(steps))}});
}

// Sets those members of the entry in `multiscales` that describe the image. Keeps other members.
void DescribeMultiscale(const OmeWrittenImage& image, json::Object& entry) {
    const std::string& version = image.identity.version;
    // Images that state a release candidate, such as 0.6rc0, keep that version.
    const bool has_systems = version.substr(0, kVersion06.size()) == kVersion06;
    if (version == kVersion04) json::PutMember(entry, "version", json::Value(version));
    json::PutMember(entry, "name", json::Value(image.identity.name));
    if (has_systems) {
        const json::Object system{{"name", json::Value(kSystem)}, {"axes", AxisList(image.axes)}};
        json::PutMember(entry, "coordinateSystems", json::Value(json::Array{json::Value(system)}));
    } else {
        json::PutMember(entry, "axes", AxisList(image.axes));
    }
    json::Array datasets;
    for (const OmeWrittenLevel& level : image.levels)
        datasets.push_back(DatasetOf(level, has_systems));
    json::PutMember(entry, "datasets", json::Value(std::move(datasets)));
    json::PutMember(entry, "type",
                    json::Value(image.method.empty() ? std::string("none") : image.method));
    json::PutMember(entry, "metadata", json::Value(ImageMark(image.levels.front().path)));
}

json::Value ChannelOf(const OmeroChannel& channel) {
    const auto& [red, green, blue] = *channel.colour;
    std::string colour;
    for (const std::uint8_t part : {red, green, blue}) {
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        colour += {kDigits[part >> 4], kDigits[part & 15]};
    }
    json::Object window{{"start", json::Value(*channel.start)},
                        {"end", json::Value(*channel.end)},
                        {"min", json::Value(*channel.min)},
                        {"max", json::Value(*channel.max)}};
    return json::Value(json::Object{{"active", json::Value(*channel.active)},
                                    {"coefficient", json::Value(std::int64_t{1})},
                                    {"color", json::Value(colour)},
                                    {"family", json::Value("linear")},
                                    {"inverted", json::Value(false)},
                                    {"label", json::Value(channel.label)},
                                    {"window", json::Value(std::move(window))}});
}

json::Value OmeroOf(const OmeWrittenImage& image) {
    json::Array channels;
    for (const OmeroChannel& channel : image.channels) channels.push_back(ChannelOf(channel));
    json::Object settings{{"defaultT", json::Value(std::int64_t{0})},
                          {"defaultZ", json::Value(std::int64_t{0})},
                          {"model", json::Value(image.is_grey ? "greyscale" : "color")}};
    json::Object omero{{"name", json::Value(image.identity.name)},
                       {"channels", json::Value(std::move(channels))},
                       {"rdefs", json::Value(std::move(settings))}};
    if (image.identity.version == kVersion04) omero.emplace_back("version", json::Value("0.4"));
    return json::Value(std::move(omero));
}

// Returns the entry that PutOmeImage() has written for the array `base`; nullptr if there is none.
// The pointer is valid as long as `multiscales`.
const json::Value* EntryOf(const json::Value* multiscales, std::string_view base) {
    const json::Array* const entries = multiscales != nullptr ? multiscales->as_array() : nullptr;
    if (entries == nullptr) return nullptr;
    const auto found = std::find_if(entries->begin(), entries->end(),
                                    [&](const auto& entry) { return IsImageOf(entry, base); });
    return found != entries->end() ? &*found : nullptr;
}

// Returns a copy of the member `name`, or an empty object if the member is not an object.
json::Object ObjectMember(const json::Object& owner, std::string_view name) {
    for (const auto& [key, value] : owner)
        if (key == name && value.as_object() != nullptr) return *value.as_object();
    return {};
}

}  // namespace

std::string_view OmeType(AxisRole role) {
    switch (role) {
        case AxisRole::kX:
        case AxisRole::kY:
        case AxisRole::kZ:
            return "space";
        case AxisRole::kTime:
            return "time";
        case AxisRole::kNone:
            break;
    }
    return "channel";
}

std::vector<std::string> SupportedOmeVersions(Format format) {
    if (format != Format::kV3) return {std::string(kVersion04)};
    return {std::string(kVersion05), std::string(kVersion06)};
}

bool DescribesOme(const json::Value& group_attributes) {
    if (group_attributes.Find(kOme) != nullptr || group_attributes.Find("omero") != nullptr)
        return true;
    for (const char* const name : {"plate", "well"}) {
        const json::Value* const member = group_attributes.Find(name);
        if (member != nullptr && member->as_object() != nullptr) return true;
    }
    const json::Value* const multiscales = group_attributes.Find("multiscales");
    return multiscales != nullptr && multiscales->as_array() != nullptr;
}

std::optional<OmeIdentity> FindWrittenOmeImage(const json::Value& group_attributes,
                                               std::string_view base) {
    const json::Value* const ome = group_attributes.Find(kOme);
    const json::Value* const entry = EntryOf(OmeMember(group_attributes, "multiscales"), base);
    if (entry == nullptr) return std::nullopt;
    const std::string* const version = StringAttribute(ome != nullptr ? *ome : *entry, "version");
    const std::string* const name = StringAttribute(*entry, "name");
    if (version == nullptr) return std::nullopt;
    return OmeIdentity{*version, name != nullptr ? *name : std::string()};
}

Status PutOmeImage(json::Object& group_attributes, const OmeWrittenImage& image) {
    const std::string& base = image.levels.front().path;
    if (image.identity.version == kVersion04) {
        const json::Value* const existing =
            EntryOf(json::FindMember(group_attributes, "multiscales"), base);
        json::Object entry = existing != nullptr ? *existing->as_object() : json::Object{};
        DescribeMultiscale(image, entry);
        json::PutMember(group_attributes, "omero", OmeroOf(image));
        return PutImage(group_attributes, base, std::move(entry));
    }
    json::Object ome = ObjectMember(group_attributes, kOme);
    json::Object entry;
    DescribeMultiscale(image, entry);
    json::PutMember(ome, "version", json::Value(image.identity.version));
    json::PutMember(ome, "multiscales", json::Value(json::Array{json::Value(std::move(entry))}));
    json::PutMember(ome, "omero", OmeroOf(image));
    json::PutMember(group_attributes, kOme, json::Value(std::move(ome)));
    return {};
}

}  // namespace zarr
