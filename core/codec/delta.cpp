// SPDX-License-Identifier: MIT
// numcodecs' "delta" (numcodecs.Delta): stores the first element, then differences of neighbours.
// Encoding subtracts in `dtype` and converts differences to `astype`. Decoding sums in the type to
// which NumPy promotes `astype` and `dtype`, and converts the sums to `dtype`.
#include <type_traits>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"

namespace zarr {

namespace {

template <class T>
T Add(T a, T b) {
    if constexpr (std::is_same_v<T, BoolByte>) {
        return {static_cast<std::uint8_t>(a.byte | b.byte)};
    } else if constexpr (std::is_same_v<T, Half>) {
        return {FloatToHalf(HalfToFloat(a.bits) + HalfToFloat(b.bits))};
    } else if constexpr (std::is_integral_v<T>) {  // integer overflow wraps around
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}

// Returns a - b; for booleans, as in NumPy, true if `a` and `b` differ.
template <class T>
T Subtract(T a, T b) {
    if constexpr (std::is_same_v<T, BoolByte>) {
        return {static_cast<std::uint8_t>((a.byte != 0) != (b.byte != 0))};
    } else if constexpr (std::is_same_v<T, Half>) {
        return {FloatToHalf(HalfToFloat(a.bits) - HalfToFloat(b.bits))};
    } else if constexpr (std::is_integral_v<T>) {  // integer overflow wraps around
        return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    } else {
        return a - b;
    }
}

// Replaces each element of `block` by its difference from the previous element. `carry` is the last
// element of the previous block and becomes the last element of this block. In the first block, for
// which `first` is true, the first element stays unchanged.
template <class T>
void Differentiate(std::uint8_t* block, std::size_t count, std::uint8_t* carry, bool first) {
    T before = LoadNative<T>(first ? block : carry);
    for (std::size_t i = first ? 1 : 0; i < count; ++i) {
        const T element = LoadNative<T>(block + i * sizeof(T));
        StoreNative(block + i * sizeof(T), Subtract(element, before));
        before = element;
    }
    StoreNative(carry, before);
}

// Works like Differentiate(), for a block of times or time differences. If an element or the
// element before it is NaT (not a time), their difference is NaT.
void DifferentiateTicks(std::uint8_t* block, std::size_t count, std::uint8_t* carry, bool first) {
    auto before = LoadNative<std::int64_t>(first ? block : carry);
    for (std::size_t i = first ? 1 : 0; i < count; ++i) {
        const auto element = LoadNative<std::int64_t>(block + i * sizeof before);
        const bool is_time = element != kNotATime && before != kNotATime;
        StoreNative(block + i * sizeof before, is_time ? Subtract(element, before) : kNotATime);
        before = element;
    }
    StoreNative(carry, before);
}

// Replaces each element of `block` by the sum of all elements so far. `carry` is the sum of the
// previous blocks, and becomes the new sum. `carry` is ignored if `first` is true, because adding 0
// would change a leading -0.0 to 0.0.
template <class T>
void Accumulate(std::uint8_t* block, std::size_t count, std::uint8_t* carry, bool first) {
    T sum = LoadNative<T>(first ? block : carry);
    for (std::size_t i = first ? 1 : 0; i < count; ++i) {
        sum = Add(sum, LoadNative<T>(block + i * sizeof(T)));
        StoreNative(block + i * sizeof(T), sum);
    }
    StoreNative(carry, sum);
}

// Replaces each time difference of `block` by the sum of all elements so far; all sums after a NaT
// are NaT. Accumulate() describes `carry` and `first`.
void AccumulateTicks(std::uint8_t* block, std::size_t count, std::uint8_t* carry, bool first) {
    auto sum = LoadNative<std::int64_t>(first ? block : carry);
    for (std::size_t i = first ? 1 : 0; i < count; ++i) {
        const auto step = LoadNative<std::int64_t>(block + i * sizeof sum);
        sum = sum == kNotATime || step == kNotATime ? kNotATime : Add(sum, step);
        StoreNative(block + i * sizeof sum, sum);
    }
    StoreNative(carry, sum);
}

class Delta final : public NumberFilter {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<Delta>();
        ZARR_ASSIGN_OR_RETURN(codec->decoded_type_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->encoded_type_,
                              OptionalNumberMember(config, "astype", codec->decoded_type_));
        if (codec->decoded_type_.kind == DataKind::kDatetime ||
            codec->encoded_type_.kind == DataKind::kDatetime)
            return Status::Unsupported(
                "dtype: datetime64 is unsupported, because points in time cannot be added");
        codec->sum_ = PromoteNumbers(codec->encoded_type_, codec->decoded_type_);
        ZARR_ASSIGN_OR_RETURN(codec->widen_,
                              NumberConversion::Make(codec->encoded_type_, codec->sum_));
        ZARR_ASSIGN_OR_RETURN(codec->narrow_,
                              NumberConversion::Make(codec->sum_, codec->decoded_type_));
        codec->accumulate_ = VisitNumber(codec->sum_, [](auto tag) -> BlockFunction {
            return Accumulate<typename decltype(tag)::type>;
        });
        if (codec->sum_.is_time()) codec->accumulate_ = AccumulateTicks;
        codec->writable_ = codec->BindEncoding();
        return std::unique_ptr<Codec>(std::move(codec));
    }

  protected:
    void DecodeItems(const ItemRun& run) const override {
        Run(run, widen_, accumulate_, narrow_, encoded_type_.size, decoded_type_.size);
    }

    void EncodeItems(const ItemRun& run) const override {
        Run(run, to_native_, differentiate_, to_stored_, decoded_type_.size, encoded_type_.size);
    }

  private:
    using BlockFunction = void (*)(std::uint8_t* block, std::size_t count, std::uint8_t* carry,
                                   bool first);

    // Converts the items of `run` with `before`, calls `function` for each block, and converts the
    // results with `after`. `function` sums elements or takes their differences.
    static void Run(const ItemRun& run, const NumberConversion& before, BlockFunction function,
                    const NumberConversion& after, std::size_t src_size, std::size_t dst_size) {
        NumberBlock block;
        alignas(16) std::uint8_t carry[16] = {};
        bool first = true;
        ForEachBlock(run, src_size, dst_size,
                     [&](const std::uint8_t* src, std::uint8_t* dst, std::size_t n) {
                         before.Run(src, block.bytes, n);
                         function(block.bytes, n, carry, first);
                         after.Run(block.bytes, dst, n);
                         first = false;
                     });
    }

    Status BindEncoding() {
        const DataType difference = decoded_type_.Native();
        ZARR_ASSIGN_OR_RETURN(to_native_, NumberConversion::Make(decoded_type_, difference));
        auto to_stored = NumberConversion::Make(difference, encoded_type_).WithContext("astype");
        ZARR_RETURN_IF_ERROR(to_stored.status());
        to_stored_ = to_stored.Take();
        differentiate_ = VisitNumber(difference, [](auto tag) -> BlockFunction {
            return Differentiate<typename decltype(tag)::type>;
        });
        if (difference.is_time()) differentiate_ = DifferentiateTicks;
        return {};
    }

    DataType sum_;
    NumberConversion widen_;
    NumberConversion narrow_;
    BlockFunction accumulate_ = nullptr;
    NumberConversion to_native_;
    NumberConversion to_stored_;
    BlockFunction differentiate_ = nullptr;
};

}  // namespace

CodecResult MakeDelta(const json::Value& config, const CodecContext& /*context*/) {
    return Delta::Make(config);
}

}  // namespace zarr
