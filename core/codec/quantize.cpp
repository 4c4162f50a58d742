// SPDX-License-Identifier: MIT
// quantize: floats rounded to `digits` decimals, possibly stored in a smaller type
// (numcodecs.Quantize). The rounding is to a multiple of a power of two, as of netCDF4's
// least_significant_digit, and is not undone.
#include <cmath>
#include <utility>

#include "core/codec/factories.h"
#include "core/codec/numeric.h"

namespace zarr {

namespace {

Status CheckFloat(const DataType& type, std::string_view key) {
    if (type.kind == DataKind::kFloat) return {};
    return Status::Corrupt(std::string(key) + ": expected a floating point type, got " +
                           type.ToString());
}

// The smallest power of two whose inverse still tells `digits` decimals apart.
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

class Quantize final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<Quantize>();
        ZARR_ASSIGN_OR_RETURN(codec->dtype_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->astype_,
                              OptionalNumberMember(config, "astype", codec->dtype_));
        ZARR_RETURN_IF_ERROR(CheckFloat(codec->dtype_, "dtype"));
        ZARR_RETURN_IF_ERROR(CheckFloat(codec->astype_, "astype"));
        ZARR_ASSIGN_OR_RETURN(codec->decode_,
                              NumberConversion::Make(codec->astype_, codec->dtype_));
        codec->writable_ = codec->BindEncoding(config);
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, dtype_.size, astype_.size);
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, astype_.size, dtype_.size, decoded));
        decode_.Run(run.src, run.dst, run.count);
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        return CheckWholeItems(decoded, dtype_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(decoded, dtype_.size, astype_.size, encoded));
        NumberBlock block;
        ForEachBlock(run, dtype_.size, astype_.size,
                     [&](const std::uint8_t* src, std::uint8_t* dst, std::size_t n) {
                         widen_.Run(src, block.bytes, n);
                         multiply_(block.bytes, n, power_);
                         round_(block.bytes, n, power_);
                         divide_(block.bytes, n, power_);
                         narrow_.Run(block.bytes, dst, n);
                     });
        return {};
    }

    DataType EncodedType() const override { return astype_; }
    bool KeepsShape() const override { return true; }

  private:
    Status BindEncoding(const json::Value& config) {
        ZARR_ASSIGN_OR_RETURN(power_, PowerOfTwo(config));
        const DataType scaled = ResultType(dtype_, power_);
        ZARR_ASSIGN_OR_RETURN(widen_, NumberConversion::Make(dtype_, scaled));
        ZARR_ASSIGN_OR_RETURN(narrow_, NumberConversion::Make(scaled, astype_));
        multiply_ = MakeCalculation(Operation::kMultiply, scaled);
        round_ = MakeCalculation(Operation::kRound, scaled);
        divide_ = MakeCalculation(Operation::kDivide, scaled);
        return {};
    }

    DataType dtype_;
    DataType astype_;
    NumberConversion decode_;
    Scalar power_;
    NumberConversion widen_;
    NumberConversion narrow_;
    Calculation multiply_ = nullptr;
    Calculation round_ = nullptr;
    Calculation divide_ = nullptr;
    Status writable_;
};

}  // namespace

CodecResult MakeQuantize(const json::Value& config, const CodecContext& /*context*/) {
    return Quantize::Make(config);
}

}  // namespace zarr
