// SPDX-License-Identifier: MIT
#include "core/base/process.h"

#include <gtest/gtest.h>

namespace zarr {
namespace {

TEST(Process, HasAStart) {
    const std::string start = ProcessStart(ProcessId());
    EXPECT_NE(start, "");
    EXPECT_EQ(start, ProcessStart(ProcessId()));
}

TEST(Process, HasNoStartIfThereIsNone) {
    // Linux has fewer than 2^22 processes; numbers on Windows are multiples of 4.
    EXPECT_EQ(ProcessStart(0x7FFFFFFF), "");
}

TEST(Process, KnowsItsMachine) {
    EXPECT_NE(HostName(), "");
    EXPECT_NE(HostName(), "unknown");
    EXPECT_NE(MachineMark(), "");
    EXPECT_EQ(MachineMark(), MachineMark());
}

}  // namespace
}  // namespace zarr
