// SPDX-License-Identifier: MIT
#include "core/codec/lzma_filters.h"

#include <string>

#include "core/json/members.h"

namespace zarr {

namespace {

// Sets `field` where `spec` has the member `key`.
Status OverrideUint32(const json::Value& spec, std::string_view key, std::uint32_t& field,
                      std::uint32_t minimum = 0, std::uint32_t maximum = UINT32_MAX) {
    ZARR_ASSIGN_OR_RETURN(const std::int64_t value,
                          json::OptionalInt(spec, key, field, minimum, maximum));
    field = static_cast<std::uint32_t>(value);
    return {};
}

// What an encoder may choose without telling the decoder.
Status ParseEncoderOptions(const json::Value& spec, lzma_options_lzma& options) {
    std::uint32_t mode = options.mode;
    // Within what the enumeration can hold, before it does.
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "mode", mode, LZMA_MODE_FAST, LZMA_MODE_NORMAL));
    options.mode = static_cast<lzma_mode>(mode);
    if (lzma_mode_is_supported(options.mode) == 0)
        return json::Expected("mode", "a mode of liblzma", *spec.Find("mode"));
    std::uint32_t finder = options.mf;
    constexpr std::uint32_t kFinders = 0x1f;  // five bits have room for all enumerators
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "mf", finder, 0, kFinders));
    options.mf = static_cast<lzma_match_finder>(finder);
    if (lzma_mf_is_supported(options.mf) == 0)
        return json::Expected("mf", "a match finder of liblzma", *spec.Find("mf"));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "nice_len", options.nice_len, 2, 273));
    return OverrideUint32(spec, "depth", options.depth);
}

Status ParseLzmaOptions(const json::Value& spec, lzma_options_lzma& options) {
    std::uint32_t preset = LZMA_PRESET_DEFAULT;
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "preset", preset));
    if (lzma_lzma_preset(&options, preset) != 0)
        return json::Expected("preset", "a preset of liblzma", *spec.Find("preset"));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "dict_size", options.dict_size));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "lc", options.lc));
    ZARR_RETURN_IF_ERROR(OverrideUint32(spec, "lp", options.lp));
    return OverrideUint32(spec, "pb", options.pb);
}

}  // namespace

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
        return json::Expected("preset", "a preset of liblzma",
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
        return Status::Limit("filters: need " + std::to_string(memory >> 20) + " MiB of the " +
                             std::to_string(kLzmaEncoderMemory >> 20) + " MiB allowed");
    return {};
}

}  // namespace zarr
