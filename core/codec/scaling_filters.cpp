// SPDX-License-Identifier: MIT
// The filters fixedscaleoffset, quantize, bitround and astype of numcodecs, which store numbers in
// fewer bits or another type.
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

// fixedscaleoffset (numcodecs.FixedScaleOffset): encoded = round((decoded - offset) * scale),
// decoded = encoded / scale + offset. Each step is calculated in the type that NumPy 1 uses.

namespace {

// Runs two calculations in sequence, with type conversions before, between and after them.
class TwoSteps {
  public:
    Status Bind(const DataType& from, const DataType& first, const DataType& second,
                const DataType& to) {
        from_size_ = from.size;
        to_size_ = to.size;
        widens_ = first.size != second.size || first.kind != second.kind;
        ZARR_ASSIGN_OR_RETURN(to_first_, NumberConversion::Make(from, first));
        ZARR_ASSIGN_OR_RETURN(to_second_, NumberConversion::Make(first, second));
        ZARR_ASSIGN_OR_RETURN(to_result_, NumberConversion::Make(second, to));
        return {};
    }

    // Calls first(block, n), then second(block, n), for each block of `n` numbers.
    template <class First, class Second>
    void Run(ItemRun run, First&& first, Second&& second) const {
        NumberBlock block;
        NumberBlock widened;
        NumberBlock& result = widens_ ? widened : block;
        ForEachBlock(run, from_size_, to_size_,
                     [&](const std::uint8_t* src, std::uint8_t* dst, std::size_t n) {
                         to_first_.Run(src, block.bytes, n);
                         first(block.bytes, n);
                         if (widens_) to_second_.Run(block.bytes, widened.bytes, n);
                         second(result.bytes, n);
                         to_result_.Run(result.bytes, dst, n);
                     });
    }

  private:
    std::size_t from_size_ = 0;
    std::size_t to_size_ = 0;
    bool widens_ = false;
    NumberConversion to_first_;
    NumberConversion to_second_;
    NumberConversion to_result_;
};

class FixedScaleOffset final : public NumberFilter {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<FixedScaleOffset>();
        ZARR_ASSIGN_OR_RETURN(codec->decoded_type_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->encoded_type_,
                              OptionalNumberMember(config, "astype", codec->decoded_type_));
        if (codec->encoded_type_.is_time())
            return Status::Unsupported("astype: times cannot be scaled");
        ZARR_ASSIGN_OR_RETURN(codec->scale_, Scalar::Member(config, "scale"));
        ZARR_ASSIGN_OR_RETURN(codec->offset_, Scalar::Member(config, "offset"));
        ZARR_RETURN_IF_ERROR(codec->BindDecoding());
        codec->writable_ = codec->BindEncoding();
        return std::unique_ptr<Codec>(std::move(codec));
    }

  protected:
    void DecodeItems(const ItemRun& run) const override {
        decoding_.Run(
            run, [&](std::uint8_t* block, std::size_t n) { divide_(block, n, scale_); },
            [&](std::uint8_t* block, std::size_t n) { add_(block, n, offset_); });
    }

    void EncodeItems(const ItemRun& run) const override {
        encoding_.Run(
            run, [&](std::uint8_t* block, std::size_t n) { subtract_(block, n, offset_); },
            [&](std::uint8_t* block, std::size_t n) {
                multiply_(block, n, scale_);
                round_(block, n, scale_);
            });
    }

  private:
    Status BindDecoding() {
        const bool is_float =
            encoded_type_.kind == DataKind::kFloat || encoded_type_.kind == DataKind::kComplex;
        const DataType quotient =
            is_float ? ResultType(encoded_type_, scale_) : MakeNumberType(DataKind::kFloat, 8);
        const DataType sum = ResultType(quotient, offset_);
        divide_ = MakeCalculation(Operation::kDivide, quotient);
        add_ = MakeCalculation(Operation::kAdd, sum);
        return decoding_.Bind(encoded_type_, quotient, sum, decoded_type_);
    }

    Status BindEncoding() {
        if (decoded_type_.is_time()) return Status::Unsupported("dtype: times cannot be scaled");
        const DataType difference = ResultType(decoded_type_, offset_);
        const DataType product = ResultType(difference, scale_);
        subtract_ = MakeCalculation(Operation::kSubtract, difference);
        multiply_ = MakeCalculation(Operation::kMultiply, product);
        round_ = MakeCalculation(Operation::kRound, product);
        return encoding_.Bind(decoded_type_, difference, product, encoded_type_);
    }

    Scalar scale_;
    Scalar offset_;
    TwoSteps decoding_;
    TwoSteps encoding_;
    Calculation divide_ = nullptr;
    Calculation add_ = nullptr;
    Calculation subtract_ = nullptr;
    Calculation multiply_ = nullptr;
    Calculation round_ = nullptr;
};

}  // namespace

CodecResult MakeFixedScaleOffset(const json::Value& config, const CodecContext& /*context*/) {
    return FixedScaleOffset::Make(config);
}

// quantize (numcodecs.Quantize): rounds floats to `digits` decimals, and may store them in a
// smaller type. Rounds to a multiple of a power of two, as netCDF4 does for
// least_significant_digit. Decoding does not restore the lost digits.

namespace {

Status CheckFloat(const DataType& type, std::string_view key) {
    if (type.kind == DataKind::kFloat) return {};
    return Status::Corrupt(std::string(key) + ": expected a floating point type, got " +
                           type.ToString());
}

// Returns the factor by which numbers are multiplied before they are rounded to integers: the power
// of two that keeps `digits` decimals.
Result<Scalar> PowerOfTwo(const json::Value& config) {
    ZARR_ASSIGN_OR_RETURN(const Scalar digits, Scalar::Member(config, "digits"));
    const double precision = std::pow(10.0, -digits.number);
    const double exponent = std::log10(precision);
    const double whole = exponent < 0 ? std::floor(exponent) : std::ceil(exponent);
    const double power = std::exp2(std::ceil(std::log2(std::pow(10.0, -whole))));
    if (!std::isfinite(precision) || !std::isfinite(power) || precision == 0 || power == 0)
        return Status::Invalid("digits: " + std::to_string(digits.number) +
                               " is beyond the range of doubles");
    return Scalar::Float(power);
}

class Quantize final : public NumberFilter {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<Quantize>();
        ZARR_ASSIGN_OR_RETURN(codec->decoded_type_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->encoded_type_,
                              OptionalNumberMember(config, "astype", codec->decoded_type_));
        ZARR_RETURN_IF_ERROR(CheckFloat(codec->decoded_type_, "dtype"));
        ZARR_RETURN_IF_ERROR(CheckFloat(codec->encoded_type_, "astype"));
        ZARR_ASSIGN_OR_RETURN(codec->decode_,
                              NumberConversion::Make(codec->encoded_type_, codec->decoded_type_));
        codec->writable_ = codec->BindEncoding(config);
        return std::unique_ptr<Codec>(std::move(codec));
    }

    bool KeepsShape() const override { return true; }

  protected:
    void DecodeItems(const ItemRun& run) const override {
        decode_.Run(run.src, run.dst, run.count);
    }

    void EncodeItems(const ItemRun& run) const override {
        NumberBlock block;
        ForEachBlock(run, decoded_type_.size, encoded_type_.size,
                     [&](const std::uint8_t* src, std::uint8_t* dst, std::size_t n) {
                         widen_.Run(src, block.bytes, n);
                         multiply_(block.bytes, n, power_);
                         round_(block.bytes, n, power_);
                         divide_(block.bytes, n, power_);
                         narrow_.Run(block.bytes, dst, n);
                     });
    }

  private:
    Status BindEncoding(const json::Value& config) {
        ZARR_ASSIGN_OR_RETURN(power_, PowerOfTwo(config));
        const DataType scaled = ResultType(decoded_type_, power_);
        ZARR_ASSIGN_OR_RETURN(widen_, NumberConversion::Make(decoded_type_, scaled));
        ZARR_ASSIGN_OR_RETURN(narrow_, NumberConversion::Make(scaled, encoded_type_));
        multiply_ = MakeCalculation(Operation::kMultiply, scaled);
        round_ = MakeCalculation(Operation::kRound, scaled);
        divide_ = MakeCalculation(Operation::kDivide, scaled);
        return {};
    }

    NumberConversion decode_;
    Scalar power_;
    NumberConversion widen_;
    NumberConversion narrow_;
    Calculation multiply_ = nullptr;
    Calculation round_ = nullptr;
    Calculation divide_ = nullptr;
};

}  // namespace

CodecResult MakeQuantize(const json::Value& config, const CodecContext& /*context*/) {
    return Quantize::Make(config);
}

// bitround (numcodecs.BitRound): rounds the mantissa of floats to fewer bits, to nearest, ties to
// even. Decoding does not restore the lost bits.

namespace {

// Rounds the bits of a float as if they were an integer, as numcodecs does. A carry in that
// rounding can change a NaN to another value, or the largest finite number to infinity.
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

// Returns the number of mantissa bits.
unsigned MantissaBits(const DataType& type) {
    return type.size == 2 ? 10 : type.size == 4 ? 23 : 52;
}

class BitRound final : public Codec {
  public:
    // `items` is the type of the items to encode.
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

    // Encoded floats are described to the next codec as integers of the same size, as in numcodecs.
    DataType EncodedType() const override {
        return dropped_ == 0 ? items_ : MakeNumberType(DataKind::kInt, items_.size);
    }
    bool KeepsShape() const override { return true; }

  private:
    Status BindEncoding(const json::Value& config) {
        if (items_.kind != DataKind::kFloat || items_.narrow != NarrowType::kNone ||
            items_.NeedsSwap())
            return Status::Unsupported("requires floats of native byte order, got " +
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

// astype (numcodecs.AsType): stores numbers in another type, `encode_dtype`.

namespace {

class AsType final : public NumberFilter {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<AsType>();
        ZARR_ASSIGN_OR_RETURN(codec->encoded_type_, NumberMember(config, "encode_dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->decoded_type_, NumberMember(config, "decode_dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->decode_,
                              NumberConversion::Make(codec->encoded_type_, codec->decoded_type_));
        Result<NumberConversion> encode =
            NumberConversion::Make(codec->decoded_type_, codec->encoded_type_)
                .WithContext("encode_dtype");
        codec->writable_ = encode.status();
        if (encode.ok()) codec->encode_ = encode.Take();
        return std::unique_ptr<Codec>(std::move(codec));
    }

    bool KeepsShape() const override { return true; }

  protected:
    void DecodeItems(const ItemRun& run) const override {
        decode_.Run(run.src, run.dst, run.count);
    }

    void EncodeItems(const ItemRun& run) const override {
        encode_.Run(run.src, run.dst, run.count);
    }

  private:
    NumberConversion decode_;
    NumberConversion encode_;
};

}  // namespace

CodecResult MakeAsType(const json::Value& config, const CodecContext& /*context*/) {
    return AsType::Make(config);
}

}  // namespace zarr
