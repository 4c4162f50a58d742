// SPDX-License-Identifier: MIT
#include "core/references/bit_runs.h"

#include <algorithm>

namespace zarr {

namespace {

constexpr unsigned kMostBits = 32;

class BitRuns {
  public:
    BitRuns(ByteSpan bytes, unsigned bits) : bytes_(bytes), bits_(bits) {}

    // Appends the integers of the next run to `values`, up to `count` integers. Returns false if
    // the run is damaged or missing.
    bool ReadRun(std::size_t count, std::vector<std::uint32_t>& values) {
        std::uint64_t head = 0;
        if (!ReadHead(head) || (head >> 1U) == 0) return false;
        const std::uint64_t wanted = count - values.size();
        if ((head & 1U) == 0) return RepeatValue(std::min(head >> 1U, wanted), values);
        constexpr std::uint64_t kGroup = 8;  // integers in a bit-packed group
        const std::uint64_t groups = std::min(head >> 1U, wanted / kGroup + 1);
        return Unpack(std::min(groups * kGroup, wanted), head >> 1U, values);
    }

  private:
    // Reads the head of a run, a little-endian base-128 number.
    bool ReadHead(std::uint64_t& head) {
        for (unsigned shift = 0; shift < kMostBits && at_ < bytes_.size; shift += 7) {
            const std::uint8_t byte = bytes_.data[at_++];
            head |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80U) return true;
        }
        return false;
    }

    bool RepeatValue(std::uint64_t count, std::vector<std::uint32_t>& values) {
        const std::size_t size = (bits_ + 7) / 8;
        if (size > bytes_.size - at_) return false;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < size; ++i)
            value |= std::uint32_t{bytes_.data[at_ + i]} << (8 * i);
        at_ += size;
        values.insert(values.end(), static_cast<std::size_t>(count), value);
        return true;
    }

    // Unpacks the first `count` integers of a bit-packed run, which has `groups` groups of 8
    // integers.
    bool Unpack(std::uint64_t count, std::uint64_t groups, std::vector<std::uint32_t>& values) {
        const std::uint64_t have = bytes_.size - at_;
        if ((count * bits_ + 7) / 8 > have) return false;
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        std::uint64_t window = 0;  // bits that are read but not used yet: the lower `filled` bits
        unsigned filled = 0;
        std::size_t at = at_;
        for (std::uint64_t i = 0; i < count; ++i) {
            for (; filled < bits_; filled += 8)
                window |= std::uint64_t{bytes_.data[at++]} << filled;
            values.push_back(static_cast<std::uint32_t>(window & mask));
            window >>= bits_;
            filled -= bits_;
        }
        at_ += static_cast<std::size_t>(std::min(groups * bits_, have));
        return true;
    }

    const ByteSpan bytes_;
    const unsigned bits_;
    std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<std::uint32_t>> DecodeBitRuns(ByteSpan bytes, unsigned bits, std::size_t count) {
    if (bits > kMostBits)
        return Status::Corrupt("integers of " + std::to_string(bits) + " bits exceed " +
                               std::to_string(kMostBits) + " bits");
    std::vector<std::uint32_t> values;
    // Some writers store no byte for a run of zero-bit integers, which are all 0.
    if (bits == 0) {
        values.resize(count);
        return values;
    }
    values.reserve(count);
    BitRuns runs(bytes, bits);
    while (values.size() < count)
        if (!runs.ReadRun(count, values))
            return Status::Corrupt("a run of integers is damaged or truncated");
    return values;
}

}  // namespace zarr
