// SPDX-License-Identifier: MIT
#include "core/codec/pco_bins.h"

#include <algorithm>
#include <cmath>

namespace zarr::pco {

namespace {

// A run of consecutive latents (pco's unsigned integers) in a sorted list, from `lower` to `upper`.
struct Group {
    std::uint64_t lower = 0;
    std::uint64_t upper = 0;
    std::size_t count = 0;
};

unsigned BitsOf(std::uint64_t number) {
    unsigned bits = 0;
    for (; number != 0; number >>= 1) ++bits;
    return bits;
}

// Divides sorted latents into about `most` groups of equal count. Equal latents stay in one group,
// so that a frequent value gets a group of its own.
std::vector<Group> Divide(const std::vector<std::uint64_t>& sorted, std::size_t most) {
    const std::size_t step = (sorted.size() + most - 1) / most;
    std::vector<Group> groups;
    for (auto begin = sorted.begin(); begin != sorted.end();) {
        const auto left = static_cast<std::size_t>(sorted.end() - begin);
        const std::uint64_t last = *(begin + static_cast<std::ptrdiff_t>(std::min(step, left) - 1));
        const auto equal = std::equal_range(begin, sorted.end(), last);
        const bool is_own = static_cast<std::size_t>(equal.second - equal.first) >= step;
        const auto end = is_own && equal.first != begin ? equal.first : equal.second;
        groups.push_back({*begin, *(end - 1), static_cast<std::size_t>(end - begin)});
        begin = end;
    }
    return groups;
}

// Joins neighbouring groups of latents into bins that need the fewest bits, by dynamic programming:
// best[n] is the best solution for the first n groups. `total` is the number of latents, `per_bin`
// the bits of a bin's metadata. `bits` becomes the estimated size.
std::vector<Group> Join(const std::vector<Group>& groups, std::size_t total, double per_bin,
                        double& bits) {
    struct Best {
        double bits = 0;
        std::size_t begin = 0;  // index of the first group of latents in the last bin
    };
    std::vector<Best> best(groups.size() + 1);
    for (std::size_t end = 1; end <= groups.size(); ++end) {
        std::size_t count = 0;
        for (std::size_t begin = end; begin-- > 0;) {
            count += groups[begin].count;
            const auto n = static_cast<double>(count);
            const double each = BitsOf(groups[end - 1].upper - groups[begin].lower) +
                                std::log2(static_cast<double>(total) / n);
            const double sum = best[begin].bits + per_bin + n * each;
            if (begin + 1 == end || sum < best[end].bits) best[end] = {sum, begin};
        }
    }
    bits = best.back().bits;
    std::vector<Group> bins;
    for (std::size_t end = groups.size(); end > 0; end = best[end].begin) {
        const std::size_t begin = best[end].begin;
        Group bin{groups[begin].lower, groups[end - 1].upper, 0};
        for (std::size_t i = begin; i < end; ++i) bin.count += groups[i].count;
        bins.push_back(bin);
    }
    std::reverse(bins.begin(), bins.end());
    return bins;
}

// Sets the weights of bins in proportion to the numbers of their latents. No weight is zero, and
// the weights add up to the table size.
void SetWeights(const std::vector<Group>& groups, std::size_t total, LatentMetadata& metadata) {
    constexpr unsigned kPrecision = 4;  // extra bits of the table size, for more precise weights
    const unsigned needed = BitsOf(groups.size() - 1);
    metadata.ans_size_log =
        groups.size() == 1 ? 0 : std::max(needed, std::min(needed + kPrecision, BitsOf(total)));
    const std::uint64_t size = std::uint64_t{1} << metadata.ans_size_log;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::uint64_t share = (groups[i].count * size + total / 2) / total;
        metadata.bins[i].weight = static_cast<std::uint32_t>(std::max<std::uint64_t>(share, 1));
        sum += metadata.bins[i].weight;
    }
    const auto is_less = [](const Bin& a, const Bin& b) { return a.weight < b.weight; };
    for (; sum != size; sum < size ? ++sum : --sum) {
        auto& weight =
            std::max_element(metadata.bins.begin(), metadata.bins.end(), is_less)->weight;
        sum < size ? ++weight : --weight;
    }
}

}  // namespace

ChosenBins ChooseBins(std::vector<std::uint64_t> latents, unsigned bits, unsigned level) {
    constexpr unsigned kMostLevel = 8;
    ChosenBins chosen;
    chosen.metadata.bits = bits;
    if (latents.empty()) return chosen;
    std::sort(latents.begin(), latents.end());
    const std::size_t most = std::size_t{1} << std::min(level, kMostLevel);
    const double per_bin = bits + 20;  // estimated number of bits of the metadata of a bin
    const std::vector<Group> groups =
        Join(Divide(latents, std::min(most, latents.size())), latents.size(), per_bin, chosen.bits);
    for (const Group& group : groups)
        chosen.metadata.bins.push_back({1, group.lower, BitsOf(group.upper - group.lower)});
    SetWeights(groups, latents.size(), chosen.metadata);
    return chosen;
}

}  // namespace zarr::pco
