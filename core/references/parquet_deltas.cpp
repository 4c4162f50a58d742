// SPDX-License-Identifier: MIT
#include "core/references/parquet_deltas.h"

#include <algorithm>
#include <string>

namespace zarr {

namespace {

Status DamagedDeltas() { return Status::Corrupt("a page of the Parquet file is damaged"); }

// Reads the parts of DELTA_BINARY_PACKED. After damage, all numbers are 0 and ok() is false.
class DeltaReader {
  public:
    explicit DeltaReader(ByteSpan bytes) : bytes_(bytes) {}

    bool ok() const { return is_ok_; }
    ByteSpan rest() const { return bytes_; }

    // Reads a base-128 number, the lowest bits first.
    std::uint64_t ReadNumber() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t byte = *Take(1).data;
            number |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80U) return is_ok_ ? number : 0;
        }
        is_ok_ = false;
        return 0;
    }

    // Reads a number whose sign is the lowest bit ("zigzag"). Negative numbers wrap around.
    std::uint64_t ReadSigned() {
        const std::uint64_t number = ReadNumber();
        return (number >> 1U) ^ (0U - (number & 1U));
    }

    // Removes the first `size` bytes. Returns one zero byte if there are fewer.
    ByteSpan Take(std::uint64_t size) {
        static constexpr std::uint8_t kZero = 0;
        if (!is_ok_ || size > bytes_.size) {
            is_ok_ = false;
            return {&kZero, 1};
        }
        const ByteSpan taken(bytes_.data, static_cast<std::size_t>(size));
        bytes_ = bytes_.From(taken.size);
        return taken;
    }

  private:
    ByteSpan bytes_;
    bool is_ok_ = true;
};

// Returns the integer of `width` bits at the bit `at` of `data`, the lowest bits first.
std::uint64_t BitsAt(const std::uint8_t* data, std::uint64_t at, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned have = 0; have < width;) {
        const auto shift = static_cast<unsigned>((at + have) % 8);
        const unsigned count = std::min(8 - shift, width - have);
        const unsigned bits = (unsigned{data[(at + have) / 8]} >> shift) & ((1U << count) - 1);
        value |= std::uint64_t{bits} << have;
        have += count;
    }
    return value;
}

// True if no size is negative and the sum of `sizes` is at most `most`.
bool AreSizes(const std::vector<std::int64_t>& sizes, std::uint64_t most) {
    std::uint64_t left = most;
    for (const std::int64_t size : sizes) {
        if (size < 0 || static_cast<std::uint64_t>(size) > left) return false;
        left -= static_cast<std::uint64_t>(size);
    }
    return true;
}

}  // namespace

Result<std::vector<std::int64_t>> DecodeDeltas(ByteSpan& bytes, std::size_t count,
                                               ParquetBudget& budget) {
    constexpr std::uint64_t kMostPerBlock = std::uint64_t{1} << 31U;
    constexpr unsigned kMostWidth = 64;
    DeltaReader in(bytes);
    const std::uint64_t per_block = in.ReadNumber();
    const std::uint64_t parts = in.ReadNumber();  // "miniblocks" of a block
    const std::uint64_t total = in.ReadNumber();
    std::uint64_t value = in.ReadSigned();
    if (!in.ok() || parts == 0 || per_block > kMostPerBlock || per_block / parts == 0 ||
        per_block % (parts * 8) != 0 || total != count)
        return DamagedDeltas();
    ZARR_RETURN_IF_ERROR(budget.Take(count * sizeof(std::int64_t)));
    std::vector<std::int64_t> values;
    values.reserve(count);
    if (count != 0) values.push_back(static_cast<std::int64_t>(value));
    while (values.size() < count) {
        const std::uint64_t least = in.ReadSigned();
        const ByteSpan widths = in.Take(parts);
        for (std::uint64_t part = 0; in.ok() && part < parts && values.size() < count; ++part) {
            const unsigned width = widths.data[part];
            const ByteSpan packed = in.Take(per_block / parts / 8 * width);
            if (width > kMostWidth || !in.ok()) return DamagedDeltas();
            const std::uint64_t here =
                std::min<std::uint64_t>(per_block / parts, count - values.size());
            for (std::uint64_t i = 0; i < here; ++i) {
                value += least + BitsAt(packed.data, i * width, width);
                values.push_back(static_cast<std::int64_t>(value));
            }
        }
        if (!in.ok()) return DamagedDeltas();
    }
    bytes = in.rest();
    return values;
}

Status DecodeDeltaTexts(ByteSpan bytes, std::size_t count, bool has_prefixes, ParquetBudget& budget,
                        const std::function<void(std::string_view)>& visit) {
    std::vector<std::int64_t> prefixes;
    if (has_prefixes) {
        ZARR_ASSIGN_OR_RETURN(prefixes, DecodeDeltas(bytes, count, budget));
    }
    ZARR_ASSIGN_OR_RETURN(const auto sizes, DecodeDeltas(bytes, count, budget));
    if (!AreSizes(sizes, bytes.size)) return DamagedDeltas();
    std::string text;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto prefix = has_prefixes ? prefixes[i] : 0;
        if (prefix < 0 || static_cast<std::uint64_t>(prefix) > text.size()) return DamagedDeltas();
        text.resize(static_cast<std::size_t>(prefix));
        const auto size = static_cast<std::size_t>(sizes[i]);
        text += bytes.text().substr(at, size);
        at += size;
        // Repeated prefixes can be much longer than the page.
        ZARR_RETURN_IF_ERROR(budget.Take(text.size()));
        visit(text);
    }
    return {};
}

}  // namespace zarr
