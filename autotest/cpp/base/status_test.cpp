// SPDX-License-Identifier: MIT
#include "core/base/status.h"

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Fails;

TEST(Status, PutsOuterContextFirst) {
    const Status inner = Status::Corrupt("expected 2, got 3");
    const Status outer = inner.WithContext("zarr_format").WithContext("dem/.zarray");
    EXPECT_TRUE(Fails(outer, StatusCode::kCorrupt));
    EXPECT_EQ(outer.message(), "dem/.zarray: zarr_format: expected 2, got 3");
    EXPECT_EQ(inner.message(), "expected 2, got 3");
    EXPECT_TRUE(Status().WithContext("dem").ok());
    EXPECT_EQ(Status().message(), "");
    EXPECT_EQ(Status().code(), StatusCode::kOk);
}

Result<int> Half(int n) {
    if (n % 2 != 0) return Status::Invalid("odd");
    return n / 2;
}
Result<int> Quarter(int n) {
    ZARR_ASSIGN_OR_RETURN(const int half, Half(n));
    return Half(half).WithContext("half");
}
Status Check(int n) {
    ZARR_RETURN_IF_ERROR(Quarter(n).status());
    return {};
}

TEST(Result, CarriesValuesAndErrorsOutwards) {
    EXPECT_EQ(*Quarter(12), 3);
    EXPECT_EQ(Quarter(3).status().message(), "odd");
    EXPECT_EQ(Quarter(6).status().message(), "half: odd");
    EXPECT_TRUE(Check(8).ok());
    EXPECT_TRUE(Fails(Check(2), StatusCode::kInvalidArgument, "half: odd"));
}

}  // namespace
}  // namespace zarr
