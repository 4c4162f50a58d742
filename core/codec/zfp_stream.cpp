// SPDX-License-Identifier: MIT
#include "core/codec/zfp_stream.h"

#include <cstring>
#include <string>

#include "core/base/checked.h"
#include "core/base/limits.h"

// Elsewhere, a function comes from the library to which the caller was linked.
#if !defined(_WIN32) && !defined(__APPLE__)
#define ZARR_LIBRARIES_SHARE_NAMES
#include <dlfcn.h>
#endif

namespace zarr {

namespace {

// Fails if a function of libzfp is replaced by another library's function of that name. cfitsio has
// such functions, and programs that link GDAL also link cfitsio: gdalinfo, QGIS. libzfp itself then
// calls the other function and crashes.
Status FindReplacedFunctions() {
#ifdef ZARR_LIBRARIES_SHARE_NAMES
    Dl_info libzfp;
    if (dladdr(reinterpret_cast<void*>(&zfp_compress), &libzfp) == 0) return {};
    for (const char* const name : {"stream_open", "stream_close", "stream_size", "stream_flush"}) {
        Dl_info found;
        void* const function = dlsym(RTLD_DEFAULT, name);
        if (function == nullptr || dladdr(function, &found) == 0 ||
            found.dli_fbase == libzfp.dli_fbase)
            continue;
        return Status::Unsupported("libzfp does not work in this program, because " +
                                   std::string(found.dli_fname) +
                                   " has functions of equal names (" + name +
                                   "); GDAL's Python bindings can read this chunk");
    }
#endif
    return {};
}

Status CheckLibzfp() {
    static const Status status = FindReplacedFunctions();
    return status;
}

}  // namespace

Status OpenZfp(ByteSpan encoded, std::size_t room, OpenedZfp& opened) {
    ZARR_RETURN_IF_ERROR(CheckLibzfp());
    ZARR_RETURN_IF_ERROR(opened.bytes.Reset(SaturatingAdd(encoded.size, room)));
    if (encoded.size != 0) std::memcpy(opened.bytes.data(), encoded.data, encoded.size);
    std::memset(opened.bytes.data() + encoded.size, 0, room);
    opened.bits.reset(stream_open(opened.bytes.data(), opened.bytes.size()));
    if (opened.bits == nullptr || opened.stream == nullptr || opened.field == nullptr)
        return Status::OutOfMemory("libzfp is out of memory");
    zfp_stream_set_bit_stream(opened.stream.get(), opened.bits.get());
    zfp_stream_rewind(opened.stream.get());
    return {};
}

Result<std::size_t> ZfpRoom(ByteSpan encoded, const OpenedZfp& opened) {
    // The padding is one and a half times libzfp's maximum encoded size. Damaged input may contain
    // more empty blocks than an encoder writes.
    const std::size_t most = zfp_stream_maximum_size(opened.stream.get(), opened.field.get());
    const std::size_t wanted = SaturatingAdd(SaturatingAdd(most, most / 2), std::size_t{4096});
    if (most == 0) return Status::Corrupt("libzfp's header is damaged");
    if (wanted > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize,
                         "decoding needs " + std::to_string(wanted) + " bytes of memory");
    return wanted > encoded.size ? wanted - encoded.size : 0;
}

Status DecompressZfp(ByteSpan encoded, OpenedZfp& opened, MutableByteSpan decoded) {
    zfp_field_set_pointer(opened.field.get(), decoded.data);
    const std::size_t read = zfp_decompress(opened.stream.get(), opened.field.get());
    if (read == 0) return Status::Corrupt("libzfp cannot decode the data");
    const std::size_t word = stream_word_bits / 8;
    if (read > (encoded.size + word - 1) / word * word)
        return Status::Corrupt("compressed data is truncated (" + std::to_string(encoded.size) +
                               " bytes)");
    return {};
}

Status CompressZfp(OpenedZfp& opened, const std::uint8_t* decoded, bool has_header,
                   Buffer& encoded) {
    ZARR_RETURN_IF_ERROR(CheckLibzfp());
    zfp_stream* const stream = opened.stream.get();
    zfp_field* const field = opened.field.get();
    // libzfp writes a header from which it reads another rate.
    if (has_header && stream->maxbits == 0)
        return Status::Unsupported("a rate of 0 bits for each block stores no values");
    // libzfp takes a non-const pointer, but does not write to the input.
    zfp_field_set_pointer(field, const_cast<std::uint8_t*>(decoded));
    const std::size_t most = zfp_stream_maximum_size(stream, field);
    if (most == 0) return Status::Unsupported("libzfp cannot compress this chunk");
    ZARR_RETURN_IF_ERROR(encoded.Reset(most));
    opened.bits.reset(stream_open(encoded.data(), encoded.size()));
    if (opened.bits == nullptr) return Status::OutOfMemory("libzfp is out of memory");
    zfp_stream_set_bit_stream(stream, opened.bits.get());
    zfp_stream_rewind(stream);
    const bool is_begun = !has_header || zfp_write_header(stream, field, ZFP_HEADER_FULL) != 0;
    const std::size_t size = is_begun ? zfp_compress(stream, field) : 0;
    if (size == 0) return Status::Unsupported("libzfp cannot compress this chunk");
    return encoded.Resize(size);
}

}  // namespace zarr
