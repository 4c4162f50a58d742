// SPDX-License-Identifier: MIT
#include "core/base/thread_context.h"

#include <atomic>

namespace zarr {

namespace {

std::atomic<ThreadContext::Source> source_of_contexts{nullptr};

}  // namespace

void ThreadContext::SetSource(Source source) { source_of_contexts = source; }

std::shared_ptr<const ThreadContext> ThreadContext::OfThisThread() {
    const Source source = source_of_contexts;
    return source != nullptr ? source() : nullptr;
}

}  // namespace zarr
