// SPDX-License-Identifier: MIT
#include "core/codec/item_sink.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/tuning.h"

namespace zarr {

void ItemSink::Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
}

void ItemSink::Append(std::string_view text) {
    if (!status_.ok() || text.empty()) return;
    if (text.size() > limit_ - written_)
        return Fail(Status::Limit("encodes to more than " + std::to_string(limit_) + " bytes"));
    const std::size_t end = written_ + text.size();
    if (end > buffer_.size()) {
        const std::size_t room =
            std::max({end, tuning::kFirstItems, buffer_.size() * 2, buffer_.capacity()});
        Status status = buffer_.Resize(std::min(room, std::max(limit_, end)));
        if (!status.ok()) return Fail(std::move(status));
    }
    std::memcpy(buffer_.data() + written_, text.data(), text.size());
    written_ = end;
}

Status ItemSink::Finish() {
    ZARR_RETURN_IF_ERROR(status_);
    return buffer_.Resize(written_);
}

}  // namespace zarr
