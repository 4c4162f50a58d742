// SPDX-License-Identifier: MIT
#include "driver/codec/image_formats.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/text.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::Result;
using zarr::Status;
using zarr::json::Value;

Result<std::optional<bool>> GivenBool(const Value& options, std::string_view key) {
    const Value* const member = StatedMember(options, key);
    if (member == nullptr) return std::optional<bool>();
    if (member->as_bool() == nullptr)
        return zarr::json::Expected(key, "true, false or null", *member);
    return std::optional<bool>(*member->as_bool());
}

// Returns an error if the member `key` is a number that is not `only`.
Status ExpectNumber(const Value& options, std::string_view key, std::uint64_t only) {
    const Value* const member = StatedMember(options, key);
    std::uint64_t number = 0;
    if (member == nullptr || (member->GetUint64(number) && number == only)) return {};
    return zarr::json::Expected(key, std::to_string(only) + " or null", *member);
}

enum class JpegColours { kNotGiven, kGrey, kRgb, kYcbcr };

// Reads a colour space: its name, or its number in libjpeg.
Result<JpegColours> ReadColours(const Value& options, std::string_view key) {
    const Value* const member = StatedMember(options, key);
    if (member == nullptr) return JpegColours::kNotGiven;
    std::uint64_t number = 0;
    const bool is_number = member->GetUint64(number);
    std::string name = member->as_string() != nullptr ? *member->as_string() : std::string();
    for (char& c : name)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (name == "GRAYSCALE" || name == "MINISBLACK" || (is_number && number == 1))
        return JpegColours::kGrey;
    if (name == "RGB" || (is_number && number == 2)) return JpegColours::kRgb;
    if (name == "YCBCR" || (is_number && number == 3)) return JpegColours::kYcbcr;
    if (is_number && number == 0) return JpegColours::kNotGiven;
    return zarr::json::Expected(key, "grey, RGB, YCbCr or null", *member);
}

// Returns the options of a codec without any option that changes decoding.
Result<ImageSettings> ReadNoSettings(const Value& /*options*/) { return ImageSettings(); }

Result<ImageSettings> ReadJpegSettings(const Value& options) {
    ImageSettings settings;
    ZARR_RETURN_IF_ERROR(ExpectNumber(options, "bitspersample", 8));
    if (const Value* const header = StatedMember(options, "header"))
        return zarr::json::Expected("header", "null", *header);
    ZARR_ASSIGN_OR_RETURN(const JpegColours stored, ReadColours(options, "colorspace_jpeg"));
    ZARR_ASSIGN_OR_RETURN(const JpegColours decoded, ReadColours(options, "colorspace_data"));
    if (decoded == JpegColours::kYcbcr && stored != JpegColours::kNotGiven &&
        stored != JpegColours::kYcbcr)
        return Status::Unsupported("colorspace_data: YCbCr is unsupported");
    // Equal colour spaces mean that no colour is converted, as if the stream had RGB.
    if (stored == JpegColours::kRgb || decoded == JpegColours::kYcbcr) settings.is_jpeg_rgb = true;
    if (stored == JpegColours::kYcbcr && decoded != JpegColours::kYcbcr)
        settings.is_jpeg_rgb = false;
    if (decoded == JpegColours::kYcbcr && stored == JpegColours::kNotGiven)
        return Status::Unsupported("colorspace_data: YCbCr is unsupported without colorspace_jpeg");
    if (const Value* const tables = StatedMember(options, "tables")) {
        if (tables->as_string() == nullptr)
            return zarr::json::Expected("tables", "base64 or null", *tables);
        ZARR_ASSIGN_OR_RETURN(settings.jpeg_tables,
                              zarr::Base64Decode(*tables->as_string()).WithContext("tables"));
        const std::size_t size = settings.jpeg_tables.size();
        if (size < 4 || settings.jpeg_tables.compare(0, 2, "\xFF\xD8") != 0 ||
            settings.jpeg_tables.compare(size - 2, 2, "\xFF\xD9") != 0)
            return Status::Corrupt("tables: not a JPEG stream");
    }
    return settings;
}

Result<ImageSettings> ReadJpeg2000Settings(const Value& options) {
    ZARR_ASSIGN_OR_RETURN(const std::optional<bool> is_planar, GivenBool(options, "planar"));
    ImageSettings settings;
    settings.is_planar = is_planar.value_or(false);
    return settings;
}

Result<ImageSettings> ReadJpegXlSettings(const Value& options) {
    ZARR_RETURN_IF_ERROR(ExpectNumber(options, "index", 0));
    return ReadJpeg2000Settings(options);
}

Result<ImageSettings> ReadWebpSettings(const Value& options) {
    ZARR_RETURN_IF_ERROR(ExpectNumber(options, "index", 0));
    ImageSettings settings;
    ZARR_ASSIGN_OR_RETURN(settings.has_alpha, GivenBool(options, "hasalpha"));
    return settings;
}

// Reads only the signature, because the head of a JPEG XL file is compressed.
Result<ImageHead> ReadJpegXlHead(ByteSpan file) {
    constexpr std::string_view kContainer("\0\0\0\x0CJXL \r\n\x87\n", 12);
    const std::string_view text = file.text();
    if (text.substr(0, 2) != "\xFF\x0A" && text.substr(0, 12) != kContainer)
        return Status::Corrupt("not a JPEG XL image");
    ImageHead head;
    head.file = file;
    return head;
}

constexpr ImageFormat kFormats[] = {
    {"imagecodecs_jpeg", "JPEG", "JPEG", 1, ReadJpegSettings, ReadJpegHead},
    {"imagecodecs_jpeg2k", "JPEG 2000", "JP2OpenJPEG", 2, ReadJpeg2000Settings, ReadJpeg2000Head},
    {"imagecodecs_jpegxl", "JPEG XL", "JPEGXL", 2, ReadJpegXlSettings, ReadJpegXlHead},
    {"imagecodecs_png", "PNG", "PNG", 2, ReadNoSettings, ReadPngHead},
    {"imagecodecs_webp", "WebP", "WEBP", 1, ReadWebpSettings, ReadWebpHead},
};

// Appends the segments of a JPEG stream to `to`, up to the first scan, without those that state
// colours. Returns the rest of the stream.
ByteSpan AppendSegmentsWithoutColours(ByteSpan stream, std::vector<ByteSpan>& to) {
    ByteSpan rest = stream.From(2);
    while (rest.size >= 4 && rest.data[0] == 0xFF && rest.data[1] != 0xDA) {
        const unsigned marker = rest.data[1];
        const std::size_t size =
            marker == 0xFF ? 1 : std::size_t{2} + zarr::LoadBig16(rest.data + 2);
        if (size > rest.size) break;
        if (marker != 0xE0 && marker != 0xEE) to.emplace_back(rest.data, size);
        rest = rest.From(size);
    }
    return rest;
}

}  // namespace

const Value* StatedMember(const Value& options, std::string_view key) {
    const Value* const member = options.Find(key);
    return member == nullptr || member->is_null() ? nullptr : member;
}

std::string ShapeText(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (const std::uint64_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + "]";
}

const ImageFormat& ImageFormatOf(std::string_view id) {
    return *std::find_if(std::begin(kFormats), std::end(kFormats),
                         [&](const ImageFormat& format) { return format.id == id; });
}

Status CompleteJpeg(ByteSpan file, const ImageSettings& settings, zarr::Buffer& complete) {
    // The segment APP14 of Adobe, whose last byte states the colours: 0 for RGB, 1 for YCbCr.
    constexpr std::string_view kRgb(
        "\xFF\xEE\0\x0E"
        "Adobe\0\x64\0\0\0\0\0",
        16);
    constexpr std::string_view kYcbcr(
        "\xFF\xEE\0\x0E"
        "Adobe\0\x64\0\0\0\0\1",
        16);
    std::vector<ByteSpan> parts = {{file.data, 2}};
    const std::string_view tables = settings.jpeg_tables;
    if (!tables.empty()) parts.emplace_back(tables.substr(2, tables.size() - 4));
    if (settings.is_jpeg_rgb) {
        parts.emplace_back(*settings.is_jpeg_rgb ? kRgb : kYcbcr);
        parts.push_back(AppendSegmentsWithoutColours(file, parts));
    } else {
        parts.push_back(file.From(2));
    }
    return complete.AssignJoined(parts);
}

}  // namespace zarr_driver
