// SPDX-License-Identifier: MIT
#include "driver/codec/grib_message.h"

#include <array>
#include <string>

#include "core/base/endian.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::Result;
using zarr::Status;

Status BadMessage(const std::string& what) { return Status::Corrupt("GRIB: " + what); }
Status NoGrib(const std::string& what) {
    return Status::Unsupported("GRIB: " + what + " is unsupported");
}

// Returns the big-endian number of `size` bytes at `octet`, which the WMO counts from 1. The octets
// must exist.
std::uint64_t Octets(ByteSpan section, std::size_t octet, std::size_t size) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < size; ++i) number = number << 8 | section.data[octet - 1 + i];
    return number;
}

// Sets the order of values from a scanning mode (code table 8 of edition 1, flag table 3.4 of
// edition 2).
Status ReadScanningMode(unsigned mode, GribMessage& message) {
    if ((mode & ~0x40U) != 0)
        return NoGrib("scanning mode " + std::to_string(mode) +
                      ", which is not west to east and row by row,");
    message.is_south_first = mode != 0;
    return {};
}

Status CheckSize(const GribMessage& message) {
    if (message.columns == 0 || message.rows == 0 || message.columns > INT32_MAX ||
        message.rows > INT32_MAX)
        return BadMessage("the grid has no columns, no rows or too many");
    return {};
}

// Sets the bitmap, which must have a bit for each value.
Status ReadBitmap(ByteSpan bits, GribMessage& message) {
    if (bits.size < (message.values() + 7) / 8) return BadMessage("the bitmap is truncated");
    message.bitmap = bits;
    return {};
}

// A grid definition template of edition 2, and the octet of its scanning mode.
struct GridTemplate {
    unsigned number;
    std::size_t scanning_octet;
};

// Latitude/longitude, rotated, Mercator, polar stereographic, Lambert conformal, Gaussian, and
// Lambert azimuthal equal-area grids.
constexpr std::array<GridTemplate, 7> kGridTemplates = {
    {{0, 72}, {1, 72}, {10, 60}, {20, 65}, {30, 65}, {40, 72}, {140, 64}}};

Status ReadGrid(ByteSpan section, GribMessage& message) {
    if (section.size < 14) return BadMessage("section 3 is truncated");
    if (section.data[5] != 0) return NoGrib("a grid that is not defined in the message");
    if (section.data[10] != 0) return NoGrib("a reduced grid");
    const auto number = static_cast<unsigned>(Octets(section, 13, 2));
    for (const GridTemplate& grid : kGridTemplates) {
        if (grid.number != number) continue;
        if (section.size < grid.scanning_octet) return BadMessage("section 3 is truncated");
        message.columns = Octets(section, 31, 4);
        message.rows = Octets(section, 35, 4);
        if (message.columns == UINT32_MAX || message.rows == UINT32_MAX)
            return NoGrib("a reduced grid");
        message.is_regular = number == 0;
        message.is_gaussian = number == 40;
        message.is_rotated = number == 1;
        ZARR_RETURN_IF_ERROR(CheckSize(message));
        if (Octets(section, 7, 4) != message.values())
            return BadMessage("section 3 states another number of points than its grid has");
        return ReadScanningMode(section.data[grid.scanning_octet - 1], message);
    }
    return NoGrib("grid definition template " + std::to_string(number));
}

Status ReadPacking(ByteSpan section, GribMessage& message) {
    if (section.size < 12) return BadMessage("section 5 is truncated");
    switch (Octets(section, 10, 2)) {
        case 0:
        case 40:
        case 41:
        case 40000:
        case 40010:
            return {};
        case 2:
        case 3: {
            if (section.size < 47) return BadMessage("section 5 is truncated");
            const unsigned management = section.data[22];
            if (management > 1) return NoGrib("packing with two values for missing ones");
            message.has_marker = management == 1;
            return {};
        }
        case 42:
            message.needs_ccsds = true;
            return {};
        case 4:
            return NoGrib("packing of IEEE numbers (data representation template 4)");
        default:
            return NoGrib("data representation template " + std::to_string(Octets(section, 10, 2)));
    }
}

Status ReadBitmapSection(ByteSpan section, GribMessage& message) {
    if (section.size < 6) return BadMessage("section 6 is truncated");
    if (section.data[5] == 255) return {};
    if (section.data[5] != 0) return NoGrib("a bitmap that is not in the message");
    return ReadBitmap(section.From(6), message);
}

// Reads one section of a message of edition 2, whose number is `number`.
Status ReadSection(unsigned number, ByteSpan section, GribMessage& message) {
    if (number == 3) return ReadGrid(section, message);
    if (number == 5) return ReadPacking(section, message);
    if (number == 6) return ReadBitmapSection(section, message);
    return {};
}

Result<GribMessage> ReadSecondEdition(ByteSpan bytes) {
    const std::uint64_t length = Octets(bytes, 9, 8);
    if (length > bytes.size || length < 20) return BadMessage("the message is truncated");
    GribMessage message;
    message.bytes = {bytes.data, static_cast<std::size_t>(length)};
    const std::size_t end = message.bytes.size - 4;
    if (message.bytes.From(end).text() != "7777") return BadMessage("the message has no end");
    unsigned last = 0;
    std::size_t offset = 16;
    while (end - offset >= 5) {
        const ByteSpan rest = bytes.From(offset);
        const std::uint64_t size = Octets(rest, 1, 4);
        const unsigned number = rest.data[4];
        if (size < 5 || size > end - offset || number < 1 || number > 7)
            return BadMessage("a section is invalid");
        if (last == 7) return NoGrib("a message with several fields");
        // Section 2 is optional; all others follow each other.
        if (number != last + 1 && !(last == 1 && number == 3))
            return BadMessage("section " + std::to_string(number) + " follows section " +
                              std::to_string(last));
        ZARR_RETURN_IF_ERROR(
            ReadSection(number, {rest.data, static_cast<std::size_t>(size)}, message));
        last = number;
        offset += static_cast<std::size_t>(size);
    }
    if (last != 7 || offset != end) return BadMessage("a section is missing");
    return message;
}

Status ReadFirstGrid(ByteSpan section, GribMessage& message) {
    if (section.size < 28) return BadMessage("the grid description is truncated");
    const unsigned type = section.data[5];
    if (type != 0 && type != 1 && type != 3 && type != 4 && type != 5 && type != 10)
        return NoGrib("grid type " + std::to_string(type));
    message.columns = Octets(section, 7, 2);
    message.rows = Octets(section, 9, 2);
    if (message.columns == UINT16_MAX || message.rows == UINT16_MAX)
        return NoGrib("a reduced grid");
    message.is_regular = type == 0;
    message.is_gaussian = type == 4;
    message.is_rotated = type == 10;
    ZARR_RETURN_IF_ERROR(CheckSize(message));
    return ReadScanningMode(section.data[27], message);
}

Status ReadFirstBitmap(ByteSpan section, GribMessage& message) {
    if (section.size < 6) return BadMessage("the bitmap is truncated");
    if (Octets(section, 5, 2) != 0) return NoGrib("a bitmap that is not in the message");
    return ReadBitmap(section.From(6), message);
}

Status CheckFirstPacking(ByteSpan section) {
    if (section.size < 11) return BadMessage("the data section is truncated");
    const unsigned flags = section.data[3];
    if ((flags & 0x80) != 0) return NoGrib("a field of spherical harmonics");
    if ((flags & 0x50) != 0) return NoGrib("second-order packing");
    return {};
}

// Takes the next section of a message of edition 1 from `rest`.
Result<ByteSpan> TakeSection(ByteSpan& rest) {
    if (rest.size < 3) return BadMessage("a section is missing");
    const std::uint64_t size = Octets(rest, 1, 3);
    if (size < 4 || size > rest.size) return BadMessage("a section is invalid");
    const ByteSpan section(rest.data, static_cast<std::size_t>(size));
    rest = rest.From(section.size);
    return section;
}

Result<GribMessage> ReadFirstEdition(ByteSpan bytes) {
    const std::uint64_t length = Octets(bytes, 5, 3);
    if (length > bytes.size || length < 12) return BadMessage("the message is truncated");
    GribMessage message;
    message.bytes = {bytes.data, static_cast<std::size_t>(length)};
    ByteSpan rest(bytes.data + 8, message.bytes.size - 12);
    if (message.bytes.From(message.bytes.size - 4).text() != "7777")
        return BadMessage("the message has no end");
    ZARR_ASSIGN_OR_RETURN(const ByteSpan product, TakeSection(rest));
    if (product.size < 28) return BadMessage("the product definition is truncated");
    if ((product.data[7] & 0x80) == 0) return NoGrib("a grid that is not defined in the message");
    ZARR_ASSIGN_OR_RETURN(const ByteSpan grid, TakeSection(rest));
    ZARR_RETURN_IF_ERROR(ReadFirstGrid(grid, message));
    if ((product.data[7] & 0x40) != 0) {
        ZARR_ASSIGN_OR_RETURN(const ByteSpan bitmap, TakeSection(rest));
        ZARR_RETURN_IF_ERROR(ReadFirstBitmap(bitmap, message));
    }
    ZARR_ASSIGN_OR_RETURN(const ByteSpan data, TakeSection(rest));
    ZARR_RETURN_IF_ERROR(CheckFirstPacking(data));
    return message;
}

}  // namespace

Result<GribMessage> ReadGribMessage(ByteSpan bytes) {
    if (bytes.size < 20 || bytes.text().substr(0, 4) != "GRIB")
        return Status::Corrupt("not a GRIB message");
    const unsigned edition = bytes.data[7];
    if (edition == 1) return ReadFirstEdition(bytes);
    if (edition == 2) return ReadSecondEdition(bytes);
    return NoGrib("edition " + std::to_string(edition));
}

}  // namespace zarr_driver
