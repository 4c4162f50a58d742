// SPDX-License-Identifier: MIT
// numcodecs' "pcodec", for reading: each chunk is a file of pco, whose numbers are those of the
// chunk in its order. What the configuration says matters for encoding alone.
#include <memory>
#include <optional>

#include "core/base/checked.h"
#include "core/codec/factories.h"
#include "core/codec/pco_decoder.h"
#include "core/json/value.h"

namespace zarr {

namespace {

class Pcodec final : public Codec {
  public:
    explicit Pcodec(const DataType& type) : type_(pco::NumberTypeOf(type)) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // A file may have a chunk for every number, and what that begins with.
        return {SaturatingAdd(SaturatingMul(decoded.max, 16), std::size_t{64} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return pco::DecodeFile(encoded, type_, decoded);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override {
        return Status::Unsupported("chunks that are files of pco are not written");
    }

    Status Encode(ByteSpan decoded, Buffer& /*encoded*/) const override {
        return CheckWritable({decoded.size, true});
    }

  private:
    // Of the array's items; nullopt where pco has none such, as of times, whose ticks are read.
    const std::optional<pco::NumberType> type_;
};

}  // namespace

CodecResult MakePcodec(const json::Value& /*config*/, const CodecContext& context) {
    return std::unique_ptr<Codec>(std::make_unique<Pcodec>(context.dtype));
}

}  // namespace zarr
