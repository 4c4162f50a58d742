// SPDX-License-Identifier: MIT
// "conditional" of zarr-extensions: a list of bytes-to-bytes codecs, each of which a chunk may
// skip. Each chunk begins with a header that has one bit per codec, set if the codec was applied.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/checked.h"
#include "core/codec/factories.h"
#include "core/codec/registry.h"
#include "core/codec/streaming.h"
#include "core/codec/v3_configuration.h"

namespace zarr {

namespace {

struct NestedCodec {
    std::string place;
    std::unique_ptr<Codec> codec;
};

class Conditional final : public Codec {
  public:
    Conditional(std::vector<NestedCodec> codecs, std::size_t header)
        : codecs_(std::move(codecs)), header_(header) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        for (const NestedCodec& nested : codecs_)
            decoded.max =
                std::max(decoded.max, nested.codec->EncodedSize({decoded.max, false}).max);
        return {SaturatingAdd(decoded.max, header_), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (encoded.size < header_)
            return Status::Corrupt("holds " + std::to_string(encoded.size) +
                                   " bytes, too few for a header of " + std::to_string(header_));
        const ByteSpan mask{encoded.data, header_};
        for (std::size_t bit = codecs_.size(); bit < header_ * 8; ++bit)
            if (IsSet(mask, bit))
                return Status::Corrupt("header bit " + std::to_string(bit) + " is set, but only " +
                                       std::to_string(codecs_.size()) + " codecs exist");
        // Codecs whose header bit is set, each with the maximum size in bytes of its decoded data.
        std::vector<std::pair<const NestedCodec*, std::size_t>> applied;
        SizeBound size = {decoded.limit(), false};
        for (std::size_t i = 0; i < codecs_.size(); ++i) {
            if (!IsSet(mask, i)) continue;
            applied.emplace_back(&codecs_[i], size.max);
            size = codecs_[i].codec->EncodedSize(size);
        }
        ByteSpan bytes = encoded.From(header_);
        if (applied.empty()) return CopyAll(bytes, decoded);
        Buffer buffers[2];
        for (std::size_t i = applied.size(); i-- > 1;) {
            Buffer& buffer = buffers[i % 2];
            const auto& [nested, most] = applied[i];
            Output output(buffer, most);
            Status status = nested->codec->Decode(bytes, output);
            if (status.ok()) status = output.Finish();
            ZARR_RETURN_IF_ERROR(status.WithContext(nested->place));
            bytes = const_cast<const Buffer&>(buffer).span();
        }
        return applied[0].first->codec->Decode(bytes, decoded).WithContext(applied[0].first->place);
    }

    // Checks that every codec accepts input whose size is not known exactly. A chunk may skip a
    // codec, so the size of the next codec's input varies.
    Status CheckWritable(SizeBound decoded) const override {
        for (const NestedCodec& nested : codecs_) {
            decoded.exact = false;
            ZARR_RETURN_IF_ERROR(nested.codec->CheckWritable(decoded).WithContext(nested.place));
            decoded = nested.codec->EncodedSize(decoded);
        }
        return {};
    }

    // A codec with an output of varying size, such as a compressor, is applied only if its output
    // is smaller than its input. Any other codec is applied if it can encode the bytes.
    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        Buffer buffers[2];
        std::vector<std::uint8_t> mask(header_, 0);
        ByteSpan bytes = decoded;
        std::size_t next = 0;
        for (std::size_t i = 0; i < codecs_.size(); ++i) {
            const Codec& codec = *codecs_[i].codec;
            if (!codec.CheckWritable({bytes.size, true}).ok()) continue;
            ZARR_RETURN_IF_ERROR(codec.Encode(bytes, buffers[next]).WithContext(codecs_[i].place));
            const bool is_exact = codec.EncodedSize({bytes.size, true}).exact;
            if (!is_exact && buffers[next].size() >= bytes.size) continue;
            mask[i / 8] = static_cast<std::uint8_t>(mask[i / 8] | (1U << (i % 8)));
            bytes = const_cast<const Buffer&>(buffers[next]).span();
            next = 1 - next;
        }
        ZARR_RETURN_IF_ERROR(encoded.Reset(SaturatingAdd(bytes.size, header_)));
        if (header_ != 0) std::memcpy(encoded.data(), mask.data(), header_);
        if (bytes.size != 0) std::memcpy(encoded.data() + header_, bytes.data, bytes.size);
        return {};
    }

  private:
    static bool IsSet(ByteSpan mask, std::size_t bit) {
        return ((mask.data[bit / 8] >> (bit % 8)) & 1) != 0;
    }

    std::vector<NestedCodec> codecs_;
    std::size_t header_;  // size of the header in bytes
};

// Returns the size of the header in bytes.
Result<std::size_t> HeaderSize(const json::Value& config, std::size_t codecs) {
    if (config.Find("header_bits") == nullptr) return CeilDiv(codecs, 8);
    constexpr std::int64_t kMost = 1 << 20;
    ZARR_ASSIGN_OR_RETURN(
        const std::int64_t bits,
        RequiredInt(config, "header_bits", static_cast<std::int64_t>(codecs), kMost));
    if (bits % 8 != 0)
        return json::Expected("header_bits", "a multiple of 8", *config.Find("header_bits"));
    return static_cast<std::size_t>(bits / 8);
}

}  // namespace

CodecResult MakeConditional(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"codecs", "header_bits"}));
    ZARR_ASSIGN_OR_RETURN(const std::vector<CodecSpec> specs, RequiredCodecs(config, "codecs"));
    ZARR_ASSIGN_OR_RETURN(const std::size_t header, HeaderSize(config, specs.size()));
    std::vector<NestedCodec> codecs;
    for (const CodecSpec& spec : specs) {
        ZARR_ASSIGN_OR_RETURN(const CodecClass codec_class, ClassOf(spec).WithContext(spec.place));
        if (codec_class != CodecClass::kBytesToBytes)
            return Status::Corrupt(spec.place + ": expected a bytes-to-bytes codec, got \"" +
                                   spec.name + "\"");
        ZARR_ASSIGN_OR_RETURN(auto codec, MakeCodec(spec, context).WithContext(spec.place));
        codecs.push_back({spec.place, std::move(codec)});
    }
    return std::unique_ptr<Codec>(std::make_unique<Conditional>(std::move(codecs), header));
}

}  // namespace zarr
