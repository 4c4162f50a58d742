// SPDX-License-Identifier: MIT
#include "driver/raster/ome_image.h"

#include <cpl_conv.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/group/overviews.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/raster/band.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

using Rgb = std::array<std::uint8_t, 3>;
constexpr Rgb kWhite = {255, 255, 255};
// Colours for channels whose colour the raster does not state. Pure red, green and blue are left
// out, because readers take channels in these colours for a photo.
constexpr Rgb kOtherColours[] = {{0, 255, 255}, {255, 0, 255}, {255, 255, 0},
                                 {255, 128, 0}, {128, 255, 0}, {0, 128, 255}};
// Number of channels that viewers show at first (`active`) if no band is red, green or blue.
constexpr int kShownChannels = 3;

std::optional<Rgb> RgbOf(GDALColorInterp colour) {
    switch (colour) {
        case GCI_RedBand:
            return Rgb{255, 0, 0};
        case GCI_GreenBand:
            return Rgb{0, 255, 0};
        case GCI_BlueBand:
            return Rgb{0, 0, 255};
        default:
            return std::nullopt;
    }
}

// Parses the metadata item OMERO_COLOR, "RRGGBB".
std::optional<Rgb> ParseRgb(const char* text) {
    if (text == nullptr || std::strlen(text) != 6 ||
        std::strspn(text, "0123456789abcdefABCDEF") != 6)
        return std::nullopt;
    const unsigned long number = std::strtoul(text, nullptr, 16);
    const auto part = [number](int shift) { return static_cast<std::uint8_t>(number >> shift); };
    return Rgb{part(16), part(8), part(0)};
}

// Returns a finite number in a metadata item; nullopt if the item is absent or not finite.
std::optional<double> NumberItem(GDALMajorObject& object, const char* name) {
    const char* const text = object.GetMetadataItem(name);
    if (text == nullptr) return std::nullopt;
    const double number = CPLAtof(text);
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

struct Range {
    double least = 0;
    double most = 1;
};

// Returns the range of an integer type; nullopt for other types.
std::optional<Range> RangeOf(const zarr::DataType& type) {
    const bool is_unsigned = type.kind == zarr::DataKind::kUint;
    if (!is_unsigned && type.kind != zarr::DataKind::kInt) return std::nullopt;
    const int bits = 8 * static_cast<int>(type.size);
    return is_unsigned ? Range{0, std::ldexp(1.0, bits) - 1}
                       : Range{-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
}

// Returns the range of a band's pixels. Takes it from the band's statistics, or else computes it
// from the smallest overview, or from the band if it has no overviews. Returns nullopt if there are
// too many pixels, or if the range is not finite or is a single value.
std::optional<Range> RangeOfPixels(ZarrRasterBand& band) {
    constexpr std::int64_t kMostPixels = std::int64_t{1} << 20;
    std::array<double, 2> found{};
    const auto least = NumberItem(band, "STATISTICS_MINIMUM");
    const auto most = NumberItem(band, "STATISTICS_MAXIMUM");
    if (least && most) {
        found = {*least, *most};
    } else {
        const int levels = band.GetOverviewCount();
        GDALRasterBand* const sample = levels > 0 ? band.GetOverview(levels - 1) : &band;
        const bool is_small = sample != nullptr &&
                              std::int64_t{sample->GetXSize()} * sample->GetYSize() <= kMostPixels;
        // GDAL's errors are hidden, because a band without valid pixels is no fault.
        const QuietErrors quiet;
        if (!is_small || GDALDataTypeIsComplex(band.GetRasterDataType()) != FALSE ||
            sample->ComputeRasterMinMax(FALSE, found.data()) != CE_None)
            return std::nullopt;
    }
    const bool is_range = std::isfinite(found[0]) && std::isfinite(found[1]) && found[0] < found[1];
    return is_range ? std::optional(Range{found[0], found[1]}) : std::nullopt;
}

// Sets `window` of a channel. The items OMERO_MIN, OMERO_MAX, OMERO_START and OMERO_END of the band
// have priority. Without these items, min and max are the range of the data type, and start and end
// are the range of the pixels. An unknown range is replaced by the known one.
// For bytes of a red, green or blue band, start and end are the range of the data type.
void SetWindow(ZarrRasterBand& band, zarr::OmeroChannel& channel) {
    const std::optional<Range> range = RangeOf(band.field().type);
    const std::optional<Range> known = RangeOfPixels(band);
    const bool is_photo =
        band.field().type.size == 1 && RgbOf(band.GetColorInterpretation()).has_value();
    const Range all = range.value_or(known.value_or(Range()));
    const Range shown = is_photo ? all : known.value_or(all);
    channel.min = NumberItem(band, "OMERO_MIN").value_or(all.least);
    channel.max = NumberItem(band, "OMERO_MAX").value_or(all.most);
    channel.start = NumberItem(band, "OMERO_START").value_or(shown.least);
    channel.end = NumberItem(band, "OMERO_END").value_or(shown.most);
}

// Describes the channels of a raster. Each band is one channel if the bands are slices along the
// channel axis. Otherwise all bands together are one channel.
class ChannelWriter {
  public:
    explicit ChannelWriter(ZarrDataset& dataset)
        : dataset_(dataset), names_(dataset.BandNames(dataset.Band(1)->array())) {
        for (int i = 1; i <= dataset.GetRasterCount(); ++i)
            has_photo_ = has_photo_ || StatedColour(*dataset.Band(i)).has_value();
    }

    std::vector<zarr::OmeroChannel> Run(bool has_channel_axis, const std::string& name) {
        std::vector<zarr::OmeroChannel> channels;
        if (!has_channel_axis) {
            channels.push_back(OfBand(1, dataset_.GetRasterCount() == 1 ? NameOf(1, name) : name));
            channels[0].active = true;
            if (dataset_.GetRasterCount() > 1) Widen(channels[0]);
            return channels;
        }
        for (int i = 1; i <= dataset_.GetRasterCount(); ++i)
            channels.push_back(OfBand(i, NameOf(i, "Band " + std::to_string(i))));
        return channels;
    }

    bool is_grey() const { return !has_photo_ && dataset_.GetRasterCount() == 1; }

  private:
    static std::optional<Rgb> StatedColour(ZarrRasterBand& band) {
        if (const auto own = RgbOf(band.GetColorInterpretation())) return own;
        return ParseRgb(band.GetMetadataItem("OMERO_COLOR"));
    }

    // Returns the name of a band, else its item OMERO_LABEL, else `fallback`. The description of an
    // unnamed band contains only its index, so it is not used as a name.
    std::string NameOf(int number, const std::string& fallback) {
        ZarrRasterBand& band = *dataset_.Band(number);
        std::string name = dataset_.GetRasterCount() > 1
                               ? names_[static_cast<std::size_t>(number - 1)]
                               : band.GetDescription();
        const char* const label = band.GetMetadataItem("OMERO_LABEL");
        if (!name.empty()) return name;
        return label != nullptr && label[0] != '\0' ? label : fallback;
    }

    zarr::OmeroChannel OfBand(int number, const std::string& label) {
        ZarrRasterBand& band = *dataset_.Band(number);
        zarr::OmeroChannel channel;
        channel.label = label;
        const auto stated = StatedColour(band);
        const GDALColorInterp colour = band.GetColorInterpretation();
        const bool is_white =
            dataset_.GetRasterCount() == 1 || colour == GCI_GrayIndex || colour == GCI_AlphaBand;
        const auto turn = static_cast<std::size_t>(number - 1) % std::size(kOtherColours);
        channel.colour = stated.value_or(is_white ? kWhite : kOtherColours[turn]);
        const char* const active = band.GetMetadataItem("OMERO_ACTIVE");
        if (active != nullptr)
            channel.active = CPLTestBool(active);
        else
            channel.active = has_photo_ ? stated.has_value()
                                        : number <= kShownChannels && colour != GCI_AlphaBand;
        SetWindow(band, channel);
        return channel;
    }

    // Extends the window of a channel to the windows of all bands.
    void Widen(zarr::OmeroChannel& channel) {
        for (int i = 2; i <= dataset_.GetRasterCount(); ++i) {
            zarr::OmeroChannel other;
            SetWindow(*dataset_.Band(i), other);
            channel.min = std::min(*channel.min, *other.min);
            channel.max = std::max(*channel.max, *other.max);
            channel.start = std::min(*channel.start, *other.start);
            channel.end = std::max(*channel.end, *other.end);
        }
    }

    ZarrDataset& dataset_;
    const std::vector<std::string> names_;
    bool has_photo_ = false;
};

// Size and centre of the first pixel along one axis, in `unit`.
struct PixelAxis {
    double size = 1;
    double first = 0;
    std::string unit;
};

// Returns OME's name of a CRS's unit. Empty if OME has no name for the unit, such as degrees.
std::string UnitOf(const OGRSpatialReference& srs) {
    if (!srs.IsProjected() && !srs.IsLocal()) return {};
    const double metres = srs.GetLinearUnits();
    if (metres == 1) return "meter";
    if (metres == 1000) return "kilometer";
    return metres == CPLAtof(SRS_UL_FOOT_CONV) ? "foot" : "";
}

// Returns size and place of the pixels along X and Y, in this order. Y increases downwards in OME
// images. If the raster is not north-up, the pixels have size 1.
std::array<PixelAxis, 2> PixelAxesOf(ZarrDataset& dataset) {
    std::array<PixelAxis, 2> axes;
    std::array<double, 6> t{};
    const bool is_placed =
        GDALGetGeoTransform(GDALDataset::ToHandle(&dataset), t.data()) == CE_None;
    if (!is_placed || t[2] != 0 || t[4] != 0 || t[1] <= 0 || t[5] >= 0) return axes;
    const OGRSpatialReference* const srs = dataset.GetSpatialRef();
    const auto unit = [&](const char* item) -> std::string {
        if (srs != nullptr) return UnitOf(*srs);
        const char* const stated = dataset.GetMetadataItem(item);
        return stated != nullptr ? stated : "";
    };
    axes[0] = {t[1], t[0] + 0.5 * t[1], unit("OME_UNIT_X")};
    axes[1] = {-t[5], -(t[3] + 0.5 * t[5]), unit("OME_UNIT_Y")};
    return axes;
}

class ImageWriter {
  public:
    ImageWriter(ZarrDataset& dataset, const zarr::OmeIdentity& identity)
        : dataset_(dataset), layout_(dataset.arrays()[0]->layout()), pixels_(PixelAxesOf(dataset)) {
        image_.identity = identity;
    }

    // Returns the description of the image. `attributes` are the attributes of the array's group,
    // which list the overviews.
    Result<zarr::OmeWrittenImage> Run(const json::Value& attributes) {
        bool has_channels = false;
        for (std::size_t i = 0; i < layout_.facts.dimensions.size(); ++i) {
            AddAxis(i);
            has_channels = has_channels || image_.axes.back().type == "channel";
        }
        const std::string base(zarr::LastName(layout_.facts.path));
        AddLevel(base, layout_.facts.metadata.shape);
        const std::string_view group = zarr::ParentPath(layout_.facts.path);
        for (const zarr::OverviewLevel& level : zarr::OverviewsOf(attributes, base)) {
            ZARR_ASSIGN_OR_RETURN(
                const zarr::ArrayMetadata metadata,
                dataset_.open_node().hierarchy->Metadata(zarr::JoinKey(group, level.path)));
            if (metadata.rank() != layout_.facts.metadata.rank()) continue;
            AddLevel(level.path, metadata.shape);
            image_.method = CPLString(level.method).tolower();
        }
        ChannelWriter channels(dataset_);
        image_.channels = channels.Run(has_channels, image_.identity.name);
        image_.is_grey = channels.is_grey();
        return std::move(image_);
    }

  private:
    // Returns size and place of the pixels along X or Y; nullptr for another axis.
    const PixelAxis* PixelsAlong(std::size_t axis) const {
        if (layout_.x_axis == axis) return pixels_.data();
        return layout_.y_axis == axis ? &pixels_[1] : nullptr;
    }

    void AddAxis(std::size_t axis) {
        const zarr::Dimension& dimension = layout_.facts.dimensions[axis];
        const PixelAxis* const pixels = PixelsAlong(axis);
        const zarr::AxisRole role = pixels != nullptr ? zarr::AxisRole::kX : dimension.role;
        image_.axes.push_back({dimension.name, std::string(zarr::OmeType(role)),
                               pixels != nullptr ? pixels->unit : std::string()});
    }

    // Adds a level that covers the extent of the array.
    void AddLevel(const std::string& path, const std::vector<std::uint64_t>& shape) {
        zarr::OmeWrittenLevel level;
        level.path = path;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const PixelAxis* const pixels = PixelsAlong(i);
            const PixelAxis own = pixels != nullptr ? *pixels : PixelAxis();
            const double ratio = static_cast<double>(layout_.facts.metadata.shape[i]) /
                                 static_cast<double>(shape[i]);
            level.scale.push_back(ratio * own.size);
            level.translation.push_back(own.first + 0.5 * (ratio - 1) * own.size);
        }
        image_.levels.push_back(std::move(level));
    }

    ZarrDataset& dataset_;
    const RasterLayout& layout_;
    const std::array<PixelAxis, 2> pixels_;
    zarr::OmeWrittenImage image_;
};

}  // namespace

std::optional<zarr::OmeIdentity> FindOmeImage(const ZarrDataset& dataset) {
    const std::vector<const RasterLayout*> layouts = dataset.Layouts();
    if (layouts.size() != 1) return std::nullopt;
    const zarr::ArrayFacts& facts = layouts[0]->facts;
    return zarr::FindWrittenOmeImage(facts.group_attributes, zarr::LastName(facts.path));
}

Status StoreOmeImage(ZarrDataset& dataset, const zarr::OmeIdentity& identity, StoreUpdate& update) {
    const std::string group(zarr::ParentPath(dataset.arrays()[0]->layout().facts.path));
    ZARR_ASSIGN_OR_RETURN(const json::Value existing,
                          dataset.open_node().hierarchy->Attributes(group));
    ZARR_ASSIGN_OR_RETURN(const zarr::OmeWrittenImage image,
                          ImageWriter(dataset, identity).Run(existing));
    json::Object changed = existing.as_object() != nullptr ? *existing.as_object() : json::Object();
    ZARR_RETURN_IF_ERROR(zarr::PutOmeImage(changed, image));
    return update.metadata().ChangeAttributes(
        group, existing.as_object() != nullptr ? existing : json::Value(json::Object()),
        json::Value(std::move(changed)));
}

}  // namespace zarr_driver
