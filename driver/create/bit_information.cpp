// SPDX-License-Identifier: MIT
#include "driver/create/bit_information.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace zarr_driver {

namespace {

constexpr double kKeptInformation = 0.99;
// Quantile of the standard normal distribution for a two-sided confidence of 99 %. A deviation of
// at most this many standard deviations may be chance.
constexpr double kConfidence = 2.5758;

// Number of pairs of neighbouring numbers in which a bit has the values 00, 01, 10 and 11.
using PairCounts = std::array<std::uint64_t, 4>;

double Entropy(double p) {
    return p <= 0 || p >= 1 ? 0 : -p * std::log2(p) - (1 - p) * std::log2(1 - p);
}

// Returns the mutual information of one bit in two neighbouring numbers. Returns 0 if chance alone
// may explain that much information.
double Information(const PairCounts& counts) {
    double total = 0;
    for (const std::uint64_t count : counts) total += static_cast<double>(count);
    if (total == 0) return 0;
    std::array<double, 4> p{};
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<double>(counts[i]) / total;
    double information = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double first = i < 2 ? p[0] + p[1] : p[2] + p[3];
        const double second = i % 2 == 0 ? p[0] + p[2] : p[1] + p[3];
        if (p[i] > 0) information += p[i] * std::log2(p[i] / (first * second));
    }
    const double by_chance = std::min(1.0, 0.5 + kConfidence / (2 * std::sqrt(total)));
    return information > 1 - Entropy(by_chance) ? information : 0;
}

// Counts, for each bit position, the four combinations of that bit in two neighbouring numbers.
// `sample` is a chunk of Real; Bits is the unsigned integer type of equal size.
template <class Real, class Bits>
void CountPairs(const std::vector<std::uint8_t>& sample, std::uint64_t columns,
                const std::vector<double>& nodata, std::vector<PairCounts>& counts) {
    const std::size_t size = sample.size() / sizeof(Real);
    const auto is_counted = [&](Real value) {
        return std::isfinite(value) &&
               std::none_of(nodata.begin(), nodata.end(),
                            [&](double missing) { return value == static_cast<Real>(missing); });
    };
    for (std::size_t i = 0; i + 1 < size; ++i) {
        if ((i + 1) % columns == 0) continue;
        Real values[2];
        Bits bits[2];
        std::memcpy(values, sample.data() + i * sizeof(Real), sizeof values);
        std::memcpy(bits, values, sizeof bits);
        if (!is_counted(values[0]) || !is_counted(values[1])) continue;
        for (std::size_t bit = 0; bit < counts.size(); ++bit) {
            const std::size_t shift = counts.size() - 1 - bit;
            const bool first = (bits[0] >> shift & 1U) != 0;
            const bool second = (bits[1] >> shift & 1U) != 0;
            ++counts[bit][(first ? 2U : 0U) + (second ? 1U : 0U)];
        }
    }
}

}  // namespace

int MantissaBits(const zarr::DataType& dtype) {
    if (dtype.kind != zarr::DataKind::kFloat) return 0;
    if (dtype.size == sizeof(float)) return std::numeric_limits<float>::digits - 1;
    return dtype.size == sizeof(double) ? std::numeric_limits<double>::digits - 1 : 0;
}

std::optional<int> InformativeBits(const ChunkSamples& samples, const zarr::DataType& dtype,
                                   std::uint64_t columns, const std::vector<double>& nodata) {
    const int mantissa = MantissaBits(dtype);
    if (mantissa == 0 || columns == 0) return std::nullopt;
    std::vector<PairCounts> counts(dtype.size * 8);
    for (const auto& sample : samples) {
        if (dtype.size == sizeof(float))
            CountPairs<float, std::uint32_t>(sample, columns, nodata, counts);
        else
            CountPairs<double, std::uint64_t>(sample, columns, nodata, counts);
    }
    std::vector<double> information;
    double total = 0;
    for (const PairCounts& pairs : counts) {
        information.push_back(Information(pairs));
        total += information.back();
    }
    if (total == 0) return std::nullopt;
    // number of sign and exponent bits
    const int before = static_cast<int>(counts.size()) - mantissa;
    double kept = 0;
    for (int bit = 0; bit < static_cast<int>(counts.size()); ++bit) {
        kept += information[static_cast<std::size_t>(bit)];
        if (kept >= kKeptInformation * total) return std::max(1, bit + 1 - before);
    }
    return mantissa;
}

int BitsOf(double value, const zarr::DataType& dtype) {
    const int mantissa = MantissaBits(dtype);
    if (!std::isfinite(value) || value == 0) return 0;
    int exponent = 0;
    const double stored = dtype.size == sizeof(float) ? static_cast<float>(value) : value;
    if (!std::isfinite(stored)) return mantissa;
    double fraction = std::frexp(stored, &exponent);
    for (int bits = 0; bits < mantissa; ++bits) {
        // The first bit of `fraction` is always 1 and is not stored, so it does not count as a
        // mantissa bit. Hence `bits + 1`.
        const double scaled = std::ldexp(fraction, bits + 1);
        if (scaled == std::floor(scaled)) return bits;
    }
    return mantissa;
}

}  // namespace zarr_driver
