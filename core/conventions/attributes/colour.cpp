// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/colour.h"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace zarr {

std::optional<Colour> ParseColour(std::string_view text) {
    if (!text.empty() && text[0] == '#') text.remove_prefix(1);
    if (text.size() != 6) return std::nullopt;
    Colour colour{};
    for (std::size_t i = 0; i < 3; ++i) {
        const char* first = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(first, first + 2, colour[i], 16);
        if (error != std::errc() || end != first + 2) return std::nullopt;
    }
    return colour;
}

}  // namespace zarr
