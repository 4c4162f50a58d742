// SPDX-License-Identifier: MIT
// Runs what reads or writes a store once with each of its calls to the file system failing, and
// checks that no wrong answer is given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autotest/cpp/driver/faulty_files.h"

namespace zarr_driver::test {

// Keeps what GDAL reports on this thread while it lives, and prints nothing of it.
class ErrorLog {
  public:
    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog&) = delete;
    ErrorLog& operator=(const ErrorLog&) = delete;

    const std::vector<std::string>& failures() const { return failures_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    // All of them, a line each.
    std::string Text() const;

  private:
    std::vector<std::string> failures_;
    std::vector<std::string> warnings_;
};

// What there is to see in a folder, a line for each thing, in any order.
using Reader = std::function<std::string(const std::string& folder)>;

// Changes what is in a folder; true where every call said that it succeeded.
using Writer = std::function<bool(const std::string& folder)>;

// Whether `now`, seen after a write that failed, may be, where `before` and `after` are what is
// seen without that write and with it.
using Verdict = bool (*)(const std::string& before, const std::string& after,
                         const std::string& now);
bool IsOldOrNew(const std::string& before, const std::string& after, const std::string& now);
// The same line by line: of several chunks some are old and some new.
bool EachLineIsOldOrNew(const std::string& before, const std::string& after,
                        const std::string& now);
// True where `text` has every line of `lines`.
bool HasLines(const std::string& text, const std::string& lines);
bool MayBeAnything(const std::string& before, const std::string& after, const std::string& now);

struct ReadSweep {
    Files start;
    Reader read;
    std::string prefix = "/faulty/";
    // What is not pixels may be missing with a warning in place of an error, as where a convention
    // is broken.
    bool may_warn = true;
    std::size_t most_failures = 1;  // that are reported for one fault
};
// With each fault: right, or an error; and right again, without an error, once it has passed.
void Sweep(const ReadSweep& sweep);

struct WriteSweep {
    Files start;
    Writer write;
    Reader read;
    Verdict verdict = IsOldOrNew;
    std::string prefix = "/faulty/";
    // Whether it can be done again after it failed, or after it did not.
    bool is_repeatable = true;
    bool may_warn = false;  // in place of an error
    std::size_t most_failures = 1;
};
// With each fault: what was to be written is there, or an error was reported, and what is there
// then the verdict allows.
void Sweep(const WriteSweep& sweep);

}  // namespace zarr_driver::test
