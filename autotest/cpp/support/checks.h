// SPDX-License-Identifier: MIT
// Shared helpers of the tests: checks of a Status, parsing of JSON, random numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr::test {

// Passes if the status is ok. A failure shows its message.
inline testing::AssertionResult Succeeds(const Status& status) {
    if (status.ok()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "failed: " << status.message();
}
template <class T>
testing::AssertionResult Succeeds(const Result<T>& result) {
    return Succeeds(result.status());
}

// Passes if the status is an error with the code `code` whose message contains `part`.
inline testing::AssertionResult Fails(const Status& status, StatusCode code,
                                      std::string_view part = {}) {
    if (status.ok()) return testing::AssertionFailure() << "did not fail";
    if (status.code() == code && status.message().find(part) != std::string::npos)
        return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "failed with code " << static_cast<int>(status.code()) << ": " << status.message()
           << "\ninstead of code " << static_cast<int>(code) << ": ..." << part << "...";
}
template <class T>
testing::AssertionResult Fails(const Result<T>& result, StatusCode code,
                               std::string_view part = {}) {
    return Fails(result.status(), code, part);
}

inline json::Value Json(std::string_view text) {
    auto value = json::Parse(text);
    EXPECT_TRUE(Succeeds(value)) << text;
    return value.ok() ? value.Take() : json::Value();
}

inline std::string TextOf(const Buffer& buffer) { return std::string(buffer.span().text()); }

inline Buffer BufferOf(std::string_view text) {
    Buffer buffer;
    EXPECT_TRUE(Succeeds(buffer.Assign(ByteSpan(text))));
    return buffer;
}

// Random numbers that are equal on every run and every platform.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // Returns a number from 0 to `bound` - 1.
    std::uint64_t Below(std::uint64_t bound) { return engine_() % bound; }
    // Returns a number from `low` to `high`, inclusive.
    std::int64_t Between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(high - low) + 1));
    }
    bool Chance() { return Below(2) == 0; }
    std::string Bytes(std::size_t size) {
        std::string bytes(size, '\0');
        for (char& byte : bytes) byte = static_cast<char>(Below(256));
        return bytes;
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace zarr::test
