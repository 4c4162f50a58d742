// SPDX-License-Identifier: MIT
#include "core/codec/inflate_at_once.h"

#include <libdeflate.h>

#include <memory>

namespace zarr {

namespace {

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

// One to a thread, as it holds tables that are costly to make; nullptr without memory for them.
libdeflate_decompressor* ThreadsOwn() {
    thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> own(
        libdeflate_alloc_decompressor());
    return own.get();
}

}  // namespace

bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed) {
    libdeflate_decompressor* decompressor = decoded.is_fixed() ? ThreadsOwn() : nullptr;
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
