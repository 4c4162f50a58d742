// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zarr_driver {

// The place where a URL in a text ends.
enum class UrlEnd : std::uint8_t {
    kAtSpace,      // in a sentence: at white space or a quote
    kAtSeparator,  // in the name of a dataset, which may hold spaces: at ": ", or a double quote
};

// True unless `text` surely has nothing that HideSecrets() changes. Takes no memory.
bool MayHoldSecrets(const char* text);

// Returns `text` with "***" in place of user and password before a host ("https://***@host"), and
// of the values of parameters behind "?" and "&", percent-encoded ones too. Values of parameters
// that are known to be no secrets stay: GDAL's options of /vsicurl?, and times and versions of
// signatures.
std::string HideSecrets(std::string_view text, UrlEnd end);

}  // namespace zarr_driver
