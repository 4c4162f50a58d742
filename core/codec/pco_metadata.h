// SPDX-License-Identifier: MIT
// What stands in front of the numbers of a pco file, in its standalone format: the header, and the
// metadata of each chunk. https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_bits.h"
#include "core/dtype/data_type.h"

namespace zarr::pco {

// The type of the numbers of a chunk.
struct NumberType {
    std::uint8_t code = 0;  // in the file
    DataKind kind = DataKind::kUint;
    unsigned bits = 0;

    bool is_float() const { return kind == DataKind::kFloat; }
    std::uint64_t mask() const { return LowBits(bits); }
    // The latent in the middle: zero, of signed numbers.
    std::uint64_t middle() const { return std::uint64_t{1} << (bits - 1); }
    std::string name() const;  // such as "int32"
};

// nullopt where there is none.
std::optional<NumberType> NumberTypeOf(std::uint8_t code);
std::optional<NumberType> NumberTypeOf(const DataType& dtype);

// The bits of a number of `type`, of its latent, which has the order of the numbers, and back
// ("from_latent_ordered", "to_latent_ordered").
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

inline constexpr unsigned kMostAnsSizeLog = 14;
inline constexpr unsigned kBatch = 256;      // numbers that are coded together
inline constexpr unsigned kInterleaved = 4;  // states that take turns

struct FileHeader {
    unsigned major = 0;          // of the version of the wrapped format
    std::uint8_t type_code = 0;  // of all chunks; 0 where each has its own
};

struct Bin {
    std::uint32_t weight = 0;
    std::uint64_t lower = 0;
    unsigned offset_bits = 0;
};

// How one latent variable is coded.
struct LatentMetadata {
    unsigned bits = 0;  // of a latent
    unsigned ans_size_log = 0;
    std::vector<Bin> bins;  // whose weights add up to the size of the table; may be empty
};

enum class Mode : std::uint8_t { kClassic, kIntMult, kFloatMult, kFloatQuant, kDict };
enum class DeltaEncoding : std::uint8_t { kNone, kConsecutive, kLookback, kConv1 };

struct Delta {
    DeltaEncoding encoding = DeltaEncoding::kNone;
    std::uint32_t states = 0;    // latents that are stored as they are
    bool has_secondary = false;  // true where the secondary latent is encoded so as well
    std::uint64_t window = 0;    // of kLookback: how far a latent may refer back
    unsigned quantization = 0;   // of kConv1, as the next two
    std::int64_t bias = 0;
    std::vector<std::int32_t> weights;  // of the latents before, the last one last
};

struct ChunkMetadata {
    NumberType type;
    std::uint32_t count = 0;  // of numbers
    Mode mode = Mode::kClassic;
    std::uint64_t base = 0;           // of kIntMult; of kFloatMult, the bits of the number
    unsigned quantized_bits = 0;      // of kFloatQuant
    std::vector<std::uint64_t> dict;  // of kDict: latents
    Delta delta;
    std::optional<LatentMetadata> lookback;
    LatentMetadata primary;
    std::optional<LatentMetadata> secondary;
};

// The header of a file. Errors are kCorrupt, and kUnsupported for versions that are not known.
Result<FileHeader> ReadFileHeader(BitReader& reader);

// The metadata of the next chunk, behind which `reader` then is; nullopt at the end of the file.
// Takes memory in proportion to the bits that are read. Errors are as above.
Result<std::optional<ChunkMetadata>> ReadChunkMetadata(const FileHeader& header, BitReader& reader);

}  // namespace zarr::pco
