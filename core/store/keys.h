// SPDX-License-Identifier: MIT
// Key rules (Zarr v2 specification, "Storage" and "Logical storage paths").
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr {

// The specification's normal form of a logical path: '\' becomes '/', leading, trailing and
// repeated '/' go away; "" is the root. Fails where a segment is "." or "..", or holds NUL.
Result<std::string> NormalizePath(std::string_view path);

// Longest key that is accepted, in bytes; file systems and object stores stop there or before.
inline constexpr std::size_t kMaxKeyLength = 4096;

// True where `key` is a non-empty path in normal form, of at most kMaxKeyLength bytes.
bool IsValidKey(std::string_view key);
// kInvalidArgument where it is not.
Status CheckKey(std::string_view key);

// `path` + "/" + `name`, without the slash where `path` is the root.
std::string JoinKey(std::string_view path, std::string_view name);

// The part before the last '/' ("" at the top), and the part after it.
std::string_view ParentPath(std::string_view path);
std::string_view LastName(std::string_view path);

// True for `group` itself and for what lies below it; "" holds everything.
bool IsAtOrBelow(std::string_view path, std::string_view group);

}  // namespace zarr
