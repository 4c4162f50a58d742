// SPDX-License-Identifier: MIT
#include "core/array/read_context.h"

namespace zarr {

ReadContext::Loan::Loan(ReadContext& context) : context_(context) {
    {
        const std::lock_guard<std::mutex> lock(context.mutex_);
        if (!context.idle_.empty()) {
            scratch_ = std::move(context.idle_.back());
            context.idle_.pop_back();
        }
    }
    if (scratch_ == nullptr) scratch_ = std::make_unique<Scratch>();
}

ReadContext::Loan::~Loan() {
    const PipelineScratch& pipeline = scratch_->pipeline;
    const std::size_t held = scratch_->chunk.capacity() + pipeline.encoded.capacity() +
                             pipeline.stages[0].capacity() + pipeline.stages[1].capacity();
    if (held > kKeptBytes) return;
    const std::lock_guard<std::mutex> lock(context_.mutex_);
    if (context_.idle_.size() < kKept) context_.idle_.push_back(std::move(scratch_));
}

}  // namespace zarr
