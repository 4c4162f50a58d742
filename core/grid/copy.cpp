// SPDX-License-Identifier: MIT
#include "core/grid/copy.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/thread_pool.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

struct Axis {
    std::uint64_t count;
    std::ptrdiff_t dst;
    std::ptrdiff_t src;
};

// Returns the block's dimensions, sorted from the largest to the smallest destination stride. Drops
// dimensions of one element. Merges neighbouring dimensions that form one run in source and
// destination.
DimVector<Axis> Simplify(const DimVector<std::uint64_t>& count, const Strides& dst,
                         const Strides& src) {
    DimVector<Axis> axes;
    for (std::size_t i = 0; i < count.size(); ++i)
        if (count[i] != 1) axes.push_back({count[i], dst[i], src[i]});
    std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
        return std::abs(a.dst) > std::abs(b.dst);
    });
    DimVector<Axis> merged;
    for (const Axis& axis : axes) {
        Axis* outer = merged.empty() ? nullptr : merged.end() - 1;
        const auto n = static_cast<std::ptrdiff_t>(axis.count);
        if (outer != nullptr && outer->dst == axis.dst * n && outer->src == axis.src * n) {
            outer->count *= axis.count;
            outer->dst = axis.dst;
            outer->src = axis.src;
        } else {
            merged.push_back(axis);
        }
    }
    return merged;
}

// Copies the elements along the innermost dimension, or the two innermost dimensions for a
// transposition.
class Inner {
  public:
    Inner(DimVector<Axis>& axes, const Converter& op) : op_(op) {
        if (axes.empty()) return;
        fast_ = Take(axes, axes.size() - 1);
        // Find the dimension along which the source is contiguous. If the destination is contiguous
        // along another dimension, copy square by square. Squares keep the cache lines of source
        // and destination in the cache until the lines are used up.
        const auto* const along_source = std::min_element(
            axes.begin(), axes.end(),
            [](const Axis& a, const Axis& b) { return std::abs(a.src) < std::abs(b.src); });
        if (!axes.empty() && std::abs(along_source->src) < std::abs(fast_.src))
            slow_ = Take(axes, static_cast<std::size_t>(along_source - axes.begin()));
    }

    void Run(std::uint8_t* dst, const std::uint8_t* src) const {
        if (slow_.count == 1) return Row(dst, src, fast_.count);
        for (std::uint64_t s = 0; s < slow_.count; s += tuning::kTransposedSide) {
            const std::uint64_t s_end = std::min(slow_.count, s + tuning::kTransposedSide);
            for (std::uint64_t f = 0; f < fast_.count; f += tuning::kTransposedSide) {
                const std::uint64_t n = std::min(tuning::kTransposedSide, fast_.count - f);
                for (std::uint64_t i = s; i < s_end; ++i)
                    Row(dst + At(i, slow_.dst) + At(f, fast_.dst),
                        src + At(i, slow_.src) + At(f, fast_.src), n);
            }
        }
    }

  private:
    static Axis Take(DimVector<Axis>& axes, std::size_t index) {
        const Axis taken = axes[index];
        DimVector<Axis> rest;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (i != index) rest.push_back(axes[i]);
        axes = rest;
        return taken;
    }
    static std::ptrdiff_t At(std::uint64_t index, std::ptrdiff_t stride) {
        return static_cast<std::ptrdiff_t>(index) * stride;
    }
    void Row(std::uint8_t* dst, const std::uint8_t* src, std::uint64_t count) const {
        op_.row(op_, dst, fast_.dst, src, fast_.src, static_cast<std::size_t>(count));
    }

    const Converter& op_;
    Axis fast_{1, 0, 0};
    Axis slow_{1, 0, 0};
};

}  // namespace

Strides ContiguousStrides(const DimVector<std::uint64_t>& shape, std::size_t size,
                          const AxisOrder& order) {
    Strides strides(shape.size());
    auto stride = static_cast<std::ptrdiff_t>(size);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t axis = order.At(shape.size() - 1 - i, shape.size());
        strides[axis] = stride;
        stride *= static_cast<std::ptrdiff_t>(shape[axis]);
    }
    return strides;
}

void CopyBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* src, const Strides& src_strides, const Converter& op) {
    if (std::find(count.begin(), count.end(), 0U) != count.end()) return;
    DimVector<Axis> outer = Simplify(count, dst_strides, src_strides);
    const Inner inner(outer, op);
    DimVector<std::uint64_t> index(outer.size(), 0);
    for (;;) {
        inner.Run(dst, src);
        std::size_t axis = outer.size();
        for (;; --axis) {  // advance the index; its last element varies fastest
            if (axis == 0) {
                if (op.finish != nullptr) op.finish();
                return;
            }
            const Axis& a = outer[axis - 1];
            dst += a.dst;
            src += a.src;
            if (++index[axis - 1] < a.count) break;
            index[axis - 1] = 0;
            dst -= a.dst * static_cast<std::ptrdiff_t>(a.count);
            src -= a.src * static_cast<std::ptrdiff_t>(a.count);
        }
    }
}

void CopyBlockOn(std::size_t threads, const DimVector<std::uint64_t>& count, std::uint8_t* dst,
                 const Strides& dst_strides, const std::uint8_t* src, const Strides& src_strides,
                 const Converter& op) {
    // Split along the dimension of the largest destination stride, so that the threads' parts are
    // far apart in memory.
    std::size_t axis = 0;
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < count.size(); ++i) {
        elements *= count[i];  // cannot overflow: the block is in memory
        if (count[i] > 1 && std::abs(dst_strides[i]) > std::abs(dst_strides[axis])) axis = i;
    }
    const std::uint64_t most =
        elements /
        std::max<std::uint64_t>(tuning::kCopiedPart / std::max<std::size_t>(op.dst_size, 1), 1);
    if (threads < 2 || most < 2 || count[axis] < 2)
        return CopyBlock(count, dst, dst_strides, src, src_strides, op);
    const std::uint64_t parts = std::min(count[axis], most);
    static_cast<void>(
        ParallelFor(static_cast<std::size_t>(parts), threads, [&](std::size_t i) -> Status {
            const std::uint64_t first = count[axis] * i / parts;
            DimVector<std::uint64_t> own = count;
            own[axis] = count[axis] * (i + 1) / parts - first;
            const auto skipped = static_cast<std::ptrdiff_t>(first);
            CopyBlock(own, dst + skipped * dst_strides[axis], dst_strides,
                      src + skipped * src_strides[axis], src_strides, op);
            return {};
        }));
}

void FillBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* value, const Converter& op) {
    CopyBlock(count, dst, dst_strides, value, Strides(count.size(), 0), op);
}

}  // namespace zarr
