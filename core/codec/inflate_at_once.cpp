// SPDX-License-Identifier: MIT
#include "core/codec/inflate_at_once.h"

#include <libdeflate.h>

#include "core/base/decompressor.h"

namespace zarr {

bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed) {
    libdeflate_decompressor* decompressor = decoded.is_fixed() ? ThreadsDecompressor() : nullptr;
    if (decompressor == nullptr) return false;
    const auto room = decoded.Room();
    if (!room.ok() || room->size == 0) return false;
    const auto decompress = wrapping == Inflater::Wrapping::kZlib ? libdeflate_zlib_decompress_ex
                                                                  : libdeflate_gzip_decompress_ex;
    std::size_t produced = 0;
    if (decompress(decompressor, encoded.data, encoded.size, room->data, room->size, &consumed,
                   &produced) != LIBDEFLATE_SUCCESS)
        return false;
    decoded.Commit(produced);
    return true;
}

}  // namespace zarr
