// SPDX-License-Identifier: MIT
#include "driver/base/debug_log.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>

#include <algorithm>
#include <utility>

#include "core/base/status.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/secrets.h"

namespace zarr_driver {

namespace {

constexpr const char* kDebugKey = "ZARR";

std::string Milliseconds(std::uint64_t nanoseconds) {
    return CPLSPrintf("%.1f ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string Plural(std::uint64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

ArrayActivity::Counts::Counts(const zarr::Array& array)
    : requested(array.counters().chunks_requested),
      absent(array.counters().chunks_absent),
      decoded(array.counters().chunks_decoded),
      cached(array.counters().chunks_cached),
      bytes_read(array.counters().bytes_read),
      bytes_decoded(array.counters().bytes_decoded),
      reading_time(array.counters().reading_time),
      decoding_time(array.counters().decoding_time),
      written(array.write_counters().chunks_written),
      bytes_written(array.write_counters().bytes_written) {}

ArrayActivity::ArrayActivity(const std::string& store_path,
                             std::shared_ptr<const zarr::Array> array)
    : name_(ShownName(store_path) + ": /" + array->path()),
      array_(std::move(array)),
      before_(*array_) {}

ArrayActivity::~ArrayActivity() {
    zarr::NoThrow([&] {
        const Counts after(*array_);
        if (after.requested != before_.requested || after.cached != before_.cached) {
            const std::string read = Plural(after.requested - before_.requested, "chunk") +
                                     " read, " + std::to_string(after.absent - before_.absent) +
                                     " of them absent";
            const std::string decoded =
                std::to_string(after.decoded - before_.decoded) + " decoded";
            CPLDebug(kDebugKey, "%s: %s (%s in %s); %s (%s in %s); %s taken from the cache",
                     name_.c_str(), read.c_str(),
                     Plural(after.bytes_read - before_.bytes_read, "byte").c_str(),
                     Milliseconds(after.reading_time - before_.reading_time).c_str(),
                     decoded.c_str(),
                     Plural(after.bytes_decoded - before_.bytes_decoded, "byte").c_str(),
                     Milliseconds(after.decoding_time - before_.decoding_time).c_str(),
                     std::to_string(after.cached - before_.cached).c_str());
        }
        if (after.written != before_.written)
            CPLDebug(kDebugKey, "%s: %s written (%s)", name_.c_str(),
                     Plural(after.written - before_.written, "chunk").c_str(),
                     Plural(after.bytes_written - before_.bytes_written, "byte").c_str());
    });
}

void LogImage(const std::string& store_path, const zarr::ArrayFacts& facts) {
    const auto& shape = facts.metadata.shape;
    const bool has_alpha = shape[*facts.colour_axis] == 4;
    CPLDebug(kDebugKey,
             "%s: /%s: the shape [%s, %s, %s] of dimensions without names is read as rows, "
             "columns and colours of an %s image (open options DIM_X and DIM_Y override this)",
             ShownName(store_path).c_str(), facts.path.c_str(), std::to_string(shape[0]).c_str(),
             std::to_string(shape[1]).c_str(), std::to_string(shape[2]).c_str(),
             has_alpha ? "RGBA" : "RGB");
}

void LogDebug(const std::string& message) { CPLDebug(kDebugKey, "%s", message.c_str()); }

void LogUnusedTransformations(const std::string& store_path, const std::string& array_path,
                              const std::string& system, std::size_t count) {
    CPLDebug(kDebugKey,
             "%s: /%s: is placed in the coordinate system \"%s\"; %s transformations from or to "
             "other systems are kept as metadata (OME_TRANSFORMATIONS)",
             ShownName(store_path).c_str(), array_path.c_str(), system.c_str(),
             std::to_string(count).c_str());
}

bool IsDebugEnabled() {
    const char* const said = CPLGetConfigOption("CPL_DEBUG", nullptr);
    return said != nullptr && (said[0] == '\0' || CPLTestBool(said));
}

void LogRequest(const char* verb, const std::string& path, const std::string& key,
                const std::string& answer, std::uint64_t nanoseconds) {
    // URL queries may contain secrets. The query must be removed before `key` is appended to the
    // path.
    const bool is_url =
        path.find("://") != std::string::npos && !STARTS_WITH(path.c_str(), "/vsicurl?");
    const std::size_t end = is_url ? std::min(path.find('?'), path.size()) : path.size();
    const bool is_whole = key.empty() || key == path;
    const std::string shown = path.substr(0, end) + (is_whole ? "" : "/" + key);
    CPLDebug(kDebugKey, "%s %s: %s in %s", verb, ShownName(shown).c_str(),
             HideSecrets(answer, UrlEnd::kAtSpace).c_str(), Milliseconds(nanoseconds).c_str());
}

std::string AnswerText(const zarr::Status& answer, const zarr::Buffer* value) {
    if (!answer.ok()) return answer.message();
    return value != nullptr ? Plural(value->size(), "byte") : "done";
}

std::string AnswerText(const zarr::Result<bool>& answer, const zarr::Buffer* value) {
    return answer.ok() && !*answer ? "absent" : AnswerText(answer.status(), value);
}

std::string AnswerText(const zarr::Result<zarr::ReadResult>& answer, const zarr::Buffer* value) {
    if (answer.ok() && answer->found && value == nullptr)
        return std::to_string(answer->size) + " bytes";
    return AnswerText(answer.ok() ? zarr::Result<bool>(answer->found) : answer.status(), value);
}

std::string AnswerText(const zarr::Result<std::vector<zarr::StoreEntry>>& answer,
                       const zarr::Buffer* /*value*/) {
    if (!answer.ok()) return answer.status().message();
    return std::to_string(answer->size()) + (answer->size() == 1 ? " entry" : " entries");
}

StoreActivity::StoreActivity(const std::string& store_path,
                             std::shared_ptr<const zarr::Hierarchy> hierarchy)
    : store_path_(ShownName(store_path)), hierarchy_(std::move(hierarchy)) {}

StoreActivity::~StoreActivity() {
    if (!IsDebugEnabled()) return;
    zarr::NoThrow([&] {
        CPLDebug(kDebugKey, "%s: closed after %s", store_path_.c_str(), Requests().c_str());
    });
}

void StoreActivity::Opened(const std::string& what) const {
    CPLDebug(kDebugKey, "%s: opened %s %s consolidated metadata after %s", store_path_.c_str(),
             what.c_str(), hierarchy_->is_consolidated() ? "by" : "without", Requests().c_str());
}

std::string StoreActivity::Requests() const {
    const zarr::StoreCounters& counters = hierarchy_->counters();
    return Plural(counters.requests, "request") + " (" + Milliseconds(counters.time) + ")";
}

}  // namespace zarr_driver
