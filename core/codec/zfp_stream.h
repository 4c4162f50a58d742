// SPDX-License-Identifier: MIT
// Reads and writes libzfp streams for the codecs zfp and zfpy. Encoded data is copied and padded
// with zero bytes, because libzfp does not check for the end of its input.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/codec/zfp_library.h"

namespace zarr {

struct CloseZfpStream {
    void operator()(zfp_stream* stream) const { Libzfp().zfp_stream_close(stream); }
};
struct CloseZfpBits {
    void operator()(bitstream* bits) const { Libzfp().stream_close(bits); }
};
struct FreeZfpField {
    void operator()(zfp_field* field) const { Libzfp().zfp_field_free(field); }
};

inline constexpr std::size_t kMaxZfpDimensions = 4;
// Padding in bytes after the encoded data with which libzfp can read the header of any data.
inline constexpr std::size_t kZfpHeaderRoom = (ZFP_HEADER_MAX_BITS + 7) / 8 + sizeof(std::uint64_t);

// A libzfp stream positioned at its start, and libzfp's description of the numbers that it encodes
// or decodes.
struct OpenedZfp {
    // Returns a stream without bytes. Fails with the error of LoadLibzfp() if libzfp cannot be
    // used.
    static Result<OpenedZfp> Make();

    Buffer bytes;  // encoded data, followed by zero bytes
    std::unique_ptr<bitstream, CloseZfpBits> bits;
    std::unique_ptr<zfp_stream, CloseZfpStream> stream;
    std::unique_ptr<zfp_field, FreeZfpField> field;
};

// Opens a copy of `encoded`, followed by `room` zero bytes because libzfp does not check for the
// end of its input.
Status OpenZfp(ByteSpan encoded, std::size_t room, OpenedZfp& opened);

// Returns the size of the padding in bytes with which libzfp can safely decode `encoded`. `opened`
// must have the parameters and the field of the stream. Returns kLimit if the padding would take
// too much memory.
Result<std::size_t> ZfpRoom(ByteSpan encoded, const OpenedZfp& opened);

// Decodes `encoded` to `decoded`, which must have the size of the field. `opened` must have its
// parameters, its field and a padding of ZfpRoom() bytes.
Status DecompressZfp(ByteSpan encoded, OpenedZfp& opened, MutableByteSpan decoded);

// Compresses `decoded` into `encoded`, with the field and parameters of `opened`; OpenedZfp::bits
// must be empty. If `has_header` is true, libzfp's full header precedes the data.
Status CompressZfp(OpenedZfp& opened, const std::uint8_t* decoded, bool has_header,
                   Buffer& encoded);

}  // namespace zarr
