// SPDX-License-Identifier: MIT
// Reads the header of a pco file in standalone format, and the metadata of each chunk.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_bits.h"
#include "core/dtype/data_type.h"

namespace zarr::pco {

// Type of the numbers in a pco chunk.
struct NumberType {
    std::uint8_t code = 0;  // code of the type in the file
    DataKind kind = DataKind::kUint;
    unsigned bits = 0;

    bool is_float() const { return kind == DataKind::kFloat; }
    std::uint64_t mask() const { return LowBits(bits); }
    // Returns the middle of the range of latents, which is the latent of 0 in a signed type.
    std::uint64_t middle() const { return std::uint64_t{1} << (bits - 1); }
    std::string name() const;  // such as "int32"
};

// Return pco's number type with the code `code`, or for the data type `dtype`; nullopt if pco has
// no such type.
std::optional<NumberType> NumberTypeOf(std::uint8_t code);
std::optional<NumberType> NumberTypeOf(const DataType& dtype);

// Convert between the bits of a number and its latent, an unsigned integer. A larger number has a
// larger latent ("from_latent_ordered", "to_latent_ordered" in pco).
inline std::uint64_t NumberOfLatent(const NumberType& type, std::uint64_t latent) {
    if (type.kind == DataKind::kUint) return latent;
    const bool is_negative = (latent & type.middle()) == 0;
    return latent ^ (type.is_float() && is_negative ? type.mask() : type.middle());
}
inline std::uint64_t LatentOfNumber(const NumberType& type, std::uint64_t number) {
    if (type.kind == DataKind::kUint) return number;
    const bool is_negative = (number & type.middle()) != 0;
    return number ^ (type.is_float() && is_negative ? type.mask() : type.middle());
}

inline constexpr unsigned kMaxAnsSizeLog = 14;
inline constexpr unsigned kBatch = 256;      // count of numbers in a batch of a page
inline constexpr unsigned kInterleaved = 4;  // number of interleaved tANS states

struct FileHeader {
    unsigned major = 0;          // major version of pco's wrapped format
    std::uint8_t type_code = 0;  // type of all chunks; 0 if each chunk has its own
};

struct Bin {
    std::uint32_t weight = 0;
    std::uint64_t lower = 0;
    unsigned offset_bits = 0;
};

// Coding parameters of one latent variable. A chunk has one or two latent variables, depending on
// its mode.
struct LatentMetadata {
    unsigned bits = 0;  // number of bits of a latent
    unsigned ans_size_log = 0;
    std::vector<Bin> bins;  // the bins' weights add up to the table size; empty if no latents
};

enum class Mode : std::uint8_t { kClassic, kIntMult, kFloatMult, kFloatQuant, kDict };
enum class DeltaEncoding : std::uint8_t { kNone, kConsecutive, kLookback, kConv1 };

struct Delta {
    DeltaEncoding encoding = DeltaEncoding::kNone;
    std::uint32_t states = 0;    // number of latents stored unchanged
    bool has_secondary = false;  // true if the secondary latent variable is delta-encoded, too
    std::uint64_t window = 0;    // kLookback: maximum distance to an earlier latent
    unsigned quantization = 0;   // only kConv1 uses this and the next two members
    std::int64_t bias = 0;
    std::vector<std::int32_t> weights;  // weights of the previous latents, the oldest first
};

struct ChunkMetadata {
    NumberType type;
    std::uint32_t count = 0;  // count of numbers in the chunk
    Mode mode = Mode::kClassic;
    std::uint64_t base = 0;           // kIntMult: base; kFloatMult: bits of the base
    unsigned quantized_bits = 0;      // kFloatQuant: number of dropped bits
    std::vector<std::uint64_t> dict;  // kDict: latents by index
    Delta delta;
    std::optional<LatentMetadata> lookback;
    LatentMetadata primary;
    std::optional<LatentMetadata> secondary;
};

// Reads the header of a file. Returns kCorrupt for an invalid header, and kUnsupported for an
// unknown version.
Result<FileHeader> ReadFileHeader(BitReader& reader);

// Reads the metadata of the next chunk; nullopt at the end of the file. Uses memory in proportion
// to the bits read. Returns kCorrupt for invalid metadata, kUnsupported for unknown types and
// encodings.
Result<std::optional<ChunkMetadata>> ReadChunkMetadata(const FileHeader& header, BitReader& reader);

}  // namespace zarr::pco
