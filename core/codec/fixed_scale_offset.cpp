// SPDX-License-Identifier: MIT
// fixedscaleoffset: encoded = (decoded - offset) * scale, rounded (numcodecs.FixedScaleOffset).
// Decoding computes encoded / scale + offset in the types that NumPy 1 gives these steps: float64
// for integers, else what the type of `astype` and the smallest type of the scalar promote to.
#include <cmath>

#include "core/base/endian.h"
#include "core/base/half.h"
#include "core/codec/factories.h"
#include "core/codec/numeric.h"
#include "core/json/members.h"

namespace zarr {

namespace {

// A step of the computation on a block of native floats or complex numbers, in place.
using Step = void (*)(std::uint8_t* block, std::size_t count, double operand);

template <class T>
struct Arithmetic {
    static T Divide(T a, double by) { return a / static_cast<T>(by); }
    static T Add(T a, double b) { return a + static_cast<T>(b); }
};

template <>
struct Arithmetic<Half> {
    static Half Divide(Half a, double by) {
        return {FloatToHalf(HalfToFloat(a.bits) / HalfToFloat(DoubleToHalf(by)))};
    }
    static Half Add(Half a, double b) {
        return {FloatToHalf(HalfToFloat(a.bits) + HalfToFloat(DoubleToHalf(b)))};
    }
};

// NumPy turns the scalar into a complex number and divides by Smith's method.
template <class T>
struct Arithmetic<std::complex<T>> {
    static std::complex<T> Divide(std::complex<T> a, double by) {
        const T re = static_cast<T>(by);
        if (re == 0) return {a.real() / std::fabs(re), a.imag() / std::fabs(re)};
        const T ratio = T{0} / re;
        const T factor = T{1} / (re + T{0} * ratio);
        return {(a.real() + a.imag() * ratio) * factor, (a.imag() - a.real() * ratio) * factor};
    }
    static std::complex<T> Add(std::complex<T> a, double b) {
        return {a.real() + static_cast<T>(b), a.imag() + T{0}};
    }
};

template <class T>
void DivideBlock(std::uint8_t* block, std::size_t count, double by) {
    for (std::size_t i = 0; i < count; ++i)
        StoreNative(block + i * sizeof(T),
                    Arithmetic<T>::Divide(LoadNative<T>(block + i * sizeof(T)), by));
}

template <class T>
void AddBlock(std::uint8_t* block, std::size_t count, double operand) {
    for (std::size_t i = 0; i < count; ++i)
        StoreNative(block + i * sizeof(T),
                    Arithmetic<T>::Add(LoadNative<T>(block + i * sizeof(T)), operand));
}

// `type` must be a float or complex type.
template <template <class> class Op>
Step StepOn(const DataType& type) {
    if (type.kind == DataKind::kComplex)
        return type.size == 8 ? Op<std::complex<float>>::kStep : Op<std::complex<double>>::kStep;
    if (type.size == 2) return Op<Half>::kStep;
    return type.size == 4 ? Op<float>::kStep : Op<double>::kStep;
}
template <class T>
struct DivideOp {
    static constexpr Step kStep = DivideBlock<T>;
};
template <class T>
struct AddOp {
    static constexpr Step kStep = AddBlock<T>;
};

// The smallest type that holds the scalar (numpy.min_scalar_type), which for a float is a question
// of range only; NumPy's limits are rounded.
DataType SmallestType(const json::Value& scalar, double number) {
    if (!scalar.is_integer()) {
        const double magnitude = std::isfinite(number) ? std::fabs(number) : 0;
        return MakeNumberType(DataKind::kFloat, magnitude < 65000 ? 2 : magnitude < 3.4e38 ? 4 : 8);
    }
    std::uint64_t positive = 0;
    if (scalar.GetUint64(positive)) {
        const std::size_t size = positive <= UINT8_MAX    ? 1
                                 : positive <= UINT16_MAX ? 2
                                 : positive <= UINT32_MAX ? 4
                                                          : 8;
        return MakeNumberType(DataKind::kUint, size);
    }
    const std::size_t size = number >= INT8_MIN    ? 1
                             : number >= INT16_MIN ? 2
                             : number >= INT32_MIN ? 4
                                                   : 8;
    return MakeNumberType(DataKind::kInt, size);
}

Result<double> ScalarMember(const json::Value& config, std::string_view key, DataType& type) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(config, key));
    double number = 0;
    if (!member->GetDouble(number)) return json::Expected(key, "a number", *member);
    type = SmallestType(*member, number);
    return number;
}

class FixedScaleOffset final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<FixedScaleOffset>();
        ZARR_ASSIGN_OR_RETURN(codec->dtype_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->astype_,
                              OptionalNumberMember(config, "astype", codec->dtype_));
        if (codec->astype_.is_time()) return Status::Unsupported("astype: times cannot be scaled");
        DataType scale_type;
        DataType offset_type;
        ZARR_ASSIGN_OR_RETURN(codec->scale_, ScalarMember(config, "scale", scale_type));
        ZARR_ASSIGN_OR_RETURN(codec->offset_, ScalarMember(config, "offset", offset_type));
        const bool is_float =
            codec->astype_.kind == DataKind::kFloat || codec->astype_.kind == DataKind::kComplex;
        const DataType quotient = is_float ? PromoteNumbers(codec->astype_, scale_type)
                                           : MakeNumberType(DataKind::kFloat, 8);
        const DataType sum = PromoteNumbers(quotient, offset_type);
        ZARR_ASSIGN_OR_RETURN(codec->to_quotient_,
                              NumberConversion::Make(codec->astype_, quotient));
        ZARR_ASSIGN_OR_RETURN(codec->to_sum_, NumberConversion::Make(quotient, sum));
        ZARR_ASSIGN_OR_RETURN(codec->to_decoded_, NumberConversion::Make(sum, codec->dtype_));
        codec->widens_ = quotient.size != sum.size;
        codec->divide_ = StepOn<DivideOp>(quotient);
        codec->add_ = StepOn<AddOp>(sum);
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, dtype_.size, astype_.size);
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(ItemRun run,
                              PrepareItems(encoded, astype_.size, dtype_.size, decoded));
        NumberBlock quotient;
        NumberBlock widened;
        NumberBlock& sum = widens_ ? widened : quotient;
        while (run.count > 0) {
            const std::size_t n = run.count < kNumberBlock ? run.count : kNumberBlock;
            to_quotient_.Run(run.src, quotient.bytes, n);
            divide_(quotient.bytes, n, scale_);
            if (widens_) to_sum_.Run(quotient.bytes, widened.bytes, n);
            add_(sum.bytes, n, offset_);
            to_decoded_.Run(sum.bytes, run.dst, n);
            run.src += n * astype_.size;
            run.dst += n * dtype_.size;
            run.count -= n;
        }
        return {};
    }

  private:
    DataType dtype_;
    DataType astype_;
    double scale_ = 1;
    double offset_ = 0;
    NumberConversion to_quotient_;
    NumberConversion to_sum_;
    NumberConversion to_decoded_;
    bool widens_ = false;
    Step divide_ = nullptr;
    Step add_ = nullptr;
};

}  // namespace

CodecResult MakeFixedScaleOffset(const json::Value& config, const CodecContext& /*context*/) {
    return FixedScaleOffset::Make(config);
}

}  // namespace zarr
