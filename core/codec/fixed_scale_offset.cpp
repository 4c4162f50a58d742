// SPDX-License-Identifier: MIT
// fixedscaleoffset: encoded = round((decoded - offset) * scale), decoded = encoded / scale + offset
// (numcodecs.FixedScaleOffset), each step in the type that NumPy 1 gives it.
#include "core/codec/factories.h"
#include "core/codec/numeric.h"

namespace zarr {

namespace {

// Two calculations, one after the other, between two conversions.
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

    // Calls first(block, n) and second(block, n) on the numbers of each block.
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

class FixedScaleOffset final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<FixedScaleOffset>();
        ZARR_ASSIGN_OR_RETURN(codec->dtype_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->astype_,
                              OptionalNumberMember(config, "astype", codec->dtype_));
        if (codec->astype_.is_time()) return Status::Unsupported("astype: times cannot be scaled");
        ZARR_ASSIGN_OR_RETURN(codec->scale_, Scalar::Member(config, "scale"));
        ZARR_ASSIGN_OR_RETURN(codec->offset_, Scalar::Member(config, "offset"));
        ZARR_RETURN_IF_ERROR(codec->BindDecoding());
        codec->writable_ = codec->BindEncoding();
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, dtype_.size, astype_.size);
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, astype_.size, dtype_.size, decoded));
        decoding_.Run(
            run, [&](std::uint8_t* block, std::size_t n) { divide_(block, n, scale_); },
            [&](std::uint8_t* block, std::size_t n) { add_(block, n, offset_); });
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
        encoding_.Run(
            run, [&](std::uint8_t* block, std::size_t n) { subtract_(block, n, offset_); },
            [&](std::uint8_t* block, std::size_t n) {
                multiply_(block, n, scale_);
                round_(block, n, scale_);
            });
        return {};
    }

    DataType EncodedType() const override { return astype_; }

  private:
    Status BindDecoding() {
        const bool is_float =
            astype_.kind == DataKind::kFloat || astype_.kind == DataKind::kComplex;
        const DataType quotient =
            is_float ? ResultType(astype_, scale_) : MakeNumberType(DataKind::kFloat, 8);
        const DataType sum = ResultType(quotient, offset_);
        divide_ = MakeCalculation(Operation::kDivide, quotient);
        add_ = MakeCalculation(Operation::kAdd, sum);
        return decoding_.Bind(astype_, quotient, sum, dtype_);
    }

    Status BindEncoding() {
        if (dtype_.is_time()) return Status::Unsupported("dtype: times cannot be scaled");
        const DataType difference = ResultType(dtype_, offset_);
        const DataType product = ResultType(difference, scale_);
        subtract_ = MakeCalculation(Operation::kSubtract, difference);
        multiply_ = MakeCalculation(Operation::kMultiply, product);
        round_ = MakeCalculation(Operation::kRound, product);
        return encoding_.Bind(dtype_, difference, product, astype_);
    }

    DataType dtype_;
    DataType astype_;
    Scalar scale_;
    Scalar offset_;
    TwoSteps decoding_;
    TwoSteps encoding_;
    Calculation divide_ = nullptr;
    Calculation add_ = nullptr;
    Calculation subtract_ = nullptr;
    Calculation multiply_ = nullptr;
    Calculation round_ = nullptr;
    Status writable_;
};

}  // namespace

CodecResult MakeFixedScaleOffset(const json::Value& config, const CodecContext& /*context*/) {
    return FixedScaleOffset::Make(config);
}

}  // namespace zarr
