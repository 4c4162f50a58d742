// SPDX-License-Identifier: MIT
// bitround: floats whose last bits are rounded away, to the nearest, ties to even
// (numcodecs.BitRound), which is not undone.
#include <type_traits>

#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/numeric.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// NumPy's, as signed integers; the carry of a NaN or of the largest number may change what it is.
template <class Bits>
void RoundBits(const std::uint8_t* src, std::uint8_t* dst, std::size_t count, unsigned dropped) {
    using Unsigned = std::make_unsigned_t<Bits>;
    const auto last = static_cast<Unsigned>(Unsigned{1} << dropped);
    const auto mask = static_cast<Unsigned>(~static_cast<Unsigned>(last - 1));
    const auto below_half = static_cast<Unsigned>((last >> 1) - 1);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = LoadNative<Unsigned>(src + i * sizeof(Bits));
        const auto is_odd = static_cast<Unsigned>((bits >> dropped) & 1);
        StoreNative(
            dst + i * sizeof(Bits),
            static_cast<Unsigned>(static_cast<Unsigned>(bits + is_odd + below_half) & mask));
    }
}

// The bits of a mantissa.
unsigned MantissaBits(const DataType& type) {
    return type.size == 2 ? 10 : type.size == 4 ? 23 : 52;
}

class BitRound final : public Codec {
  public:
    // What is encoded has type `items`.
    BitRound(const json::Value& config, DataType items) : items_(std::move(items)) {
        writable_ = BindEncoding(config);
    }

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return CopyAll(encoded, decoded);
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        return CheckWholeItems(decoded, items_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        if (dropped_ == 0) return encoded.Assign(decoded);
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(decoded, items_.size, items_.size, encoded));
        const auto round = items_.size == 2   ? RoundBits<std::int16_t>
                           : items_.size == 4 ? RoundBits<std::int32_t>
                                              : RoundBits<std::int64_t>;
        round(run.src, run.dst, run.count, dropped_);
        return {};
    }

    // numcodecs hands on integers.
    DataType EncodedType() const override {
        return dropped_ == 0 ? items_ : MakeNumberType(DataKind::kInt, items_.size);
    }
    bool KeepsShape() const override { return true; }

  private:
    Status BindEncoding(const json::Value& config) {
        if (items_.kind != DataKind::kFloat || items_.NeedsSwap())
            return Status::Unsupported("rounds floats of the native byte order only, not " +
                                       items_.ToString());
        ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(config, "keepbits"));
        const unsigned mantissa = MantissaBits(items_);
        std::int64_t kept = 0;
        if (!member->GetInt64(kept) || kept < 0 || kept > static_cast<std::int64_t>(mantissa))
            return json::Expected("keepbits", "an integer from 0 to " + std::to_string(mantissa),
                                  *member);
        dropped_ = mantissa - static_cast<unsigned>(kept);
        return {};
    }

    DataType items_;
    unsigned dropped_ = 0;
    Status writable_;
};

}  // namespace

CodecResult MakeBitRound(const json::Value& config, const CodecContext& context) {
    return std::unique_ptr<Codec>(std::make_unique<BitRound>(config, context.dtype));
}

}  // namespace zarr
