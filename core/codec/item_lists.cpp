// SPDX-License-Identifier: MIT
// numcodecs' "json2" and "msgpack2". An encoded chunk is a nested list of its items, followed by
// dtype and shape, in JSON or MessagePack.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/row_converter.h"
#include "core/base/text.h"
#include "core/codec/codec.h"
#include "core/codec/factories.h"
#include "core/codec/json_text.h"
#include "core/codec/message_pack.h"
#include "core/codec/numpy_numbers.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Format in which the nested lists are written.
enum class Notation : std::uint8_t { kJson, kMessagePack };

// Conversion between nested lists, whose items are in C order, and items in memory order of the
// chunk.

// Parsed nested lists of a chunk, with its items in memory order.
struct ListedItems {
    json::Value root;  // owns the values that `items` point to
    std::vector<const json::Value*> items;
    std::string typestr;
};

class ItemListReader {
  public:
    static Result<ItemListReader> Make(Notation notation, const json::Value& config,
                                       const CodecContext& context);

    Result<ListedItems> Read(ByteSpan encoded) const;

  private:
    Notation notation_ = Notation::kJson;
    std::vector<std::uint64_t> chunk_shape_;
    AxisOrder axis_order_;
};

class ItemListWriter {
  public:
    // Parses the configuration. Errors name the invalid member.
    static Result<ItemListWriter> Make(Notation notation, const json::Value& config,
                                       const CodecContext& context);

    // Writes `count` items and `typestr` to `encoded`, at most `limit` bytes. append(i, text)
    // writes the item with index i in memory order.
    template <class AppendItem>
    Status Write(const std::string& typestr, std::size_t count, Buffer& encoded, std::size_t limit,
                 AppendItem&& append) const {
        ZARR_RETURN_IF_ERROR(CheckCount(count));
        JsonText json(style_, encoded, limit);
        MessagePackBytes packed(packing_, encoded, limit);
        ItemSink& text = notation_ == Notation::kJson ? static_cast<ItemSink&>(json) : packed;
        text.Open((is_flat_ ? count : static_cast<std::size_t>(shape_[0])) + 2);
        if (is_flat_) {
            for (std::size_t i = 0; i < count; ++i) {
                text.BeginItem(i == 0);
                append(i, text);
            }
        } else {
            WriteItems(0, 0, text, append);
        }
        WriteEnd(typestr, count, text);
        return text.Finish();
    }

  private:
    // Writes the items of one list without its brackets.
    template <class AppendItem>
    void WriteItems(std::size_t depth, std::size_t offset, ItemSink& text,
                    AppendItem& append) const {
        const auto n = static_cast<std::size_t>(shape_[depth]);
        for (std::size_t i = 0; i < n; ++i, offset += strides_[depth]) {
            text.BeginItem(i == 0);
            if (depth + 1 == shape_.size()) {
                append(offset, text);
                continue;
            }
            text.Open(static_cast<std::size_t>(shape_[depth + 1]));
            WriteItems(depth + 1, offset, text, append);
            text.Close();
        }
    }
    Status CheckCount(std::size_t count) const;
    void WriteEnd(const std::string& typestr, std::size_t count, ItemSink& text) const;

    Notation notation_ = Notation::kJson;
    JsonStyle style_;
    MessagePackStyle packing_;
    bool is_flat_ = false;
    std::vector<std::uint64_t> shape_;
    std::vector<std::size_t> strides_;
};

// Appends a number in the host's byte order, spelled as by NumPy's tolist() and Python's json
// module.
using AppendNumber = void (*)(const std::uint8_t* number, ItemSink& text);

AppendNumber NumberAppender(const DataType& type) {
    return VisitNumber(type, [](auto tag) -> AppendNumber {
        using T = typename decltype(tag)::type;
        return [](const std::uint8_t* number, ItemSink& text) {
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

// Returns kUnsupported unless items are real numbers or Unicode text, because JSON cannot represent
// other items.
Status CheckItemType(const DataType& type) {
    if (type.is_numeric() && type.kind != DataKind::kComplex) return {};
    if (type.kind == DataKind::kUnicode) return {};
    return Status::Unsupported(
        "dtype " + type.ToString() +
        " is unsupported; only real numbers and Unicode text can be stored as a list");
}

class ItemList final : public Codec {
  public:
    ItemList(ItemListReader reader, Result<ItemListWriter> writer, DataType items)
        : reader_(std::move(reader)),
          writer_(std::move(writer)),
          items_(std::move(items)),
          typestr_(items_.ToString()) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // The bound is 64 times the decoded size, plus 64 KiB. An escaped character takes 12 bytes
        // instead of 4, and a boolean ("false,") 6 bytes instead of 1. Brackets and white space may
        // take the rest.
        return {SaturatingAdd(SaturatingMul(decoded.max, 64), std::size_t{64} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ListedItems chunk, reader_.Read(encoded));
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
        return Write(decoded, encoded, [&](const std::uint8_t* item, ItemSink& text) {
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
        return Write(decoded, encoded, [&](const std::uint8_t* item, ItemSink& text) {
            if (!items_.NeedsSwap()) return text.String(item, units);
            native.assign(reinterpret_cast<const char*>(item), items_.size);
            auto* bytes = reinterpret_cast<std::uint8_t*>(native.data());
            SwapUnits(bytes, 4, units);
            text.String(bytes, units);
        });
    }

    // Writes all items of `decoded`. append(item, text) writes to `text` the item at the address
    // `item`.
    template <class AppendItem>
    Status Write(ByteSpan decoded, Buffer& encoded, AppendItem&& append) const {
        return writer_->Write(
            typestr_, decoded.size / items_.size, encoded, EncodedSize({decoded.size, true}).max,
            [&](std::size_t i, ItemSink& text) { append(decoded.data + i * items_.size, text); });
    }

    ItemListReader reader_;
    Result<ItemListWriter> writer_;
    DataType items_;       // type of the encoded items
    std::string typestr_;  // NumPy typestr of the encoded items
};

// Returns the text of a JSON value: a string unchanged, null as the empty string, and any other
// value as JSON.
std::string ObjectText(const json::Value& item) {
    if (item.as_string() != nullptr) return *item.as_string();
    return item.is_null() ? std::string() : json::Dump(item);
}

class ItemListObjects final : public ObjectCodec {
  public:
    ItemListObjects(ItemListReader reader, Result<ItemListWriter> writer)
        : reader_(std::move(reader)), writer_(std::move(writer)) {}

    Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const override {
        ZARR_ASSIGN_OR_RETURN(const ListedItems decoded, reader_.Read(encoded));
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

    // Every object is written as a string, whatever its original type.
    Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                         Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writer_.status());
        return writer_->Write("|O", count, encoded, LimitOf(Limit::kStringSize),
                              [&](std::size_t i, ItemSink& text) {
                                  text.String({objects[i].data, objects[i].size});
                              });
    }

  private:
    ItemListReader reader_;
    Result<ItemListWriter> writer_;
};

// For each dimension, returns the distance in memory, in elements, between neighbours.
std::vector<std::size_t> ListStrides(const std::vector<std::uint64_t>& shape,
                                     const AxisOrder& order) {
    std::vector<std::size_t> strides(shape.size(), 1);
    std::size_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t d = order.At(shape.size() - 1 - i, shape.size());
        strides[d] = stride;
        stride *= static_cast<std::size_t>(shape[d]);
    }
    return strides;
}

// Copies the items of nested lists to memory order.
class Flattener {
  public:
    Flattener(std::vector<std::uint64_t> shape, const AxisOrder& order,
              std::vector<const json::Value*>& items)
        : shape_(std::move(shape)), strides_(ListStrides(shape_, order)), items_(items) {}

    // Copies the first shape[depth] items of `list` to memory from `offset` on. The outermost list
    // has two more items: the dtype and the shape.
    Status Collect(const json::Array& list, std::size_t depth, std::size_t offset) {
        const auto n = static_cast<std::size_t>(shape_[depth]);
        for (std::size_t i = 0; i < n; ++i, offset += strides_[depth]) {
            if (depth + 1 == shape_.size()) {
                items_[offset] = &list[i];
                continue;
            }
            const json::Array* inner = list[i].as_array();
            if (inner == nullptr || inner->size() != shape_[depth + 1])
                return json::Expected(
                    "", "a list of " + std::to_string(shape_[depth + 1]) + " items", list[i]);
            ZARR_RETURN_IF_ERROR(Collect(*inner, depth + 1, offset));
        }
        return {};
    }

  private:
    std::vector<std::uint64_t> shape_;
    std::vector<std::size_t> strides_;
    std::vector<const json::Value*>& items_;
};

std::string ShapeText(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (const std::uint64_t n : shape) text += (text.size() > 1 ? "," : "") + std::to_string(n);
    return text + "]";
}

// Returns the product of `shape`. Returns kCorrupt if the product exceeds `text_size`, because each
// item takes at least one byte.
Result<std::size_t> CountItems(const std::vector<std::uint64_t>& shape, std::size_t text_size) {
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) {
        const auto product = CheckedMul(count, n);
        if (!product || *product > text_size)
            return Status::Corrupt("shape " + ShapeText(shape) +
                                   " has more items than the encoded chunk can hold");
        count = *product;
    }
    return static_cast<std::size_t>(count);
}

Result<ItemListReader> ItemListReader::Make(Notation notation, const json::Value& config,
                                            const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const std::string encoding,
                          json::OptionalString(config, "encoding", "utf-8"));
    if (encoding != "utf-8" && encoding != "utf8" && encoding != "ascii")
        return Status::Unsupported("encoding: " + Quoted(encoding) +
                                   " is unsupported; only utf-8 and ascii are supported");
    ItemListReader reader;
    reader.notation_ = notation;
    reader.chunk_shape_ = context.chunk_shape;
    reader.axis_order_ = context.axis_order;
    return reader;
}

Result<ListedItems> ItemListReader::Read(ByteSpan encoded) const {
    ListedItems result;
    std::uint64_t expected = 1;
    for (const std::uint64_t n : chunk_shape_) expected = SaturatingMul(expected, n);
    ZARR_ASSIGN_OR_RETURN(result.root, notation_ == Notation::kJson
                                           ? json::Parse(encoded.text(), expected)
                                           : json::ParseMessagePack(encoded, expected));
    const json::Array* list = result.root.as_array();
    if (list == nullptr || list->size() < 2)
        return json::Expected("", "a list that ends with a dtype and a shape", result.root);
    const json::Value& typestr = (*list)[list->size() - 2];
    if (typestr.as_string() == nullptr)
        return json::Expected("", "a dtype as the item before the last", typestr);
    result.typestr = *typestr.as_string();
    ZARR_ASSIGN_OR_RETURN(std::vector<std::uint64_t> shape,
                          json::UintsAtLeast(list->back(), 0, "shape"));
    ZARR_ASSIGN_OR_RETURN(const std::size_t count, CountItems(shape, encoded.size));
    // If the list is not nested, the chunk may have any shape, because the items of such a list are
    // in memory order.
    const bool is_flat = shape.size() == 1 && count == shape[0];
    if (!is_flat && shape != chunk_shape_)
        return Status::Corrupt("expected shape " + ShapeText(chunk_shape_) + ", got " +
                               ShapeText(shape));
    result.items.resize(count);
    const std::size_t outer = shape.empty() ? 1 : static_cast<std::size_t>(shape[0]);
    if (list->size() - 2 != outer)
        return Status::Corrupt("expected " + std::to_string(outer) + " items, got " +
                               std::to_string(list->size() - 2));
    if (shape.empty()) shape = {1};
    ZARR_RETURN_IF_ERROR(
        Flattener(std::move(shape), axis_order_, result.items).Collect(*list, 0, 0));
    return result;
}

Result<ItemListWriter> ItemListWriter::Make(Notation notation, const json::Value& config,
                                            const CodecContext& context) {
    ItemListWriter writer;
    writer.notation_ = notation;
    if (notation == Notation::kJson) {
        ZARR_ASSIGN_OR_RETURN(writer.style_, JsonStyle::Make(config));
    } else {
        ZARR_ASSIGN_OR_RETURN(writer.packing_, MessagePackStyle::Make(config));
    }
    writer.is_flat_ = context.is_flat;
    writer.shape_ = context.chunk_shape;
    if (!writer.is_flat_ && writer.shape_.empty())
        return Status::Unsupported("arrays without dimensions are unsupported");
    writer.strides_ = ListStrides(writer.shape_, context.axis_order);
    return writer;
}

Status ItemListWriter::CheckCount(std::size_t count) const {
    if (is_flat_) return {};
    std::uint64_t items = 1;
    for (const std::uint64_t n : shape_) items *= n;
    if (items == count) return {};
    return Status::Invalid(std::to_string(count) + " items do not fill a chunk of shape " +
                           ShapeText(shape_));
}

void ItemListWriter::WriteEnd(const std::string& typestr, std::size_t count, ItemSink& text) const {
    text.BeginItem(false);
    text.String(typestr);
    text.BeginItem(false);
    const std::size_t rank = is_flat_ ? 1 : shape_.size();
    text.Open(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        text.BeginItem(d == 0);
        text.Number(is_flat_ ? std::uint64_t{count} : shape_[d]);
    }
    text.Close();
    text.Close();
}

CodecResult MakeItemList(Notation notation, const json::Value& config,
                         const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(ItemListReader reader, ItemListReader::Make(notation, config, context));
    return std::unique_ptr<Codec>(std::make_unique<ItemList>(
        std::move(reader), ItemListWriter::Make(notation, config, context), context.dtype));
}

ObjectCodecResult MakeItemListObjects(Notation notation, const json::Value& config,
                                      const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(ItemListReader reader, ItemListReader::Make(notation, config, context));
    return std::unique_ptr<ObjectCodec>(std::make_unique<ItemListObjects>(
        std::move(reader), ItemListWriter::Make(notation, config, context)));
}

}  // namespace

CodecResult MakeJson2(const json::Value& config, const CodecContext& context) {
    return MakeItemList(Notation::kJson, config, context);
}

ObjectCodecResult MakeJson2Objects(const json::Value& config, const CodecContext& context) {
    return MakeItemListObjects(Notation::kJson, config, context);
}

CodecResult MakeMessagePack2(const json::Value& config, const CodecContext& context) {
    return MakeItemList(Notation::kMessagePack, config, context);
}

ObjectCodecResult MakeMessagePack2Objects(const json::Value& config, const CodecContext& context) {
    return MakeItemListObjects(Notation::kMessagePack, config, context);
}

}  // namespace zarr
