// SPDX-License-Identifier: MIT
#include "core/array/read_sequence.h"

#include <algorithm>
#include <cstddef>

#include "core/base/tuning.h"

namespace zarr {

namespace {

bool IsZero(const DimVector<std::int64_t>& offset) {
    return std::all_of(offset.begin(), offset.end(),
                       [](const std::int64_t along) { return along == 0; });
}

bool IsSame(const DimVector<std::int64_t>& a, const DimVector<std::int64_t>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Returns `start` moved by the offset `by`; nullopt if the result is outside an array of `shape`.
std::optional<DimVector<std::uint64_t>> Moved(DimVector<std::uint64_t> start,
                                              const DimVector<std::int64_t>& by,
                                              const std::vector<std::uint64_t>& shape) {
    for (std::size_t i = 0; i < start.size(); ++i) {
        const std::int64_t step = by[i];
        if (step < 0 && start[i] < static_cast<std::uint64_t>(-step)) return std::nullopt;
        start[i] += static_cast<std::uint64_t>(step);
        if (start[i] >= shape[i]) return std::nullopt;
    }
    return start;
}

}  // namespace

ReadSequence::Offset ReadSequence::Between(const Region& a, const Region& b) {
    Offset offset(a.start.size());
    for (std::size_t i = 0; i < offset.size(); ++i)
        offset[i] = static_cast<std::int64_t>(b.start[i] - a.start[i]);
    return offset;
}

bool ReadSequence::IsLikeLast(const Region& region) const {
    if (!last_ || region.start.size() != last_->start.size()) return false;
    for (std::size_t i = 0; i < region.start.size(); ++i)
        if (region.step[i] != full_.step[i] || region.count[i] > full_.count[i]) return false;
    return true;
}

void ReadSequence::Begin(const Region& region) {
    last_ = full_ = first_ = region;
    knows_outer_ = false;
    steps_ = seen_ = 0;
}

bool ReadSequence::Note(const Region& region) {
    if (!IsLikeLast(region)) {
        Begin(region);
        return false;
    }
    const Region before = *last_;
    const Offset step = Between(before, region);
    if (IsZero(step)) return false;  // a repeated read, for example of another field
    last_ = region;
    if (seen_ == 0 && !knows_outer_) {
        inner_ = step;
        steps_ = seen_ = 1;
    } else if (IsSame(step, inner_) && (!knows_outer_ || steps_ < row_length_)) {
        ++steps_;
        ++seen_;
    } else {
        const Offset row = Between(first_, region);
        const bool is_expected = knows_outer_ && steps_ == row_length_ && IsSame(row, outer_);
        if (!is_expected && steps_ < tuning::kEqualSteps) {
            // The step does not continue the sequence. It may be the first step of a new sequence.
            first_ = before;
            full_ = region;
            inner_ = step;
            knows_outer_ = false;
            steps_ = seen_ = 1;
            return false;
        }
        // The first row has ended, so the number of regions in a row is now known. The end of the
        // next row will confirm this number.
        seen_ = is_expected ? seen_ + 1 : tuning::kEqualSteps - 1;
        row_length_ = steps_;
        outer_ = row;
        knows_outer_ = true;
        first_ = region;
        steps_ = 0;
    }
    return seen_ >= tuning::kEqualSteps;
}

std::vector<Region> ReadSequence::Next(std::size_t count,
                                       const std::vector<std::uint64_t>& shape) const {
    std::vector<Region> next;
    if (!last_ || seen_ < tuning::kEqualSteps) return next;
    DimVector<std::uint64_t> at = last_->start;
    DimVector<std::uint64_t> row = first_.start;
    std::uint64_t steps = steps_;
    while (next.size() < count) {
        const bool is_row_over = knows_outer_ && steps == row_length_;
        const auto moved = is_row_over ? Moved(row, outer_, shape) : Moved(at, inner_, shape);
        if (!moved) break;
        at = *moved;
        steps = is_row_over ? 0 : steps + 1;
        if (is_row_over) row = at;
        Region region = full_;
        region.start = at;
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (region.step[i] < 1) return {};  // the region has a step that is negative or 0
            const auto step = static_cast<std::uint64_t>(region.step[i]);
            region.count[i] = std::min(region.count[i], (shape[i] - at[i] + step - 1) / step);
        }
        next.push_back(region);
    }
    return next;
}

}  // namespace zarr
