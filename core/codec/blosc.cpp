// SPDX-License-Identifier: MIT
// numcodecs' "blosc": one frame of c-blosc 1. The frame's header contains its sizes, compressor and
// shuffle, so decoding needs no configuration. Bytes after the frame are ignored, as in numcodecs.
// https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
#include <blosc.h>

#include <algorithm>
#include <array>

#include "core/base/endian.h"
#include "core/base/thread_pool.h"
#include "core/base/tuning.h"
#include "core/codec/factories.h"
#include "core/codec/registry.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

constexpr std::size_t kFlags = 2;          // offset of the flags byte in a frame
constexpr unsigned kStoredAsIs = 1U << 1;  // flag: the data is not compressed
constexpr unsigned kReserved = 1U << 3;    // reserved flag; frames with it cannot be decoded
constexpr std::size_t kDecodedSize = 4;    // offset of the first of three 32-bit sizes in a frame
constexpr std::size_t kBlockSize = 8;
constexpr std::size_t kFrameSize = 12;
constexpr std::size_t kOffsetSize = 4;  // bytes per block offset in the table after the header

struct Header {
    std::size_t decoded_size = 0;
    std::size_t frame_size = 0;
    std::size_t block_size = 0;
    std::size_t type_size = 0;
};

Result<Header> ReadHeader(ByteSpan encoded) {
    if (encoded.size < BLOSC_MIN_HEADER_LENGTH)
        return Status::Corrupt("is truncated: " + std::to_string(encoded.size) +
                               " bytes are too few for a header");
    Header header;
    int flags = 0;
    blosc_cbuffer_sizes(encoded.data, &header.decoded_size, &header.frame_size, &header.block_size);
    blosc_cbuffer_metainfo(encoded.data, &header.type_size, &flags);
    if (header.frame_size > encoded.size)
        return Status::Corrupt("is truncated: holds " + std::to_string(encoded.size) +
                               " bytes of a frame of " + std::to_string(header.frame_size));
    // A frame with the reserved flag is rejected here. c-blosc rejects such a frame only if all
    // blocks are decoded, not if single blocks are decoded.
    if (blosc_cbuffer_validate(encoded.data, header.frame_size, &header.decoded_size) != 0 ||
        (encoded.data[kFlags] & kReserved) != 0)
        return Status::Corrupt("the header of the frame is damaged");
    return header;
}

// Returns the number of the compressed format, from the flags byte of a frame.
std::size_t FormatOf(ByteSpan encoded) {
    constexpr unsigned kFormatShift = 5;  // the format is in the top bits
    return static_cast<std::size_t>(encoded.data[kFlags]) >> kFormatShift;
}

bool IsStoredAsIs(ByteSpan encoded) { return (encoded.data[kFlags] & kStoredAsIs) != 0; }

// Returns kUnsupported if the c-blosc library lacks the compressor of the frame.
Status CheckCompressor(ByteSpan encoded) {
    const std::array<const char*, 5> names = {"blosclz", "lz4", "snappy", "zlib", "zstd"};
    const std::size_t format = FormatOf(encoded);
    if (IsStoredAsIs(encoded)) return {};
    if (format >= names.size())
        return Status::Unsupported("unknown compressed format " + std::to_string(format));
    if (blosc_compname_to_compcode(names[format]) < 0)
        return Status::Unsupported(std::string("the blosc library was built without ") +
                                   names[format]);
    return {};
}

// Parameters of blosc_compress_ctx().
struct BloscParameters {
    static Result<BloscParameters> Make(const json::Value& config, std::size_t item_size);

    std::string compressor;
    int level = 5;
    int shuffle = BLOSC_SHUFFLE;
    std::size_t type_size = 1;
    std::size_t block_size = 0;  // 0 means that c-blosc chooses the block size
};

Result<BloscParameters> BloscParameters::Make(const json::Value& config, std::size_t item_size) {
    constexpr std::int64_t kAutoShuffle = -1;
    BloscParameters parameters;
    ZARR_ASSIGN_OR_RETURN(parameters.compressor, json::OptionalString(config, "cname", "lz4"));
    if (blosc_compname_to_compcode(parameters.compressor.c_str()) < 0)
        return json::Expected("cname",
                              std::string("one of the library's ") + blosc_list_compressors(),
                              json::Value(parameters.compressor));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t level, json::OptionalInt(config, "clevel", 5, 0, 9));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t shuffle,
                          json::OptionalInt(config, "shuffle", BLOSC_SHUFFLE, -1, 2));
    ZARR_ASSIGN_OR_RETURN(const std::int64_t block_size,
                          json::OptionalInt(config, "blocksize", 0, 0, INT32_MAX));
    // numcodecs has the option "typesize" since version 0.16. If the option is absent, the type
    // size is the size of an item, as in earlier versions.
    ZARR_ASSIGN_OR_RETURN(
        const std::int64_t type_size,
        json::OptionalInt(config, "typesize", static_cast<std::int64_t>(item_size), 1, INT32_MAX));
    parameters.level = static_cast<int>(level);
    parameters.shuffle = static_cast<int>(shuffle);
    if (shuffle == kAutoShuffle)
        parameters.shuffle = type_size == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
    parameters.type_size = static_cast<std::size_t>(type_size);
    parameters.block_size = static_cast<std::size_t>(block_size);
    return parameters;
}

// Returns the indices of the blocks of `size` bytes that overlap `ranges`, ascending.
std::vector<std::size_t> BlocksOf(const ByteRanges& ranges, std::size_t size) {
    std::vector<std::size_t> blocks;
    for (const ByteRange& range : ranges) {
        const std::size_t first = range.begin / size;
        for (std::size_t block = first; block * size < range.end; ++block)
            if (blocks.empty() || blocks.back() < block) blocks.push_back(block);
    }
    return blocks;
}

// Returns the number of blocks of a frame; 0 if blocks cannot be decoded separately.
std::size_t CountBlocks(const Header& header) {
    if (header.block_size == 0 || header.type_size == 0 ||
        header.block_size % header.type_size != 0 || header.decoded_size % header.type_size != 0)
        return 0;
    return (header.decoded_size + header.block_size - 1) / header.block_size;
}

// Decodes blocks `first` to `last` - 1 to their offsets in `decoded`.
Status DecodeBlocks(ByteSpan encoded, const Header& header, std::size_t first, std::size_t last,
                    MutableByteSpan decoded) {
    const std::size_t begin = first * header.block_size;
    const std::size_t bytes = std::min(last * header.block_size, decoded.size) - begin;
    const int got = blosc_getitem(encoded.data, static_cast<int>(begin / header.type_size),
                                  static_cast<int>(bytes / header.type_size), decoded.data + begin);
    if (got < 0 || static_cast<std::size_t>(got) != bytes)
        return Status::Corrupt("the frame is damaged");
    return {};
}

// Byte ranges of the blocks in a compressed frame. Multi-threaded writers store blocks in any
// order.
class CompressedBlocks {
  public:
    // Reads the block offsets of a frame with `count` >= 2 blocks. `encoded` must outlive the
    // result. Returns kCorrupt if a block is outside of the frame.
    static Result<CompressedBlocks> Of(ByteSpan encoded, const Header& header, std::size_t count) {
        if (count > (header.frame_size - BLOSC_MIN_HEADER_LENGTH) / kOffsetSize) return Damaged();
        const std::size_t head = BLOSC_MIN_HEADER_LENGTH + count * kOffsetSize;
        CompressedBlocks blocks(encoded, header);
        blocks.blocks_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t begin =
                LoadLittle32(encoded.data + BLOSC_MIN_HEADER_LENGTH + i * kOffsetSize);
            if (begin < head || begin >= header.frame_size) return Damaged();
            blocks.blocks_[i].begin = begin;
        }
        std::vector<std::size_t> begins(count);
        std::transform(blocks.blocks_.begin(), blocks.blocks_.end(), begins.begin(),
                       [](const ByteRange& block) { return block.begin; });
        std::sort(begins.begin(), begins.end());
        for (ByteRange& block : blocks.blocks_) {
            const auto next = std::upper_bound(begins.begin(), begins.end(), block.begin);
            block.end = next == begins.end() ? header.frame_size : *next;
        }
        return blocks;
    }

    // Decodes blocks `first` to `last` - 1 into `decoded`, through a frame with only these blocks.
    // A short last block cannot be decoded alone: c-blosc rejects a frame whose decoded size is
    // below its block size.
    Status Decode(std::size_t first, std::size_t last, MutableByteSpan decoded) const {
        const std::size_t head = BLOSC_MIN_HEADER_LENGTH + (last - first) * kOffsetSize;
        std::size_t size = head;
        for (std::size_t i = first; i < last; ++i) size += blocks_[i].end - blocks_[i].begin;
        const std::size_t begin = first * header_.block_size;
        const std::size_t bytes = std::min(last * header_.block_size, decoded.size) - begin;
        Buffer frame;
        ZARR_RETURN_IF_ERROR(frame.Reset(size));
        // Copies the first bytes of the frame's header: versions, flags and type size.
        std::copy_n(encoded_.data, kDecodedSize, frame.data());
        StoreLittle32(frame.data() + kDecodedSize, static_cast<std::uint32_t>(bytes));
        StoreLittle32(frame.data() + kBlockSize, static_cast<std::uint32_t>(header_.block_size));
        StoreLittle32(frame.data() + kFrameSize, static_cast<std::uint32_t>(size));
        std::size_t place = head;
        for (std::size_t i = first; i < last; ++i) {
            StoreLittle32(frame.data() + BLOSC_MIN_HEADER_LENGTH + (i - first) * kOffsetSize,
                          static_cast<std::uint32_t>(place));
            const std::size_t length = blocks_[i].end - blocks_[i].begin;
            std::copy_n(encoded_.data + blocks_[i].begin, length, frame.data() + place);
            place += length;
        }
        const int written = blosc_decompress_ctx(frame.data(), decoded.data + begin, bytes, 1);
        if (written < 0 || static_cast<std::size_t>(written) != bytes) return Damaged();
        return {};
    }

  private:
    CompressedBlocks(ByteSpan encoded, const Header& header) : encoded_(encoded), header_(header) {}

    static Status Damaged() { return Status::Corrupt("the frame is damaged"); }

    ByteSpan encoded_;
    Header header_;
    std::vector<ByteRange> blocks_;
};

class Blosc final : public Codec {
  public:
    explicit Blosc(Result<BloscParameters> parameters) : parameters_(std::move(parameters)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return DecodeOn(1, encoded, decoded);
    }

    // Decodes the blocks of the frame in parallel.
    Status DecodeOn(std::size_t threads, ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Header header, ReadHeader(encoded));
        ZARR_RETURN_IF_ERROR(CheckCompressor(encoded));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan out, decoded.Prepare(header.decoded_size));
        // If parallel decoding fails, c-blosc decodes the frame once more below and reports the
        // error.
        if (threads > 1 && DecodeShared(threads, encoded, header, out).ok()) return {};
        // c-blosc uses a single thread, because callers already decode chunks in parallel.
        // blosc_decompress_ctx() has no global state.
        const int written = blosc_decompress_ctx(encoded.data, out.data, out.size, 1);
        if (written < 0) return Status::Corrupt("the frame is damaged");
        if (static_cast<std::size_t>(written) != header.decoded_size)
            return Status::Corrupt("decodes to " + std::to_string(written) +
                                   " bytes, but the header states " +
                                   std::to_string(header.decoded_size));
        return {};
    }

    bool HasRanges() const override { return true; }

    Result<std::size_t> DecodeRanges(ByteSpan encoded, const ByteRanges& ranges,
                                     MutableByteSpan decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Header header, ReadHeader(encoded));
        ZARR_RETURN_IF_ERROR(CheckCompressor(encoded));
        const std::size_t all = CountBlocks(header);
        // Returns 0 if a size in the frame's header is wrong. The caller then uses Decode(), which
        // returns the error.
        if (all == 0 || header.decoded_size != decoded.size) return std::size_t{0};
        const std::vector<std::size_t> blocks = BlocksOf(ranges, header.block_size);
        if (blocks.size() * 2 > all) return std::size_t{0};
        std::size_t written = 0;
        for (const std::size_t block : blocks) {
            ZARR_RETURN_IF_ERROR(DecodeBlocks(encoded, header, block, block + 1, decoded));
            written += std::min(header.block_size, decoded.size - block * header.block_size);
        }
        return written;
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(parameters_.status());
        return CheckInputSize(decoded, BLOSC_MAX_BUFFERSIZE);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        ZARR_RETURN_IF_ERROR(encoded.Reset(decoded.size + BLOSC_MAX_OVERHEAD));
        const BloscParameters& p = *parameters_;
        const int written = blosc_compress_ctx(p.level, p.shuffle, p.type_size, decoded.size,
                                               decoded.data, encoded.data(), encoded.size(),
                                               p.compressor.c_str(), p.block_size, 1);
        if (written <= 0)
            return Status::Invalid("the blosc library cannot compress the chunk (error " +
                                   std::to_string(written) + ")");
        return encoded.Resize(static_cast<std::size_t>(written));
    }

  private:
    // Decodes a frame on up to `threads` threads. Fails if a block is damaged, or if the frame has
    // fewer than two blocks that can be decoded separately.
    static Status DecodeShared(std::size_t threads, ByteSpan encoded, const Header& header,
                               MutableByteSpan out) {
        const std::size_t blocks = CountBlocks(header);
        if (blocks < 2) return Status::Unsupported("is one block");
        const std::size_t part = std::clamp<std::size_t>(tuning::kDecodedPart / header.block_size,
                                                         1, 1 + blocks / (threads * 4));
        std::size_t parts = blocks / part;  // the last part also has the blocks that remain
        // The last part must not consist of a single block that is short; see
        // CompressedBlocks::Decode().
        if (part == 1 && header.decoded_size % header.block_size != 0) --parts;
        const auto share = [&](auto&& decode) {
            return ParallelFor(parts, threads, [&](std::size_t i) -> Status {
                return decode(i * part, i + 1 == parts ? blocks : (i + 1) * part);
            });
        };
        if (IsStoredAsIs(encoded))
            return share([&](std::size_t first, std::size_t last) {
                return DecodeBlocks(encoded, header, first, last, out);
            });
        ZARR_ASSIGN_OR_RETURN(const auto compressed, CompressedBlocks::Of(encoded, header, blocks));
        return share([&](std::size_t first, std::size_t last) {
            return compressed.Decode(first, last, out);
        });
    }

    Result<BloscParameters> parameters_;
};

}  // namespace

CodecResult MakeBlosc(const json::Value& config, const CodecContext& context) {
    return std::unique_ptr<Codec>(std::make_unique<Blosc>(
        BloscParameters::Make(config, std::max<std::size_t>(context.dtype.size, 1))));
}

const char* BloscCompressors() { return blosc_list_compressors(); }

}  // namespace zarr
