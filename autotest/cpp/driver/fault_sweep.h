// SPDX-License-Identifier: MIT
// Runs a read or a write of a store repeatedly. Each time another call to the file system fails.
// Checks that a failure is reported and never gives a wrong result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autotest/cpp/driver/faulty_files.h"

namespace zarr_driver::test {

// Collects the messages that GDAL reports on this thread, and prevents GDAL from printing them.
class ErrorLog {
  public:
    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog&) = delete;
    ErrorLog& operator=(const ErrorLog&) = delete;

    const std::vector<std::string>& failures() const { return failures_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    // Returns all messages, one line each.
    std::string Text() const;

  private:
    std::vector<std::string> failures_;
    std::vector<std::string> warnings_;
};

// Returns a text that describes the contents of a folder, one line for each fact, in any order.
using Reader = std::function<std::string(const std::string& folder)>;

// Changes the contents of a folder. Returns true if all calls reported success.
using Writer = std::function<bool(const std::string& folder)>;

// Returns true if the contents of a folder after a failed write are acceptable. The arguments are
// texts of a Reader: `before` without the write, `after` with the complete write, `now` after the
// failed write.
using Verdict = bool (*)(const std::string& before, const std::string& after,
                         const std::string& now);
bool IsOldOrNew(const std::string& before, const std::string& after, const std::string& now);
// Returns true if each line of `now` is in `before` or in `after`, as after a write of some chunks.
bool EveryLineIsOldOrNew(const std::string& before, const std::string& after,
                         const std::string& now);
// Returns true if `text` has every line of `lines`.
bool HasLines(const std::string& text, const std::string& lines);
bool AcceptsAnything(const std::string& before, const std::string& after, const std::string& now);

struct ReadSweep {
    Files start;
    Reader read;
    std::string prefix = "/faulty/";
    // True if a warning may replace an error unless pixels are lost, for example if the metadata of
    // a convention cannot be read.
    bool may_warn = true;
    std::size_t max_failures = 1;  // maximum of errors for one fault
};
// Reads repeatedly, each time with another failing call: a read must give the right result or an
// error. Without a failing call it must give the right result again.
void Sweep(const ReadSweep& sweep);

struct WriteSweep {
    Files start;
    Writer write;
    Reader read;
    Verdict verdict = IsOldOrNew;
    std::string prefix = "/faulty/";
    // True if the write can be repeated after it failed or succeeded.
    bool is_repeatable = true;
    bool may_warn = false;  // true: a warning may replace the error
    std::size_t max_failures = 1;
};
// Writes repeatedly, each time with another failing call: a write must be complete, or report an
// error. After an error, the verdict must accept the contents.
void Sweep(const WriteSweep& sweep);

}  // namespace zarr_driver::test
