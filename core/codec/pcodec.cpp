// SPDX-License-Identifier: MIT
// Codec "pcodec" of numcodecs: each Zarr chunk is a pco file with the numbers of the chunk. The
// library pcodec can read our files, but would write other bytes for the same numbers.
// https://numcodecs.readthedocs.io/en/stable/compression/pcodec.html
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/codec/pco_decoder.h"
#include "core/codec/pco_encoder.h"
#include "core/codec/v3_configuration.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Returns pco's number type for elements of `type`, or nullopt if pco has none. Times are encoded
// as int64.
std::optional<pco::NumberType> PcoTypeOf(const DataType& type) {
    if (type.narrow != NarrowType::kNone) return std::nullopt;
    if (type.is_time()) return pco::NumberTypeOf(MakeNumberType(DataKind::kInt, type.size));
    return pco::NumberTypeOf(type);
}

// Returns the order of the delta encoding that the configuration requests. nullopt if our encoder
// chooses, which is also true for "try_lookback", because the encoder writes no lookbacks.
Result<std::optional<unsigned>> OrderOf(const json::Value& config) {
    enum Spec : std::size_t { kAuto, kNoOp, kNone, kConsecutive, kLookback };
    ZARR_ASSIGN_OR_RETURN(
        const std::size_t spec,
        OptionalName(config, "delta_spec",
                     {"auto", "no_op", "none", "try_consecutive", "try_lookback"}));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t order,
                          json::OptionalInt(config, "delta_encoding_order", -1, 0, pco::kMaxOrder));
    if (order >= 0 && spec != kAuto && spec != kConsecutive)
        return Status::Corrupt(
            "delta_encoding_order: allowed only with delta_spec \"auto\" or \"try_consecutive\"");
    if (order < 0 && spec == kConsecutive)
        return Status::Corrupt("delta_encoding_order: required by delta_spec \"try_consecutive\"");
    if (order >= 0) return std::make_optional(static_cast<unsigned>(order));
    if (spec == kNoOp || spec == kNone) return std::make_optional(0U);
    return std::optional<unsigned>();
}

Result<pco::EncoderOptions> OptionsOf(const json::Value& config) {
    constexpr std::int64_t kMostLevel = 12;
    constexpr std::int64_t kDefaultPage = 262144;
    // Maximum count of numbers per page in the pco format.
    constexpr std::int64_t kMostPage = std::int64_t{1} << 24;
    pco::EncoderOptions options;
    ZARR_ASSIGN_OR_RETURN(const std::int64_t level,
                          json::OptionalInt(config, "level", 8, 0, kMostLevel));
    options.level = static_cast<unsigned>(level);
    ZARR_RETURN_IF_ERROR(OptionalName(config, "mode_spec", {"auto", "classic"}).status());
    ZARR_RETURN_IF_ERROR(OptionalName(config, "paging_spec", {"equal_pages_up_to"}).status());
    ZARR_ASSIGN_OR_RETURN(options.order, OrderOf(config));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t page, json::OptionalInt(config, "equal_pages_up_to",
                                                                     kDefaultPage, 1, INT64_MAX));
    options.page_numbers = static_cast<std::size_t>(std::min(page, kMostPage));
    return options;
}

class Pcodec final : public Codec {
  public:
    Pcodec(Result<pco::EncoderOptions> options, DataType type)
        : options_(std::move(options)), dtype_(std::move(type)), type_(PcoTypeOf(dtype_)) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // In the largest possible file, each number is a pco chunk of its own with its own
        // metadata.
        return {SaturatingAdd(SaturatingMul(decoded.max, 16), std::size_t{64} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return pco::DecodeFile(encoded, type_, decoded);
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(options_.status());
        if (!type_ || type_->bits == 8 || dtype_.NeedsSwap())
            return Status::Unsupported("numcodecs' pcodec does not support dtype " +
                                       dtype_.ToString());
        return CheckWholeItems(decoded, dtype_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        std::vector<std::uint8_t> file;
        pco::EncodeFile(decoded, *type_, *options_, file);
        return encoded.Assign({file.data(), file.size()});
    }

  private:
    const Result<pco::EncoderOptions> options_;
    const DataType dtype_;
    const std::optional<pco::NumberType> type_;
};

}  // namespace

CodecResult MakePcodec(const json::Value& config, const CodecContext& context) {
    return std::unique_ptr<Codec>(std::make_unique<Pcodec>(OptionsOf(config), context.dtype));
}

}  // namespace zarr
