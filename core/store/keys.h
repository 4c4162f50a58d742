// SPDX-License-Identifier: MIT
// Rules for keys of a Zarr store (Zarr v2 specification, "Storage" and "Logical storage paths").
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr {

// Returns the specification's normal form of a logical path: '\' becomes '/'; leading, trailing and
// repeated '/' are removed; "" is the root. Fails if a segment is "." or "..", or contains NUL.
Result<std::string> NormalizePath(std::string_view path);

// Maximum length of a key in bytes. Longer keys are invalid, because file systems and object stores
// have limits of this size or less.
inline constexpr std::size_t kMaxKeyLength = 4096;

// True if `key` is a non-empty path in normal form with at most kMaxKeyLength bytes.
bool IsValidKey(std::string_view key);
// Returns ok if `key` is valid by IsValidKey(); otherwise a kInvalidArgument error.
Status CheckKey(std::string_view key);

// Returns `path` + "/" + `name`; only `name` if `path` is the root ("").
std::string JoinKey(std::string_view path, std::string_view name);

// ParentPath() returns the part of `path` before its last '/', or "" if it has no '/'. LastName()
// returns the part after the last '/', or all of `path` if it has no '/'.
std::string_view ParentPath(std::string_view path);
std::string_view LastName(std::string_view path);

// True if `path` is `group` or a path below it. Every path is at or below the root "".
bool IsAtOrBelow(std::string_view path, std::string_view group);

}  // namespace zarr
