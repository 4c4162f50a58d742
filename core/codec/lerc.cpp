// SPDX-License-Identifier: MIT
// imagecodecs' "imagecodecs_lerc", read-only: each chunk is a LERC blob, as in references to TIFF
// files, and may be compressed further (LERC_ZSTD). Invalid pixels become NaN, or 0 in integers.
//
// Numbers are always decoded to little-endian bytes, because libtiff swaps the bytes of a
// big-endian file's numbers before the LERC encoding.
#include <Lerc_c_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/codec/decode_only.h"
#include "core/codec/factories.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// A type of numbers that LERC supports.
struct Number {
    DataKind kind;
    std::size_t size;  // size in bytes
};

// LERC's number types, indexed by their codes in Lerc_types.h.
constexpr std::array<Number, 8> kNumbers = {{{DataKind::kInt, 1},
                                             {DataKind::kUint, 1},
                                             {DataKind::kInt, 2},
                                             {DataKind::kUint, 2},
                                             {DataKind::kInt, 4},
                                             {DataKind::kUint, 4},
                                             {DataKind::kFloat, 4},
                                             {DataKind::kFloat, 8}}};

Status Failed(lerc_status code) {
    return Status::Corrupt("liblerc fails with code " + std::to_string(code));
}

// Shape and number type of a LERC blob. `bands` images follow each other, and each pixel has
// `depth` values.
struct Blob {
    int depth = 0;
    int columns = 0;
    int rows = 0;
    int bands = 0;
    int masks = 0;  // number of masks of valid pixels: 0, 1 or `bands`
    bool has_nodata = false;
    unsigned code = 0;  // LERC's code of the blob's number type

    Number number() const { return kNumbers[code]; }
    std::size_t pixels() const {
        return SaturatingMul(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows));
    }
    std::size_t values_of_band() const {
        return SaturatingMul(pixels(), static_cast<std::size_t>(depth));
    }
    std::size_t bytes() const {
        return SaturatingMul(SaturatingMul(values_of_band(), static_cast<std::size_t>(bands)),
                             number().size);
    }
};

Result<Blob> ReadBlob(ByteSpan bytes) {
    // Indices into the array `info` that lerc_getBlobInfo() fills; Lerc_types.h lists them.
    enum : std::size_t { kType = 1, kDepth, kColumns, kRows, kBands, kMasks = 8, kNodata = 10 };
    std::array<unsigned, 11> info = {};
    const lerc_status code =
        lerc_getBlobInfo(bytes.data, static_cast<unsigned>(bytes.size), info.data(), nullptr,
                         static_cast<int>(info.size()), 0);
    if (code != 0) return Failed(code);
    for (const std::size_t member : {kDepth, kColumns, kRows, kBands})
        if (info[member] == 0 || info[member] > unsigned{std::numeric_limits<int>::max()})
            return Status::Corrupt("a LERC blob has a size of 0 or more than 2^31 - 1");
    if (info[kType] >= kNumbers.size() || (info[kMasks] > 1 && info[kMasks] != info[kBands]))
        return Status::Corrupt("a LERC blob has an unknown data type, or fewer masks than bands");
    Blob blob;
    blob.depth = static_cast<int>(info[kDepth]);
    blob.columns = static_cast<int>(info[kColumns]);
    blob.rows = static_cast<int>(info[kRows]);
    blob.bands = static_cast<int>(info[kBands]);
    blob.masks = static_cast<int>(info[kMasks]);
    blob.has_nodata = info[kNodata] != 0;
    blob.code = info[kType];
    return blob;
}

// Sets the values of pixels whose byte in `valid` is 0 to NaN. `T` is the type of the values.
template <class T>
void SetInvalid(const Blob& blob, const std::vector<std::uint8_t>& valid, std::uint8_t* values) {
    const auto depth = static_cast<std::size_t>(blob.depth);
    for (std::size_t band = 0; band < static_cast<std::size_t>(blob.bands); ++band) {
        const std::uint8_t* is_valid = valid.data() + (blob.masks > 1 ? band * blob.pixels() : 0);
        for (std::size_t pixel = 0; pixel < blob.pixels(); ++pixel)
            for (std::size_t i = 0; i < depth; ++i, values += sizeof(T))
                if (is_valid[pixel] == 0) StoreNative(values, std::numeric_limits<T>::quiet_NaN());
    }
}

// Decodes a LERC blob to numbers in the host's byte order.
Status DecodeBlob(ByteSpan bytes, const Blob& blob, MutableByteSpan room) {
    std::vector<std::uint8_t> valid(
        SaturatingMul(blob.pixels(), static_cast<std::size_t>(blob.masks)));
    std::vector<unsigned char> uses_nodata(static_cast<std::size_t>(blob.bands));
    std::vector<double> nodata(static_cast<std::size_t>(blob.bands));
    // liblerc needs aligned memory for the decoded numbers.
    Buffer aligned;
    std::uint8_t* to = room.data;
    if (reinterpret_cast<std::uintptr_t>(to) % blob.number().size != 0) {
        ZARR_RETURN_IF_ERROR(aligned.Reset(room.size));
        to = aligned.data();
    }
    // liblerc does not write the values of some invalid pixels, so all values are set to 0 first.
    std::memset(to, 0, room.size);
    const lerc_status code =
        lerc_decode_4D(bytes.data, static_cast<unsigned>(bytes.size), blob.masks,
                       valid.empty() ? nullptr : valid.data(), blob.depth, blob.columns, blob.rows,
                       blob.bands, blob.code, to, blob.has_nodata ? uses_nodata.data() : nullptr,
                       blob.has_nodata ? nodata.data() : nullptr);
    if (code != 0) return Failed(code);
    if (to != room.data) std::memcpy(room.data, to, room.size);
    const bool has_nan = !valid.empty() && blob.number().kind == DataKind::kFloat;
    if (has_nan && blob.number().size == sizeof(float)) SetInvalid<float>(blob, valid, room.data);
    if (has_nan && blob.number().size == sizeof(double)) SetInvalid<double>(blob, valid, room.data);
    return {};
}

class Lerc final : public DecodeOnly {
  public:
    // `type` is the type of the items, or of single bytes. `compressor` decodes a chunk to its
    // blob; nullptr if the chunk is the blob.
    Lerc(DataType type, std::unique_ptr<Codec> compressor)
        : DecodeOnly("LERC"), type_(std::move(type)), compressor_(std::move(compressor)) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // Each band has a header, so a blob of many small bands may be larger than the decoded
        // chunk.
        return {std::max<std::size_t>(decoded.max, LimitOf(Limit::kChunkSize)), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (compressor_ == nullptr) return DecodeBytes(encoded, decoded);
        Buffer blob;
        Output output(blob, LimitOf(Limit::kChunkSize), Limit::kChunkSize);
        ZARR_RETURN_IF_ERROR(compressor_->Decode(encoded, output).WithContext("compression"));
        ZARR_RETURN_IF_ERROR(output.Finish());
        return DecodeBytes(std::as_const(blob).span(), decoded);
    }

  private:
    Status DecodeBytes(ByteSpan bytes, Output& decoded) const {
        if (bytes.size > std::numeric_limits<unsigned>::max())
            return Status::Unsupported("LERC blobs over 4 GiB are unsupported");
        // liblerc throws exceptions of the standard library, for example if memory runs out.
        try {
            ZARR_ASSIGN_OR_RETURN(const Blob blob, ReadBlob(bytes));
            const Number number = blob.number();
            if (type_.size > 1 && (type_.kind != number.kind || type_.size != number.size))
                return Status::Corrupt("a LERC blob has another type than the array, " +
                                       type_.ToString());
            ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(blob.bytes()));
            ZARR_RETURN_IF_ERROR(DecodeBlob(bytes, blob, room));
            if (!HostIsLittleEndian()) SwapUnits(room.data, number.size, room.size / number.size);
            return {};
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("liblerc is out of memory");
        } catch (const std::exception& error) {
            return Status::Corrupt(std::string("liblerc: ") + error.what());
        }
    }

    const DataType type_;
    const std::unique_ptr<Codec> compressor_;
};

}  // namespace

CodecResult MakeLerc(const json::Value& config, const CodecContext& context) {
    std::unique_ptr<Codec> compressor;
    const json::Value* const member = config.Find("compression");
    if (member != nullptr && !member->is_null()) {
        const std::string* const name = member->as_string();
        if (name == nullptr || (*name != "zstd" && *name != "deflate"))
            return json::Expected("compression", "\"zstd\", \"deflate\" or null", *member);
        const json::Value none{json::Object()};
        ZARR_ASSIGN_OR_RETURN(compressor,
                              *name == "zstd" ? MakeZstd(none, context) : MakeZlib(none, context));
    }
    return std::unique_ptr<Codec>(std::make_unique<Lerc>(context.dtype, std::move(compressor)));
}

}  // namespace zarr
