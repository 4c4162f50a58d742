// SPDX-License-Identifier: MIT
#include "core/array/rounding_guard.h"

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/endian.h"

namespace zarr {

namespace {

// Rounds floats, given as bits in the unsigned integer type `Bits`, without changing them to the
// fill value, infinity or NaN.
template <class Bits>
class GuardedRounding {
  public:
    GuardedRounding(unsigned mantissa, unsigned kept, std::optional<Bits> fill)
        : last_(static_cast<Bits>(Bits{1} << (mantissa - kept))),
          infinity_(static_cast<Bits>(kMagnitude & ~((Bits{1} << mantissa) - 1))),
          default_nan_(static_cast<Bits>(infinity_ | (Bits{1} << (mantissa - 1)))),
          fill_(fill) {}

    // Returns the float to encode in place of `bits`. The result is usually `bits` itself.
    Bits Guard(Bits bits) const {
        const Bits rounded = Rounded(bits);
        if (IsNan(bits)) return IsNan(rounded) ? bits : default_nan_;
        const auto magnitude = static_cast<Bits>(bits & kMagnitude);
        if (magnitude == infinity_ || IsFill(bits)) return bits;
        const bool overflows = (rounded & kMagnitude) == infinity_;
        if (!overflows && !IsFill(rounded)) return bits;
        const auto sign = static_cast<Bits>(bits & ~kMagnitude);
        // Tries the two nearest rounded magnitudes, below and above the number, then the next one
        // below. Integer arithmetic finds them, because a larger magnitude has a larger bit
        // pattern.
        const auto below = static_cast<Bits>(magnitude & ~(last_ - 1));
        for (const Bits other : {below, static_cast<Bits>(below + last_), Less(below)}) {
            const auto candidate = static_cast<Bits>(sign | other);
            if (other < infinity_ && !IsFill(candidate)) return candidate;
        }
        return bits;
    }

  private:
    static constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;

    // Rounds to nearest, ties to even, like the codec bitround.
    Bits Rounded(Bits bits) const {
        const auto is_odd = static_cast<Bits>((bits & last_) != 0 ? 1 : 0);
        return static_cast<Bits>(static_cast<Bits>(bits + (last_ >> 1) - 1 + is_odd) &
                                 ~static_cast<Bits>(last_ - 1));
    }
    bool IsNan(Bits bits) const { return (bits & kMagnitude) > infinity_; }
    // True if the number equals the fill value. 0 and -0 count as equal.
    bool IsFill(Bits bits) const {
        return fill_ && (bits == *fill_ || ((bits | *fill_) & kMagnitude) == 0);
    }
    Bits Less(Bits magnitude) const {
        return magnitude < last_ ? magnitude : static_cast<Bits>(magnitude - last_);
    }

    Bits last_;  // mask with the lowest mantissa bit that rounding keeps
    Bits infinity_;
    Bits default_nan_;
    std::optional<Bits> fill_;
};

template <class Bits>
Result<ByteSpan> Guarded(const ArrayMetadata& metadata, unsigned mantissa, std::int64_t kept,
                         ByteSpan chunk, Buffer& copy) {
    if (kept < 0 || kept >= static_cast<std::int64_t>(mantissa)) return chunk;
    std::optional<Bits> fill;
    const std::string element = metadata.fill_value.Bytes();
    if (metadata.has_fill_value && element.size() == sizeof(Bits))
        fill = LoadNative<Bits>(element.data());
    const GuardedRounding<Bits> rounding(mantissa, static_cast<unsigned>(kept), fill);
    bool is_copied = false;
    for (std::size_t at = 0; at + sizeof(Bits) <= chunk.size; at += sizeof(Bits)) {
        const auto bits = LoadNative<Bits>(chunk.data + at);
        const Bits guarded = rounding.Guard(bits);
        if (guarded == bits) continue;
        if (!is_copied) ZARR_RETURN_IF_ERROR(copy.Assign(chunk));
        is_copied = true;
        StoreNative(copy.data() + at, guarded);
    }
    return is_copied ? ByteSpan{copy.data(), copy.size()} : chunk;
}

}  // namespace

Result<ByteSpan> GuardRounding(const ArrayMetadata& metadata, ByteSpan chunk, Buffer& copy) {
    const DataType& type = metadata.dtype;
    if (metadata.codecs.empty() || type.kind != DataKind::kFloat ||
        type.narrow != NarrowType::kNone || type.NeedsSwap())
        return chunk;
    const CodecSpec& codec = metadata.codecs.front();
    if (WithoutNumcodecsPrefix(codec.name) != "bitround") return chunk;
    const json::Value* const member = codec.configuration.Find("keepbits");
    std::int64_t kept = 0;
    if (member == nullptr || !member->GetInt64(kept)) return chunk;
    if (type.size == 2) return Guarded<std::uint16_t>(metadata, 10, kept, chunk, copy);
    if (type.size == 4) return Guarded<std::uint32_t>(metadata, 23, kept, chunk, copy);
    return Guarded<std::uint64_t>(metadata, 52, kept, chunk, copy);
}

}  // namespace zarr
