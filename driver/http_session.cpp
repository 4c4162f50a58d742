// SPDX-License-Identifier: MIT
#include "driver/http_session.h"

#include <cpl_http.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>

#include "core/base/fork.h"
#include "core/base/no_throw.h"

namespace zarr_driver {

namespace {

struct Idle {
    std::string purpose;
    std::string name;
};

// More than are under way at a time; those that nobody has used for longest are closed.
constexpr std::size_t kMaxIdle = 128;

zarr::Mutex idle_mutex;
auto& idle = *new std::deque<Idle>();
std::uint64_t next_name = 0;

std::string ProcessMark() { return std::to_string(CPLGetCurrentProcessID()) + "\n"; }

bool BelongsToProcess(const Idle& session) {
    const std::string mark = ProcessMark();
    return session.purpose.compare(0, mark.size(), mark) == 0;
}

void Close(const std::string& name) {
    CPLStringList options;
    options.SetNameValue("CLOSE_PERSISTENT", name.c_str());
    CPLHTTPDestroyResult(CPLHTTPFetch("", options.List()));
}

}  // namespace

HttpSession::HttpSession(const std::string& purpose) : purpose_(ProcessMark() + purpose) {
    const std::lock_guard<zarr::Mutex> lock(idle_mutex);
    // The last that was used is the likeliest to be connected still.
    const auto own = std::find_if(idle.rbegin(), idle.rend(),
                                  [&](const Idle& other) { return other.purpose == purpose_; });
    if (own != idle.rend()) {
        name_ = std::move(own->name);
        idle.erase(std::next(own).base());
        return;
    }
    name_ = "zarr-" + std::to_string(CPLGetCurrentProcessID()) + "-" + std::to_string(next_name++);
}

HttpSession::~HttpSession() {
    zarr::NoThrow([&] {
        std::string closed;
        {
            const std::lock_guard<zarr::Mutex> lock(idle_mutex);
            idle.push_back({std::move(purpose_), std::move(name_)});
            if (idle.size() > kMaxIdle) {
                // What a parent process has is not closed in its child.
                if (BelongsToProcess(idle.front())) closed = std::move(idle.front().name);
                idle.pop_front();
            }
        }
        if (!closed.empty()) Close(closed);
    });
}

}  // namespace zarr_driver
