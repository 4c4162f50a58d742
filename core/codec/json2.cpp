// SPDX-License-Identifier: MIT
// json2: a JSON list of the items, nested by shape in C order whatever the array's order is, then
// the typestr, then the shape (numcodecs.JSON).
#include <cstring>
#include <type_traits>

#include "core/base/endian.h"
#include "core/base/half.h"
#include "core/base/limits.h"
#include "core/codec/factories.h"
#include "core/codec/json2_items.h"
#include "core/codec/numeric.h"
#include "core/dtype/fill_value.h"
#include "core/json/members.h"

namespace zarr {

namespace {

// Appends one native number as NumPy's tolist() and Python's json module would spell it.
using AppendNumber = void (*)(const std::uint8_t* number, JsonText& text);

AppendNumber NumberAppender(const DataType& type) {
    return VisitNumber(type, [](auto tag) -> AppendNumber {
        using T = typename decltype(tag)::type;
        return [](const std::uint8_t* number, JsonText& text) {
            const T value = LoadNative<T>(number);
            if constexpr (std::is_same_v<T, BoolByte>)
                text.Bool(value.byte != 0);
            else if constexpr (std::is_same_v<T, Half>)
                text.Number(static_cast<double>(HalfToFloat(value.bits)));
            else if constexpr (std::is_floating_point_v<T>)
                text.Number(static_cast<double>(value));
            else if constexpr (std::is_signed_v<T>)
                text.Number(static_cast<std::int64_t>(value));
            else if constexpr (std::is_unsigned_v<T>)
                text.Number(static_cast<std::uint64_t>(value));
        };
    });
}

// JSON has no other numbers, and NumPy's other texts are no Unicode.
Status CheckItemType(const DataType& type) {
    if (type.is_numeric() && type.kind != DataKind::kComplex) return {};
    if (type.kind == DataKind::kUnicode) return {};
    return Status::Unsupported("items of dtype " + type.ToString());
}

class Json2 final : public Codec {
  public:
    Json2(Json2Reader reader, Result<Json2Writer> writer, DataType items)
        : reader_(std::move(reader)),
          writer_(std::move(writer)),
          items_(std::move(items)),
          typestr_(items_.ToString()) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // Escapes take 12 bytes for the 4 of a character, "false," 6 for one; the rest is for
        // brackets and the white space of `indent`.
        return {SaturatingAdd(SaturatingMul(decoded.max, 64), std::size_t{64} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Json2Items chunk, reader_.Read(encoded));
        ZARR_ASSIGN_OR_RETURN(const DataType type, ParseTypestr(chunk.typestr));
        ZARR_RETURN_IF_ERROR(CheckItemType(type));
        const std::size_t size = SaturatingMul(chunk.items.size(), type.size);
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(size));
        for (std::size_t i = 0; i < chunk.items.size(); ++i) {
            const auto element = ParseFillValue(type, *chunk.items[i]);
            if (!element.ok())
                return json::Expected("item " + std::to_string(i),
                                      "a value of dtype " + type.ToString(), *chunk.items[i]);
            if (type.size != 0) element->CopyTo(room.data + i * type.size);
        }
        SwapElements(type, room.data, chunk.items.size());
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(writer_.status());
        ZARR_RETURN_IF_ERROR(CheckItemType(items_));
        return CheckWholeItems(decoded, items_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        if (items_.kind == DataKind::kUnicode) return EncodeText(decoded, encoded);
        const AppendNumber append = NumberAppender(items_);
        return Write(decoded, encoded, [&](const std::uint8_t* item, JsonText& text) {
            if (!items_.NeedsSwap()) return append(item, text);
            std::uint8_t native[8];
            std::memcpy(native, item, items_.size);
            SwapUnits(native, items_.size, 1);
            append(native, text);
        });
    }

  private:
    Status EncodeText(ByteSpan decoded, Buffer& encoded) const {
        const std::size_t units = items_.size / 4;
        std::string native;
        return Write(decoded, encoded, [&](const std::uint8_t* item, JsonText& text) {
            if (!items_.NeedsSwap()) return text.String(item, units);
            native.assign(reinterpret_cast<const char*>(item), items_.size);
            auto* bytes = reinterpret_cast<std::uint8_t*>(native.data());
            SwapUnits(bytes, 4, units);
            text.String(bytes, units);
        });
    }

    // append(item, text) writes the item at an address.
    template <class AppendItem>
    Status Write(ByteSpan decoded, Buffer& encoded, AppendItem&& append) const {
        return writer_->Write(
            typestr_, decoded.size / items_.size, encoded, EncodedSize({decoded.size, true}).max,
            [&](std::size_t i, JsonText& text) { append(decoded.data + i * items_.size, text); });
    }

    Json2Reader reader_;
    Result<Json2Writer> writer_;
    DataType items_;       // of what is encoded
    std::string typestr_;  // of items_
};

// Strings as they are, null as the empty string, anything else as its JSON text.
std::string ObjectText(const json::Value& item) {
    if (item.as_string() != nullptr) return *item.as_string();
    return item.is_null() ? std::string() : json::Dump(item);
}

class Json2Objects final : public ObjectCodec {
  public:
    Json2Objects(Json2Reader reader, Result<Json2Writer> writer)
        : reader_(std::move(reader)), writer_(std::move(writer)) {}

    Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const override {
        ZARR_ASSIGN_OR_RETURN(const Json2Items decoded, reader_.Read(encoded));
        if (decoded.items.size() != count)
            return Status::Corrupt("holds " + std::to_string(decoded.items.size()) +
                                   " items instead of " + std::to_string(count));
        std::string text;
        std::vector<std::size_t> ends;
        for (const json::Value* item : decoded.items) {
            text += ObjectText(*item);
            ends.push_back(text.size());
        }
        ZARR_RETURN_IF_ERROR(chunk.refs.Reset(SaturatingMul(count, sizeof(ObjectRef))));
        ZARR_RETURN_IF_ERROR(chunk.heap.Assign(ByteSpan(std::string_view(text))));
        chunk.count = count;
        const auto* heap = reinterpret_cast<const char*>(chunk.heap.data());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const ObjectRef ref{heap + begin, ends[i] - begin};
            StoreNative(chunk.refs.data() + i * sizeof ref, ref);
            begin = ends[i];
        }
        return {};
    }

    Status CheckWritable() const override { return writer_.status(); }

    // Every object is text, whatever it was where it came from.
    Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                         Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writer_.status());
        return writer_->Write("|O", count, encoded, LimitOf(Limit::kStringSize),
                              [&](std::size_t i, JsonText& text) {
                                  text.String({objects[i].data, objects[i].size});
                              });
    }

  private:
    Json2Reader reader_;
    Result<Json2Writer> writer_;
};

}  // namespace

CodecResult MakeJson2(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(Json2Reader reader, Json2Reader::Make(config, context));
    return std::unique_ptr<Codec>(std::make_unique<Json2>(
        std::move(reader), Json2Writer::Make(config, context), context.dtype));
}

ObjectCodecResult MakeJson2Objects(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(Json2Reader reader, Json2Reader::Make(config, context));
    return std::unique_ptr<ObjectCodec>(
        std::make_unique<Json2Objects>(std::move(reader), Json2Writer::Make(config, context)));
}

}  // namespace zarr
