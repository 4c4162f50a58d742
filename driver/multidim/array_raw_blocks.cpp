// SPDX-License-Identifier: MIT
// Returns where the stored chunks of arrays are located, for the multidimensional API. GDAL asks
// for these locations since version 3.12.
#include <gdal_priv.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype/time_types.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/metadata_text.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_session.h"

#if ZARR_HAS_RAW_BLOCK_INFO

namespace zarr_driver {

using zarr::Status;

namespace {

// Fills `info` with a chunk whose bytes are in the Kerchunk reference itself. `value` is the
// content of the reference; `location` is the byte range of the chunk in `value`.
Status SetInlineBlock(const zarr::ArrayMetadata& metadata, const zarr::ChunkLocation& location,
                      const std::string& value, GDALMDArrayRawBlockInfo& info) {
    const auto offset =
        static_cast<std::size_t>(std::min<std::uint64_t>(location.offset, value.size()));
    const std::string bytes = value.substr(
        offset, static_cast<std::size_t>(location.size.value_or(value.size() - offset)));
    info.pabyInlineData = static_cast<GByte*>(VSIMalloc(std::max<std::size_t>(bytes.size(), 1)));
    if (info.pabyInlineData == nullptr) return Status::OutOfMemory("no memory for a chunk");
    std::memcpy(info.pabyInlineData, bytes.data(), bytes.size());
    info.nSize = bytes.size();
    info.papszInfo = DescribeDecoding(metadata).StealList();
    return {};
}

// Fills `info` with the location of a chunk of `array`, which belongs to the store at `store_path`.
// `coordinates[i]` is the chunk's index along the axis `axes[i]` of the array.
Status FindRawBlock(const std::string& store_path, const zarr::Array& array,
                    const std::vector<std::size_t>& axes, const uint64_t* coordinates,
                    GDALMDArrayRawBlockInfo& info) {
    const zarr::ArrayMetadata& metadata = array.metadata();
    zarr::DimVector<std::uint64_t> chunk(metadata.rank(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axes[i];
        const std::uint64_t count = metadata.ChunkAxis(axis).count();
        if (coordinates[i] >= count)
            return Status::Invalid("/" + array.path() + ": invalid block coordinate: block " +
                                   std::to_string(coordinates[i]) + " of " + std::to_string(count) +
                                   " along dimension " + std::to_string(i));
        chunk[axis] = coordinates[i];
    }
    ZARR_ASSIGN_OR_RETURN(const auto location, array.chunks().Locate(chunk));
    if (!location) return {};
    zarr::ValueLocation value;
    if (const auto* const locator = array.store()->Traits().locator) {
        ZARR_ASSIGN_OR_RETURN(auto referenced, locator->Locate(location->key));
        if (!referenced) return {};
        value = std::move(*referenced);
    } else {
        value.target = store_path + "/" + location->key;
    }
    if (value.bytes) return SetInlineBlock(metadata, *location, *value.bytes, info);
    // An empty value is returned as inline bytes. With a file name and a size of 0, users of GDAL's
    // block information would read the whole file.
    if (value.size == std::uint64_t{0}) return SetInlineBlock(metadata, *location, {}, info);
    if (!value.size) {
        VSIStatBufL stat;
        if (VSIStatL(value.target.c_str(), &stat) != 0 || VSI_ISDIR(stat.st_mode)) return {};
        value.size = static_cast<std::uint64_t>(stat.st_size);
    }
    info.pszFilename = CPLStrdup(value.target.c_str());
    info.papszInfo = DescribeDecoding(metadata).StealList();
    info.nOffset = value.offset + location->offset;
    info.nSize = location->size.value_or(*value.size);
    return {};
}

}  // namespace

bool ZarrMDArray::GetRawBlockInfo(const uint64_t* panBlockCoordinates,
                                  GDALMDArrayRawBlockInfo& info) const {
    return Guarded(session_->store_path(), [&]() -> bool {
        info.clear();
        // The bytes of a block would be ticks of another unit than that of the array.
        if (!zarr::IsPlain(array_.facts().metadata.dtype)) return false;
        for (std::size_t i = 0; i < array_.facts().metadata.rank(); ++i)
            // GDAL's blocks have equal sizes, so chunks of unequal sizes have no block information
            if (!array_.facts().metadata.ChunkAxis(i).is_regular()) return false;
        const Status status = CheckThere();
        return Report(status.ok() ? FindRawBlock(session_->store_path(), *array_.elements(), shown_,
                                                 panBlockCoordinates, info)
                                  : status);
    });
}

}  // namespace zarr_driver

#endif
