// SPDX-License-Identifier: MIT
// Tests a read or a write of a store with file system faults. A sweep repeats the read or write,
// each time with another failing call. Each failure must be reported and must not give a wrong
// result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autotest/cpp/driver/faulty_files.h"

namespace zarr_driver::test {

// Collects the messages that GDAL reports on this thread, and keeps GDAL from printing them.
class ErrorLog {
  public:
    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog&) = delete;
    ErrorLog& operator=(const ErrorLog&) = delete;

    const std::vector<std::string>& failures() const { return failures_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    // Returns all messages, one per line.
    std::string Text() const;

  private:
    std::vector<std::string> failures_;
    std::vector<std::string> warnings_;
};

// Describes the contents of a folder as a text with one line per fact, in any order.
using Reader = std::function<std::string(const std::string& folder)>;

// Changes the contents of a folder. Returns true if no call reported an error.
using Writer = std::function<bool(const std::string& folder)>;

// Returns true if the contents of a folder after a failed write are acceptable. Each argument is
// the text of a Reader: before the write, after the complete write, and after the failed write.
using Verdict = bool (*)(const std::string& before, const std::string& after,
                         const std::string& now);
bool IsOldOrNew(const std::string& before, const std::string& after, const std::string& now);
// True if each line of `now` is in `before` or in `after`. This accepts a failed write that stored
// only some of its chunks.
bool EveryLineIsOldOrNew(const std::string& before, const std::string& after,
                         const std::string& now);
// True if `text` has every line of `lines`.
bool HasLines(const std::string& text, const std::string& lines);
bool AcceptsAnything(const std::string& before, const std::string& after, const std::string& now);

struct ReadSweep {
    Files start;
    Reader read;
    std::string prefix = "/faulty/";
    // True if a fault may give a warning instead of an error. False if a fault can lose pixels.
    bool may_warn = true;
    std::size_t max_failures = 1;  // maximum number of errors per fault
};
// Repeats a read, each time with another failing call. Each read must give the right result or an
// error. A last read without a fault must succeed.
void Sweep(const ReadSweep& sweep);

struct WriteSweep {
    Files start;
    Writer write;
    Reader read;
    Verdict verdict = IsOldOrNew;
    std::string prefix = "/faulty/";
    // True if the write can be repeated in the same folder after an error.
    bool is_repeatable = true;
    bool may_warn = false;  // true: a fault may give a warning and no error
    std::size_t max_failures = 1;
};
// Repeats a write, each time with another failing call. Each write must be complete or report an
// error. After an error, the verdict must accept the contents.
void Sweep(const WriteSweep& sweep);

}  // namespace zarr_driver::test
