// SPDX-License-Identifier: MIT
#include "core/codec/zfp_stream.h"

#include <cstring>
#include <string>

#include "core/base/checked.h"
#include "core/base/limits.h"

namespace zarr {

Result<OpenedZfp> OpenedZfp::Make() {
    ZARR_RETURN_IF_ERROR(LoadLibzfp());
    OpenedZfp opened;
    opened.stream.reset(Libzfp().zfp_stream_open(nullptr));
    opened.field.reset(Libzfp().zfp_field_alloc());
    if (opened.stream == nullptr || opened.field == nullptr)
        return Status::OutOfMemory("libzfp is out of memory");
    return opened;
}

Status OpenZfp(ByteSpan encoded, std::size_t room, OpenedZfp& opened) {
    ZARR_RETURN_IF_ERROR(opened.bytes.Reset(SaturatingAdd(encoded.size, room)));
    if (encoded.size != 0) std::memcpy(opened.bytes.data(), encoded.data, encoded.size);
    std::memset(opened.bytes.data() + encoded.size, 0, room);
    opened.bits.reset(Libzfp().stream_open(opened.bytes.data(), opened.bytes.size()));
    if (opened.bits == nullptr) return Status::OutOfMemory("libzfp is out of memory");
    Libzfp().zfp_stream_set_bit_stream(opened.stream.get(), opened.bits.get());
    Libzfp().zfp_stream_rewind(opened.stream.get());
    return {};
}

Result<std::size_t> ZfpRoom(ByteSpan encoded, const OpenedZfp& opened) {
    // Damaged input may contain more empty blocks than an encoder writes. The padding is therefore
    // one and a half times libzfp's maximum encoded size.
    const std::size_t most =
        Libzfp().zfp_stream_maximum_size(opened.stream.get(), opened.field.get());
    const std::size_t wanted = SaturatingAdd(SaturatingAdd(most, most / 2), std::size_t{4096});
    if (most == 0) return Status::Corrupt("libzfp's header is damaged");
    if (wanted > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize,
                         "decoding needs " + std::to_string(wanted) + " bytes of memory");
    return wanted > encoded.size ? wanted - encoded.size : 0;
}

Status DecompressZfp(ByteSpan encoded, OpenedZfp& opened, MutableByteSpan decoded) {
    opened.field->data = decoded.data;
    const std::size_t read = Libzfp().zfp_decompress(opened.stream.get(), opened.field.get());
    if (read == 0) return Status::Corrupt("libzfp cannot decode the data");
    const std::size_t word = *Libzfp().stream_word_bits / 8;
    if (read > (encoded.size + word - 1) / word * word)
        return Status::Corrupt("compressed data is truncated (" + std::to_string(encoded.size) +
                               " bytes)");
    return {};
}

Status CompressZfp(OpenedZfp& opened, const std::uint8_t* decoded, bool has_header,
                   Buffer& encoded) {
    zfp_stream* const stream = opened.stream.get();
    zfp_field* const field = opened.field.get();
    // With a rate of 0, libzfp would write a header from which it reads another rate.
    if (has_header && stream->maxbits == 0)
        return Status::Unsupported("a rate of 0 bits for each block stores no values");
    // libzfp takes a non-const pointer, but does not write to the input.
    field->data = const_cast<std::uint8_t*>(decoded);
    const std::size_t most = Libzfp().zfp_stream_maximum_size(stream, field);
    if (most == 0) return Status::Unsupported("libzfp cannot compress this chunk");
    ZARR_RETURN_IF_ERROR(encoded.Reset(most));
    opened.bits.reset(Libzfp().stream_open(encoded.data(), encoded.size()));
    if (opened.bits == nullptr) return Status::OutOfMemory("libzfp is out of memory");
    Libzfp().zfp_stream_set_bit_stream(stream, opened.bits.get());
    Libzfp().zfp_stream_rewind(stream);
    const bool is_begun =
        !has_header || Libzfp().zfp_write_header(stream, field, ZFP_HEADER_FULL) != 0;
    const std::size_t size = is_begun ? Libzfp().zfp_compress(stream, field) : 0;
    if (size == 0) return Status::Unsupported("libzfp cannot compress this chunk");
    return encoded.Resize(size);
}

}  // namespace zarr
