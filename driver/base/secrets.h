// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zarr_driver {

// Says where a URL within a text ends.
enum class UrlEnd : std::uint8_t {
    kAtSpace,      // URL in a sentence: ends at white space or a quote
    kAtSeparator,  // URL in a dataset's name: ends at ": " or a double quote
};

// Fast check without memory allocation. If the result is false, HideSecrets() would not change
// `text`.
bool MayHoldSecrets(const char* text);

// Returns `text` with "***" in place of user and password before a host, and of values of URL
// parameters, even if percent-encoded. Values of known harmless parameters stay: GDAL's options of
// /vsicurl?, and times and versions of signatures.
std::string HideSecrets(std::string_view text, UrlEnd end);

}  // namespace zarr_driver
