// SPDX-License-Identifier: MIT
// "scale_offset" of zarr-extensions: encoded = (decoded - offset) * scale, calculated in the type
// of the items. A result that the type cannot represent, such as a fraction of an integer, is an
// error.
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/codec/v3_numbers.h"

namespace zarr {

namespace {

// Scale and offset as bytes of one element in the host's byte order.
struct ScaleAndOffset {
    std::string scale;
    std::string offset;
    IntegerRange range;  // range of the data type, if it is an integer type
    unsigned bits = 0;
};

// An integer with sign and 64-bit magnitude, for sums of any two integer types.
struct WideInteger {
    bool is_negative = false;
    std::uint64_t magnitude = 0;

    template <class Int>
    static WideInteger Of(Int number) {
        const auto bits =
            static_cast<std::uint64_t>(number);  // NOLINT(bugprone-signed-char-misuse): a number
        if constexpr (std::is_signed_v<Int>)
            if (number < 0) return {true, 0 - bits};
        return {false, bits};
    }
};

// Functions that calculate with one number. Each returns false if the result is outside of the
// range of the type.

bool IsIn(const IntegerRange& range, const WideInteger& number) {
    if (!number.is_negative) return number.magnitude <= range.largest;
    return number.magnitude <= std::uint64_t{0} - static_cast<std::uint64_t>(range.least);
}

bool AddIntegers(const IntegerRange& range, WideInteger& a, const WideInteger& b) {
    if (a.is_negative == b.is_negative) {
        const auto sum = CheckedAdd(a.magnitude, b.magnitude);
        if (!sum) return false;
        a.magnitude = *sum;
    } else if (a.magnitude >= b.magnitude) {
        a.magnitude -= b.magnitude;
    } else {
        a = {b.is_negative, b.magnitude - a.magnitude};
    }
    if (a.magnitude == 0) a.is_negative = false;
    return IsIn(range, a);
}

bool MultiplyIntegers(const IntegerRange& range, WideInteger& a, const WideInteger& b) {
    const auto product = CheckedMul(a.magnitude, b.magnitude);
    if (!product) return false;
    a = {*product != 0 && a.is_negative != b.is_negative, *product};
    return IsIn(range, a);
}

bool DivideIntegers(const IntegerRange& range, WideInteger& a, const WideInteger& b) {
    if (b.magnitude == 0 || a.magnitude % b.magnitude != 0) return false;
    a = {a.magnitude != 0 && a.is_negative != b.is_negative, a.magnitude / b.magnitude};
    return IsIn(range, a);
}

float AsFloat(Half number) { return HalfToFloat(number.bits); }
float AsFloat(float number) { return number; }
double AsFloat(double number) { return number; }

template <class T>
T OfFloat(decltype(AsFloat(T{})) number) {
    if constexpr (std::is_same_v<T, Half>)
        return {FloatToHalf(number)};
    else
        return number;
}

template <class T, bool kDecodes>
bool ScaleOne(const ScaleAndOffset& by, const T& scale, const T& offset, T& number) {
    if constexpr (std::is_integral_v<T>) {
        WideInteger wide =
            WideInteger::Of(TruncateToBits<T>(static_cast<std::uint64_t>(number), by.bits));
        WideInteger added = WideInteger::Of(offset);
        const WideInteger factor = WideInteger::Of(scale);
        if constexpr (kDecodes) {
            if (!DivideIntegers(by.range, wide, factor) || !AddIntegers(by.range, wide, added))
                return false;
        } else {
            added.is_negative = !added.is_negative;
            if (!AddIntegers(by.range, wide, added) || !MultiplyIntegers(by.range, wide, factor))
                return false;
        }
        number = static_cast<T>(wide.is_negative ? 0 - wide.magnitude : wide.magnitude);
        return true;
    } else {
        const auto value = AsFloat(number);
        const T first =
            kDecodes ? OfFloat<T>(value / AsFloat(scale)) : OfFloat<T>(value - AsFloat(offset));
        number = kDecodes ? OfFloat<T>(AsFloat(first) + AsFloat(offset))
                          : OfFloat<T>(AsFloat(first) * AsFloat(scale));
        return std::isfinite(AsFloat(number)) || !std::isfinite(value);
    }
}

// Scales elements up to the first element whose result cannot be represented. Returns the index of
// this element; `run.count` if all elements were scaled.
template <class T, bool kDecodes>
std::size_t ScaleRun(const ScaleAndOffset& by, const ItemRun& run) {
    const T scale = LoadNative<T>(by.scale.data());
    const T offset = LoadNative<T>(by.offset.data());
    for (std::size_t i = 0; i < run.count; ++i) {
        T number = LoadNative<T>(run.src + i * sizeof(T));
        if (!ScaleOne<T, kDecodes>(by, scale, offset, number)) return i;
        StoreNative(run.dst + i * sizeof(T), number);
    }
    return run.count;
}

using Scaling = std::size_t (*)(const ScaleAndOffset& by, const ItemRun& run);

template <bool kDecodes>
Scaling ScalingOf(const DataType& type) {
    return VisitReal(
        type, [](auto tag) -> Scaling { return ScaleRun<typename decltype(tag)::type, kDecodes>; });
}

class ScaleOffset final : public RealFilter {
  public:
    ScaleOffset(const DataType& type, ScaleAndOffset by)
        : RealFilter(type, type),
          by_(std::move(by)),
          decode_(ScalingOf<true>(type)),
          encode_(ScalingOf<false>(type)) {}

  protected:
    Status DecodeItems(const ItemRun& run) const override {
        const std::size_t done = decode_(by_, run);
        return done == run.count ? Status() : Status::Corrupt(NoResult(run, done));
    }
    Status EncodeItems(const ItemRun& run) const override {
        const std::size_t done = encode_(by_, run);
        return done == run.count ? Status() : Status::Invalid(NoResult(run, done));
    }

  private:
    std::string NoResult(const ItemRun& run, std::size_t index) const {
        return "the result for " +
               RealNumberText(decoded_type_, run.src + index * decoded_type_.size) +
               " is not a valid " + NumberTypeName(decoded_type_);
    }

    ScaleAndOffset by_;
    Scaling decode_;
    Scaling encode_;
};

// Returns the member `key` as bytes of one element; `fallback` if the member is missing.
Result<std::string> ScalarMember(const json::Value& config, std::string_view key,
                                 std::int64_t fallback, const DataType& type) {
    const json::Value* member = config.Find(key);
    return ParseRealScalar(type, member != nullptr ? *member : json::Value(fallback), key);
}

}  // namespace

CodecResult MakeScaleOffset(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"offset", "scale"}));
    ZARR_RETURN_IF_ERROR(CheckRealType(context.dtype));
    ScaleAndOffset by;
    ZARR_ASSIGN_OR_RETURN(by.offset, ScalarMember(config, "offset", 0, context.dtype));
    ZARR_ASSIGN_OR_RETURN(by.scale, ScalarMember(config, "scale", 1, context.dtype));
    by.bits = BitsOf(context.dtype);
    if (context.dtype.kind != DataKind::kFloat) by.range = IntegerRange::Of(context.dtype);
    return std::unique_ptr<Codec>(std::make_unique<ScaleOffset>(context.dtype, std::move(by)));
}

}  // namespace zarr
