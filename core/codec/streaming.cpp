// SPDX-License-Identifier: MIT
#include "core/codec/streaming.h"

#include <algorithm>

namespace zarr {

namespace {

// Maximum bytes per library call, because zlib and similar libraries count bytes in 32 bits.
constexpr std::size_t kMaxPieceBytes = std::size_t{1} << 30;

struct StreamEnd {
    std::size_t consumed = 0;
    Status damage;  // error if the stream is damaged, else ok
};

// Decodes one compressed stream. StreamEnd::damage has the error of a damaged stream. Any other
// error is returned as status.
Result<StreamEnd> DecodeStream(StreamDecoder& decoder, ByteSpan encoded, Output& output) {
    StreamEnd end;
    while (true) {
        ZARR_ASSIGN_OR_RETURN(MutableByteSpan room, output.Room());
        // Even if `output` is full, the end of the stream and its checksum may follow. Decode the
        // rest to one spare byte, and fail if this byte is written.
        std::uint8_t beyond = 0;
        const bool full = room.size == 0;
        if (full) room = {&beyond, 1};
        room.size = std::min(room.size, kMaxPieceBytes);
        ByteSpan piece = encoded.From(end.consumed);
        piece.size = std::min(piece.size, kMaxPieceBytes);

        StreamStep step = decoder.Step(piece, room);
        end.consumed += step.consumed;
        if (full && step.produced > 0) return output.TooLong();
        if (!full) output.Commit(step.produced);
        if (step.state == StreamState::kDamaged) end.damage = std::move(step.error);
        if (step.state != StreamState::kRunning) return end;
        if (step.consumed == 0 && step.produced == 0)
            return Status::Corrupt("compressed data is truncated (" + std::to_string(encoded.size) +
                                   " bytes)");
    }
}

ByteSpan SkipZeros(ByteSpan bytes) {
    const std::uint8_t* const end = bytes.data + bytes.size;
    const std::uint8_t* const first =
        std::find_if(bytes.data, end, [](std::uint8_t byte) { return byte != 0; });
    return {first, static_cast<std::size_t>(end - first)};
}

}  // namespace

Status DecodeStreams(StreamDecoder& decoder, ByteSpan encoded, Output& output,
                     Following following) {
    if (encoded.size == 0) return Status::Corrupt("is empty");
    for (bool first = true; encoded.size > 0; first = false) {
        ZARR_RETURN_IF_ERROR(decoder.Start());
        const std::size_t written_before = output.written();
        ZARR_ASSIGN_OR_RETURN(const StreamEnd end, DecodeStream(decoder, encoded, output));
        if (!end.damage.ok()) {
            const bool is_junk = !first && output.written() == written_before;
            return following == Following::kIgnoreJunk && is_junk ? Status() : end.damage;
        }
        if (following == Following::kIgnored) return {};
        encoded = encoded.From(end.consumed);
        if (following == Following::kPadded) encoded = SkipZeros(encoded);
    }
    return {};
}

Status EncodeStream(StreamEncoder& encoder, ByteSpan decoded, Output& output) {
    while (true) {
        ZARR_ASSIGN_OR_RETURN(MutableByteSpan room, output.Room());
        if (room.size == 0)
            return Status::Limit("encodes to more than " + std::to_string(output.limit()) +
                                 " bytes");
        room.size = std::min(room.size, kMaxPieceBytes);
        const ByteSpan piece{decoded.data, std::min(decoded.size, kMaxPieceBytes)};
        StreamStep step = encoder.Step(piece, room, piece.size == decoded.size);
        output.Commit(step.produced);
        if (step.state == StreamState::kDamaged) return step.error;
        if (step.state == StreamState::kComplete) return {};
        if (step.consumed == 0 && step.produced == 0)
            return Status::Invalid("the encoder stopped before the end of its input");
        decoded = decoded.From(step.consumed);
    }
}

}  // namespace zarr
