// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Parses the subset of YAML 1.2 that Rust's serde_yaml writes, as in the file config.yaml of an
// Icechunk repository: mappings and sequences in block style, `{}` and `[]`, plain and quoted
// scalars, and tags. A tag `!name value` becomes an object {"name": value}. Returns kCorrupt, with
// the number of the line, for text that is not YAML, and kUnsupported for other features of YAML.
// Returns kLimit if the text exceeds Limit::kJsonDepth.
Result<json::Value> ParseYaml(std::string_view text);

}  // namespace zarr
