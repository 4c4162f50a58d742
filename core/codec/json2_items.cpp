// SPDX-License-Identifier: MIT
#include "core/codec/json2_items.h"

#include "core/base/checked.h"
#include "core/json/members.h"

namespace zarr {

namespace {

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

// The product of `shape`, which cannot be larger than a text of `text_size` bytes has items.
Result<std::size_t> CountItems(const std::vector<std::uint64_t>& shape, std::size_t text_size) {
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) {
        const auto product = CheckedMul(count, n);
        if (!product || *product > text_size)
            return Status::Corrupt("shape " + ShapeText(shape) + " has more items than the text");
        count = *product;
    }
    return static_cast<std::size_t>(count);
}

}  // namespace

Result<Json2Reader> Json2Reader::Make(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const std::string encoding,
                          json::OptionalString(config, "encoding", "utf-8"));
    if (encoding != "utf-8" && encoding != "utf8" && encoding != "ascii")
        return Status::Unsupported("encoding: " + encoding);
    Json2Reader reader;
    reader.chunk_shape_ = context.chunk_shape;
    reader.fortran_order_ = context.fortran_order;
    return reader;
}

Result<Json2Items> Json2Reader::Read(ByteSpan encoded) const {
    Json2Items result;
    std::uint64_t expected = 1;
    for (const std::uint64_t n : chunk_shape_) expected = SaturatingMul(expected, n);
    ZARR_ASSIGN_OR_RETURN(result.root, json::Parse(encoded.text(), expected));
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

Result<Json2Writer> Json2Writer::Make(const json::Value& config, const CodecContext& context) {
    Json2Writer writer;
    ZARR_ASSIGN_OR_RETURN(writer.style_, JsonStyle::Make(config));
    writer.is_flat_ = context.is_flat;
    writer.shape_ = context.chunk_shape;
    if (!writer.is_flat_ && writer.shape_.empty())
        return Status::Unsupported("the one element of an array without dimensions");
    writer.strides_ = Strides(writer.shape_, context.fortran_order);
    return writer;
}

Status Json2Writer::CheckCount(std::size_t count) const {
    if (is_flat_) return {};
    std::uint64_t items = 1;
    for (const std::uint64_t n : shape_) items *= n;
    if (items == count) return {};
    return Status::Invalid(std::to_string(count) + " items for shape " + ShapeText(shape_));
}

void Json2Writer::WriteEnd(const std::string& typestr, std::size_t count, JsonText& text) const {
    text.BeginItem(false);
    text.String(typestr);
    text.BeginItem(false);
    text.Open();
    const std::size_t rank = is_flat_ ? 1 : shape_.size();
    for (std::size_t d = 0; d < rank; ++d) {
        text.BeginItem(d == 0);
        text.Number(is_flat_ ? std::uint64_t{count} : shape_[d]);
    }
    text.Close();
    text.Close();
}

}  // namespace zarr
