// SPDX-License-Identifier: MIT
// numcodecs' "zfpy": an array of one to four dimensions of float32, float64, int32 or int64,
// compressed by libzfp. libzfp's full header contains type and shape.
#include <memory>
#include <optional>

#include "core/base/checked.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/codec/zfp_stream.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Opens `encoded`, which must begin with libzfp's full header.
Status OpenWithHeader(ByteSpan encoded, std::size_t room, OpenedZfp& opened) {
    ZARR_RETURN_IF_ERROR(OpenZfp(encoded, room, opened));
    if (Libzfp().zfp_read_header(opened.stream.get(), opened.field.get(), ZFP_HEADER_FULL) == 0)
        return Status::Corrupt("not zfpy data: it does not begin with libzfp's full header");
    return {};
}

std::optional<zfp_type> TypeOf(const DataType& type) {
    const bool is_float = type.kind == DataKind::kFloat;
    if ((!is_float && type.kind != DataKind::kInt) || type.NeedsSwap()) return std::nullopt;
    if (type.size == 4) return is_float ? zfp_type_float : zfp_type_int32;
    if (type.size == 8) return is_float ? zfp_type_double : zfp_type_int64;
    return std::nullopt;
}

// Compression mode of libzfp. The configuration has one member per mode; the first member that is
// not negative selects the mode.
struct Mode {
    double tolerance = -1;
    double rate = -1;
    double precision = -1;

    static Result<Mode> Make(const json::Value& config) {
        Mode mode;
        const json::Value* arguments = config.Find("compression_kwargs");
        const json::Value& from =
            arguments != nullptr && arguments->as_object() != nullptr ? *arguments : config;
        ZARR_RETURN_IF_ERROR(Take(from, "tolerance", mode.tolerance));
        ZARR_RETURN_IF_ERROR(Take(from, "rate", mode.rate));
        ZARR_RETURN_IF_ERROR(Take(from, "precision", mode.precision));
        return mode;
    }

    void Set(zfp_stream& stream, zfp_type type, unsigned dimensions) const {
        if (tolerance >= 0)
            Libzfp().zfp_stream_set_accuracy(&stream, tolerance);
        else if (rate >= 0)
            Libzfp().zfp_stream_set_rate(&stream, rate, type, dimensions, zfp_false);
        else if (precision >= 0)
            Libzfp().zfp_stream_set_precision(&stream, static_cast<unsigned>(precision));
        else
            Libzfp().zfp_stream_set_reversible(&stream);
    }

  private:
    static Status Take(const json::Value& from, const char* name, double& value) {
        constexpr double kMost = 1e9;  // maximum value of `rate` and `precision`, in bits
        const json::Value* member = from.Find(name);
        if (member == nullptr || member->is_null()) return {};
        if (!member->GetDouble(value)) return json::Expected(name, "a number", *member);
        if (value > kMost && std::string_view(name) != "tolerance")
            return json::Expected(name, "a number of at most 1e9", *member);
        return {};
    }
};

class Zfpy final : public Codec {
  public:
    Zfpy(Result<Mode> mode, const CodecContext& context)
        : mode_(std::move(mode)),
          type_(context.dtype),
          shape_(context.chunk_shape),
          is_in_order_(context.axis_order.is_row_major(context.chunk_shape.size())),
          is_flat_(context.is_flat) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // The bound allows for padding: libzfp encodes blocks of 256 values, and a block may
        // contain a single element.
        return {SaturatingAdd(SaturatingMul(decoded.max, 256), std::size_t{4} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(OpenedZfp opened, OpenedZfp::Make());
        ZARR_RETURN_IF_ERROR(OpenWithHeader(encoded, kZfpHeaderRoom, opened));
        std::size_t size = Libzfp().zfp_type_size(opened.field->type);
        for (const std::size_t n :
             {opened.field->nx, opened.field->ny, opened.field->nz, opened.field->nw})
            size = SaturatingMul(size, n != 0 ? n : 1);
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(size));
        ZARR_ASSIGN_OR_RETURN(const std::size_t zeros, ZfpRoom(encoded, opened));
        ZARR_RETURN_IF_ERROR(OpenWithHeader(encoded, zeros, opened));
        return DecompressZfp(encoded, opened, room);
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(LoadLibzfp());
        ZARR_RETURN_IF_ERROR(mode_.status());
        if (!TypeOf(type_))
            return Status::Unsupported("libzfp does not support dtype " + type_.ToString());
        const std::size_t rank = is_flat_ ? 1 : shape_.size();
        if (rank == 0 || rank > kMaxZfpDimensions)
            return Status::Unsupported("libzfp supports 1 to 4 dimensions, but the chunk has " +
                                       std::to_string(rank));
        if (!is_flat_ && !is_in_order_)
            return Status::Unsupported("numcodecs' zfpy requires order C");
        return CheckWholeItems(decoded, type_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        const zfp_type type = *TypeOf(type_);
        std::size_t n[kMaxZfpDimensions] = {};  // sizes, the fastest-varying dimension first
        const std::size_t rank = is_flat_ ? 1 : shape_.size();
        for (std::size_t i = 0; i < rank; ++i)
            n[i] = is_flat_ ? decoded.size / type_.size
                            : static_cast<std::size_t>(shape_[rank - 1 - i]);
        ZARR_ASSIGN_OR_RETURN(OpenedZfp opened, OpenedZfp::Make());
        opened.field->type = type;
        opened.field->nx = n[0];
        opened.field->ny = n[1];
        opened.field->nz = n[2];
        opened.field->nw = n[3];
        mode_->Set(*opened.stream, type, static_cast<unsigned>(rank));
        return CompressZfp(opened, decoded.data, true, encoded);
    }

  private:
    const Result<Mode> mode_;
    const DataType type_;
    const std::vector<std::uint64_t> shape_;
    const bool is_in_order_;
    const bool is_flat_;
};

}  // namespace

CodecResult MakeZfpy(const json::Value& config, const CodecContext& context) {
    return std::unique_ptr<Codec>(std::make_unique<Zfpy>(Mode::Make(config), context));
}

}  // namespace zarr
