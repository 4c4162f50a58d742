// SPDX-License-Identifier: MIT
#include "driver/codec/grib_codec.h"

#include <ogr_spatialref.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/codec/decode_only.h"
#include "driver/codec/grib_message.h"
#include "driver/codec/memory_image.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::Result;
using zarr::Status;

constexpr const char* kGribDriver = "GRIB";

// What a codec decodes of a message.
enum class GribVariable { kValues, kLatitudes, kLongitudes };

// Replaces missing values by NaN. `row` are the values of the message's row `y`. `marker` stands
// for missing values in messages without a bitmap.
void SetMissing(const GribMessage& message, std::uint64_t y, double marker, double* row) {
    for (std::uint64_t x = 0; x < message.columns; ++x)
        if (message.bitmap.size != 0 ? message.IsMissing(y * message.columns + x)
                                     : row[x] == marker)
            row[x] = std::numeric_limits<double>::quiet_NaN();
}

// Returns an error if a number that stands for missing values lies between other values, so that it
// may be a value, too.
Status CheckMarker(const std::vector<double>& values, double marker) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const double value : values) {
        if (value == marker) continue;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (least <= marker && marker <= most)
        return Status::Unsupported("GRIB: the number " + std::to_string(marker) +
                                   " for missing values lies between values, which is unsupported");
    return {};
}

class GribCodec final : public zarr::DecodeOnly {
  public:
    // `is_gribberish` says which Python package the codec belongs to.
    GribCodec(GribVariable variable, bool is_gribberish, zarr::CodecContext context)
        : DecodeOnly("GRIB"),
          variable_(variable),
          is_gribberish_(is_gribberish),
          context_(std::move(context)) {}

    zarr::SizeBound EncodedSize(zarr::SizeBound decoded) const override {
        // The bound is at least the maximum chunk size, because a message has metadata.
        return {std::max<std::size_t>(decoded.max, zarr::LimitOf(zarr::Limit::kChunkSize)), false};
    }

    Status Decode(ByteSpan encoded, zarr::Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const GribMessage message, ReadGribMessage(encoded));
        ZARR_RETURN_IF_ERROR(CheckShape(message));
        if (message.needs_ccsds) ZARR_RETURN_IF_ERROR(RequireCcsds());
        ZARR_ASSIGN_OR_RETURN(const std::unique_ptr<MemoryImage> image,
                              MemoryImage::Open(message.bytes, kGribDriver));
        GDALDataset& dataset = image->dataset();
        if (dataset.GetRasterCount() != 1 ||
            static_cast<std::uint64_t>(dataset.GetRasterXSize()) != message.columns ||
            static_cast<std::uint64_t>(dataset.GetRasterYSize()) != message.rows)
            return Status::Corrupt("GDAL's driver GRIB sees another grid than the message states");
        std::vector<double> values(static_cast<std::size_t>(message.values()));
        ZARR_RETURN_IF_ERROR(variable_ == GribVariable::kValues
                                 ? ReadValues(*image, message, values)
                                 : ComputeCoordinates(dataset, message, values));
        if (IsOneDimensional(message)) KeepOneDimension(message, values);
        return Write(values, decoded);
    }

  private:
    // True if the chunk has one coordinate for each row or column.
    bool IsOneDimensional(const GribMessage& message) const {
        return is_gribberish_ && message.is_regular && variable_ != GribVariable::kValues;
    }

    // Keeps the latitudes of the first column, or the longitudes of the first row.
    void KeepOneDimension(const GribMessage& message, std::vector<double>& values) const {
        const bool are_latitudes = variable_ == GribVariable::kLatitudes;
        const auto count = static_cast<std::size_t>(are_latitudes ? message.rows : message.columns);
        const auto step = static_cast<std::size_t>(are_latitudes ? message.columns : 1);
        for (std::size_t i = 0; i < count; ++i) values[i] = values[i * step];
        values.resize(count);
    }

    Status CheckShape(const GribMessage& message) const {
        std::uint64_t elements = 1;
        for (const std::uint64_t n : context_.chunk_shape)
            elements = zarr::SaturatingMul(elements, n);
        const bool is_one_dimensional = IsOneDimensional(message);
        const std::uint64_t length =
            variable_ == GribVariable::kLatitudes ? message.rows : message.columns;
        if (elements != (is_one_dimensional ? length : message.values()))
            return Status::Corrupt("the GRIB message has " + std::to_string(message.rows) +
                                   " rows and " + std::to_string(message.columns) +
                                   " columns, the chunk " + std::to_string(elements) + " elements");
        if (message.values() > zarr::LimitOf(zarr::Limit::kChunkSize) / sizeof(double))
            return zarr::OverLimit(
                zarr::Limit::kChunkSize,
                "the message has " + std::to_string(message.values()) + " values");
        return {};
    }

    static Status RequireCcsds() {
        GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName(kGribDriver);
        const char* const item = driver != nullptr ? driver->GetMetadataItem("HAVE_AEC") : nullptr;
        if (item != nullptr && EQUAL(item, "YES")) return {};
        return Status::Unsupported(
            "GRIB: CCSDS compression (data representation template 42) "
            "needs a GDAL whose driver GRIB has libaec");
    }

    static Status ReadValues(MemoryImage& image, const GribMessage& message,
                             std::vector<double>& values) {
        const auto line = static_cast<GSpacing>(message.columns) * GSpacing{sizeof(double)};
        auto* const first = reinterpret_cast<std::uint8_t*>(values.data());
        // GDAL's first row is always the northernmost.
        ZARR_RETURN_IF_ERROR(
            image.Read(message.is_south_first ? first + line * (message.rows - 1) : first,
                       GDT_Float64, image.dataset().GetRasterCount(), sizeof(double),
                       message.is_south_first ? -line : line, 0));
        int has_marker = 0;
        const double marker = image.dataset().GetRasterBand(1)->GetNoDataValue(&has_marker);
        if (message.has_marker && message.bitmap.size != 0)
            return Status::Unsupported(
                "GRIB: a bitmap besides a number for missing values is "
                "unsupported");
        if (message.bitmap.size == 0 && !message.has_marker) return {};
        if (message.has_marker && has_marker == 0) return {};
        if (message.has_marker) ZARR_RETURN_IF_ERROR(CheckMarker(values, marker));
        for (std::uint64_t y = 0; y < message.rows; ++y)
            SetMissing(message, y, marker, values.data() + y * message.columns);
        return {};
    }

    // Returns a longitude as the codec's package does: from 0 to 360, but from -180 to 180 in
    // gribberish's projected grids.
    double Longitude(const GribMessage& message, double degrees) const {
        const double least = is_gribberish_ && !message.is_regular ? -180 : 0;
        constexpr double kRounding = 1e-9;  // keeps a computed -1e-14 near 0
        return degrees - 360 * std::floor((degrees - least + kRounding) / 360);
    }

    // Computes the coordinates of all grid points in degrees.
    Status ComputeCoordinates(GDALDataset& dataset, const GribMessage& message,
                              std::vector<double>& values) const {
        if (message.is_gaussian || message.is_rotated)
            return Status::Unsupported(
                "GRIB: coordinates of Gaussian and rotated grids are "
                "unsupported");
        double affine[6] = {};
        const OGRSpatialReference* const srs = dataset.GetSpatialRef();
        if (srs == nullptr || dataset.GetGeoTransform(affine) != CE_None)
            return Status::Unsupported("GRIB: GDAL knows no coordinates of this grid");
        const std::unique_ptr<OGRSpatialReference> degrees(srs->CloneGeogCS());
        if (degrees == nullptr) return Status::Unsupported("GRIB: the grid has no geographic CRS");
        degrees->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        const std::unique_ptr<OGRCoordinateTransformation> transformation(
            OGRCreateCoordinateTransformation(srs, degrees.get()));
        if (transformation == nullptr)
            return Status::Unsupported("GRIB: PROJ cannot compute the coordinates of this grid");
        const auto columns = static_cast<std::size_t>(message.columns);
        std::vector<double> xs(columns);
        std::vector<double> ys(columns);
        for (std::uint64_t y = 0; y < message.rows; ++y) {
            const std::uint64_t line = message.is_south_first ? message.rows - 1 - y : y;
            for (std::size_t x = 0; x < columns; ++x) {
                const double at_x = static_cast<double>(x) + 0.5;
                const double at_y = static_cast<double>(line) + 0.5;
                xs[x] = affine[0] + at_x * affine[1] + at_y * affine[2];
                ys[x] = affine[3] + at_x * affine[4] + at_y * affine[5];
            }
            if (transformation->Transform(static_cast<int>(columns), xs.data(), ys.data()) == 0)
                return Status::Unsupported("GRIB: PROJ cannot compute coordinates of this grid");
            const bool are_latitudes = variable_ == GribVariable::kLatitudes;
            for (std::size_t x = 0; x < columns; ++x)
                values[y * columns + x] = are_latitudes ? ys[x] : Longitude(message, xs[x]);
        }
        return {};
    }

    Status Write(const std::vector<double>& values, zarr::Output& decoded) const {
        const std::size_t size = context_.dtype.size;
        ZARR_ASSIGN_OR_RETURN(const zarr::MutableByteSpan room,
                              decoded.Prepare(zarr::SaturatingMul(values.size(), size)));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (size == sizeof(double))
                zarr::StoreNative(room.data + i * size, values[i]);
            else
                zarr::StoreNative(room.data + i * size, static_cast<float>(values[i]));
        return {};
    }

    const GribVariable variable_;
    const bool is_gribberish_;
    const zarr::CodecContext context_;
};

// Returns the size in bytes of the numbers that "dtype" states: its value, or `preset` if it is
// missing.
Result<std::size_t> StatedSize(const zarr::json::Value& options, std::size_t preset) {
    const zarr::json::Value* const member = options.Find("dtype");
    if (member == nullptr || member->is_null()) return preset;
    const std::string name = member->as_string() != nullptr ? *member->as_string() : "";
    if (name == "float32" || name == "<f4" || name == "f4") return sizeof(float);
    if (name == "float64" || name == "<f8" || name == "f8") return sizeof(double);
    return zarr::json::Expected("dtype", "float32, float64 or null", *member);
}

}  // namespace

Result<std::unique_ptr<zarr::Codec>> MakeGribCodec(std::string_view id,
                                                   const zarr::json::Value& options,
                                                   const zarr::CodecContext& context) {
    const zarr::json::Value* const var = options.Find("var");
    const bool is_named = var != nullptr && var->as_string() != nullptr;
    const bool is_gribberish = id == "gribberish";
    // gribberish decodes values if it gets no name.
    if (!is_named && !(is_gribberish && (var == nullptr || var->is_null())))
        return zarr::json::Expected("var", "the name of a variable",
                                    var != nullptr ? *var : zarr::json::Value());
    const std::string name = is_named ? *var->as_string() : std::string();
    const GribVariable variable = name == "latitude"    ? GribVariable::kLatitudes
                                  : name == "longitude" ? GribVariable::kLongitudes
                                                        : GribVariable::kValues;
    const zarr::DataType& type = context.dtype;
    if (context.is_flat || type.kind != zarr::DataKind::kFloat || type.size < sizeof(float))
        return Status::Corrupt("GRIB messages are decoded to float32 or float64, not to " +
                               type.ToString());
    const bool is_big = type.order == zarr::ByteOrder::kBig;
    if (is_big == zarr::HostIsLittleEndian())
        return Status::Unsupported(
            "GRIB messages are decoded to the byte order of the computer, "
            "which " +
            type.ToString() + " is not");
    if (!is_gribberish) {
        const bool are_values = variable == GribVariable::kValues;
        ZARR_ASSIGN_OR_RETURN(const std::size_t size,
                              StatedSize(options, are_values ? sizeof(float) : sizeof(double)));
        if (size != type.size)
            return Status::Corrupt("dtype: " + std::string(size == 4 ? "float32" : "float64") +
                                   " contradicts the type of the array, " + type.ToString());
    }
    if (!context.axis_order.is_row_major(context.chunk_shape.size()))
        return Status::Unsupported("GRIB messages are supported in the memory order C only");
    ZARR_RETURN_IF_ERROR(RequireDriver(kGribDriver));
    return std::unique_ptr<zarr::Codec>(
        std::make_unique<GribCodec>(variable, is_gribberish, context));
}

}  // namespace zarr_driver
