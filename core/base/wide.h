// SPDX-License-Identifier: MIT
// Texts of Windows, which are UTF-16. This header is for files with "_windows" in their name.
#pragma once

#ifdef _WIN32

#include <string>

namespace zarr {

// Returns UTF-8 text as UTF-16. Invalid bytes become U+FFFD, which no file name contains.
std::wstring Widen(const std::string& text);
// Returns UTF-16 text as UTF-8.
std::string Narrow(const std::wstring& text);

}  // namespace zarr

#endif
