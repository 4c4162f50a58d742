// SPDX-License-Identifier: MIT
// "bitround" of zarr-extensions: rounds numbers so that only their highest bits are kept. Rounds to
// nearest, ties to even. A float keeps the highest bits of its mantissa. An integer keeps the
// highest bits of its magnitude, counted from the highest set bit. Decoding does not restore the
// lost bits.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/codec/v3_configuration.h"
#include "core/codec/v3_numbers.h"

namespace zarr {

namespace {

// Rounds `bits` to a multiple of 2^`dropped`, ties to even; `dropped` is at least 1. Rounding up
// may carry into higher bits.
template <class Bits>
Bits DropBits(Bits bits, unsigned dropped) {
    const auto last = static_cast<Bits>(Bits{1} << dropped);
    const auto below_half = static_cast<Bits>((last >> 1) - 1);
    const auto is_odd = static_cast<Bits>((bits >> dropped) & 1);
    return static_cast<Bits>(static_cast<Bits>(bits + below_half + is_odd) &
                             static_cast<Bits>(~static_cast<Bits>(last - 1)));
}

// Rounds a float with `mantissa` mantissa bits. Infinity and NaN do not change.
template <class Bits>
Bits RoundFloatBits(Bits bits, unsigned mantissa, unsigned dropped) {
    const auto sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
    const auto fraction = static_cast<Bits>((Bits{1} << mantissa) - 1);
    const auto infinity = static_cast<Bits>(~static_cast<Bits>(sign | fraction));
    if (static_cast<Bits>(bits & ~sign) > infinity) return bits;
    return DropBits(bits, dropped);
}

unsigned BitWidth(std::uint64_t number) {
    unsigned width = 0;
    for (; number != 0; number >>= 1) ++width;
    return width;
}

// Rounds an integer to `kept` significant bits. If rounding up would overflow, the bits that are
// not kept are set to 0.
template <class Int>
Int RoundIntegerBits(Int number, unsigned kept) {
    const bool is_negative = number < 0;
    const auto bits =
        static_cast<std::uint64_t>(number);  // NOLINT(bugprone-signed-char-misuse): a number
    const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
    const unsigned width = BitWidth(magnitude);
    if (width <= kept) return number;
    std::uint64_t rounded = DropBits(magnitude, width - kept);
    const std::uint64_t largest =
        static_cast<std::uint64_t>(std::numeric_limits<Int>::max()) + (is_negative ? 1 : 0);
    if (rounded > largest || rounded < magnitude >> 1)
        rounded = magnitude >> (width - kept) << (width - kept);
    return static_cast<Int>(is_negative ? 0 - rounded : rounded);
}

// Parameters for rounding the elements of a data type. A complex number has two parts.
struct BitRounding {
    std::size_t size = 1;  // bytes of a number, or of one part of a complex number
    bool is_float = false;
    bool is_signed = false;
    bool swaps = false;
    unsigned mantissa = 0;  // mantissa bits of a float
    unsigned kept = 0;
};

template <class Int>
void RoundRun(const BitRounding& by, const ItemRun& run) {
    using Bits = std::make_unsigned_t<Int>;
    for (std::size_t i = 0; i < run.count; ++i) {
        Bits bits = LoadNative<Bits>(run.src + i * sizeof bits);
        if (by.swaps) SwapUnits(reinterpret_cast<std::uint8_t*>(&bits), sizeof bits, 1);
        if (by.is_float)
            bits = RoundFloatBits(bits, by.mantissa, by.mantissa - by.kept);
        else if (by.is_signed)
            bits = static_cast<Bits>(RoundIntegerBits(static_cast<Int>(bits), by.kept));
        else
            bits = RoundIntegerBits(bits, by.kept);
        if (by.swaps) SwapUnits(reinterpret_cast<std::uint8_t*>(&bits), sizeof bits, 1);
        StoreNative(run.dst + i * sizeof bits, bits);
    }
}

class BitRounder final : public Codec {
  public:
    BitRounder(DataType type, unsigned kept) : type_(std::move(type)) { writable_ = Bind(kept); }

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return CopyAll(encoded, decoded);
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        return CheckWholeItems(decoded, type_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        if (by_.is_float && by_.kept >= by_.mantissa) return encoded.Assign(decoded);
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(decoded, by_.size, by_.size, encoded));
        switch (by_.size) {
            case 1:
                RoundRun<std::int8_t>(by_, run);
                break;
            case 2:
                RoundRun<std::int16_t>(by_, run);
                break;
            case 4:
                RoundRun<std::int32_t>(by_, run);
                break;
            default:
                RoundRun<std::int64_t>(by_, run);
        }
        return {};
    }

    DataType EncodedType() const override { return type_; }
    bool KeepsShape() const override { return true; }

  private:
    Status Bind(unsigned kept) {
        const bool is_integer = type_.kind == DataKind::kInt || type_.kind == DataKind::kUint;
        by_.is_float = type_.kind == DataKind::kFloat || type_.kind == DataKind::kComplex;
        by_.size = type_.kind == DataKind::kComplex ? type_.size / 2 : type_.size;
        const bool is_narrow =
            type_.narrow != NarrowType::kNone && type_.narrow != NarrowType::kBfloat16;
        if ((!is_integer && !by_.is_float && !type_.is_time()) || is_narrow)
            return Status::Unsupported("cannot round items of type " + NumberTypeName(type_));
        by_.is_signed = type_.kind != DataKind::kUint;
        by_.swaps = type_.NeedsSwap();
        by_.mantissa = type_.narrow == NarrowType::kBfloat16 ? 7
                       : by_.size == 2                       ? 10
                       : by_.size == 4                       ? 23
                                                             : 52;
        by_.kept = kept;
        return {};
    }

    DataType type_;
    BitRounding by_;
    Status writable_;
};

}  // namespace

CodecResult MakeV3BitRound(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"keepbits"}));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t kept, RequiredInt(config, "keepbits", 1, INT32_MAX));
    return std::unique_ptr<Codec>(
        std::make_unique<BitRounder>(context.dtype, static_cast<unsigned>(kept)));
}

}  // namespace zarr
