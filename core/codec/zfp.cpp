// SPDX-License-Identifier: MIT
// "zfp" of zarr-extensions: a block of one to four dimensions of real numbers, compressed by libzfp
// without a header. Numbers of fewer than 32 bits are widened; times are int64.
//
// libzfp has no unsigned integers, so uint32 and uint64 are passed as int32 and int64 with
// unchanged bits. Modes other than "reversible" refuse an unsigned number with the highest bit set,
// and decode a negative result as 0. The specification clamps integers of fewer than 32 bits in
// this way.
//
// https://zfp.readthedocs.io/en/release1.0.1/modes.html
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/codec/v3_numbers.h"
#include "core/codec/zfp_stream.h"
#include "core/dtype/narrow_types.h"

namespace zarr {

namespace {

enum class ZfpMode : std::uint8_t { kReversible, kExpert, kAccuracy, kRate, kPrecision };

struct ZfpParameters {
    static Result<ZfpParameters> Make(const json::Value& config);

    // Sets the parameters of `stream`. Returns false if libzfp rejects the parameters.
    bool Set(zfp_stream& stream, const zfp_field& field) const {
        switch (mode) {
            case ZfpMode::kExpert:
                return Libzfp().zfp_stream_set_params(&stream, minbits, maxbits, maxprec, minexp) !=
                       zfp_false;
            case ZfpMode::kAccuracy:
                Libzfp().zfp_stream_set_accuracy(&stream, number);
                return true;
            case ZfpMode::kRate:
                Libzfp().zfp_stream_set_rate(&stream, number, field.type,
                                             Libzfp().zfp_field_dimensionality(&field), zfp_false);
                return true;
            case ZfpMode::kPrecision:
                Libzfp().zfp_stream_set_precision(&stream, maxprec);
                return true;
            default:
                Libzfp().zfp_stream_set_reversible(&stream);
                return true;
        }
    }

    ZfpMode mode = ZfpMode::kReversible;
    double number = 0;  // tolerance or rate, depending on `mode`
    unsigned minbits = 0;
    unsigned maxbits = 0;
    unsigned maxprec = 0;
    int minexp = 0;
};

Result<ZfpParameters> ParseExpert(const json::Value& config) {
    ZfpParameters parameters;
    parameters.mode = ZfpMode::kExpert;
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"mode", "minbits", "maxbits", "maxprec", "minexp"}));
    // `minbits` is limited to the maximum size of a block. With a larger value, the padding of each
    // block could take any amount of memory.
    ZARR_ASSIGN_OR_RETURN(const std::int64_t minbits,
                          RequiredInt(config, "minbits", 0, ZFP_MAX_BITS));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t maxbits,
                          RequiredInt(config, "maxbits", 1, UINT32_MAX));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t maxprec,
                          RequiredInt(config, "maxprec", 1, ZFP_MAX_PREC));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t minexp,
                          RequiredInt(config, "minexp", INT32_MIN, INT32_MAX));
    if (minbits > maxbits)
        return Status::Corrupt("maxbits: expected at least the minbits " + std::to_string(minbits) +
                               ", got " + std::to_string(maxbits));
    parameters.minbits = static_cast<unsigned>(minbits);
    parameters.maxbits = static_cast<unsigned>(maxbits);
    parameters.maxprec = static_cast<unsigned>(maxprec);
    parameters.minexp = static_cast<int>(minexp);
    return parameters;
}

Result<ZfpParameters> ZfpParameters::Make(const json::Value& config) {
    ZARR_ASSIGN_OR_RETURN(
        const std::size_t index,
        RequiredName(config, "mode",
                     {"reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision"}));
    ZfpParameters parameters;
    parameters.mode = static_cast<ZfpMode>(index);
    if (parameters.mode == ZfpMode::kExpert) return ParseExpert(config);
    if (parameters.mode == ZfpMode::kReversible) {
        ZARR_RETURN_IF_ERROR(CheckMembers(config, {"mode"}));
        return parameters;
    }
    if (parameters.mode == ZfpMode::kPrecision) {
        ZARR_RETURN_IF_ERROR(CheckMembers(config, {"mode", "precision"}));
        ZARR_ASSIGN_OR_RETURN(const std::int64_t precision,
                              RequiredInt(config, "precision", 0, UINT32_MAX));
        parameters.maxprec = static_cast<unsigned>(precision);
        return parameters;
    }
    const bool is_rate = parameters.mode == ZfpMode::kRate;
    const std::string_view key = is_rate ? "rate" : "tolerance";
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"mode", key}));
    ZARR_ASSIGN_OR_RETURN(parameters.number, RequiredNumber(config, key));
    const double most = is_rate ? ZFP_MAX_BITS : HUGE_VAL;
    if (parameters.number >= 0 && parameters.number <= most) return parameters;
    return json::Expected(key, is_rate ? "a number of bits" : "a number >= 0", *config.Find(key));
}

// libzfp's type for a Zarr data type, and the conversion of numbers to that type.
struct ZfpNumbers {
    static Result<ZfpNumbers> Of(const DataType& type, ZfpMode mode);

    zfp_type type = zfp_type_none;
    unsigned bits = 0;
    bool is_wider = false;    // true if numbers are widened to 32 bits
    bool is_cut = false;      // true if unsigned numbers are passed as signed in a lossy mode
    Converter widen, narrow;  // convert small floats to float32 and back, if is_wider
};

void WidenHalves(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                 const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (; count-- > 0; dst += dst_stride, src += src_stride)
        StoreNative(dst, HalfToFloat(LoadNative<std::uint16_t>(src)));
}

void NarrowToHalves(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                    const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (; count-- > 0; dst += dst_stride, src += src_stride)
        StoreNative(dst, FloatToHalf(LoadNative<float>(src)));
}

Result<ZfpNumbers> ZfpNumbers::Of(const DataType& type, ZfpMode mode) {
    ZfpNumbers numbers;
    numbers.bits = type.is_time() ? 64 : BitsOf(type);
    numbers.is_wider = numbers.bits < 32;
    const bool is_signed = type.kind == DataKind::kInt || type.is_time();
    const bool is_unsigned = type.kind == DataKind::kUint;
    if (type.kind == DataKind::kFloat) {
        numbers.type = numbers.bits == 64 ? zfp_type_double : zfp_type_float;
        if (!numbers.is_wider) return numbers;
        DataType wide;
        wide.kind = DataKind::kFloat;
        wide.size = sizeof(float);
        numbers.widen.row = WidenHalves;
        numbers.narrow.row = NarrowToHalves;
        if (type.narrow == NarrowType::kNone) return numbers;
        const auto widen = NarrowReadConverter(type.Native(), wide);
        const auto narrow = NarrowWriteConverter(wide, type.Native());
        if (!widen || !narrow)
            return Status::Unsupported("zfp stores " + type.ToString() +
                                       " as float32, which cannot represent all values");
        numbers.widen = *widen;
        numbers.narrow = *narrow;
    } else if (is_signed || is_unsigned) {
        numbers.type = numbers.bits == 64 ? zfp_type_int64 : zfp_type_int32;
        numbers.is_cut = is_unsigned && !numbers.is_wider && mode != ZfpMode::kReversible;
    } else {
        return Status::Unsupported("libzfp does not support data type " + NumberTypeName(type));
    }
    return numbers;
}

// Calls visit(offset, zero) for each of `count` unsigned integers of `bits` bits, 32 or 64.
// `offset` is in bytes. `zero` is a 0 of libzfp's signed type of that size.
template <class Visit>
void VisitUnsigned(unsigned bits, std::size_t count, const Visit& visit) {
    for (std::size_t i = 0; i < count; ++i) {
        if (bits == 64)
            visit(i * 8, std::int64_t{});
        else
            visit(i * 4, std::int32_t{});
    }
}

void CutNegative(unsigned bits, std::uint8_t* data, std::size_t count) {
    VisitUnsigned(bits, count, [&](std::size_t at, auto zero) {
        if (LoadNative<decltype(zero)>(data + at) < 0) StoreNative(data + at, zero);
    });
}

Status CheckPositive(unsigned bits, const std::uint8_t* data, std::size_t count) {
    bool is_any = false;
    VisitUnsigned(bits, count, [&](std::size_t at, auto zero) {
        is_any = is_any || LoadNative<decltype(zero)>(data + at) < 0;
    });
    if (!is_any) return {};
    return Status::Invalid("libzfp has no unsigned integers; values of 2^" +
                           std::to_string(bits - 1) + " and more require the mode \"reversible\"");
}

// Widens integers of `bits` bits to int32, shifted to the highest bits below the sign bit, as
// libzfp's zfp_promote_*() functions do.
template <class Int>
void Promote(unsigned bits, const std::uint8_t* src, std::uint8_t* dst, std::size_t count) {
    const std::int32_t half = std::is_signed_v<Int> ? 0 : std::int32_t{1} << (bits - 1);
    const std::int32_t factor = std::int32_t{1} << (31 - bits);
    for (std::size_t i = 0; i < count; ++i) {
        const Int number = TruncateToBits<Int>(
            static_cast<std::uint64_t>(LoadNative<Int>(src + i * sizeof(Int))), bits);
        StoreNative(dst + i * 4, (std::int32_t{number} - half) * factor);
    }
}

template <class Int>
void Demote(unsigned bits, const std::uint8_t* src, std::uint8_t* dst, std::size_t count) {
    const std::int32_t half = std::int32_t{1} << (bits - 1);
    for (std::size_t i = 0; i < count; ++i) {
        const auto wide = LoadNative<std::int32_t>(src + i * 4);
        const std::int32_t number = std::clamp(wide >> (31 - bits), -half, half - 1);
        StoreNative(dst + i * sizeof(Int),
                    static_cast<Int>(std::is_signed_v<Int> ? number : number + half));
    }
}

void Widen(const DataType& type, const ZfpNumbers& numbers, const std::uint8_t* src,
           std::uint8_t* dst, std::size_t count) {
    if (type.kind == DataKind::kFloat)
        return numbers.widen.row(numbers.widen, dst, 4, src, static_cast<std::ptrdiff_t>(type.size),
                                 count);
    if (type.kind == DataKind::kInt)
        return (type.size == 1 ? Promote<std::int8_t> : Promote<std::int16_t>)(numbers.bits, src,
                                                                               dst, count);
    (type.size == 1 ? Promote<std::uint8_t> : Promote<std::uint16_t>)(numbers.bits, src, dst,
                                                                      count);
}

void Narrow(const DataType& type, const ZfpNumbers& numbers, const std::uint8_t* src,
            std::uint8_t* dst, std::size_t count) {
    if (type.kind == DataKind::kFloat)
        return numbers.narrow.row(numbers.narrow, dst, static_cast<std::ptrdiff_t>(type.size), src,
                                  4, count);
    if (type.kind == DataKind::kInt)
        return (type.size == 1 ? Demote<std::int8_t> : Demote<std::int16_t>)(numbers.bits, src, dst,
                                                                             count);
    (type.size == 1 ? Demote<std::uint8_t> : Demote<std::uint16_t>)(numbers.bits, src, dst, count);
}

class Zfp final : public Codec {
  public:
    Zfp(const Block& block, DataType dtype, const ZfpNumbers& numbers,
        const ZfpParameters& parameters)
        : block_(block), dtype_(std::move(dtype)), numbers_(numbers), parameters_(parameters) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // An encoded chunk has at most 1024 times the decoded size and a header: libzfp may pad a
        // block of one element to 256 elements, and may widen each element to four times its size.
        return {SaturatingAdd(SaturatingMul(decoded.max, 1024), std::size_t{4} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(OpenedZfp opened, OpenedZfp::Make());
        ZARR_RETURN_IF_ERROR(OpenZfp(encoded, kZfpHeaderRoom, opened));
        ZARR_RETURN_IF_ERROR(SetUp(opened));
        ZARR_ASSIGN_OR_RETURN(const std::size_t zeros, ZfpRoom(encoded, opened));
        ZARR_RETURN_IF_ERROR(OpenZfp(encoded, zeros, opened));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(block_.bytes));
        Buffer wide;
        if (numbers_.is_wider) ZARR_RETURN_IF_ERROR(wide.Reset(SaturatingMul(block_.count, 4)));
        ZARR_RETURN_IF_ERROR(
            DecompressZfp(encoded, opened, numbers_.is_wider ? wide.span() : room));
        if (numbers_.is_wider)
            Narrow(dtype_, numbers_, wide.data(), room.data, block_.count);
        else if (numbers_.is_cut)
            CutNegative(numbers_.bits, room.data, block_.count);
        SwapElements(dtype_, room.data, block_.count);
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(LoadLibzfp());
        return decoded.exact ? block_.CheckDecoded(decoded.max) : Status();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        ZARR_ASSIGN_OR_RETURN(OpenedZfp opened, OpenedZfp::Make());
        ZARR_RETURN_IF_ERROR(SetUp(opened));
        Buffer native;
        Buffer wide;
        if (dtype_.NeedsSwap()) {
            ZARR_RETURN_IF_ERROR(native.Assign(decoded));
            SwapElements(dtype_, native.data(), block_.count);
            decoded = const_cast<const Buffer&>(native).span();
        }
        if (numbers_.is_cut)
            ZARR_RETURN_IF_ERROR(CheckPositive(numbers_.bits, decoded.data, block_.count));
        if (numbers_.is_wider) {
            ZARR_RETURN_IF_ERROR(wide.Reset(SaturatingMul(block_.count, 4)));
            Widen(dtype_, numbers_, decoded.data, wide.data(), block_.count);
            decoded = const_cast<const Buffer&>(wide).span();
        }
        return CompressZfp(opened, decoded.data, false, encoded);
    }

  private:
    // Sets the type, shape and parameters of the stream. libzfp's first dimension is the chunk's
    // last.
    Status SetUp(OpenedZfp& opened) const {
        std::size_t n[kMaxZfpDimensions] = {};
        const std::size_t rank = block_.shape.size();
        for (std::size_t i = 0; i < rank; ++i)
            n[i] = static_cast<std::size_t>(block_.shape[rank - 1 - i]);
        zfp_field& field = *opened.field;
        field.type = numbers_.type;
        field.nx = rank == 0 ? 1 : n[0];
        field.ny = n[1];
        field.nz = n[2];
        field.nw = n[3];
        if (!parameters_.Set(*opened.stream, field))
            return Status::Corrupt("libzfp rejects the parameters of mode \"expert\"");
        return {};
    }

    Block block_;
    DataType dtype_;
    ZfpNumbers numbers_;
    ZfpParameters parameters_;
};

}  // namespace

CodecResult MakeZfp(const json::Value& config, const CodecContext& context) {
    if (config.as_object() == nullptr) return json::Expected("configuration", "an object", config);
    ZARR_ASSIGN_OR_RETURN(const ZfpParameters parameters, ZfpParameters::Make(config));
    ZARR_ASSIGN_OR_RETURN(const ZfpNumbers numbers, ZfpNumbers::Of(context.dtype, parameters.mode));
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    if (block.shape.size() > kMaxZfpDimensions)
        return Status::Unsupported("libzfp supports at most 4 dimensions, but the chunk has " +
                                   std::to_string(block.shape.size()));
    return std::unique_ptr<Codec>(std::make_unique<Zfp>(block, context.dtype, numbers, parameters));
}

}  // namespace zarr
