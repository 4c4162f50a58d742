// SPDX-License-Identifier: MIT
// "reshape" of zarr-extensions: changes the shape of the chunk for the next codec. The number of
// items and the bytes do not change.
#include <optional>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/codec/v3_configuration.h"

namespace zarr {

namespace {

class Reshape final : public Codec {
  public:
    Reshape(std::vector<std::uint64_t> shape, DataType dtype)
        : shape_(std::move(shape)), dtype_(std::move(dtype)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }
    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return CopyAll(encoded, decoded);
    }
    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        return encoded.Assign(decoded);
    }
    DataType EncodedType() const override { return dtype_; }
    void DescribeEncoded(CodecContext& items) const override { items.chunk_shape = shape_; }
    bool IsIdentity() const override { return true; }

  private:
    std::vector<std::uint64_t> shape_;
    DataType dtype_;
};

// Computes the new shape from the input shape and the list in the configuration.
class NewShape {
  public:
    explicit NewShape(const DimVector<std::uint64_t>& input) : input_(input) {}

    // Appends the dimension that `value` describes: a size, -1, or a list of input dimensions to
    // merge.
    Status Add(const json::Value& value, const std::string& place) {
        std::int64_t number = 0;
        if (value.as_array() != nullptr) return AddProduct(value, place);
        if (!value.GetInt64(number) || number < -1 || number == 0)
            return json::Expected(place, "a size, -1 or a list of dimension indices", value);
        if (number > 0) {
            shape_.push_back(static_cast<std::uint64_t>(number));
            return {};
        }
        if (automatic_) return Status::Corrupt(place + ": expected -1 no more than once");
        automatic_ = shape_.size();
        shape_.push_back(1);
        return {};
    }

    // Returns the complete shape; an error if its item count differs from that of the input.
    Result<std::vector<std::uint64_t>> Finish() {
        const std::uint64_t items = Product(input_, 0, input_.size());
        const std::uint64_t others = Product(shape_, 0, shape_.size());
        if (automatic_ && others != 0 && items % others == 0)
            shape_[*automatic_] = items / others;
        else if (automatic_ || others != items)
            return Status::Corrupt("shape: the product of the sizes differs from the " +
                                   std::to_string(items) + " elements of the chunk");
        for (const Merged& merged : merged_) ZARR_RETURN_IF_ERROR(CheckPlace(merged));
        return std::move(shape_);
    }

  private:
    // A new dimension that merges the input dimensions `first` to `last`.
    struct Merged {
        std::size_t dimension;
        std::size_t first;
        std::size_t last;
    };

    template <class Shape>
    static std::uint64_t Product(const Shape& shape, std::size_t first, std::size_t end) {
        std::uint64_t product = 1;
        for (std::size_t i = first; i < end; ++i) product = SaturatingMul(product, shape[i]);
        return product;
    }

    Status AddProduct(const json::Value& value, const std::string& place) {
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> dimensions,
                              json::UintsAtLeast(value, 0, place));
        std::uint64_t product = 1;
        for (const std::uint64_t dimension : dimensions) {
            if (dimension < next_ || dimension >= input_.size())
                return json::Expected(place,
                                      "ascending indices of the chunk's " +
                                          std::to_string(input_.size()) + " dimensions",
                                      value);
            next_ = static_cast<std::size_t>(dimension) + 1;
            product = SaturatingMul(product, input_[static_cast<std::size_t>(dimension)]);
        }
        if (!dimensions.empty())
            merged_.push_back({shape_.size(), static_cast<std::size_t>(dimensions.front()),
                               static_cast<std::size_t>(dimensions.back())});
        shape_.push_back(product);
        return {};
    }

    // Returns an error if the merged dimension is at a wrong position. The sizes of the dimensions
    // before `merged` must have the same product in the new shape as in the input shape. The
    // dimensions after `merged` are checked in the same way.
    Status CheckPlace(const Merged& merged) const {
        const std::size_t i = merged.dimension;
        if (Product(shape_, 0, i) == Product(input_, 0, merged.first) &&
            Product(shape_, i + 1, shape_.size()) ==
                Product(input_, merged.last + 1, input_.size()))
            return {};
        return Status::Corrupt(
            "shape[" + std::to_string(i) +
            "]: the sizes before or after it have another product than in the input shape");
    }

    const DimVector<std::uint64_t>& input_;
    std::vector<std::uint64_t> shape_;
    std::vector<Merged> merged_;
    std::optional<std::size_t> automatic_;
    std::size_t next_ = 0;  // smallest input dimension that no new dimension uses yet
};

}  // namespace

CodecResult MakeReshape(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"shape"}));
    ZARR_ASSIGN_OR_RETURN(const json::Value* shape, json::Require(config, "shape"));
    if (shape->as_array() == nullptr) return json::Expected("shape", "an array", *shape);
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    const json::Array& dimensions = *shape->as_array();
    if (dimensions.size() > LimitOf(Limit::kDimensions))
        return OverLimit(Limit::kDimensions,
                         "shape: has " + std::to_string(dimensions.size()) + " dimensions");
    NewShape made(block.shape);
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        ZARR_RETURN_IF_ERROR(made.Add(dimensions[i], "shape[" + std::to_string(i) + "]"));
    ZARR_ASSIGN_OR_RETURN(std::vector<std::uint64_t> made_shape, made.Finish());
    return std::unique_ptr<Codec>(std::make_unique<Reshape>(std::move(made_shape), context.dtype));
}

}  // namespace zarr
