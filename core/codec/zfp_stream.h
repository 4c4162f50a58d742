// SPDX-License-Identifier: MIT
// libzfp's compressed arrays of one to four dimensions, which two codecs have: read in memory of
// which libzfp reads no more than there is, and written.
#pragma once

#include <zfp.h>

#include <cstddef>
#include <memory>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

struct CloseZfpStream {
    void operator()(zfp_stream* stream) const { zfp_stream_close(stream); }
};
struct CloseZfpBits {
    void operator()(bitstream* bits) const { stream_close(bits); }
};
struct FreeZfpField {
    void operator()(zfp_field* field) const { zfp_field_free(field); }
};

inline constexpr std::size_t kMostZfpDimensions = 4;
// Behind the encoded form, where no more than its header is read.
inline constexpr std::size_t kZfpHeaderRoom = (ZFP_HEADER_MAX_BITS + 7) / 8 + sizeof(std::uint64_t);

// A compressed array that is open at its start.
struct OpenedZfp {
    Buffer bytes;  // the encoded form, and zeros
    std::unique_ptr<bitstream, CloseZfpBits> bits;
    std::unique_ptr<zfp_stream, CloseZfpStream> stream{zfp_stream_open(nullptr)};
    std::unique_ptr<zfp_field, FreeZfpField> field{zfp_field_alloc()};
};

// Opens `encoded`. libzfp does not look where its input ends, so that is followed by `room` zeros.
Status OpenZfp(ByteSpan encoded, std::size_t room, OpenedZfp& opened);

// The zeros that decoding `encoded` may want, whose stream and field are set up in `opened`; kLimit
// where that is too much.
Result<std::size_t> ZfpRoom(ByteSpan encoded, const OpenedZfp& opened);

// Decodes `encoded`, which is open with ZfpRoom() and set up, to `decoded`, as large as its field.
Status DecompressZfp(ByteSpan encoded, OpenedZfp& opened, MutableByteSpan decoded);

// Makes `encoded` of the field and with the parameters of `opened`, which has no bits yet; with
// libzfp's full header where asked for.
Status CompressZfp(OpenedZfp& opened, const std::uint8_t* decoded, bool has_header,
                   Buffer& encoded);

}  // namespace zarr
