// SPDX-License-Identifier: MIT
// Text for those whose strings are UTF-8 and end at the first NUL, without losing what is neither.
#pragma once

#include <string>
#include <string_view>

namespace zarr {

// In front of the base64 of bytes that are no such text.
inline constexpr std::string_view kBase64Mark = "base64:";

// `bytes` as they are, or, where they hold NUL, are no UTF-8, or begin with the mark, the mark and
// their base64: so no two values become the same text.
std::string MarkedBytes(std::string_view bytes);

// The same of text in an encoding that nobody knows: what is no UTF-8 becomes U+FFFD, unless the
// text is marked for another reason.
std::string MarkedText(std::string_view text);

// The bytes of which MarkedBytes() makes `text`; any other text is returned as it is.
std::string UnmarkedBytes(std::string_view text);

}  // namespace zarr
