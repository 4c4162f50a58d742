// SPDX-License-Identifier: MIT
// Codec "bytes" of Zarr v3: stores elements one after another, in the configured byte order (Zarr
// v3 specification, "Bytes codec").
#include <cstring>
#include <optional>

#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/codec/streaming.h"
#include "core/codec/v3_configuration.h"

namespace zarr {

namespace {

// Byte orders that occur in a data type. The fields of a structure may have both orders.
struct ItemOrders {
    bool has_little = false;
    bool has_big = false;

    explicit ItemOrders(const DataType& type) { Add(type); }

  private:
    void Add(const DataType& type) {
        if (type.kind == DataKind::kStruct)
            for (const Field& field : type.fields) Add(field.type);
        has_little = has_little || type.order == ByteOrder::kLittle;
        has_big = has_big || type.order == ByteOrder::kBig;
    }
};

DataType WithOrder(DataType type, ByteOrder order) {
    if (type.order != ByteOrder::kNotRelevant) type.order = order;
    for (Field& field : type.fields) field.type = WithOrder(field.type, order);
    return type;
}

class Bytes final : public Codec {
  public:
    Bytes(const DataType& decoded, std::optional<ByteOrder> order)
        : decoded_(decoded), encoded_(order ? WithOrder(decoded, *order) : decoded) {
        const ItemOrders orders(decoded);
        swaps_ = order && (*order == ByteOrder::kLittle ? orders.has_big : orders.has_little);
    }

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (!swaps_) return CopyAll(encoded, decoded);
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, decoded_.size, decoded_.size, decoded));
        Swap(run, encoded_, decoded_);
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        return CheckWholeItems(decoded, decoded_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        if (!swaps_) return encoded.Assign(decoded);
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(decoded, decoded_.size, decoded_.size, encoded));
        Swap(run, decoded_, encoded_);
        return {};
    }

    DataType EncodedType() const override { return encoded_; }
    bool IsIdentity() const override { return !swaps_; }

  private:
    // Copies the elements of `run`, converting them from the byte order of type `from` to that of
    // type `to`.
    static void Swap(const ItemRun& run, const DataType& from, const DataType& to) {
        if (run.count == 0) return;
        if (to.is_numeric() || to.is_time()) {
            const std::size_t parts = to.kind == DataKind::kComplex ? 2 : 1;
            const auto unit = static_cast<std::ptrdiff_t>(to.size / parts);
            CopySwapped(run.dst, unit, run.src, unit, to.size / parts, run.count * parts);
            return;
        }
        std::memcpy(run.dst, run.src, run.count * to.size);
        // First to the host's byte order, then to the order of `to`.
        SwapElements(from, run.dst, run.count);
        SwapElements(to, run.dst, run.count);
    }

    DataType decoded_;
    DataType encoded_;
    bool swaps_ = false;
};

}  // namespace

CodecResult MakeBytes(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"endian"}));
    if (context.dtype.kind == DataKind::kObject)
        return Status::Corrupt("requires items of fixed size, got variable-length data");
    if (config.Find("endian") == nullptr) {
        const ItemOrders orders(context.dtype);
        if (!orders.has_little && !orders.has_big)
            return std::unique_ptr<Codec>(std::make_unique<Bytes>(context.dtype, std::nullopt));
        // Structures and text without "endian" are little-endian: all their known writers use the
        // host's byte order, which is little-endian. zarr-python omits "endian" for structures,
        // GDAL's sample files omit "endian" for text.
        if (context.dtype.kind != DataKind::kStruct && context.dtype.kind != DataKind::kUnicode)
            return Status::Corrupt("endian is missing, but required for items of " +
                                   std::to_string(context.dtype.size) + " bytes");
        return std::unique_ptr<Codec>(std::make_unique<Bytes>(context.dtype, ByteOrder::kLittle));
    }
    ZARR_ASSIGN_OR_RETURN(const std::size_t endian,
                          RequiredName(config, "endian", {"little", "big"}));
    return std::unique_ptr<Codec>(
        std::make_unique<Bytes>(context.dtype, endian == 0 ? ByteOrder::kLittle : ByteOrder::kBig));
}

}  // namespace zarr
