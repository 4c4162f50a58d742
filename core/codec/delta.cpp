// SPDX-License-Identifier: MIT
// delta: the first element, then differences (numcodecs.Delta). Encoding subtracts in `dtype` and
// converts the differences; decoding adds up in the type that NumPy promotes `astype` and `dtype`
// to, and converts the sums.
#include <type_traits>

#include "core/base/converter.h"
#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/numeric.h"

namespace zarr {

namespace {

template <class T>
T Add(T a, T b) {
    if constexpr (std::is_same_v<T, BoolByte>) {
        return {static_cast<std::uint8_t>(a.byte | b.byte)};
    } else if constexpr (std::is_same_v<T, Half>) {
        return {FloatToHalf(HalfToFloat(a.bits) + HalfToFloat(b.bits))};
    } else if constexpr (std::is_integral_v<T>) {  // wraps
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}

// NumPy's difference of booleans is whether they differ.
template <class T>
T Subtract(T a, T b) {
    if constexpr (std::is_same_v<T, BoolByte>) {
        return {static_cast<std::uint8_t>((a.byte != 0) != (b.byte != 0))};
    } else if constexpr (std::is_same_v<T, Half>) {
        return {FloatToHalf(HalfToFloat(a.bits) - HalfToFloat(b.bits))};
    } else if constexpr (std::is_integral_v<T>) {  // wraps
        return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    } else {
        return a - b;
    }
}

// Replaces each element of `block` by its difference from the one before, which for the first is
// `carry`, unless this is the `first` block. `carry` becomes the last element.
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

// A difference from or to NaT is NaT.
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

// Replaces the elements of `block` by their running sum. `carry` is the sum so far, and becomes the
// new one; a `first` block has none (0 would turn a leading -0.0 into 0.0).
template <class T>
void Accumulate(std::uint8_t* block, std::size_t count, std::uint8_t* carry, bool first) {
    T sum = LoadNative<T>(first ? block : carry);
    for (std::size_t i = first ? 1 : 0; i < count; ++i) {
        sum = Add(sum, LoadNative<T>(block + i * sizeof(T)));
        StoreNative(block + i * sizeof(T), sum);
    }
    StoreNative(carry, sum);
}

// After a NaT everything is.
void AccumulateTicks(std::uint8_t* block, std::size_t count, std::uint8_t* carry, bool first) {
    auto sum = LoadNative<std::int64_t>(first ? block : carry);
    for (std::size_t i = first ? 1 : 0; i < count; ++i) {
        const auto step = LoadNative<std::int64_t>(block + i * sizeof sum);
        sum = sum == kNotATime || step == kNotATime ? kNotATime : Add(sum, step);
        StoreNative(block + i * sizeof sum, sum);
    }
    StoreNative(carry, sum);
}

class Delta final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<Delta>();
        ZARR_ASSIGN_OR_RETURN(codec->dtype_, NumberMember(config, "dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->astype_,
                              OptionalNumberMember(config, "astype", codec->dtype_));
        if (codec->dtype_.kind == DataKind::kDatetime || codec->astype_.kind == DataKind::kDatetime)
            return Status::Unsupported("dtype: points in time cannot be added up");
        codec->sum_ = PromoteNumbers(codec->astype_, codec->dtype_);
        ZARR_ASSIGN_OR_RETURN(codec->widen_, NumberConversion::Make(codec->astype_, codec->sum_));
        ZARR_ASSIGN_OR_RETURN(codec->narrow_, NumberConversion::Make(codec->sum_, codec->dtype_));
        codec->accumulate_ = VisitNumber(codec->sum_, [](auto tag) -> BlockFunction {
            return Accumulate<typename decltype(tag)::type>;
        });
        if (codec->sum_.is_time()) codec->accumulate_ = AccumulateTicks;
        codec->writable_ = codec->BindEncoding();
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, dtype_.size, astype_.size);
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, astype_.size, dtype_.size, decoded));
        Run(run, widen_, accumulate_, narrow_, astype_.size, dtype_.size);
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
        Run(run, to_native_, differentiate_, to_stored_, dtype_.size, astype_.size);
        return {};
    }

    DataType EncodedType() const override { return astype_; }

  private:
    using BlockFunction = void (*)(std::uint8_t* block, std::size_t count, std::uint8_t* carry,
                                   bool first);

    // Converts, adds up or subtracts, and converts again, block by block.
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
        const DataType difference = dtype_.Native();
        ZARR_ASSIGN_OR_RETURN(to_native_, NumberConversion::Make(dtype_, difference));
        auto to_stored = NumberConversion::Make(difference, astype_).WithContext("astype");
        ZARR_RETURN_IF_ERROR(to_stored.status());
        to_stored_ = to_stored.Take();
        differentiate_ = VisitNumber(difference, [](auto tag) -> BlockFunction {
            return Differentiate<typename decltype(tag)::type>;
        });
        if (difference.is_time()) differentiate_ = DifferentiateTicks;
        return {};
    }

    DataType dtype_;
    DataType astype_;
    DataType sum_;
    NumberConversion widen_;
    NumberConversion narrow_;
    BlockFunction accumulate_ = nullptr;
    NumberConversion to_native_;
    NumberConversion to_stored_;
    BlockFunction differentiate_ = nullptr;
    Status writable_;
};

}  // namespace

CodecResult MakeDelta(const json::Value& config, const CodecContext& /*context*/) {
    return Delta::Make(config);
}

}  // namespace zarr
