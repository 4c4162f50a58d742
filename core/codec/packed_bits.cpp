// SPDX-License-Identifier: MIT
// Codec "packbits" of zarr-extensions: stores only the significant bits of items, without gaps. The
// lowest bit comes first, as in zarrs; in numcodecs' packbits, the highest bit comes first.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/codec/v3_numbers.h"

namespace zarr {

namespace {

enum class Padding : std::uint8_t { kNone, kFirstByte, kLastByte };

// Selects the bits of a number to store: `bits` bits from bit `first` on. In memory each number has
// `size` bytes.
struct PackedNumbers {
    std::size_t size = 1;
    unsigned first = 0;
    unsigned bits = 8;
    bool is_bool = false;
    bool is_signed = false;
    bool swaps = false;

    std::uint64_t mask() const { return bits == 64 ? ~std::uint64_t{0} : (1ULL << bits) - 1; }
};

template <class T>
T SwappedWhere(bool swaps, T number) {
    if (swaps && sizeof number > 1)
        SwapUnits(reinterpret_cast<std::uint8_t*>(&number), sizeof number, 1);
    return number;
}

// Returns the selected bits of the number at `src`.
template <class T>
std::uint64_t TakeBits(const PackedNumbers& numbers, const std::uint8_t* src) {
    const T number = SwappedWhere(numbers.swaps, LoadNative<T>(src));
    if (numbers.is_bool) return number != 0 ? 1 : 0;
    return (static_cast<std::uint64_t>(number) >> numbers.first) & numbers.mask();
}

// Writes a number with the selected bits `bits`. Higher bits are sign bits if the type is signed,
// else zero.
template <class T>
void PutBits(const PackedNumbers& numbers, std::uint64_t bits, std::uint8_t* dst) {
    const bool is_negative = numbers.is_signed && ((bits >> (numbers.bits - 1)) & 1) != 0;
    if (is_negative) bits |= ~numbers.mask();
    StoreNative(dst, SwappedWhere(numbers.swaps, static_cast<T>(bits << numbers.first)));
}

template <class T>
void PackAll(const PackedNumbers& numbers, const std::uint8_t* src, std::size_t count,
             std::uint8_t* dst) {
    unsigned pending = 0;  // bits of the next output byte, which is not full yet
    unsigned fill = 0;
    for (std::size_t i = 0; i < count; ++i, src += sizeof(T)) {
        std::uint64_t bits = TakeBits<T>(numbers, src);
        for (unsigned left = numbers.bits; left > 0;) {
            const unsigned taken = std::min(left, 8 - fill);
            pending |= (static_cast<unsigned>(bits) & ((1U << taken) - 1)) << fill;
            fill += taken;
            left -= taken;
            bits >>= taken;
            if (fill < 8) break;
            *dst++ = static_cast<std::uint8_t>(pending);
            pending = fill = 0;
        }
    }
    if (fill != 0) *dst = static_cast<std::uint8_t>(pending);
}

template <class T>
void UnpackAll(const PackedNumbers& numbers, const std::uint8_t* src, std::uint8_t* dst,
               std::size_t count) {
    unsigned pending = 0;  // unread bits of the last input byte
    unsigned fill = 0;
    for (std::size_t i = 0; i < count; ++i, dst += sizeof(T)) {
        std::uint64_t bits = 0;
        for (unsigned got = 0; got < numbers.bits;) {
            if (fill == 0) {
                pending = *src++;
                fill = 8;
            }
            const unsigned taken = std::min(numbers.bits - got, fill);
            bits |= std::uint64_t{pending & ((1U << taken) - 1)} << got;
            pending >>= taken;
            fill -= taken;
            got += taken;
        }
        PutBits<T>(numbers, bits, dst);
    }
}

class PackedBits final : public Codec {
  public:
    PackedBits(const Block& block, const PackedNumbers& numbers, Padding padding)
        : block_(block),
          numbers_(numbers),
          count_(block.count * (block.item / numbers.size)),
          padding_(padding) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        return {SaturatingAdd(PackedSize(decoded.max / numbers_.size), HeaderSize()),
                decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        const std::size_t size = PackedSize(count_);
        if (encoded.size != size + HeaderSize())
            return Status::Corrupt("holds " + std::to_string(encoded.size) + " bytes instead of " +
                                   std::to_string(size + HeaderSize()));
        if (padding_ != Padding::kNone) {
            const unsigned stored = encoded.data[padding_ == Padding::kFirstByte ? 0 : size];
            if (stored != PaddingBits())
                return Status::Corrupt("states " + std::to_string(stored) +
                                       " padding bits instead of " + std::to_string(PaddingBits()));
        }
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(block_.bytes));
        const std::uint8_t* src = encoded.data + (padding_ == Padding::kFirstByte ? 1 : 0);
        switch (numbers_.size) {
            case 1:
                UnpackAll<std::uint8_t>(numbers_, src, room.data, count_);
                break;
            case 2:
                UnpackAll<std::uint16_t>(numbers_, src, room.data, count_);
                break;
            case 4:
                UnpackAll<std::uint32_t>(numbers_, src, room.data, count_);
                break;
            default:
                UnpackAll<std::uint64_t>(numbers_, src, room.data, count_);
        }
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        return decoded.exact ? block_.CheckDecoded(decoded.max) : Status();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(block_.CheckDecoded(decoded.size));
        const std::size_t size = PackedSize(count_);
        ZARR_RETURN_IF_ERROR(encoded.Reset(size + HeaderSize()));
        std::uint8_t* dst = encoded.data();
        if (padding_ != Padding::kNone)
            dst[padding_ == Padding::kFirstByte ? 0 : size] =
                static_cast<std::uint8_t>(PaddingBits());
        if (padding_ == Padding::kFirstByte) ++dst;
        switch (numbers_.size) {
            case 1:
                PackAll<std::uint8_t>(numbers_, decoded.data, count_, dst);
                break;
            case 2:
                PackAll<std::uint16_t>(numbers_, decoded.data, count_, dst);
                break;
            case 4:
                PackAll<std::uint32_t>(numbers_, decoded.data, count_, dst);
                break;
            default:
                PackAll<std::uint64_t>(numbers_, decoded.data, count_, dst);
        }
        return {};
    }

  private:
    std::size_t HeaderSize() const { return padding_ == Padding::kNone ? 0 : 1; }
    // Returns the size in bytes of `count` numbers, each stored with only its selected bits.
    std::size_t PackedSize(std::size_t count) const {
        return SaturatingAdd(SaturatingMul(count / 8, numbers_.bits),
                             CeilDiv(count % 8 * numbers_.bits, 8));
    }
    unsigned PaddingBits() const {
        const auto rest = static_cast<unsigned>(count_ % 8 * numbers_.bits % 8);
        return (8 - rest) % 8;
    }

    Block block_;
    PackedNumbers numbers_;
    std::size_t count_;  // number of items in the block
    Padding padding_;
};

// Returns the bit index in the member `key`; `fallback` if the member is missing or null.
Result<unsigned> OptionalBit(const json::Value& config, std::string_view key, unsigned fallback,
                             unsigned bits) {
    const json::Value* member = config.Find(key);
    if (member == nullptr || member->is_null()) return fallback;
    ZARR_ASSIGN_OR_RETURN(const std::int64_t bit, RequiredInt(config, key, 0, bits - 1));
    return static_cast<unsigned>(bit);
}

}  // namespace

CodecResult MakeV3PackBits(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"padding_encoding", "first_bit", "last_bit"}));
    ZARR_ASSIGN_OR_RETURN(
        const std::size_t padding,
        OptionalName(config, "padding_encoding", {"none", "first_byte", "last_byte"}));
    const DataType& dtype = context.dtype;
    if (!dtype.is_numeric())
        return Status::Unsupported("requires numbers, got data type " + NumberTypeName(dtype));
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    const unsigned bits = BitsOf(dtype);
    ZARR_ASSIGN_OR_RETURN(const unsigned first, OptionalBit(config, "first_bit", 0, bits));
    ZARR_ASSIGN_OR_RETURN(const unsigned last, OptionalBit(config, "last_bit", bits - 1, bits));
    if (last < first)
        return Status::Corrupt("last_bit: expected at least the first_bit " +
                               std::to_string(first) + ", got " + std::to_string(last));
    PackedNumbers numbers;
    numbers.size = dtype.kind == DataKind::kComplex ? dtype.size / 2 : dtype.size;
    numbers.first = first;
    numbers.bits = last - first + 1;
    numbers.is_bool = dtype.kind == DataKind::kBool;
    numbers.is_signed = dtype.kind == DataKind::kInt;
    numbers.swaps = dtype.NeedsSwap();
    return std::unique_ptr<Codec>(
        std::make_unique<PackedBits>(block, numbers, static_cast<Padding>(padding)));
}

}  // namespace zarr
