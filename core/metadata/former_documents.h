// SPDX-License-Identifier: MIT
// Takes back a change of a metadata document that another program has changed since. Texts are
// those of documents; nullopt stands for an absent document. Thread-safe.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace zarr {

// Returns the shape, as JSON, in the text of an array's document; an empty string if there is none.
std::string ShapeInDocument(const std::optional<std::string>& text);

// Returns `text` with the shape of `before`, if both are documents of one array and the shape in
// `text` is one of `shapes`, those of the change; else nullopt.
std::optional<std::string> WithFormerShape(const std::string& text,
                                           const std::optional<std::string>& before,
                                           const std::set<std::string>& shapes);

// Returns `text` with the members of netCDF-C that `before` has; other members stay.
std::optional<std::string> WithFormerNczarr(const std::optional<std::string>& text,
                                            const std::optional<std::string>& before);

}  // namespace zarr
