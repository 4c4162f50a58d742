// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zarr_driver {

// The end of a URL within a text.
enum class UrlEnd : std::uint8_t {
    kAtSpace,      // URL in a sentence: ends at white space or a quote
    kAtSeparator,  // URL in a dataset's name: ends at ": " or a double quote
};

// False only if HideSecrets() certainly leaves `text` unchanged. Allocates no memory.
bool MayHoldSecrets(const char* text);

// Returns `text` with secrets replaced by "***". Secrets are user and password before a host
// ("https://***@host"), and the values of parameters after "?" and "&", percent-encoded ones too.
// Values of known harmless parameters stay: GDAL's options of /vsicurl?, and times and versions of
// signatures.
std::string HideSecrets(std::string_view text, UrlEnd end);

}  // namespace zarr_driver
