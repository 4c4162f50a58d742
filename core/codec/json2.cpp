// SPDX-License-Identifier: MIT
// json2: a JSON list of the items, nested by shape in C order whatever the array's order is, then
// the typestr, then the shape (numcodecs.JSON).
#include <cstring>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/dtype/fill_value.h"
#include "core/json/members.h"

namespace zarr {

namespace {

// A parsed chunk, its items in memory order.
struct Items {
    json::Value root;  // owns what `items` points to
    std::vector<const json::Value*> items;
    std::string typestr;
};

// Distances between neighbours along each dimension, in elements of memory.
std::vector<std::size_t> Strides(const std::vector<std::uint64_t>& shape, bool fortran_order) {
    std::vector<std::size_t> strides(shape.size(), 1);
    std::size_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t d = fortran_order ? i : shape.size() - 1 - i;
        strides[d] = stride;
        stride *= static_cast<std::size_t>(shape[d]);
    }
    return strides;
}

// Puts the items of nested lists where they belong in memory.
class Flattener {
  public:
    Flattener(std::vector<std::uint64_t> shape, bool fortran_order,
              std::vector<const json::Value*>& items)
        : shape_(std::move(shape)), strides_(Strides(shape_, fortran_order)), items_(items) {}

    // `list` holds shape[depth] items from `first` on, or more for the outermost one, whose last
    // two are something else.
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

// What both kinds of codec need to read a chunk.
class ItemReader {
  public:
    static Result<ItemReader> Make(const json::Value& config, const CodecContext& context) {
        ZARR_ASSIGN_OR_RETURN(const std::string encoding,
                              json::OptionalString(config, "encoding", "utf-8"));
        if (encoding != "utf-8" && encoding != "utf8" && encoding != "ascii")
            return Status::Unsupported("encoding: " + encoding);
        ItemReader reader;
        reader.chunk_shape_ = context.chunk_shape;
        reader.fortran_order_ = context.fortran_order;
        return reader;
    }

    Result<Items> Read(ByteSpan encoded) const {
        Items result;
        ZARR_ASSIGN_OR_RETURN(result.root, json::Parse(encoded.text()));
        const json::Array* list = result.root.as_array();
        if (list == nullptr || list->size() < 2)
            return json::Expected("", "a list that ends with a dtype and a shape", result.root);
        const json::Value& typestr = (*list)[list->size() - 2];
        if (typestr.as_string() == nullptr)
            return json::Expected("", "a typestr as the item before the last", typestr);
        result.typestr = *typestr.as_string();
        ZARR_ASSIGN_OR_RETURN(std::vector<std::uint64_t> shape,
                              json::UintsAtLeast(list->back(), 0, "shape"));
        ZARR_ASSIGN_OR_RETURN(const std::size_t count, CountItems(shape, encoded.size));
        // A flat list is in memory order already.
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
            Flattener(std::move(shape), fortran_order_, result.items).Collect(*list, 0, 0));
        return result;
    }

  private:
    // The product of `shape`, which cannot be larger than a text of `text_size` bytes has items.
    static Result<std::size_t> CountItems(const std::vector<std::uint64_t>& shape,
                                          std::size_t text_size) {
        std::uint64_t count = 1;
        for (const std::uint64_t n : shape) {
            const auto product = CheckedMul(count, n);
            if (!product || *product > text_size)
                return Status::Corrupt("shape " + ShapeText(shape) +
                                       " has more items than the text");
            count = *product;
        }
        return static_cast<std::size_t>(count);
    }

    std::vector<std::uint64_t> chunk_shape_;
    bool fortran_order_ = false;
};

class Json2 final : public Codec {
  public:
    explicit Json2(ItemReader reader) : reader_(std::move(reader)) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // Escapes take 12 bytes for the 4 of a character, "false," 6 for one; the rest is for
        // brackets and the white space of `indent`.
        return {SaturatingAdd(SaturatingMul(decoded.max, 64), std::size_t{64} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Items chunk, reader_.Read(encoded));
        ZARR_ASSIGN_OR_RETURN(const DataType type, ParseTypestr(chunk.typestr));
        if (!(type.is_numeric() && type.kind != DataKind::kComplex) &&
            type.kind != DataKind::kUnicode)
            return Status::Unsupported("items of dtype " + type.ToString());
        const std::size_t size = SaturatingMul(chunk.items.size(), type.size);
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(size));
        for (std::size_t i = 0; i < chunk.items.size(); ++i) {
            const auto element = ParseFillValue(type, *chunk.items[i]);
            if (!element.ok())
                return json::Expected("item " + std::to_string(i),
                                      "a value of dtype " + type.ToString(), *chunk.items[i]);
            if (type.size != 0) std::memcpy(room.data + i * type.size, element->data(), type.size);
        }
        SwapElements(type, room.data, chunk.items.size());
        return {};
    }

  private:
    ItemReader reader_;
};

// Strings as they are, null as the empty string, anything else as its JSON text.
std::string ObjectText(const json::Value& item) {
    if (item.as_string() != nullptr) return *item.as_string();
    return item.is_null() ? std::string() : json::Dump(item);
}

class Json2Objects final : public ObjectCodec {
  public:
    explicit Json2Objects(ItemReader reader) : reader_(std::move(reader)) {}

    Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const override {
        ZARR_ASSIGN_OR_RETURN(const Items decoded, reader_.Read(encoded));
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

  private:
    ItemReader reader_;
};

}  // namespace

CodecResult MakeJson2(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(ItemReader reader, ItemReader::Make(config, context));
    return std::unique_ptr<Codec>(std::make_unique<Json2>(std::move(reader)));
}

ObjectCodecResult MakeJson2Objects(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(ItemReader reader, ItemReader::Make(config, context));
    return std::unique_ptr<ObjectCodec>(std::make_unique<Json2Objects>(std::move(reader)));
}

}  // namespace zarr
