// SPDX-License-Identifier: MIT
#include "core/codec/pco_encoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/codec/pco_bins.h"
#include "core/codec/pco_latents.h"

namespace zarr::pco {

namespace {

using Latents = std::vector<std::uint64_t>;

// Entropy encoder (tANS) of one latent variable, the inverse of LatentDecoder. Encodes backwards,
// because the decoder's state before a latent follows from the state after it and the latent's bin.
class LatentEncoder {
  public:
    explicit LatentEncoder(const LatentMetadata& latent)
        : latent_(latent), size_(1U << latent.ans_size_log), states_(size_) {
        std::uint32_t first = 0;
        for (const Bin& bin : latent.bins) {
            first_.push_back(first);
            first += bin.weight;
        }
        std::vector<std::uint32_t> next = first_;
        std::uint32_t state = size_;
        for (const std::uint16_t bin : SpreadBins(latent)) states_[next[bin]++] = state++;
        current_.fill(size_);
    }

    // Encodes `latents` from the last to the first.
    void Run(const Latents& latents) {
        coded_.resize(latents.size());
        for (std::size_t i = latents.size(); i-- > 0;) {
            Coded& coded = coded_[i];
            coded.bin = BinOf(latents[i]);
            const std::uint32_t weight = latent_.bins[coded.bin].weight;
            std::uint32_t& state = current_[i % kInterleaved];
            while ((state >> coded.bits) >= 2 * weight) ++coded.bits;
            coded.value = static_cast<std::uint16_t>(state & LowBits(coded.bits));
            state = states_[first_[coded.bin] + (state >> coded.bits) - weight];
        }
    }

    // Writes the encoder's states at the beginning of a page, where decoding starts.
    void WriteStates(BitWriter& writer) const {
        for (const std::uint32_t state : current_)
            writer.Write(state - size_, latent_.ans_size_log);
    }

    // Writes the latents with indices `begin` to `end` - 1. `latents` must be those passed to
    // Run().
    void WriteBatch(const Latents& latents, std::size_t begin, std::size_t end,
                    BitWriter& writer) const {
        for (std::size_t i = begin; i < end; ++i) writer.Write(coded_[i].value, coded_[i].bits);
        for (std::size_t i = begin; i < end; ++i) {
            const Bin& bin = latent_.bins[coded_[i].bin];
            writer.Write(latents[i] - bin.lower, bin.offset_bits);
        }
    }

  private:
    struct Coded {
        std::uint16_t bin = 0;
        std::uint16_t value = 0;
        std::uint8_t bits = 0;
    };

    std::uint16_t BinOf(std::uint64_t latent) const {
        const auto after =
            std::upper_bound(latent_.bins.begin(), latent_.bins.end(), latent,
                             [](std::uint64_t value, const Bin& bin) { return value < bin.lower; });
        return static_cast<std::uint16_t>(after - latent_.bins.begin() - 1);
    }

    const LatentMetadata& latent_;
    const std::uint32_t size_;
    std::vector<std::uint32_t> first_;   // index in states_ of each bin's first state
    std::vector<std::uint32_t> states_;  // states of the tANS table, grouped by bin
    std::array<std::uint32_t, kInterleaved> current_{};
    std::vector<Coded> coded_;
};

// Replaces latents by the differences of neighbours, `order` times. Returns the first latent before
// each step, which decoding needs. `latents` must be longer than `order`.
Latents TakeDifferences(const NumberType& type, unsigned order, Latents& latents) {
    Latents moments;
    for (unsigned i = 0; i < order; ++i) {
        moments.push_back(latents.front());
        for (std::size_t j = 0; j + 1 < latents.size(); ++j)
            latents[j] = (latents[j + 1] - latents[j]) & type.mask();
        latents.pop_back();
    }
    if (order != 0)
        for (std::uint64_t& latent : latents) latent ^= type.middle();
    return moments;
}

// Returns a sample of `latents`: a few runs of consecutive latents.
Latents Sample(const Latents& latents) {
    constexpr std::size_t kRuns = 16;
    constexpr std::size_t kRun = 256;
    if (latents.size() <= kRuns * kRun) return latents;
    Latents sample;
    for (std::size_t run = 0; run < kRuns; ++run) {
        const auto begin =
            latents.begin() + static_cast<std::ptrdiff_t>(latents.size() / kRuns * run);
        sample.insert(sample.end(), begin, begin + kRun);
    }
    return sample;
}

// Returns how many times to take differences of `latents`: the number for which a sample of them
// needs the fewest bits.
unsigned ChooseOrder(const NumberType& type, unsigned level, const Latents& latents) {
    constexpr unsigned kMostChosen = 2;
    unsigned chosen = 0;
    double fewest = 0;
    for (unsigned order = 0; order <= kMostChosen; ++order) {
        Latents sample = Sample(latents);
        if (order >= sample.size()) break;
        TakeDifferences(type, order, sample);
        const double bits =
            ChooseBins(std::move(sample), type.bits, level).bits + order * type.bits;
        if (order != 0 && bits >= fewest) continue;
        fewest = bits;
        chosen = order;
    }
    return chosen;
}

void WriteHeader(std::uint64_t count, BitWriter& writer) {
    constexpr unsigned kStandalone = 2;
    constexpr unsigned kMajor = 3;
    unsigned hint_bits = 1;
    while (hint_bits < 64 && (count >> hint_bits) != 0) ++hint_bits;
    for (const char letter : {'p', 'c', 'o', '!'}) writer.Write(static_cast<unsigned>(letter), 8);
    writer.Write(kStandalone, 8);
    writer.Write(hint_bits - 1, 6);
    writer.Write(count, hint_bits);
    writer.Align();
    writer.Write(kMajor, 8);
}

void WriteBins(const LatentMetadata& latent, BitWriter& writer) {
    unsigned width = 1;
    while ((latent.bits >> width) != 0) ++width;
    writer.Write(latent.ans_size_log, 4);
    writer.Write(latent.bins.size(), 15);
    for (const Bin& bin : latent.bins) {
        writer.Write(bin.weight - 1, latent.ans_size_log);
        writer.Write(bin.lower, latent.bits);
        writer.Write(bin.offset_bits, width);
    }
}

// Writes a chunk of the file: its metadata and one page.
void WriteChunk(const NumberType& type, const EncoderOptions& options, Latents latents,
                BitWriter& writer) {
    const std::size_t count = latents.size();
    const std::size_t wanted =
        options.order ? *options.order : ChooseOrder(type, options.level, latents);
    const auto order = static_cast<unsigned>(std::min(wanted, count - 1));
    const Latents moments = TakeDifferences(type, order, latents);
    const LatentMetadata metadata = ChooseBins(latents, type.bits, options.level).metadata;
    LatentEncoder encoder(metadata);
    encoder.Run(latents);

    writer.Write(type.code, 8);
    writer.Write(count - 1, 24);
    writer.Write(static_cast<unsigned>(Mode::kClassic), 4);
    const auto encoding = order != 0 ? DeltaEncoding::kConsecutive : DeltaEncoding::kNone;
    writer.Write(static_cast<unsigned>(encoding), 4);
    // Order of differences in 3 bits, then a 0: no secondary latent.
    if (order != 0) writer.Write(order, 4);
    WriteBins(metadata, writer);
    writer.Align();
    for (const std::uint64_t moment : moments) writer.Write(moment, type.bits);
    encoder.WriteStates(writer);
    writer.Align();
    for (std::size_t begin = 0; begin < latents.size(); begin += kBatch)
        encoder.WriteBatch(latents, begin, std::min(begin + kBatch, latents.size()), writer);
    writer.Align();
}

std::uint64_t LoadNumber(const std::uint8_t* from, unsigned bits) {
    if (bits == 16) return LoadNative<std::uint16_t>(from);
    return bits == 32 ? LoadNative<std::uint32_t>(from) : LoadNative<std::uint64_t>(from);
}

}  // namespace

void EncodeFile(ByteSpan decoded, const NumberType& type, const EncoderOptions& options,
                std::vector<std::uint8_t>& encoded) {
    const std::size_t size = type.bits / 8;
    const std::size_t count = decoded.size / size;
    encoded.clear();
    BitWriter writer(encoded);
    WriteHeader(count, writer);
    const std::size_t pages = CeilDiv(count, options.page_numbers);
    std::size_t begin = 0;
    for (std::size_t page = 0; page < pages; ++page) {
        const std::size_t end = begin + count / pages + (page < count % pages ? 1 : 0);
        Latents latents;
        latents.reserve(end - begin);
        for (; begin < end; ++begin)
            latents.push_back(
                LatentOfNumber(type, LoadNumber(decoded.data + begin * size, type.bits)));
        WriteChunk(type, options, std::move(latents), writer);
    }
    writer.Write(0, 8);
}

}  // namespace zarr::pco
