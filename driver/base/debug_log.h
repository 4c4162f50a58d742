// SPDX-License-Identifier: MIT
// Debug messages of this driver, logged if the configuration option CPL_DEBUG is ZARR or ON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/base/threads.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "core/store/store.h"

namespace zarr_driver {

// Counts the chunks of an array that this process reads and writes, and logs the counts on
// destruction. Logs nothing if all counts are zero.
class ArrayActivity {
  public:
    // `store_path` is the path of the store that contains `array`.
    ArrayActivity(const std::string& store_path, std::shared_ptr<const zarr::Array> array);
    ~ArrayActivity();
    ArrayActivity(const ArrayActivity&) = delete;
    ArrayActivity& operator=(const ArrayActivity&) = delete;

  private:
    struct Counts {
        explicit Counts(const zarr::Array& array);
        std::uint64_t requested, absent, decoded, cached, bytes_read, bytes_decoded, reading_time,
            decoding_time, written, bytes_written;
    };

    const std::string name_;
    const std::shared_ptr<const zarr::Array> array_;
    const Counts before_;
};

// Logs that an array with unnamed dimensions is read as a colour image.
void LogImage(const std::string& store_path, const zarr::ArrayFacts& facts);

void LogDebug(const std::string& message);

// Logs that the array at `array_path` is located in the coordinate system `system` of its OME-Zarr
// image, and that `count` transformations to other systems are not used.
void LogUnusedTransformations(const std::string& store_path, const std::string& array_path,
                              const std::string& system, std::size_t count);

// True if CPL_DEBUG is set and not OFF, so that GDAL may show debug messages.
bool IsDebugEnabled();

// Logs one request for the value of `key` in the folder or zip file at `path`; an empty `key` means
// `path` itself.
void LogRequest(const char* verb, const std::string& path, const std::string& key,
                const std::string& answer, std::uint64_t nanoseconds);

// Returns the text with which LogRequest() describes the result of a request. `value` holds the
// bytes that were read, and may be nullptr.
std::string AnswerText(const zarr::Status& answer, const zarr::Buffer* value = nullptr);
std::string AnswerText(const zarr::Result<bool>& answer, const zarr::Buffer* value);
std::string AnswerText(const zarr::Result<zarr::ReadResult>& answer, const zarr::Buffer* value);
std::string AnswerText(const zarr::Result<std::vector<zarr::StoreEntry>>& answer,
                       const zarr::Buffer* value = nullptr);

// Calls `ask`, which sends one request, logs the request with its duration, and returns the result.
template <class Ask>
auto Logged(const char* verb, const std::string& path, const std::string& key, Ask&& ask,
            const zarr::Buffer* value = nullptr) {
    if (!IsDebugEnabled()) return ask();
    std::uint64_t time = 0;
    auto answer = zarr::Timed(ask, [&](std::uint64_t taken) { time = taken; });
    LogRequest(verb, path, key, AnswerText(answer, value), time);
    return answer;
}

// Logs that a dataset was opened and, on destruction, how many requests its store has received.
class StoreActivity {
  public:
    StoreActivity(const std::string& store_path, std::shared_ptr<const zarr::Hierarchy> hierarchy);
    ~StoreActivity();
    StoreActivity(const StoreActivity&) = delete;
    StoreActivity& operator=(const StoreActivity&) = delete;

    // Logs the message "opened " followed by `what`.
    void Opened(const std::string& what) const;

  private:
    std::string Requests() const;

    const std::string store_path_;
    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
};

}  // namespace zarr_driver
