// SPDX-License-Identifier: MIT
#include "driver/multidim/raw_block_codecs.h"

#include "core/base/text.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

Result<CPLStringList> ArrayOptionsOf(CSLConstList info, const std::vector<std::uint64_t>& blocks,
                                     std::size_t element_size) {
    CPLStringList options;
    options.SetNameValue("COMPRESS", "NONE");
    for (int i = 0; info != nullptr && info[i] != nullptr; ++i) {
        const char* const item = info[i];
        // Two items need no creation option: little-endian is the default, and shuffling does not
        // change single bytes.
        if (EQUAL(item, "ENDIANNESS=LITTLE") ||
            (EQUAL(item, "FILTER=SHUFFLE") && element_size == 1))
            continue;
        if (EQUAL(item, "ENDIANNESS=BIG"))
            options.SetNameValue("ENDIAN", "BIG");
        else if (EQUAL(item, "COMPRESSION=DEFLATE"))
            options.SetNameValue("COMPRESS", "ZLIB");
        else if (EQUAL(item, "FILTER=SHUFFLE"))
            options.SetNameValue("FILTER", "SHUFFLE");
        else
            return Status::Unsupported("its blocks are stored with " + zarr::Quoted(item) +
                                       ", which has no codec in references");
    }
    if (options.FetchNameValue("FILTER") != nullptr && options.FetchNameValue("ENDIAN") != nullptr)
        return Status::Unsupported(
            "its blocks are shuffled and big-endian, which references cannot express");
    std::string sizes;
    for (const std::uint64_t block : blocks)
        sizes += (sizes.empty() ? "" : ",") + std::to_string(block);
    if (!sizes.empty()) options.SetNameValue("BLOCKSIZE", sizes.c_str());
    return options;
}

}  // namespace zarr_driver
