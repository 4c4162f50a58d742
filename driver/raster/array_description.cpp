// SPDX-License-Identifier: MIT
#include "driver/raster/array_description.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/checked.h"

namespace zarr_driver {

namespace {

std::string Joined(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (const std::uint64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

// All elements, decoded.
std::uint64_t Bytes(const zarr::ArrayMetadata& metadata) {
    std::uint64_t bytes = metadata.dtype.size;
    for (const std::uint64_t size : metadata.shape) bytes = zarr::SaturatingMul(bytes, size);
    return bytes;
}

}  // namespace

void DescribeStorage(const zarr::Array& array, const std::optional<zarr::ChunkListing>& listing,
                     CPLStringList& list) {
    const zarr::ArrayMetadata& metadata = array.metadata();
    const auto set = [&list](const char* name, const std::string& value) {
        list.SetNameValue(name, value.c_str());
    };
    set("ARRAY", "/" + array.path());
    set("ZARR_FORMAT", std::to_string(static_cast<int>(metadata.format)));
    set("DTYPE", metadata.dtype.ToString());
    set("SHAPE", Joined(metadata.shape));
    set("CHUNK_SHAPE", Joined(metadata.chunks));
    set("ORDER", metadata.fortran_order ? "F" : "C");
    set("FILL_VALUE", zarr::FillValueText(metadata));
    set("DIMENSION_SEPARATOR", std::string(1, array.chunks().separator()));
    set("CHUNKS", std::to_string(array.chunk_count()));
    const std::uint64_t bytes = Bytes(metadata);
    set("BYTES", std::to_string(bytes));
    if (!listing) return;
    set("CHUNKS_INITIALIZED", std::to_string(listing->chunks));
    if (!listing->bytes) return;
    set("BYTES_STORED", std::to_string(*listing->bytes));
    if (*listing->bytes != 0)
        set("STORAGE_RATIO",
            CPLSPrintf("%.1f", static_cast<double>(bytes) / static_cast<double>(*listing->bytes)));
}

void DescribeCodecs(const zarr::ArrayMetadata& metadata, CPLStringList& list) {
    const auto set = [&](const char* name, const std::string& text) {
        if (!text.empty()) list.SetNameValue(name, text.c_str());
    };
    set("COMPRESSOR", zarr::CompressorText(metadata));
    set("FILTERS", zarr::FiltersText(metadata));
}

}  // namespace zarr_driver
