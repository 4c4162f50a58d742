// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/fault_sweep.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "core/base/sanitizers.h"

namespace zarr_driver::test {

namespace {

struct FailureMode {
    const char* name;
    Follow after;
    FaultKind kind;

    bool is_single() const { return after == Follow::kNone; }
};
constexpr FailureMode kFailureModes[] = {
    {"fails", Follow::kNone, FaultKind::kError},
    {"fails without errno", Follow::kNone, FaultKind::kSilent},
    {"is cut short", Follow::kNone, FaultKind::kShort},
    {"fails, and all after it that need room", Follow::kNeedsRoom, FaultKind::kError},
    {"fails, and all after it", Follow::kAll, FaultKind::kError}};

// True after 12 failed checks: the test then stops, because more messages would not help.
bool HasFailedOften() {
    constexpr int kEnough = 12;
    const auto* const result = testing::UnitTest::GetInstance()->current_test_info()->result();
    int failed = 0;
    for (int i = 0; i < result->total_part_count(); ++i)
        failed += result->GetTestPartResult(i).failed() ? 1 : 0;
    return failed >= kEnough;
}

// Maximum number of failing calls per failure mode, spread over all calls of the operation.
// ZARR_FAULTS=all makes every call fail. Slow sanitizers get fewer.
constexpr std::size_t kMaxCallsPerMode = zarr::kHasThreadSanitizer    ? 2
                                         : zarr::kHasAddressSanitizer ? 3
                                                                      : 8;
constexpr bool kIsSlow = zarr::kHasThreadSanitizer || zarr::kHasAddressSanitizer;

std::size_t StrideFor(std::size_t calls) {
    if (EQUAL(CPLGetConfigOption("ZARR_FAULTS", ""), "all")) return 1;
    return (calls + kMaxCallsPerMode - 1) / kMaxCallsPerMode;
}

// Calls run(mode, call) for each failure mode. `call` is the number of the call that must fail:
// some spread evenly from 1 to `calls`, and `renames`, which rename files. Each rename fails in one
// mode, and in the last mode, which leaves what a killed process leaves, unless a sanitizer makes
// that slow.
void ForEachFault(std::size_t calls, const std::vector<std::size_t>& renames,
                  const std::function<void(const FailureMode&, std::size_t)>& run) {
    const std::size_t stride = StrideFor(calls);
    std::size_t first = 0;
    for (const FailureMode& mode : kFailureModes) {
        std::set<std::size_t> chosen;
        for (std::size_t i = 0; i < renames.size(); ++i)
            if (i % std::size(kFailureModes) == first || (mode.after == Follow::kAll && !kIsSlow))
                chosen.insert(renames[i]);
        for (std::size_t call = first++ % stride + 1; call <= calls; call += stride)
            chosen.insert(call);
        for (const std::size_t call : chosen)
            if (!HasFailedOften()) run(mode, call);
    }
}

std::set<std::string> Lines(const std::string& text) {
    std::set<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.insert(line);
    return lines;
}

// Returns the lines that are in only one of the two texts.
std::string Difference(const std::string& expected, const std::string& got) {
    std::string text;
    const std::set<std::string> wanted = Lines(expected);
    const std::set<std::string> seen = Lines(got);
    for (const std::string& line : wanted)
        if (seen.count(line) == 0) text += "\n  - " + line.substr(0, 200);
    for (const std::string& line : seen)
        if (wanted.count(line) == 0) text += "\n  + " + line.substr(0, 200);
    return text;
}

std::string Describe(const FailureMode& mode, std::size_t call, const ErrorLog& log) {
    return "call " + std::to_string(call) + ", " + FaultyFiles::Get().FirstFailed() + ", " +
           mode.name + "; reported:" + log.Text();
}

bool EndsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// True for calls that remove files or change temporary files (".partial"), whose failure may leave
// files behind.
bool WasRemoving(const std::string& call) {
    return call.rfind("unlink", 0) == 0 || call.rfind("rmdir", 0) == 0 ||
           call.find(".partial/") != std::string::npos ||
           (call.rfind("rename", 0) != 0 && EndsWith(call, ".partial"));
}

std::string LeftOver(const std::string& folder) {
    for (const auto& [name, bytes] : FaultyFiles::Get().FilesIn(folder))
        if (name.find(".partial") != std::string::npos) return name;
    return "";
}

std::string QuietlyRead(const Reader& read, const std::string& folder) {
    const ErrorLog ignored;
    return read(folder);
}

// Makes GDAL use one thread, so that calls have a fixed order and the test's thread reports all
// errors.
class OneThread {
  private:
    const CPLConfigOptionSetter setter_{"GDAL_NUM_THREADS", "1", false};
};

}  // namespace

ErrorLog::ErrorLog() {
    CPLErrorReset();
    CPLPushErrorHandlerEx(
        [](CPLErr severity, CPLErrorNum /*number*/, const char* message) {
            auto* const log = static_cast<ErrorLog*>(CPLGetErrorHandlerUserData());
            if (severity == CE_Failure || severity == CE_Fatal)
                log->failures_.emplace_back(message);
            if (severity == CE_Warning) log->warnings_.emplace_back(message);
        },
        this);
}

ErrorLog::~ErrorLog() {
    CPLPopErrorHandler();
    CPLErrorReset();
}

std::string ErrorLog::Text() const {
    std::string text;
    for (const std::string& message : failures_) text += "\n  error: " + message;
    for (const std::string& message : warnings_) text += "\n  warning: " + message;
    return text;
}

bool IsOldOrNew(const std::string& before, const std::string& after, const std::string& now) {
    return now == before || now == after;
}

bool EveryLineIsOldOrNew(const std::string& before, const std::string& after,
                         const std::string& now) {
    std::set<std::string> known = Lines(before);
    known.merge(Lines(after));
    const std::set<std::string> seen = Lines(now);
    return std::includes(known.begin(), known.end(), seen.begin(), seen.end());
}

bool HasLines(const std::string& text, const std::string& lines) {
    const std::set<std::string> seen = Lines(text);
    const std::set<std::string> wanted = Lines(lines);
    return std::includes(seen.begin(), seen.end(), wanted.begin(), wanted.end());
}

bool AcceptsAnything(const std::string& /*before*/, const std::string& /*after*/,
                     const std::string& /*now*/) {
    return true;
}

// ---------------------------------------------------------------------------------------------

namespace {

void TryRead(const ReadSweep& sweep, const FailureMode& mode, std::size_t call,
             const std::string& expected) {
    FaultyFiles& files = FaultyFiles::Get();
    const std::string folder = files.NewFolder(sweep.start, sweep.prefix);
    {
        const ErrorLog log;
        files.Arm({call, mode.after, mode.kind});
        const std::string seen = sweep.read(folder);
        files.Disarm();
        SCOPED_TRACE(Describe(mode, call, log));
        const bool is_reported =
            !log.failures().empty() || (sweep.may_warn && !log.warnings().empty());
        EXPECT_TRUE(seen == expected || is_reported)
            << "silently other than it is:" << Difference(expected, seen);
        EXPECT_TRUE(!mode.is_single() || log.failures().size() <= sweep.max_failures);
    }
    const ErrorLog log;
    const std::string again = sweep.read(folder);
    SCOPED_TRACE(Describe(mode, call, log));
    EXPECT_TRUE(log.Text().empty());
    EXPECT_EQ(Difference(expected, again), "") << "when the fault has passed";
    files.Remove(folder);
}

// Contents of the store, as text, before and after a complete write.
struct Views {
    std::string before;
    std::string after;
};

// Writes to the store in `folder` while call number `call` fails. Returns true if the write gave an
// error or an accepted warning.
bool WritesWithFault(const WriteSweep& sweep, const FailureMode& mode, std::size_t call,
                     const std::string& folder, const Views& views) {
    FaultyFiles& files = FaultyFiles::Get();
    const ErrorLog log;
    files.Arm({call, mode.after, mode.kind});
    const bool reported_success = sweep.write(folder);
    files.Disarm();
    SCOPED_TRACE(Describe(mode, call, log));
    const bool may_leave_files = !mode.is_single() || WasRemoving(files.FirstFailed());
    EXPECT_TRUE(may_leave_files || LeftOver(folder).empty()) << "left over: " << LeftOver(folder);
    EXPECT_TRUE(reported_success || !log.failures().empty()) << "failed without a word";
    EXPECT_TRUE(!mode.is_single() || log.failures().size() <= sweep.max_failures);
    const bool is_warned = sweep.may_warn && !log.warnings().empty();
    const bool is_reported = !reported_success || !log.failures().empty() || is_warned;
    const std::string now = QuietlyRead(sweep.read, folder);
    EXPECT_TRUE(is_reported || now == views.after)
        << "though everything was said to be well:" << Difference(views.after, now);
    // If all later calls fail, too, the writer cannot restore the old contents.
    const bool may_be_anything = !is_reported || mode.after == Follow::kAll;
    EXPECT_TRUE(may_be_anything || sweep.verdict(views.before, views.after, now))
        << "is neither old nor new.\nAgainst the old:" << Difference(views.before, now)
        << "\nAgainst the new:" << Difference(views.after, now);
    return is_reported;
}

void TryWrite(const WriteSweep& sweep, const FailureMode& mode, std::size_t call,
              const Views& views) {
    FaultyFiles& files = FaultyFiles::Get();
    const std::string folder = files.NewFolder(sweep.start, sweep.prefix);
    if (WritesWithFault(sweep, mode, call, folder, views) && sweep.is_repeatable) {
        const ErrorLog log;
        const bool reported_success = sweep.write(folder);
        SCOPED_TRACE(Describe(mode, call, log));
        EXPECT_TRUE(reported_success && log.failures().empty()) << "when it was tried again";
        EXPECT_EQ(Difference(views.after, QuietlyRead(sweep.read, folder)), "")
            << "when it was tried again";
    }
    files.Remove(folder);
}

}  // namespace

void Sweep(const ReadSweep& sweep) {
    const OneThread one_thread;
    FaultyFiles& files = FaultyFiles::Get();
    const std::string folder = files.NewFolder(sweep.start, sweep.prefix);
    const ErrorLog log;
    files.Arm({});
    const std::string expected = sweep.read(folder);
    const std::size_t calls = files.Disarm();
    const std::vector<std::size_t> renames = files.Renames();
    ASSERT_EQ(log.Text(), "");
    ASSERT_EQ(sweep.read(folder), expected);
    ASSERT_GT(calls, 2U) << "there are calls to fail";
    testing::Test::RecordProperty("calls", static_cast<int>(calls));
    ForEachFault(calls, renames, [&](const FailureMode& mode, std::size_t call) {
        TryRead(sweep, mode, call, expected);
    });
}

void Sweep(const WriteSweep& sweep) {
    const OneThread one_thread;
    FaultyFiles& files = FaultyFiles::Get();
    const std::string folder = files.NewFolder(sweep.start, sweep.prefix);
    Views views;
    views.before = QuietlyRead(sweep.read, folder);
    std::size_t calls = 0;
    {
        const ErrorLog log;
        files.Arm({});
        const bool reported_success = sweep.write(folder);
        calls = files.Disarm();
        ASSERT_TRUE(reported_success && log.failures().empty()) << log.Text();
    }
    const std::vector<std::size_t> renames = files.Renames();
    views.after = QuietlyRead(sweep.read, folder);
    ASSERT_NE(views.before, views.after);
    ASSERT_GT(calls, 2U) << "there are calls to fail";
    testing::Test::RecordProperty("calls", static_cast<int>(calls));
    ForEachFault(calls, renames, [&](const FailureMode& mode, std::size_t call) {
        TryWrite(sweep, mode, call, views);
    });
}

}  // namespace zarr_driver::test
