// SPDX-License-Identifier: MIT
// What zarr-conventions' multiscales, with `spatial`, say of a level besides where it lies. Nothing
// of it is needed here, as arrays tell their sizes; but readers that believe it would misplace a
// level of which it is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"

namespace zarr {

struct ArrayFacts;

// What an entry of `layout` says. Each part is empty where it is not said, or said in a way that
// means nothing, which gave a warning.
struct LevelStatement {
    std::string level;                  // the path of what is listed, an array or a group
    std::optional<std::string> source;  // the path of what the level was made of; empty for "."
    bool is_source_listed = false;      // by the same `layout`
    std::vector<double> scale;  // elements of the source to one of the level, for each dimension
    std::vector<double> translation;   // for each dimension
    std::vector<std::uint64_t> shape;  // height and width
};

// Reads the entry at `origin` that lists `level`. Paths are from the group that has the entry.
LevelStatement ReadLevelStatement(const json::Value& entry, const std::string& origin,
                                  const std::string& level, Warnings& warnings);

// What is wrong with a statement about a raster, as sentences that do not name the array: those of
// one grid share them. `sources` are the arrays of which one was the level's source, as far as they
// are known. Nothing is wrong with numbers that round to the sizes.
std::vector<std::string> WrongIn(const LevelStatement& statement, const ArrayFacts& level,
                                 const std::vector<const ArrayFacts*>& sources);

}  // namespace zarr
