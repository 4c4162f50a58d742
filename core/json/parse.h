// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"

namespace zarr::json {

// A member of an object with its value's text, not parsed and not validated.
using Slice = std::pair<std::string, std::string_view>;

// Splits the text of one JSON object into its members in one pass over the bytes, so that a large
// document costs only what is used of it. The slices borrow from `text`. kCorrupt where `text` is
// not an object or ends early; what is inside the values is checked by whoever parses them.
Result<std::vector<Slice>> MemberSlices(std::string_view text);

}  // namespace zarr::json
