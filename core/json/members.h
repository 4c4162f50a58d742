// SPDX-License-Identifier: MIT
// Typed access to the members of a JSON object, with errors that name the member and the value:
// `level: expected an integer >= 1, got 0`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.h"

namespace zarr::json {

// The error for `value` at `where` (a member path such as `chunks[1]`).
Status Expected(std::string_view where, std::string_view what, const Value& got);

// A compulsory member of `object`.
Result<const Value*> Require(const Value& object, std::string_view key);

// `value` as an integer of at least `minimum`.
Result<std::uint64_t> UintAtLeast(const Value& value, std::uint64_t minimum,
                                  std::string_view where);
// `value` as an array of such integers.
Result<std::vector<std::uint64_t>> UintsAtLeast(const Value& value, std::uint64_t minimum,
                                                std::string_view where);

// Members that may be absent or null, in which case `fallback` is returned.
Result<std::int64_t> OptionalInt(const Value& object, std::string_view key, std::int64_t fallback,
                                 std::int64_t minimum, std::int64_t maximum);
Result<bool> OptionalBool(const Value& object, std::string_view key, bool fallback);
Result<double> OptionalDouble(const Value& object, std::string_view key, double fallback);
Result<std::string> OptionalString(const Value& object, std::string_view key,
                                   std::string_view fallback);

}  // namespace zarr::json
