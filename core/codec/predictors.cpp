// SPDX-License-Identifier: MIT
// The predictors of TIFF, as filters for references to TIFF files: imagecodecs' "imagecodecs_delta"
// and "imagecodecs_floatpred", and virtual-tiff's "HorizontalDeltaCodec". A predictor stores the
// differences of neighbours in a row (TIFF 6.0, section 14; TIFF Technical Note 3).
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/endian.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/codec/v3_configuration.h"

namespace zarr {

namespace {

// Rows of a chunk along one axis, the predicted axis. A row holds all items from the first index of
// that axis to the last.
struct Rows {
    Block block;
    DataType type;
    std::size_t length = 1;  // number of items in a row
    std::size_t step = 1;    // distance in items between neighbours along the predicted axis

    std::size_t row_bytes() const { return length * block.item; }

    // Returns the rows along `axis`. A negative `axis` counts from the last dimension.
    static Result<Rows> Of(const std::vector<std::uint64_t>& shape, const DataType& type,
                           std::int64_t axis) {
        Rows rows;
        rows.type = type;
        ZARR_ASSIGN_OR_RETURN(rows.block, Block::Of(shape, type));
        const auto rank = static_cast<std::int64_t>(shape.size());
        if (axis < -rank || axis >= rank)
            return Status::Corrupt("axis: the chunk has no axis " + std::to_string(axis));
        const auto predicted = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
        if (rows.block.bytes == 0) return rows;
        for (std::size_t i = predicted; i < shape.size(); ++i) {
            const auto n = static_cast<std::size_t>(shape[i]);
            rows.length *= n;
            if (i > predicted) rows.step *= n;
        }
        return rows;
    }

    // Returns the rows that a configuration of imagecodecs describes.
    static Result<Rows> Of(const json::Value& config, const CodecContext& context) {
        // The byte order in "dtype" is ignored, because VirtualiZarr always writes "<". Items have
        // the byte order of `context`.
        ZARR_ASSIGN_OR_RETURN(const DataType type,
                              OptionalNumberMember(config, "dtype", context.dtype));
        if (type.kind != context.dtype.kind || type.size != context.dtype.size)
            return Status::Corrupt("dtype: expected " + context.dtype.ToString() + ", got " +
                                   type.ToString());
        std::vector<std::uint64_t> shape = context.chunk_shape;
        const json::Value* const member = config.Find("shape");
        if (member != nullptr && !member->is_null()) {
            ZARR_ASSIGN_OR_RETURN(shape, json::UintsAtLeast(*member, 0, "shape"));
        }
        ZARR_ASSIGN_OR_RETURN(const std::int64_t axis,
                              json::OptionalInt(config, "axis", -1, INT32_MIN, INT32_MAX));
        ZARR_ASSIGN_OR_RETURN(const std::int64_t distance,
                              json::OptionalInt(config, "dist", 1, INT32_MIN, INT32_MAX));
        if (distance != 1)
            return Status::Unsupported("dist: only 1 is supported, got " +
                                       std::to_string(distance));
        // The product of `shape` is not compared with the chunk's number of items here, because
        // decoding a chunk reports a difference.
        return Of(shape, context.dtype, axis);
    }
};

// A filter that predicts the rows of a chunk independently of each other.
class Predictor : public Codec {
  public:
    explicit Predictor(Rows rows) : rows_(std::move(rows)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_RETURN_IF_ERROR(rows_.block.CheckEncoded(encoded.size));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(encoded.size));
        return ForEachRow(encoded, room.data,
                          [this](const std::uint8_t* src, std::uint8_t* dst,
                                 std::uint8_t* scratch) { DecodeRow(src, dst, scratch); });
    }

    Status CheckWritable(SizeBound decoded) const override {
        return decoded.exact ? rows_.block.CheckDecoded(decoded.max) : Status();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(rows_.block.CheckDecoded(decoded.size));
        ZARR_RETURN_IF_ERROR(encoded.Reset(decoded.size));
        return ForEachRow(decoded, encoded.data(),
                          [this](const std::uint8_t* src, std::uint8_t* dst,
                                 std::uint8_t* scratch) { EncodeRow(src, dst, scratch); });
    }

  protected:
    // Convert one row from `src` to `dst`, with `scratch` as working memory. Each pointer points to
    // the bytes of a whole row.
    virtual void DecodeRow(const std::uint8_t* src, std::uint8_t* dst,
                           std::uint8_t* scratch) const = 0;
    virtual void EncodeRow(const std::uint8_t* src, std::uint8_t* dst,
                           std::uint8_t* scratch) const = 0;

    const Rows& rows() const { return rows_; }

  private:
    template <class Work>
    Status ForEachRow(ByteSpan src, std::uint8_t* dst, const Work& work) const {
        const std::size_t size = rows_.row_bytes();
        Buffer scratch;
        ZARR_RETURN_IF_ERROR(scratch.Reset(size));
        for (std::size_t at = 0; at < src.size; at += size)
            work(src.data + at, dst + at, scratch.data());
        return {};
    }

    Rows rows_;
};

// Adds to each number the sum that replaced the number `step` places before. Leaves the first
// `step` numbers. Sums that overflow wrap around.
template <class T>
void SumRow(std::uint8_t* row, std::size_t count, std::size_t step) {
    for (std::size_t i = step; i < count; ++i)
        StoreNative(row + i * sizeof(T),
                    static_cast<T>(LoadNative<T>(row + i * sizeof(T)) +
                                   LoadNative<T>(row + (i - step) * sizeof(T))));
}

// Replaces each of `count` numbers by its difference from the number that is `step` numbers before.
template <class T>
void DifferRow(std::uint8_t* row, std::size_t count, std::size_t step) {
    for (std::size_t i = count; i-- > step;)
        StoreNative(row + i * sizeof(T),
                    static_cast<T>(LoadNative<T>(row + i * sizeof(T)) -
                                   LoadNative<T>(row + (i - step) * sizeof(T))));
}

using RowFunction = void (*)(std::uint8_t* row, std::size_t count, std::size_t step);

// Returns the row function for numbers of `size` bytes: if `sums` is true, the function that sums;
// else the function that takes differences.
RowFunction ForSize(std::size_t size, bool sums) {
    switch (size) {
        case 1:
            return sums ? SumRow<std::uint8_t> : DifferRow<std::uint8_t>;
        case 2:
            return sums ? SumRow<std::uint16_t> : DifferRow<std::uint16_t>;
        case 4:
            return sums ? SumRow<std::uint32_t> : DifferRow<std::uint32_t>;
        default:
            return sums ? SumRow<std::uint64_t> : DifferRow<std::uint64_t>;
    }
}

// Stores differences of neighbours. The bits of floats are treated as integers.
class HorizontalPredictor final : public Predictor {
  public:
    explicit HorizontalPredictor(Rows rows)
        : Predictor(std::move(rows)),
          sum_(ForSize(this->rows().block.item, true)),
          differ_(ForSize(this->rows().block.item, false)) {}

    DataType EncodedType() const override { return rows().type; }
    bool KeepsShape() const override { return true; }

  protected:
    void DecodeRow(const std::uint8_t* src, std::uint8_t* dst,
                   std::uint8_t* /*scratch*/) const override {
        Run(sum_, src, dst);
    }
    void EncodeRow(const std::uint8_t* src, std::uint8_t* dst,
                   std::uint8_t* /*scratch*/) const override {
        Run(differ_, src, dst);
    }

  private:
    void Run(RowFunction function, const std::uint8_t* src, std::uint8_t* dst) const {
        std::memcpy(dst, src, rows().row_bytes());
        const bool swaps = rows().type.NeedsSwap();
        if (swaps) SwapUnits(dst, rows().block.item, rows().length);
        function(dst, rows().length, rows().step);
        if (swaps) SwapUnits(dst, rows().block.item, rows().length);
    }

    RowFunction sum_;
    RowFunction differ_;
};

// Stores the bytes of a row's floats by significance, the most significant bytes of all floats
// first, and then differences of these bytes.
class FloatPredictor final : public Predictor {
  public:
    explicit FloatPredictor(Rows rows)
        : Predictor(std::move(rows)),
          is_little_(this->rows().type.NeedsSwap() != HostIsLittleEndian()) {}

    // Describes the encoded data as bytes without a shape and without a byte order.
    void DescribeEncoded(CodecContext& items) const override {
        items.dtype = {};
        items.dtype.kind = DataKind::kVoid;
        items.dtype.size = rows().block.item;
        items.chunk_shape = {rows().block.count};
        items.is_flat = true;
    }

  protected:
    void DecodeRow(const std::uint8_t* src, std::uint8_t* dst,
                   std::uint8_t* scratch) const override {
        std::memcpy(scratch, src, rows().row_bytes());
        SumRow<std::uint8_t>(scratch, rows().row_bytes(), rows().step);
        const std::size_t item = rows().block.item;
        for (std::size_t byte = 0; byte < item; ++byte)
            for (std::size_t i = 0; i < rows().length; ++i)
                dst[i * item + OffsetOf(byte)] = scratch[byte * rows().length + i];
    }
    void EncodeRow(const std::uint8_t* src, std::uint8_t* dst,
                   std::uint8_t* /*scratch*/) const override {
        const std::size_t item = rows().block.item;
        for (std::size_t byte = 0; byte < item; ++byte)
            for (std::size_t i = 0; i < rows().length; ++i)
                dst[byte * rows().length + i] = src[i * item + OffsetOf(byte)];
        DifferRow<std::uint8_t>(dst, rows().row_bytes(), rows().step);
    }

  private:
    // Returns the index within an item of the byte that has significance rank `byte`; 0 is the most
    // significant.
    std::size_t OffsetOf(std::size_t byte) const {
        return is_little_ ? rows().block.item - 1 - byte : byte;
    }

    bool is_little_;
};

bool TakesIntegers(const DataType& type) {
    return (type.kind == DataKind::kInt || type.kind == DataKind::kUint) &&
           type.narrow == NarrowType::kNone;
}

bool TakesFloats(const DataType& type) {
    return type.kind == DataKind::kFloat && type.narrow == NarrowType::kNone;
}

Status WrongItems(const char* wanted, const DataType& type) {
    return Status::Corrupt(std::string("requires ") + wanted + ", got " + type.ToString());
}

}  // namespace

CodecResult MakeAxisDelta(const json::Value& config, const CodecContext& context) {
    if (!TakesIntegers(context.dtype) && !TakesFloats(context.dtype))
        return WrongItems("integers or floats", context.dtype);
    ZARR_ASSIGN_OR_RETURN(Rows rows, Rows::Of(config, context));
    return std::unique_ptr<Codec>(std::make_unique<HorizontalPredictor>(std::move(rows)));
}

CodecResult MakeHorizontalDelta(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {}));
    if (!TakesIntegers(context.dtype)) return WrongItems("integers", context.dtype);
    ZARR_ASSIGN_OR_RETURN(Rows rows, Rows::Of(context.chunk_shape, context.dtype, -1));
    return std::unique_ptr<Codec>(std::make_unique<HorizontalPredictor>(std::move(rows)));
}

CodecResult MakeFloatPredictor(const json::Value& config, const CodecContext& context) {
    if (!TakesFloats(context.dtype)) return WrongItems("floats", context.dtype);
    ZARR_ASSIGN_OR_RETURN(Rows rows, Rows::Of(config, context));
    return std::unique_ptr<Codec>(std::make_unique<FloatPredictor>(std::move(rows)));
}

}  // namespace zarr
