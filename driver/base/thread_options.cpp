// SPDX-License-Identifier: MIT
#include "driver/base/thread_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <memory>
#include <new>
#include <utility>

#include "core/base/thread_context.h"

namespace zarr_driver {

namespace {

class ThreadOptions final : public zarr::ThreadContext {
  public:
    explicit ThreadOptions(CPLStringList options) : options_(std::move(options)) {}

  private:
    void Begin() const override { CPLSetThreadLocalConfigOptions(options_.List()); }
    void End() const override { CPLSetThreadLocalConfigOptions(nullptr); }

    const CPLStringList options_;
};

std::shared_ptr<const zarr::ThreadContext> OptionsOfThisThread() {
    CPLStringList options(CPLGetThreadLocalConfigOptions(), TRUE);
    if (options.empty()) return nullptr;
    return std::make_shared<const ThreadOptions>(std::move(options));
}

}  // namespace

void ShareThreadOptions() { zarr::ThreadContext::SetSource(OptionsOfThisThread); }

}  // namespace zarr_driver
