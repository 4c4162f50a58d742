// SPDX-License-Identifier: MIT
#include "core/codec/pco_decoder.h"

#include <algorithm>
#include <cstring>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/codec/pco_delta.h"
#include "core/codec/pco_latents.h"

namespace zarr::pco {

namespace {

// Reads one latent variable of a pco page. A latent is the unsigned integer that stands for a
// number, or for a part of it.
class LatentReader {
  public:
    LatentReader(const LatentMetadata& latent, const Delta& delta, std::uint64_t count)
        : decoder_(latent),
          delta_(delta, latent.bits),
          left_(count - std::min<std::uint64_t>(count, delta.states)) {}

    // Reads the initial states of the delta decoder and of the tANS (entropy) decoder, with which a
    // page begins.
    Status ReadStates(BitReader& reader) {
        if (left_ != 0 && !decoder_.has_bins())
            return Status::Corrupt("pco data is damaged: the chunk has numbers but no bins");
        delta_.ReadStates(reader);
        decoder_.ReadStates(reader);
        return {};
    }

    // Reads the next `count` latents of the page.
    Status Read(BitReader& reader, const Batch& lookback, std::size_t count, Batch& latents) {
        const std::size_t stored = std::min<std::uint64_t>(count, left_);
        left_ -= stored;
        if (stored != 0) decoder_.Decode(reader, stored, latents);
        return delta_.Decode(stored, lookback, count, latents);
    }

  private:
    LatentDecoder decoder_;
    DeltaDecoder delta_;
    std::uint64_t left_;  // number of entropy-coded latents that are not read yet
};

// Returns the float at index `latent` of the ascending list of all whole floats, in which 0 has the
// middle index. From 2^(mantissa_bits + 1) on, every float is whole, but not every whole number is
// a float.
template <class Float, class Bits>
Float WholeNumber(std::uint64_t latent, unsigned mantissa_bits) {
    constexpr unsigned kBits = sizeof(Bits) * 8;
    const std::uint64_t middle = std::uint64_t{1} << (kBits - 1);
    const bool is_negative = latent < middle;
    const std::uint64_t magnitude = is_negative ? middle - 1 - latent : latent - middle;
    const std::uint64_t exact = std::uint64_t{2} << mantissa_bits;
    auto number = static_cast<Float>(std::min(magnitude, exact));
    if (magnitude > exact) {
        const Bits bits = static_cast<Bits>(LoadNative<Bits>(&number) + (magnitude - exact));
        number = LoadNative<Float>(&bits);
    }
    return is_negative ? -number : number;
}

template <class Float, class Bits>
std::uint64_t Multiple(std::uint64_t latent, std::uint64_t base, unsigned mantissa_bits) {
    const auto bits = static_cast<Bits>(base);
    const Float number = WholeNumber<Float, Bits>(latent, mantissa_bits) * LoadNative<Float>(&bits);
    return LoadNative<Bits>(&number);
}

// Returns the bits of a float16 product: the whole float16 at index `latent`, times the float16
// with the bits `base`. A product of two float16 is exact in float.
std::uint64_t HalfMultiple(std::uint64_t latent, std::uint64_t base) {
    constexpr std::uint64_t kMiddle = 1U << 15;
    constexpr std::uint64_t kExact = 1U << 11;
    const bool is_negative = latent < kMiddle;
    const std::uint64_t magnitude = is_negative ? kMiddle - 1 - latent : latent - kMiddle;
    std::uint16_t half = FloatToHalf(static_cast<float>(std::min(magnitude, kExact)));
    if (magnitude > kExact) half = static_cast<std::uint16_t>(half + (magnitude - kExact));
    const float number = is_negative ? -HalfToFloat(half) : HalfToFloat(half);
    return FloatToHalf(number * HalfToFloat(static_cast<std::uint16_t>(base)));
}

std::uint64_t Multiple(const NumberType& type, std::uint64_t latent, std::uint64_t base) {
    if (type.bits == 64) return Multiple<double, std::uint64_t>(latent, base, 52);
    if (type.bits == 32) return Multiple<float, std::uint32_t>(latent, base, 23);
    return HalfMultiple(latent, base);
}

// Combines the latents `primary` and `secondary` (if the mode has two latent variables) to numbers
// in `primary` (pco format, "Modes").
Status JoinLatents(const ChunkMetadata& chunk, std::size_t count, const Batch& secondary,
                   Batch& primary) {
    const NumberType& type = chunk.type;
    switch (chunk.mode) {
        case Mode::kClassic:
            break;
        case Mode::kIntMult:
            for (std::size_t i = 0; i < count; ++i)
                primary[i] = primary[i] * chunk.base + secondary[i];
            break;
        case Mode::kFloatMult:
            for (std::size_t i = 0; i < count; ++i)
                primary[i] = LatentOfNumber(type, Multiple(type, primary[i], chunk.base)) +
                             secondary[i] + type.middle();
            break;
        case Mode::kFloatQuant:
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint64_t high = (primary[i] << chunk.quantized_bits) & type.mask();
                const std::uint64_t low = secondary[i];
                const bool is_negative = high < type.middle();
                primary[i] = high + (is_negative ? LowBits(chunk.quantized_bits) - low : low);
            }
            break;
        case Mode::kDict:
            for (std::size_t i = 0; i < count; ++i) {
                if (primary[i] >= chunk.dict.size())
                    return Status::Corrupt("pco data is damaged: index " +
                                           std::to_string(primary[i]) +
                                           " exceeds the dictionary of " +
                                           std::to_string(chunk.dict.size()) + " numbers");
                primary[i] = chunk.dict[static_cast<std::size_t>(primary[i])];
            }
            break;
    }
    return {};
}

template <class T>
void StoreAll(const NumberType& type, std::size_t count, const Batch& latents, std::uint8_t* to) {
    for (std::size_t i = 0; i < count; ++i, to += sizeof(T))
        StoreNative(to, static_cast<T>(NumberOfLatent(type, latents[i] & type.mask())));
}

Status AppendNumbers(const NumberType& type, std::size_t count, const Batch& latents,
                     Output& decoded) {
    std::uint8_t numbers[kBatch * sizeof(std::uint64_t)];
    if (type.bits == 8) StoreAll<std::uint8_t>(type, count, latents, numbers);
    if (type.bits == 16) StoreAll<std::uint16_t>(type, count, latents, numbers);
    if (type.bits == 32) StoreAll<std::uint32_t>(type, count, latents, numbers);
    if (type.bits == 64) StoreAll<std::uint64_t>(type, count, latents, numbers);
    return decoded.Append({numbers, count * type.bits / 8});
}

// Reads the latents of a pco chunk. In the standalone format a chunk has a single page.
class PageReader {
  public:
    explicit PageReader(const ChunkMetadata& chunk)
        : primary_(chunk.primary, chunk.delta, chunk.count) {
        // Each number has a lookback distance, except the initial states of the delta decoder.
        if (chunk.lookback)
            lookback_.emplace(*chunk.lookback, none_,
                              chunk.count - std::min(chunk.count, chunk.delta.states));
        if (chunk.secondary)
            secondary_.emplace(*chunk.secondary, chunk.delta.has_secondary ? chunk.delta : none_,
                               chunk.count);
    }
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;
    PageReader(PageReader&&) = delete;
    PageReader& operator=(PageReader&&) = delete;
    ~PageReader() = default;

    Status ReadStates(BitReader& reader) {
        if (lookback_) ZARR_RETURN_IF_ERROR(lookback_->ReadStates(reader));
        ZARR_RETURN_IF_ERROR(primary_.ReadStates(reader));
        if (secondary_) ZARR_RETURN_IF_ERROR(secondary_->ReadStates(reader));
        reader.Align();
        return {};
    }

    Status Read(BitReader& reader, std::size_t count, Batch& primary, Batch& secondary) {
        if (lookback_) ZARR_RETURN_IF_ERROR(lookback_->Read(reader, places_, count, places_));
        ZARR_RETURN_IF_ERROR(primary_.Read(reader, places_, count, primary));
        if (secondary_) ZARR_RETURN_IF_ERROR(secondary_->Read(reader, places_, count, secondary));
        if (reader.is_beyond_end())
            return Status::Corrupt("pco data is truncated within the numbers of a chunk");
        return {};
    }

  private:
    const Delta none_;
    LatentReader primary_;
    std::optional<LatentReader> lookback_;
    std::optional<LatentReader> secondary_;
    Batch places_{};
};

Status DecodePage(const ChunkMetadata& chunk, BitReader& reader, Output& decoded) {
    PageReader page(chunk);
    ZARR_RETURN_IF_ERROR(page.ReadStates(reader));
    Batch primary{};
    Batch secondary{};
    for (std::size_t left = chunk.count; left != 0;) {
        const std::size_t count = std::min<std::size_t>(left, kBatch);
        ZARR_RETURN_IF_ERROR(page.Read(reader, count, primary, secondary));
        ZARR_RETURN_IF_ERROR(JoinLatents(chunk, count, secondary, primary));
        ZARR_RETURN_IF_ERROR(AppendNumbers(chunk.type, count, primary, decoded));
        left -= count;
    }
    reader.Align();
    return {};
}

// Limits the total size of tANS tables relative to the count of numbers. Otherwise a small file
// with many chunks could make the decoder build large tables for a long time.
class TableBudget {
  public:
    Status Take(const ChunkMetadata& chunk) {
        numbers_ += chunk.count;
        for (const LatentMetadata* latent :
             {chunk.lookback ? &*chunk.lookback : nullptr, &chunk.primary,
              chunk.secondary ? &*chunk.secondary : nullptr})
            if (latent != nullptr) states_ += std::uint64_t{1} << latent->ans_size_log;
        if (states_ > kFree + kPerNumber * numbers_)
            return Status::Limit("pco data has tables of " + std::to_string(states_) +
                                 " states, too many for " + std::to_string(numbers_) + " numbers");
        return {};
    }

  private:
    static constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
    static constexpr std::uint64_t kPerNumber = 16;

    std::uint64_t numbers_ = 0;
    std::uint64_t states_ = 0;
};

}  // namespace

Status DecodeFile(ByteSpan encoded, const std::optional<NumberType>& wanted, Output& decoded) {
    BitReader reader(encoded);
    ZARR_ASSIGN_OR_RETURN(const FileHeader header, ReadFileHeader(reader));
    TableBudget budget;
    while (true) {
        ZARR_ASSIGN_OR_RETURN(const std::optional<ChunkMetadata> chunk,
                              ReadChunkMetadata(header, reader));
        if (!chunk) return {};
        if (wanted && chunk->type.code != wanted->code)
            return Status::Corrupt("pco data has numbers of type " + chunk->type.name() +
                                   ", but the array has " + wanted->name());
        ZARR_RETURN_IF_ERROR(budget.Take(*chunk));
        ZARR_RETURN_IF_ERROR(DecodePage(*chunk, reader, decoded));
    }
}

}  // namespace zarr::pco
