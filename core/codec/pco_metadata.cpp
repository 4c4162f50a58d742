// SPDX-License-Identifier: MIT
#include "core/codec/pco_metadata.h"

#include <algorithm>
#include <utility>

namespace zarr::pco {

namespace {

// Data types by their codes in pco's format description, "Standalone Format". The description lacks
// the 8-bit types, which pco writes since version 1.1.
constexpr NumberType kTypes[] = {
    {1, DataKind::kUint, 32}, {2, DataKind::kUint, 64},  {3, DataKind::kInt, 32},
    {4, DataKind::kInt, 64},  {5, DataKind::kFloat, 32}, {6, DataKind::kFloat, 64},
    {7, DataKind::kUint, 16}, {8, DataKind::kInt, 16},   {9, DataKind::kFloat, 16},
    {10, DataKind::kUint, 8}, {11, DataKind::kInt, 8},
};

// number of bits that a dictionary index or lookback distance takes
constexpr unsigned kIndexBits = 32;
constexpr unsigned kMaxConvolvedBits = 32;

Status Ends() { return Status::Corrupt("pco data is truncated within the metadata of a chunk"); }

unsigned Log2(unsigned power_of_two) {
    unsigned log = 0;
    while ((power_of_two >> log) > 1) ++log;
    return log;
}

unsigned MantissaBits(const NumberType& type) {
    return type.bits == 64 ? 52 : type.bits == 32 ? 23 : 10;
}

bool IsFiniteAndNotZero(const NumberType& type, std::uint64_t number) {
    const std::uint64_t magnitude = number & (type.mask() >> 1);
    const std::uint64_t infinity = (type.mask() >> 1) & ~LowBits(MantissaBits(type));
    return magnitude != 0 && magnitude < infinity;
}

Status ReadDictionary(BitReader& reader, ChunkMetadata& chunk) {
    const std::uint64_t count = reader.Read(25);
    reader.Align();
    if (count * chunk.type.bits > reader.left())
        return Status::Corrupt("pco data is truncated within its dictionary of " +
                               std::to_string(count) + " numbers");
    chunk.dict.resize(count);
    for (std::uint64_t& latent : chunk.dict) latent = reader.Read(chunk.type.bits);
    return {};
}

Status ReadMode(BitReader& reader, ChunkMetadata& chunk) {
    const NumberType& type = chunk.type;
    const unsigned code = reader.Read32(4);
    if (code > static_cast<unsigned>(Mode::kDict))
        return Status::Unsupported("pco mode " + std::to_string(code) + " is unknown");
    chunk.mode = static_cast<Mode>(code);
    const bool is_of_floats = chunk.mode == Mode::kFloatMult || chunk.mode == Mode::kFloatQuant;
    if ((is_of_floats && !type.is_float()) || (chunk.mode == Mode::kIntMult && type.is_float()))
        return Status::Corrupt("pco mode " + std::to_string(code) +
                               " is not allowed for numbers of type " + type.name());
    if (chunk.mode == Mode::kIntMult) {
        chunk.base = reader.Read(type.bits);
        if (chunk.base == 0)
            return Status::Corrupt("pco data is damaged: numbers are stored as multiples of 0");
    } else if (chunk.mode == Mode::kFloatMult) {
        chunk.base = NumberOfLatent(type, reader.Read(type.bits));
        if (!IsFiniteAndNotZero(type, chunk.base))
            return Status::Corrupt(
                "pco data is damaged: numbers are stored as multiples of 0, NaN or infinity");
    } else if (chunk.mode == Mode::kFloatQuant) {
        chunk.quantized_bits = reader.Read32(8);
        if (chunk.quantized_bits == 0 || chunk.quantized_bits > MantissaBits(type))
            return Status::Corrupt("pco data is damaged: numbers of type " + type.name() +
                                   " cannot be quantized by " +
                                   std::to_string(chunk.quantized_bits) + " bits");
    } else if (chunk.mode == Mode::kDict) {
        ZARR_RETURN_IF_ERROR(ReadDictionary(reader, chunk));
    }
    return {};
}

// Reads a signed integer of `bits` bits, which is stored as an unsigned integer: its value plus
// 2^(bits - 1).
std::int64_t ReadSigned(BitReader& reader, unsigned bits) {
    const std::uint64_t middle = std::uint64_t{1} << (bits - 1);
    const std::uint64_t value = reader.Read(bits) - middle;
    return static_cast<std::int64_t>(value);
}

void ReadConvolution(BitReader& reader, Delta& delta) {
    delta.quantization = reader.Read32(5);
    delta.bias = ReadSigned(reader, 64);
    delta.states = reader.Read32(5) + 1;
    for (std::uint32_t i = 0; i < delta.states; ++i)
        delta.weights.push_back(static_cast<std::int32_t>(ReadSigned(reader, 32)));
}

// Reads the delta encoding of a chunk. Before major version 3, the only delta encoding was
// consecutive differences of some order.
Status ReadDelta(const FileHeader& header, BitReader& reader, Delta& delta) {
    if (header.major < 3) {
        delta.states = reader.Read32(3);
        if (delta.states != 0) delta.encoding = DeltaEncoding::kConsecutive;
        return {};
    }
    const unsigned code = reader.Read32(4);
    if (code > static_cast<unsigned>(DeltaEncoding::kConv1))
        return Status::Unsupported("pco delta encoding " + std::to_string(code) + " is unknown");
    delta.encoding = static_cast<DeltaEncoding>(code);
    if (delta.encoding == DeltaEncoding::kConsecutive) {
        delta.states = reader.Read32(3);
        if (delta.states == 0)
            return Status::Corrupt("pco data is damaged: its delta encoding has order 0");
        delta.has_secondary = reader.Read(1) != 0;
    } else if (delta.encoding == DeltaEncoding::kLookback) {
        delta.window = std::uint64_t{1} << (reader.Read32(5) + 1);
        delta.states = 1U << reader.Read32(4);
        delta.has_secondary = reader.Read(1) != 0;
    } else if (delta.encoding == DeltaEncoding::kConv1) {
        ReadConvolution(reader, delta);
    }
    return {};
}

Status ReadBins(BitReader& reader, LatentMetadata& latent) {
    latent.ans_size_log = reader.Read32(4);
    if (latent.ans_size_log > kMaxAnsSizeLog)
        return Status::Corrupt("pco data is damaged: it has a table of 2^" +
                               std::to_string(latent.ans_size_log) + " states, more than 2^" +
                               std::to_string(kMaxAnsSizeLog));
    const std::uint32_t size = 1U << latent.ans_size_log;
    const std::uint32_t count = reader.Read32(15);
    if (count > size)
        return Status::Corrupt("pco data is damaged: it has " + std::to_string(count) +
                               " bins in a table of " + std::to_string(size) + " states");
    const unsigned width = Log2(latent.bits) + 1;
    std::uint64_t sum = 0;
    latent.bins.resize(count);
    for (Bin& bin : latent.bins) {
        bin.weight = reader.Read32(latent.ans_size_log) + 1;
        bin.lower = reader.Read(latent.bits);
        bin.offset_bits = reader.Read32(width);
        sum += bin.weight;
        if (bin.offset_bits > latent.bits)
            return Status::Corrupt("pco data is damaged: it has a bin with offsets of " +
                                   std::to_string(bin.offset_bits) + " bits, more than the " +
                                   std::to_string(latent.bits) + " of its numbers");
    }
    if (reader.is_beyond_end()) return Ends();
    if (count != 0 && sum != size)
        return Status::Corrupt("pco data is damaged: its bins have the total weight " +
                               std::to_string(sum) + " in a table of " + std::to_string(size) +
                               " states");
    return {};
}

Status ReadLatents(BitReader& reader, ChunkMetadata& chunk) {
    if (chunk.delta.encoding == DeltaEncoding::kLookback) {
        chunk.lookback.emplace();
        chunk.lookback->bits = kIndexBits;
        ZARR_RETURN_IF_ERROR(ReadBins(reader, *chunk.lookback));
    }
    chunk.primary.bits = chunk.mode == Mode::kDict ? kIndexBits : chunk.type.bits;
    ZARR_RETURN_IF_ERROR(ReadBins(reader, chunk.primary));
    // Convolution of wider numbers would need 128-bit arithmetic. pco does not support such numbers
    // either.
    if (chunk.delta.encoding == DeltaEncoding::kConv1 && chunk.primary.bits > kMaxConvolvedBits)
        return Status::Corrupt(
            "pco data is damaged: delta encoding conv1 does not allow numbers of more than 32 "
            "bits");
    if (chunk.mode == Mode::kClassic || chunk.mode == Mode::kDict) return {};
    chunk.secondary.emplace();
    chunk.secondary->bits = chunk.type.bits;
    return ReadBins(reader, *chunk.secondary);
}

}  // namespace

std::string NumberType::name() const {
    const char* const stem = is_float() ? "float" : kind == DataKind::kInt ? "int" : "uint";
    return stem + std::to_string(bits);
}

std::optional<NumberType> NumberTypeOf(std::uint8_t code) {
    for (const NumberType& type : kTypes)
        if (type.code == code) return type;
    return std::nullopt;
}

std::optional<NumberType> NumberTypeOf(const DataType& dtype) {
    for (const NumberType& type : kTypes)
        if (type.kind == dtype.kind && type.bits == dtype.size * 8) return type;
    return std::nullopt;
}

Result<FileHeader> ReadFileHeader(BitReader& reader) {
    constexpr std::uint32_t kMagic = 0x216f6370;  // "pco!"
    constexpr unsigned kFirstStandalone = 2;
    constexpr unsigned kLastStandalone = 3;
    constexpr unsigned kLastMajor = 4;
    if (reader.Read32(32) != kMagic)
        return Status::Corrupt("not pco data: it does not begin with \"pco!\"");
    const unsigned standalone = reader.Read32(8);
    if (standalone < kFirstStandalone || standalone > kLastStandalone)
        return Status::Unsupported(
            "version " + std::to_string(standalone) +
            " of pco's standalone format is unsupported; only 2 and 3 are supported");
    FileHeader header;
    if (standalone >= 3) header.type_code = static_cast<std::uint8_t>(reader.Read(8));
    // The header's count of numbers is skipped, because it is only a hint.
    const unsigned hint_bits = reader.Read32(6) + 1;
    reader.Read(hint_bits);
    reader.Align();
    header.major = reader.Read32(8);
    if (header.major > kLastMajor)
        return Status::Unsupported("version " + std::to_string(header.major) +
                                   " of pco's format is unsupported; only 0 to 4 are supported");
    // The minor version is skipped, because unknown features of later minor versions use reserved
    // codes, which are rejected.
    if (header.major >= 4) reader.Read(8);
    if (reader.is_beyond_end()) return Status::Corrupt("pco data is truncated within its header");
    return header;
}

Result<std::optional<ChunkMetadata>> ReadChunkMetadata(const FileHeader& header,
                                                       BitReader& reader) {
    const auto code = static_cast<std::uint8_t>(reader.Read(8));
    if (reader.is_beyond_end())
        return Status::Corrupt("pco data is truncated: its end mark is missing");
    if (code == 0) return std::optional<ChunkMetadata>();
    const std::optional<NumberType> type = NumberTypeOf(code);
    if (!type)
        return Status::Unsupported("pco number type " + std::to_string(code) + " is unknown");
    if (header.type_code != 0 && header.type_code != code)
        return Status::Corrupt("pco data is damaged: a chunk has number type " +
                               std::to_string(code) + ", but its header states " +
                               std::to_string(header.type_code));
    ChunkMetadata chunk;
    chunk.type = *type;
    chunk.count = reader.Read32(24) + 1;
    ZARR_RETURN_IF_ERROR(ReadMode(reader, chunk));
    ZARR_RETURN_IF_ERROR(ReadDelta(header, reader, chunk.delta));
    ZARR_RETURN_IF_ERROR(ReadLatents(reader, chunk));
    reader.Align();
    return std::make_optional(std::move(chunk));
}

}  // namespace zarr::pco
