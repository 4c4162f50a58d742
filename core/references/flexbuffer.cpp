// SPDX-License-Identifier: MIT
#include "core/references/flexbuffer.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/base/endian.h"
#include "core/base/limits.h"

namespace zarr {

namespace {

// Types of values in a FlexBuffer (flatbuffers.dev, "FlexBuffers", "Types").
enum Type : unsigned {
    kNull = 0,
    kInt = 1,
    kUint = 2,
    kFloat = 3,
    kKey = 4,
    kString = 5,
    kIndirectInt = 6,
    kIndirectUint = 7,
    kIndirectFloat = 8,
    kMap = 9,
    kVector = 10,
    kVectorInt = 11,  // the first type of vectors whose elements have one type
    kVectorKey = 14,
    kVectorString = 15,  // vector of strings; deprecated
    kVectorInt2 = 16,    // the first of nine types of vectors without a size: 2, 3 or 4 elements
    kVectorFloat4 = 24,
    kBlob = 25,
    kBool = 26,
    kVectorBool = 36,
};

// Position and type of a value. Its parent has a slot of `width` bytes at position `at`, which
// contains the value or an offset to the value. Numbers at the target of the offset have
// `child_width` bytes each.
struct Slot {
    std::size_t at = 0;
    std::size_t width = 1;
    unsigned type = kNull;
    std::size_t child_width = 1;
};

class FlexParser {
  public:
    explicit FlexParser(ByteSpan buffer) : buffer_(buffer) {}

    Result<json::Value> Parse() {
        if (buffer_.size < 3) return Damaged(buffer_.size, "the buffer is truncated");
        const std::size_t width = buffer_.data[buffer_.size - 1];
        if ((width != 1 && width != 2 && width != 4 && width != 8) || width > buffer_.size - 2)
            return Damaged(buffer_.size - 1, "expected the width of the root");
        const std::uint8_t type = buffer_.data[buffer_.size - 2];
        return Value(SlotAt(buffer_.size - 2 - width, width, type), 0);
    }

  private:
    static Status Damaged(std::size_t position, const char* what) {
        return Status::Corrupt("byte " + std::to_string(position) + " of the FlexBuffer: " + what);
    }
    static Slot SlotAt(std::size_t at, std::size_t width, std::uint8_t packed) {
        const unsigned bits = packed;
        return {at, width, bits >> 2U, std::size_t{1} << (bits & 3U)};
    }
    bool IsInside(std::size_t position, std::size_t size) const {
        return position <= buffer_.size && size <= buffer_.size - position;
    }

    Result<std::uint64_t> Uint(std::size_t at, std::size_t width) const {
        if (!IsInside(at, width)) return Damaged(at, "a number lies outside");
        const std::uint8_t* const p = buffer_.data + at;
        if (width == 1) return std::uint64_t{*p};
        if (width == 2) return std::uint64_t{LoadLittle16(p)};
        if (width == 4) return std::uint64_t{LoadLittle32(p)};
        return LoadLittle64(p);
    }
    Result<json::Value> Int(std::size_t at, std::size_t width) const {
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t bits, Uint(at, width));
        const auto unused = static_cast<unsigned>(64 - 8 * width);
        return json::Value(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    Result<json::Value> Float(std::size_t at, std::size_t width) const {
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t bits, Uint(at, width));
        if (width == 8) {
            double number = 0;
            std::memcpy(&number, &bits, sizeof number);
            return json::Value(number);
        }
        if (width != 4) return Damaged(at, "expected a number of 4 or 8 bytes");
        const auto half = static_cast<std::uint32_t>(bits);
        float number = 0;
        std::memcpy(&number, &half, sizeof number);
        return json::Value(static_cast<double>(number));
    }

    // Returns the target of the offset in a slot, as a position in the buffer. Offsets lead
    // backward.
    Result<std::size_t> Follow(std::size_t at, std::size_t width) const {
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, Uint(at, width));
        if (offset > at) return Damaged(at, "the offset leads outside");
        return at - static_cast<std::size_t>(offset);
    }

    // Returns the size that stands before a string, vector or map.
    Result<std::size_t> SizeAt(std::size_t at, std::size_t width, std::size_t element) const {
        if (at < width) return Damaged(at, "a size lies outside");
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t size, Uint(at - width, width));
        if (size > (buffer_.size - at) / element) return Damaged(at, "a size is too large");
        return static_cast<std::size_t>(size);
    }

    Result<std::string> Text(const char* begin, std::size_t size) {
        bytes_ += size;
        if (bytes_ > LimitOf(Limit::kMetadataSize))
            return OverLimit(Limit::kMetadataSize, "the strings of a FlexBuffer are too long");
        return std::string(begin, size);
    }
    Result<std::string> KeyAt(std::size_t at) {
        const char* const begin = reinterpret_cast<const char*>(buffer_.data + at);
        const void* const end = std::memchr(begin, 0, buffer_.size - at);
        if (end == nullptr) return Damaged(at, "a key does not end");
        return Text(begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin));
    }

    Result<json::Value> Value(const Slot& slot, std::uint64_t depth) {
        if (depth > LimitOf(Limit::kJsonDepth))
            return OverLimit(Limit::kJsonDepth, "a FlexBuffer is nested too deep");
        if (++values_ > LimitOf(Limit::kJsonValues))
            return OverLimit(Limit::kJsonValues, "a FlexBuffer has too many values");
        switch (slot.type) {
            case kNull:
                return json::Value();
            case kInt:
                return Int(slot.at, slot.width);
            case kUint: {
                ZARR_ASSIGN_OR_RETURN(const std::uint64_t number, Uint(slot.at, slot.width));
                return json::Value(number);
            }
            case kFloat:
                return Float(slot.at, slot.width);
            case kBool: {
                ZARR_ASSIGN_OR_RETURN(const std::uint64_t number, Uint(slot.at, slot.width));
                return json::Value(number != 0);
            }
            default:
                break;
        }
        ZARR_ASSIGN_OR_RETURN(const std::size_t at, Follow(slot.at, slot.width));
        return Referenced(slot, at, depth);
    }

    // Parses a value at `at`, which the slot refers to by an offset.
    Result<json::Value> Referenced(const Slot& slot, std::size_t at, std::uint64_t depth) {
        switch (slot.type) {
            case kIndirectInt:
                return Int(at, slot.child_width);
            case kIndirectUint: {
                ZARR_ASSIGN_OR_RETURN(const std::uint64_t number, Uint(at, slot.child_width));
                return json::Value(number);
            }
            case kIndirectFloat:
                return Float(at, slot.child_width);
            case kKey: {
                ZARR_ASSIGN_OR_RETURN(std::string key, KeyAt(at));
                return json::Value(std::move(key));
            }
            case kString:
            case kBlob: {
                ZARR_ASSIGN_OR_RETURN(const std::size_t size, SizeAt(at, slot.child_width, 1));
                ZARR_ASSIGN_OR_RETURN(std::string text,
                                      Text(reinterpret_cast<const char*>(buffer_.data + at), size));
                return json::Value(std::move(text));
            }
            case kMap:
                return Map(slot, at, depth);
            default:
                return Vector(slot, at, depth);
        }
    }

    Result<json::Value> Vector(const Slot& slot, std::size_t at, std::uint64_t depth) {
        const std::size_t width = slot.child_width;
        // Type of all elements; kNull if each element states its own type.
        unsigned type = kNull;
        std::size_t fixed = 0;
        if (slot.type >= kVectorInt && slot.type < kVectorString) {
            type = slot.type - kVectorInt + kInt;
        } else if (slot.type == kVectorString) {
            type = kKey;
        } else if (slot.type == kVectorBool) {
            type = kBool;
        } else if (slot.type >= kVectorInt2 && slot.type <= kVectorFloat4) {
            type = (slot.type - kVectorInt2) % 3 + kInt;
            fixed = (slot.type - kVectorInt2) / 3 + 2;
        } else if (slot.type != kVector) {
            return Damaged(at, "a value has an unknown type");
        }
        std::size_t size = fixed;
        if (fixed == 0) {
            ZARR_ASSIGN_OR_RETURN(size, SizeAt(at, width, type == kNull ? width + 1 : width));
        }
        json::Array items;
        for (std::size_t i = 0; i < size; ++i) {
            Slot item{at + i * width, width, type, 1};
            if (type == kNull) {
                ZARR_ASSIGN_OR_RETURN(item, TypedSlot(at, size, i, width));
            }
            ZARR_ASSIGN_OR_RETURN(json::Value value, Value(item, depth + 1));
            items.push_back(std::move(value));
        }
        return json::Value(std::move(items));
    }

    // Returns element `i` of a vector of `size` elements, whose types follow the elements.
    Result<Slot> TypedSlot(std::size_t at, std::size_t size, std::size_t i,
                           std::size_t width) const {
        const std::size_t type = at + size * width + i;
        if (!IsInside(type, 1)) return Damaged(type, "a type lies outside");
        return SlotAt(at + i * width, width, buffer_.data[type]);
    }

    // A map is a vector of values with a sorted vector of keys. The offset and the width of the
    // keys stand before the size of the map.
    Result<json::Value> Map(const Slot& slot, std::size_t at, std::uint64_t depth) {
        const std::size_t width = slot.child_width;
        ZARR_ASSIGN_OR_RETURN(const std::size_t size, SizeAt(at, width, width + 1));
        if (at < 3 * width) return Damaged(at, "the keys of a map lie outside");
        ZARR_ASSIGN_OR_RETURN(const std::size_t keys, Follow(at - 3 * width, width));
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t key_width, Uint(at - 2 * width, width));
        if (key_width != 1 && key_width != 2 && key_width != 4 && key_width != 8)
            return Damaged(at, "the keys of a map have another width");
        json::Object members;
        for (std::size_t i = 0; i < size; ++i) {
            ZARR_ASSIGN_OR_RETURN(const std::size_t key, Follow(keys + i * key_width, key_width));
            ZARR_ASSIGN_OR_RETURN(std::string name, KeyAt(key));
            ZARR_ASSIGN_OR_RETURN(const Slot item, TypedSlot(at, size, i, width));
            ZARR_ASSIGN_OR_RETURN(json::Value value, Value(item, depth + 1));
            members.emplace_back(std::move(name), std::move(value));
        }
        return json::Value(std::move(members));
    }

    const ByteSpan buffer_;
    std::uint64_t values_ = 0;
    std::uint64_t bytes_ = 0;  // bytes of all strings so far
};

}  // namespace

Result<json::Value> ParseFlexBuffer(ByteSpan buffer) { return FlexParser(buffer).Parse(); }

}  // namespace zarr
