// SPDX-License-Identifier: MIT
#include "core/base/axis_order.h"

namespace zarr {

AxisOrder AxisOrder::Of(const DimVector<std::size_t>& axes) {
    bool is_row_major = true;
    bool is_column_major = true;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        is_row_major = is_row_major && axes[i] == i;
        is_column_major = is_column_major && axes[i] == axes.size() - 1 - i;
    }
    AxisOrder order(!is_row_major && is_column_major);
    if (is_row_major || is_column_major) return order;
    order.kind_ = Kind::kOther;
    for (const std::size_t axis : axes) order.axes_.push_back(static_cast<std::uint8_t>(axis));
    return order;
}

std::string AxisOrder::Text() const {
    if (kind_ != Kind::kOther) return kind_ == Kind::kRowMajor ? "C" : "F";
    std::string text = "[";
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (i != 0) text += ", ";
        text += std::to_string(axes_[i]);
    }
    return text + "]";
}

}  // namespace zarr
