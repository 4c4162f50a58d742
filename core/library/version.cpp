// SPDX-License-Identifier: MIT
#include "core/library/zarr_core/version.h"

#include "core/base/limits.h"
#include "core/codec/codec_not_built.h"
#include "core/library/internal.h"
#include "core/library/zarr_core/limits.h"

#define ZARR_CORE_TEXT_OF(number) #number
#define ZARR_CORE_TEXT(number) ZARR_CORE_TEXT_OF(number)

namespace zarr_core {

namespace {

constexpr std::string_view kVersion = ZARR_CORE_TEXT(ZARR_CORE_VERSION_MAJOR) "." ZARR_CORE_TEXT(
    ZARR_CORE_VERSION_MINOR) "." ZARR_CORE_TEXT(ZARR_CORE_VERSION_PATCH);
static_assert(kVersion == ZARR_CORE_PROJECT_VERSION, "version.h and CMakeLists.txt disagree");

constexpr bool AreSame(Limit limit, zarr::Limit other) {
    return static_cast<int>(limit) == static_cast<int>(other);
}
static_assert(AreSame(Limit::kChunkSize, zarr::Limit::kChunkSize) &&
              AreSame(Limit::kCodecMemory, zarr::Limit::kCodecMemory) &&
              AreSame(Limit::kStringSize, zarr::Limit::kStringSize) &&
              AreSame(Limit::kDimensions, zarr::Limit::kDimensions) &&
              AreSame(Limit::kFilters, zarr::Limit::kFilters) &&
              AreSame(Limit::kMetadataSize, zarr::Limit::kMetadataSize) &&
              AreSame(Limit::kJsonDepth, zarr::Limit::kJsonDepth) &&
              AreSame(Limit::kJsonValues, zarr::Limit::kJsonValues));

bool IsKnown(Limit limit) { return limit <= Limit::kJsonValues; }

}  // namespace

const char* Version() noexcept { return kVersion.data(); }

std::vector<MissingCodec> MissingCodecs() {
    std::vector<MissingCodec> missing;
    for (const zarr::LeftOutCodec& codec : zarr::LeftOutCodecs())
        missing.push_back(
            {std::string(codec.name), std::string(codec.library), std::string(codec.option)});
    return missing;
}

std::uint64_t GetLimit(Limit limit) noexcept {
    return IsKnown(limit) ? zarr::LimitOf(static_cast<zarr::Limit>(limit)) : 0;
}

Status SetLimit(Limit limit, std::uint64_t value) noexcept {
    return Guarded([&]() -> zarr::Status {
        if (!IsKnown(limit)) return zarr::Status::Invalid("limit: not a value of Limit");
        const zarr::LimitInfo& info = zarr::Limits()[static_cast<std::size_t>(limit)];
        if (value > info.largest)
            return zarr::Status::Invalid(std::string(info.name) + ": " + std::to_string(value) +
                                         " exceeds the largest value " +
                                         std::to_string(info.largest));
        zarr::SetLimit(info.limit, value);
        return {};
    });
}

}  // namespace zarr_core
