// SPDX-License-Identifier: MIT
#include "core/base/limits.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace zarr {

namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;
constexpr std::uint64_t kTera = std::uint64_t{1} << 40;

// All limits with their defaults and maxima. kStringSize fits 31 bits, in which some encodings
// store string lengths. kJsonDepth protects a thread's stack. kPartitionSize allows 32-bit numbers
// for the texts of a file.
constexpr std::array<LimitInfo, 14> kLimits = {{
    {Limit::kChunkSize, "ZARR_MAX_CHUNK_SIZE", true, 4 * kGiga, kTera},
    {Limit::kCodecMemory, "ZARR_MAX_CODEC_MEMORY", true, 128 * kMega, kTera},
    {Limit::kStringSize, "ZARR_MAX_STRING_SIZE", true, kGiga, 2 * kGiga - 1},
    {Limit::kDimensions, "ZARR_MAX_DIMENSIONS", false, 32, 64},
    {Limit::kFilters, "ZARR_MAX_FILTERS", false, 64, 1000},
    {Limit::kMetadataSize, "ZARR_MAX_METADATA_SIZE", true, 256 * kMega, 64 * kGiga},
    {Limit::kJsonDepth, "ZARR_MAX_JSON_DEPTH", false, 128, 1000},
    {Limit::kJsonValues, "ZARR_MAX_JSON_VALUES", false, 4 * kMega, kTera},
    {Limit::kCoordinates, "ZARR_MAX_COORDINATES", false, 16 * kMega, kTera},
    {Limit::kReferences, "ZARR_MAX_REFERENCES", false, 64 * kMega, kTera},
    {Limit::kReferenceSize, "ZARR_MAX_REFERENCE_SIZE", true, kGiga, kTera},
    {Limit::kTemplateLength, "ZARR_MAX_TEMPLATE_LENGTH", true, 65536, kGiga},
    {Limit::kPartitionSize, "ZARR_MAX_PARTITION_SIZE", true, 256 * kMega, 8 * kGiga},
    {Limit::kManifestSize, "ZARR_MAX_MANIFEST_SIZE", true, kGiga, kTera},
}};

std::atomic<std::uint64_t>& ValueOf(Limit limit) {
    static auto& values = *new std::array<std::atomic<std::uint64_t>, kLimits.size()>();
    static const bool is_set = [] {
        for (std::size_t i = 0; i < kLimits.size(); ++i) values[i] = kLimits[i].preset;
        return true;
    }();
    static_cast<void>(is_set);
    return values[static_cast<std::size_t>(limit)];
}

}  // namespace

const std::array<LimitInfo, 14>& Limits() { return kLimits; }

std::uint64_t LimitOf(Limit limit) { return ValueOf(limit).load(std::memory_order_relaxed); }

void SetLimit(Limit limit, std::uint64_t value) {
    const std::uint64_t largest = kLimits[static_cast<std::size_t>(limit)].largest;
    ValueOf(limit).store(std::min(value, largest), std::memory_order_relaxed);
}

Status OverLimit(Limit limit, std::string_view what) {
    const LimitInfo& info = kLimits[static_cast<std::size_t>(limit)];
    return Status::Limit(std::string(what) + "; " + std::string(info.name) + " allows " +
                         std::to_string(LimitOf(limit)));
}

}  // namespace zarr
