// SPDX-License-Identifier: MIT
// Codec "lzma" of numcodecs. Option "filters" is a filter chain as in Python's lzma module; streams
// of format RAW cannot be decoded without it.
// https://docs.python.org/3/library/lzma.html#filter-specs
#include <lzma.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/base/limits.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Maximum memory in bytes that liblzma may allocate for encoding. The largest preset needs eleven
// times its dictionary of 64 MiB.
inline constexpr std::uint64_t kLzmaEncoderMemory = std::uint64_t{1} << 30;

// Filter chain for liblzma. Not copyable, because chain_ points to options_.
class LzmaFilterChain {
  public:
    LzmaFilterChain() { chain_[0] = {LZMA_VLI_UNKNOWN, nullptr}; }
    ~LzmaFilterChain() = default;
    LzmaFilterChain(const LzmaFilterChain&) = delete;
    LzmaFilterChain& operator=(const LzmaFilterChain&) = delete;

    // Parses the list `filters`; kCorrupt if the list is invalid. kDecode ignores the members mode,
    // nice_len, mf and depth, which only encoding needs. kEncode returns kLimit if encoding would
    // need more than kLzmaEncoderMemory.
    enum class Purpose { kDecode, kEncode };
    Status Parse(const json::Value& filters, Purpose purpose);
    // Makes a chain of the single filter `id` (LZMA1 or LZMA2) with the compression level `preset`.
    Status SetPreset(lzma_vli id, std::uint32_t preset);

    // Returns the filter chain in liblzma's form; empty before Parse() or SetPreset().
    const lzma_filter* chain() const { return chain_.data(); }

  private:
    struct Options {
        lzma_options_lzma lzma = {};
        lzma_options_delta delta = {};
        lzma_options_bcj bcj = {};
    };

    static Status ParseFilter(const json::Value& spec, Purpose purpose, lzma_filter& filter,
                              Options& options);

    std::array<Options, LZMA_FILTERS_MAX> options_ = {};
    std::array<lzma_filter, LZMA_FILTERS_MAX + 1> chain_ = {};
};

// Container formats of lzma data. The values are those of FORMAT_AUTO, FORMAT_XZ and so on in
// Python's lzma module.
enum class Format { kAuto = 0, kXz = 1, kAlone = 2, kRaw = 3 };

Status Damage(lzma_ret code) {
    switch (code) {
        case LZMA_MEM_ERROR:
            return Status::OutOfMemory("liblzma is out of memory");
        case LZMA_FORMAT_ERROR:
            return Status::Corrupt(
                "compressed data is not in the format that the configuration states");
        case LZMA_OPTIONS_ERROR:
            return Status::Unsupported("compressed data uses unsupported lzma options");
        case LZMA_DATA_ERROR:
            return Status::Corrupt("compressed data is damaged: contents or checksum are wrong");
        default:
            return Status::Corrupt("liblzma error " + std::to_string(code));
    }
}

// Filter chain that decodes at most `size` bytes. The dictionary is limited to `size`, because more
// memory would never be used.
class RawChain {
  public:
    RawChain(const LzmaFilterChain& filters, std::size_t size) {
        std::copy_n(filters.chain(), chain_.size(), chain_.begin());
        for (lzma_filter& filter : chain_) {
            if (filter.id == LZMA_VLI_UNKNOWN) break;
            if (filter.id != LZMA_FILTER_LZMA1 && filter.id != LZMA_FILTER_LZMA2) continue;
            lzma_ = *static_cast<const lzma_options_lzma*>(filter.options);
            const std::size_t enough = std::max<std::size_t>(size, LZMA_DICT_SIZE_MIN);
            if (lzma_.dict_size > enough) lzma_.dict_size = static_cast<std::uint32_t>(enough);
            filter.options = &lzma_;
        }
    }
    ~RawChain() = default;
    RawChain(const RawChain&) = delete;
    RawChain& operator=(const RawChain&) = delete;

    const lzma_filter* chain() const { return chain_.data(); }

  private:
    std::array<lzma_filter, LZMA_FILTERS_MAX + 1> chain_ = {};
    lzma_options_lzma lzma_ = {};  // options of LZMA1 or LZMA2, which occur at most once in a chain
};

class LzmaStream final : public StreamDecoder {
  public:
    // `size` is the maximum number of decoded bytes.
    LzmaStream(Format format, const LzmaFilterChain& filters, std::size_t size)
        : format_(format),
          raw_(filters, size),
          memory_(SaturatingAdd(size, LimitOf(Limit::kCodecMemory))) {}
    ~LzmaStream() override { lzma_end(&stream_); }
    LzmaStream(const LzmaStream&) = delete;
    LzmaStream& operator=(const LzmaStream&) = delete;

    Status Start() override {
        const lzma_ret code = Init();
        return code == LZMA_OK ? Status() : Damage(code);
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out) override {
        stream_.next_in = in.data;
        stream_.avail_in = in.size;
        stream_.next_out = out.data;
        stream_.avail_out = out.size;
        const lzma_ret code = lzma_code(&stream_, LZMA_RUN);

        StreamStep step;
        step.consumed = in.size - stream_.avail_in;
        step.produced = out.size - stream_.avail_out;
        if (code == LZMA_STREAM_END) {
            step.state = StreamState::kComplete;
        } else if (code != LZMA_OK && code != LZMA_BUF_ERROR) {
            step.state = StreamState::kDamaged;
            step.error = code == LZMA_MEMLIMIT_ERROR ? TooMuchMemory() : Damage(code);
        }
        return step;
    }

  private:
    Status TooMuchMemory() const {
        return OverLimit(Limit::kCodecMemory, "decoding with its dictionary needs " +
                                                  std::to_string(lzma_memusage(&stream_)) +
                                                  " bytes of memory");
    }

    lzma_ret Init() {
        switch (format_) {
            case Format::kAuto:
                return lzma_auto_decoder(&stream_, memory_, 0);
            case Format::kXz:
                return lzma_stream_decoder(&stream_, memory_, 0);
            case Format::kAlone:
                return lzma_alone_decoder(&stream_, memory_);
            case Format::kRaw:
                return lzma_raw_decoder(&stream_, raw_.chain());
        }
        return LZMA_PROG_ERROR;
    }

    Format format_;
    RawChain raw_;
    std::uint64_t memory_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

// Encoder settings from the codec's options "format", "check", "preset" and "filters".
class LzmaSettings {
  public:
    Status Parse(Format format, const json::Value& config) {
        format_ = format;
        if (format == Format::kAuto)
            return Status::Invalid("format: 0 (automatic) is for decoding only");
        ZARR_RETURN_IF_ERROR(ParseCheck(config));
        const json::Value* filters = config.Find("filters");
        if (filters == nullptr || filters->is_null()) return ParsePreset(config);
        const json::Value* preset = config.Find("preset");
        if (preset != nullptr && !preset->is_null())
            return Status::Invalid("preset: not allowed together with filters");
        ZARR_RETURN_IF_ERROR(filters_.Parse(*filters, LzmaFilterChain::Purpose::kEncode));
        const lzma_filter* chain = filters_.chain();
        if (format == Format::kAlone &&
            (chain[0].id != LZMA_FILTER_LZMA1 || chain[1].id != LZMA_VLI_UNKNOWN))
            return json::Expected("filters", "one LZMA1 filter for format 2", *filters);
        if (format == Format::kXz)
            for (; chain->id != LZMA_VLI_UNKNOWN; ++chain)
                if (chain->id == LZMA_FILTER_LZMA1)
                    return json::Expected("filters", "no LZMA1 filter for format 1", *filters);
        return {};
    }

    lzma_ret Init(lzma_stream& stream) const {
        if (format_ == Format::kXz) return lzma_stream_encoder(&stream, filters_.chain(), check_);
        if (format_ == Format::kRaw) return lzma_raw_encoder(&stream, filters_.chain());
        return lzma_alone_encoder(&stream,
                                  static_cast<const lzma_options_lzma*>(filters_.chain()->options));
    }

  private:
    Status ParseCheck(const json::Value& config) {
        constexpr std::int64_t kDefault = -1;
        ZARR_ASSIGN_OR_RETURN(
            const std::int64_t check,
            json::OptionalInt(config, "check", kDefault, kDefault, LZMA_CHECK_ID_MAX));
        if (format_ != Format::kXz && check > 0)
            return json::Expected("check", "-1 or 0, because only format 1 has checks",
                                  json::Value(check));
        check_ = check == kDefault ? LZMA_CHECK_CRC64 : static_cast<lzma_check>(check);
        if (lzma_check_is_supported(check_) == 0)
            return json::Expected("check", "a check that liblzma supports", json::Value(check));
        return {};
    }

    Status ParsePreset(const json::Value& config) {
        if (format_ == Format::kRaw) return Status::Invalid("filters: required by format 3");
        ZARR_ASSIGN_OR_RETURN(
            const std::int64_t preset,
            json::OptionalInt(config, "preset", LZMA_PRESET_DEFAULT, 0, UINT32_MAX));
        return filters_.SetPreset(format_ == Format::kXz ? LZMA_FILTER_LZMA2 : LZMA_FILTER_LZMA1,
                                  static_cast<std::uint32_t>(preset));
    }

    Format format_ = Format::kXz;
    lzma_check check_ = LZMA_CHECK_CRC64;
    LzmaFilterChain filters_;
};

class LzmaEncoder final : public StreamEncoder {
  public:
    LzmaEncoder() = default;
    ~LzmaEncoder() override { lzma_end(&stream_); }
    LzmaEncoder(const LzmaEncoder&) = delete;
    LzmaEncoder& operator=(const LzmaEncoder&) = delete;

    Status Start(const LzmaSettings& settings) {
        const lzma_ret code = settings.Init(stream_);
        return code == LZMA_OK ? Status() : Damage(code);
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out, bool is_last) override {
        stream_.next_in = in.data;
        stream_.avail_in = in.size;
        stream_.next_out = out.data;
        stream_.avail_out = out.size;
        const lzma_ret code = lzma_code(&stream_, is_last ? LZMA_FINISH : LZMA_RUN);

        StreamStep step;
        step.consumed = in.size - stream_.avail_in;
        step.produced = out.size - stream_.avail_out;
        if (code == LZMA_STREAM_END) {
            step.state = StreamState::kComplete;
        } else if (code != LZMA_OK) {
            step.state = StreamState::kDamaged;
            step.error = Damage(code);
        }
        return step;
    }

  private:
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Lzma final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        ZARR_ASSIGN_OR_RETURN(const std::int64_t format,
                              json::OptionalInt(config, "format", 1, 0, 3));
        auto codec = std::make_unique<Lzma>();
        codec->format_ = static_cast<Format>(format);
        if (codec->format_ == Format::kRaw) {
            ZARR_ASSIGN_OR_RETURN(const json::Value* filters, json::Require(config, "filters"));
            ZARR_RETURN_IF_ERROR(
                codec->filters_.Parse(*filters, LzmaFilterChain::Purpose::kDecode));
        }
        codec->writable_ = codec->settings_.Parse(codec->format_, config);
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        LzmaStream stream(format_, filters_, decoded.limit());
        return DecodeStreams(stream, encoded, decoded, Following::kIgnoreJunk);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override { return writable_; }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        LzmaEncoder encoder;
        ZARR_RETURN_IF_ERROR(encoder.Start(settings_));
        Output output(encoded, EncodedSize({decoded.size, true}).max);
        ZARR_RETURN_IF_ERROR(EncodeStream(encoder, decoded, output));
        return output.Finish();
    }

  private:
    Format format_ = Format::kXz;
    LzmaFilterChain filters_;  // filter chain with which streams of format kRaw are decoded
    LzmaSettings settings_;
    Status writable_;
};

// Sets `field` to the member `key` of the filter `spec`, if the member is present.
Status OverrideUint32(const json::Value& spec, std::string_view key, std::uint32_t& field,
                      std::uint32_t minimum = 0, std::uint32_t maximum = UINT32_MAX) {
    ZARR_ASSIGN_OR_RETURN(const std::int64_t value,
                          json::OptionalInt(spec, key, field, minimum, maximum));
    field = static_cast<std::uint32_t>(value);
    return {};
}

// Parses those members of a filter specification that only an encoder needs.
Status ParseEncoderOptions(const json::Value& spec, lzma_options_lzma& options) {
    std::uint32_t mode = options.mode;
    // OverrideUint32() rejects a `mode` outside of the range of the enumeration, because casting
    // such a number would be invalid.
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "mode", mode, LZMA_MODE_FAST, LZMA_MODE_NORMAL));
    options.mode = static_cast<lzma_mode>(mode);
    if (lzma_mode_is_supported(options.mode) == 0)
        return json::Expected("mode", "a mode that liblzma supports", *spec.Find("mode"));
    std::uint32_t finder = options.mf;
    constexpr std::uint32_t kFinders = 0x1f;  // lzma_match_finder has values of at most five bits
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "mf", finder, 0, kFinders));
    options.mf = static_cast<lzma_match_finder>(finder);
    if (lzma_mf_is_supported(options.mf) == 0)
        return json::Expected("mf", "a match finder that liblzma supports", *spec.Find("mf"));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "nice_len", options.nice_len, 2, 273));
    return OverrideUint32(spec, "depth", options.depth);
}

Status ParseLzmaOptions(const json::Value& spec, lzma_options_lzma& options) {
    std::uint32_t preset = LZMA_PRESET_DEFAULT;
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "preset", preset));
    if (lzma_lzma_preset(&options, preset) != 0)
        return json::Expected("preset", "a preset that liblzma supports", *spec.Find("preset"));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "dict_size", options.dict_size));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "lc", options.lc));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "lp", options.lp));
    return OverrideUint32(spec, "pb", options.pb);
}

// ---------------------------------------------------------------------------------------------
// Parsing of filter chains

Status LzmaFilterChain::ParseFilter(const json::Value& spec, Purpose purpose, lzma_filter& filter,
                                    Options& options) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* id, json::Require(spec, "id"));
    ZARR_ASSIGN_OR_RETURN(filter.id, json::UintAtLeast(*id, 0, "id"));
    switch (filter.id) {
        case LZMA_FILTER_LZMA1:
        case LZMA_FILTER_LZMA2:
            filter.options = &options.lzma;
            ZARR_RETURN_IF_ERROR(ParseLzmaOptions(spec, options.lzma));
            return purpose == Purpose::kEncode ? ParseEncoderOptions(spec, options.lzma) : Status();
        case LZMA_FILTER_DELTA: {
            ZARR_ASSIGN_OR_RETURN(
                const std::int64_t distance,
                json::OptionalInt(spec, "dist", 1, LZMA_DELTA_DIST_MIN, LZMA_DELTA_DIST_MAX));
            options.delta.type = LZMA_DELTA_TYPE_BYTE;
            options.delta.dist = static_cast<std::uint32_t>(distance);
            filter.options = &options.delta;
            return {};
        }
        case LZMA_FILTER_X86:
        case LZMA_FILTER_POWERPC:
        case LZMA_FILTER_IA64:
        case LZMA_FILTER_ARM:
        case LZMA_FILTER_ARMTHUMB:
        case LZMA_FILTER_SPARC:
            filter.options = &options.bcj;
            return OverrideUint32(spec, "start_offset", options.bcj.start_offset);
        default:
            return json::Expected("id", "the id of an lzma filter", *id);
    }
}

Status LzmaFilterChain::SetPreset(lzma_vli id, std::uint32_t preset) {
    if (lzma_lzma_preset(&options_[0].lzma, preset) != 0)
        return json::Expected("preset", "a preset that liblzma supports",
                              json::Value(static_cast<std::uint64_t>(preset)));
    chain_[0] = {id, &options_[0].lzma};
    chain_[1] = {LZMA_VLI_UNKNOWN, nullptr};
    return {};
}

Status LzmaFilterChain::Parse(const json::Value& filters, Purpose purpose) {
    const json::Array* specs = filters.as_array();
    if (specs == nullptr || specs->empty() || specs->size() > LZMA_FILTERS_MAX)
        return json::Expected("filters", "an array of 1 to 4 lzma filters", filters);
    for (std::size_t i = 0; i < specs->size(); ++i)
        ZARR_RETURN_IF_ERROR(ParseFilter((*specs)[i], purpose, chain_[i], options_[i])
                                 .WithContext("filters[" + std::to_string(i) + "]"));
    chain_[specs->size()] = {LZMA_VLI_UNKNOWN, nullptr};

    const std::uint64_t memory = purpose == Purpose::kEncode ? lzma_raw_encoder_memusage(chain())
                                                             : lzma_raw_decoder_memusage(chain());
    if (memory == UINT64_MAX)
        return Status::Corrupt("filters: not a valid chain of lzma filters: " +
                               json::Brief(filters));
    if (purpose == Purpose::kEncode && memory > kLzmaEncoderMemory)
        return Status::Limit("filters: compression needs " + std::to_string(memory >> 20) +
                             " MiB of memory, more than the maximum of " +
                             std::to_string(kLzmaEncoderMemory >> 20) + " MiB");
    return {};
}

}  // namespace

CodecResult MakeLzma(const json::Value& config, const CodecContext& /*context*/) {
    return Lzma::Make(config);
}

}  // namespace zarr
