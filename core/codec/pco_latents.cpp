// SPDX-License-Identifier: MIT
#include "core/codec/pco_latents.h"

namespace zarr::pco {

std::vector<std::uint16_t> SpreadBins(const LatentMetadata& latent) {
    const std::size_t size = std::size_t{1} << latent.ans_size_log;
    const std::size_t stride = (3 * size / 5) | 1;
    std::vector<std::uint16_t> bins(size);
    std::size_t place = 0;
    for (std::size_t bin = 0; bin < latent.bins.size(); ++bin)
        for (std::uint32_t i = 0; i < latent.bins[bin].weight; ++i, place += stride)
            bins[place & (size - 1)] = static_cast<std::uint16_t>(bin);
    return bins;
}

// Builds the decoding table of tANS states. The n-th state of a bin with weight w, in table order,
// has the number x = w + n. In this state the decoder reads b bits, the fewest for which x * 2^b
// reaches the table size. The next state is x * 2^b, minus the table size, plus the bits read.
LatentDecoder::LatentDecoder(const LatentMetadata& latent)
    : ans_size_log_(latent.ans_size_log), mask_(LowBits(latent.bits)) {
    if (latent.bins.empty()) return;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(latent.bins.size());
    for (const Bin& bin : latent.bins) numbers.push_back(bin.weight);
    const std::uint32_t size = 1U << ans_size_log_;
    table_.reserve(size);
    for (const std::uint16_t index : SpreadBins(latent)) {
        const Bin& bin = latent.bins[index];
        const std::uint32_t number = numbers[index]++;
        unsigned bits = 0;
        while ((number << bits) < size) ++bits;
        State state;
        state.lower = bin.lower;
        state.next = (number << bits) - size;
        state.bits = static_cast<std::uint8_t>(bits);
        state.offset_bits = static_cast<std::uint8_t>(bin.offset_bits);
        table_.push_back(state);
    }
}

void LatentDecoder::ReadStates(BitReader& reader) {
    for (std::uint64_t& state : states_) state = reader.Read(ans_size_log_);
}

void LatentDecoder::Decode(BitReader& reader, std::size_t count, Batch& latents) {
    std::array<std::uint8_t, kBatch> offset_bits;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t& state = states_[i % kInterleaved];
        const State& entry = table_[state];
        latents[i] = entry.lower;
        offset_bits[i] = entry.offset_bits;
        state = entry.next + reader.Read(entry.bits);
    }
    for (std::size_t i = 0; i < count; ++i)
        latents[i] = (latents[i] + reader.Read(offset_bits[i])) & mask_;
}

}  // namespace zarr::pco
