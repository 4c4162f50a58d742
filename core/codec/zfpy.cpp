// SPDX-License-Identifier: MIT
// numcodecs' "zfpy": an array of up to four dimensions of float32, float64, int32 or int64 as
// libzfp compresses it, with libzfp's full header, which says its type and shape.
#include <zfp.h>

#include <cstring>
#include <memory>
#include <optional>

#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/codec/factories.h"
#include "core/codec/numeric.h"
#include "core/json/value.h"

namespace zarr {

namespace {

struct CloseStream {
    void operator()(zfp_stream* stream) const { zfp_stream_close(stream); }
};
struct CloseBits {
    void operator()(bitstream* bits) const { stream_close(bits); }
};
struct FreeField {
    void operator()(zfp_field* field) const { zfp_field_free(field); }
};
using StreamPtr = std::unique_ptr<zfp_stream, CloseStream>;
using BitsPtr = std::unique_ptr<bitstream, CloseBits>;
using FieldPtr = std::unique_ptr<zfp_field, FreeField>;

constexpr std::size_t kHeader = (ZFP_HEADER_MAX_BITS + 7) / 8;
constexpr std::size_t kMostDimensions = 4;

// A compressed array that is open at its start, in memory of which libzfp reads no more than there
// is.
struct Opened {
    Buffer bytes;  // the encoded form, and zeros
    BitsPtr bits;
    StreamPtr stream{zfp_stream_open(nullptr)};
    FieldPtr field{zfp_field_alloc()};
};

// libzfp does not look where its input ends. So that is followed by as much as it may want.
Status Open(ByteSpan encoded, std::size_t room, Opened& opened) {
    ZARR_RETURN_IF_ERROR(opened.bytes.Reset(encoded.size + room));
    if (encoded.size != 0) std::memcpy(opened.bytes.data(), encoded.data, encoded.size);
    std::memset(opened.bytes.data() + encoded.size, 0, room);
    opened.bits.reset(stream_open(opened.bytes.data(), opened.bytes.size()));
    if (opened.bits == nullptr || opened.stream == nullptr || opened.field == nullptr)
        return Status::OutOfMemory("libzfp is out of memory");
    zfp_stream_set_bit_stream(opened.stream.get(), opened.bits.get());
    zfp_stream_rewind(opened.stream.get());
    if (zfp_read_header(opened.stream.get(), opened.field.get(), ZFP_HEADER_FULL) == 0)
        return Status::Corrupt("does not begin with libzfp's full header");
    return {};
}

std::optional<zfp_type> TypeOf(const DataType& type) {
    const bool is_float = type.kind == DataKind::kFloat;
    if ((!is_float && type.kind != DataKind::kInt) || type.NeedsSwap()) return std::nullopt;
    if (type.size == 4) return is_float ? zfp_type_float : zfp_type_int32;
    if (type.size == 8) return is_float ? zfp_type_double : zfp_type_int64;
    return std::nullopt;
}

// What of libzfp's modes the configuration asks for; the first that is not negative.
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
            zfp_stream_set_accuracy(&stream, tolerance);
        else if (rate >= 0)
            zfp_stream_set_rate(&stream, rate, type, dimensions, zfp_false);
        else if (precision >= 0)
            zfp_stream_set_precision(&stream, static_cast<unsigned>(precision));
        else
            zfp_stream_set_reversible(&stream);
    }

  private:
    static Status Take(const json::Value& from, const char* name, double& value) {
        constexpr double kMost = 1e9;  // of bits; a tolerance may be larger, and means as much
        const json::Value* member = from.Find(name);
        if (member == nullptr || member->is_null()) return {};
        if (!member->GetDouble(value)) return json::Expected(name, "a number", *member);
        if (value > kMost && std::string_view(name) != "tolerance")
            return json::Expected(name, "a smaller number", *member);
        return {};
    }
};

class Zfpy final : public Codec {
  public:
    Zfpy(Result<Mode> mode, const CodecContext& context)
        : mode_(std::move(mode)),
          type_(context.dtype),
          shape_(context.chunk_shape),
          is_in_order_(!context.fortran_order || context.chunk_shape.size() < 2),
          is_flat_(context.is_flat) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // Blocks of 256 values may have a single one of the array's.
        return {SaturatingAdd(SaturatingMul(decoded.max, 256), std::size_t{4} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        Opened opened;
        ZARR_RETURN_IF_ERROR(Open(encoded, kHeader + sizeof(std::uint64_t), opened));
        std::size_t size = zfp_type_size(opened.field->type);
        for (const std::size_t n :
             {opened.field->nx, opened.field->ny, opened.field->nz, opened.field->nw})
            size = SaturatingMul(size, n != 0 ? n : 1);
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(size));
        // What libzfp thinks that its encoder takes at most, and half as much, as damaged input may
        // say more often that nothing follows.
        const std::size_t most = zfp_stream_maximum_size(opened.stream.get(), opened.field.get());
        const std::size_t wanted = SaturatingAdd(SaturatingAdd(most, most / 2), std::size_t{4096});
        if (most == 0) return Status::Corrupt("libzfp's header is damaged");
        if (wanted > LimitOf(Limit::kChunkSize))
            return OverLimit(Limit::kChunkSize, "needs more memory to be decoded");
        ZARR_RETURN_IF_ERROR(
            Open(encoded, wanted > encoded.size ? wanted - encoded.size : 0, opened));
        zfp_field_set_pointer(opened.field.get(), room.data);
        const std::size_t read = zfp_decompress(opened.stream.get(), opened.field.get());
        if (read == 0) return Status::Corrupt("does not decode");
        const std::size_t word = stream_word_bits / 8;
        if (read > (encoded.size + word - 1) / word * word)
            return Status::Corrupt("is truncated: " + std::to_string(encoded.size) +
                                   " bytes do not hold the end of the stream");
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(mode_.status());
        if (!TypeOf(type_))
            return Status::Unsupported("libzfp has no items of dtype " + type_.ToString());
        const std::size_t rank = is_flat_ ? 1 : shape_.size();
        if (rank == 0 || rank > kMostDimensions)
            return Status::Unsupported("libzfp has arrays of 1 to 4 dimensions, not of " +
                                       std::to_string(rank));
        if (!is_flat_ && !is_in_order_)
            return Status::Unsupported("numcodecs' zfpy takes arrays in order C alone");
        return CheckWholeItems(decoded, type_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        const zfp_type type = *TypeOf(type_);
        std::size_t n[kMostDimensions] = {};  // the fastest first
        const std::size_t rank = is_flat_ ? 1 : shape_.size();
        for (std::size_t i = 0; i < rank; ++i)
            n[i] = is_flat_ ? decoded.size / type_.size
                            : static_cast<std::size_t>(shape_[rank - 1 - i]);
        const FieldPtr field(zfp_field_alloc());
        const StreamPtr stream(zfp_stream_open(nullptr));
        if (field == nullptr || stream == nullptr)
            return Status::OutOfMemory("libzfp is out of memory");
        zfp_field_set_type(field.get(), type);
        // libzfp takes a pointer to what it may change, and does not.
        zfp_field_set_pointer(field.get(), const_cast<std::uint8_t*>(decoded.data));
        field->nx = n[0];
        field->ny = n[1];
        field->nz = n[2];
        field->nw = n[3];
        mode_->Set(*stream, type, static_cast<unsigned>(rank));
        const std::size_t most = zfp_stream_maximum_size(stream.get(), field.get());
        if (most == 0) return Status::Unsupported("libzfp does not take this chunk");
        ZARR_RETURN_IF_ERROR(encoded.Reset(most));
        const BitsPtr bits(stream_open(encoded.data(), encoded.size()));
        zfp_stream_set_bit_stream(stream.get(), bits.get());
        zfp_stream_rewind(stream.get());
        const bool has_header = zfp_write_header(stream.get(), field.get(), ZFP_HEADER_FULL) != 0;
        const std::size_t size = has_header ? zfp_compress(stream.get(), field.get()) : 0;
        if (size == 0) return Status::Unsupported("libzfp does not take this chunk");
        return encoded.Resize(size);
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
