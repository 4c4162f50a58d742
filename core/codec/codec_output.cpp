// SPDX-License-Identifier: MIT
#include "core/codec/codec_output.h"

#include <algorithm>
#include <cstring>

#include "core/base/tuning.h"

namespace zarr {

Status Output::TooLong() const {
    if (cause_) return OverLimit(*cause_, "decodes to too many bytes");
    return Status::Corrupt("decodes to more than the " + std::to_string(limit_) +
                           " bytes that the metadata allow");
}

Result<MutableByteSpan> Output::Prepare(std::size_t size) {
    if (size > limit_) return TooLong();
    if (buffer_ != nullptr) {
        ZARR_RETURN_IF_ERROR(buffer_->Reset(size));
        memory_ = buffer_->span();
    }
    written_ = size;
    return MutableByteSpan{memory_.data, size};
}

Result<MutableByteSpan> Output::Room() {
    if (buffer_ != nullptr && written_ == memory_.size && written_ < limit_) {
        const std::size_t doubled = written_ > limit_ / 2 ? limit_ : written_ * 2;
        ZARR_RETURN_IF_ERROR(
            buffer_->Resize(std::min(limit_, std::max(doubled, tuning::kFirstOutput))));
        memory_ = buffer_->span();
    }
    return MutableByteSpan{memory_.data + written_, memory_.size - written_};
}

Status Output::Append(ByteSpan bytes) {
    while (bytes.size > 0) {
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, Room());
        if (room.size == 0) return TooLong();
        const std::size_t n = std::min(room.size, bytes.size);
        std::memcpy(room.data, bytes.data, n);
        Commit(n);
        bytes = bytes.From(n);
    }
    return {};
}

Status Output::Finish() { return buffer_ != nullptr ? buffer_->Resize(written_) : Status(); }

}  // namespace zarr
