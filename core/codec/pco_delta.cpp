// SPDX-License-Identifier: MIT
#include "core/codec/pco_delta.h"

#include <algorithm>

namespace zarr::pco {

DeltaDecoder::DeltaDecoder(const Delta& delta, unsigned bits)
    : delta_(delta), bits_(bits), mask_(LowBits(bits)), middle_(std::uint64_t{1} << (bits - 1)) {}

void DeltaDecoder::ReadStates(BitReader& reader) {
    auto& states = delta_.encoding == DeltaEncoding::kConsecutive ? moments_ : decoded_;
    states.resize(delta_.states);
    for (std::uint64_t& state : states) state = reader.Read(bits_);
}

Status DeltaDecoder::Decode(std::size_t differences, const Batch& lookback, std::size_t count,
                            Batch& latents) {
    if (delta_.encoding == DeltaEncoding::kNone) return {};
    if (delta_.encoding == DeltaEncoding::kConsecutive) {
        Sum(differences, count, latents);
        return {};
    }
    if (delta_.encoding == DeltaEncoding::kLookback)
        ZARR_RETURN_IF_ERROR(AddEarlier(differences, lookback, latents));
    else
        AddPredicted(differences, latents);
    TakeDecoded(count, latents);
    return {};
}

void DeltaDecoder::Sum(std::size_t differences, std::size_t count, Batch& latents) {
    std::fill(latents.begin() + static_cast<std::ptrdiff_t>(differences),
              latents.begin() + static_cast<std::ptrdiff_t>(count), 0);
    for (auto moment = moments_.rbegin(); moment != moments_.rend(); ++moment) {
        const bool is_stored = moment == moments_.rbegin();
        std::uint64_t sum = *moment;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t difference = is_stored ? latents[i] + middle_ : latents[i];
            latents[i] = sum & mask_;
            sum += difference;
        }
        *moment = sum & mask_;
    }
}

Status DeltaDecoder::AddEarlier(std::size_t differences, const Batch& lookback,
                                const Batch& latents) {
    for (std::size_t i = 0; i < differences; ++i) {
        const std::uint64_t back = lookback[i];
        if (back == 0 || back > delta_.window || back > decoded_.size())
            return Status::Corrupt(
                "pco data is damaged: lookback distance " + std::to_string(back) +
                " is not between 1 and " +
                std::to_string(std::min<std::uint64_t>(delta_.window, decoded_.size())));
        const std::uint64_t earlier = decoded_[decoded_.size() - static_cast<std::size_t>(back)];
        decoded_.push_back((earlier + latents[i] + middle_) & mask_);
    }
    return {};
}

void DeltaDecoder::AddPredicted(std::size_t differences, const Batch& latents) {
    for (std::size_t i = 0; i < differences; ++i)
        decoded_.push_back((Predict() + latents[i] + middle_) & mask_);
}

// Predicts the next latent from previous latents by a weighted sum. The sum is signed, has twice
// the bits of a latent, and wraps around. A negative prediction counts as 0 in pco, although the
// format description does not mention this.
std::uint64_t DeltaDecoder::Predict() const {
    auto sum = static_cast<std::uint64_t>(delta_.bias);
    const std::uint64_t* latent = decoded_.data() + decoded_.size() - delta_.weights.size();
    for (const std::int32_t weight : delta_.weights)
        sum += static_cast<std::uint64_t>(std::int64_t{weight}) * *latent++;
    const unsigned unused = 64 - 2 * bits_;
    const auto wrapped = static_cast<std::int64_t>(sum << unused) >> unused;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(wrapped >> delta_.quantization, 0));
}

void DeltaDecoder::TakeDecoded(std::size_t count, Batch& latents) {
    for (std::size_t i = 0; i < count; ++i) latents[i] = decoded_[next_ + i];
    next_ += count;
    // Removes latents that no later difference refers to. They are removed only when they are many,
    // because each removal moves the remaining latents.
    const std::uint64_t kept = std::max<std::uint64_t>(delta_.window, delta_.states);
    if (decoded_.size() <= 2 * kept + (std::uint64_t{1} << 16)) return;
    const std::size_t dropped = std::min(next_, decoded_.size() - static_cast<std::size_t>(kept));
    decoded_.erase(decoded_.begin(), decoded_.begin() + static_cast<std::ptrdiff_t>(dropped));
    next_ -= dropped;
}

}  // namespace zarr::pco
