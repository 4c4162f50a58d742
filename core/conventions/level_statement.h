// SPDX-License-Identifier: MIT
// Reads the statements of `multiscales` with `spatial` (zarr-conventions) about a pyramid level:
// source, scale, translation and shape. This library places a level by the size of its array, not
// by these statements. Wrong statements give warnings, because other readers would misplace the
// level.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"

namespace zarr {

struct ArrayFacts;

// Statements about a level in one entry of `layout`. A member is empty if it is absent or invalid.
// Reading an invalid member gave a warning.
struct LevelStatement {
    std::string level;  // path of the listed array or group
    // Path of the level that this level was derived from; empty for ".".
    std::optional<std::string> source;
    bool is_source_listed = false;  // true if `layout` lists `source`, too
    std::vector<double> scale;      // elements of the source per element of the level, by dimension
    std::vector<double> translation;   // by dimension; only the number of elements is checked
    std::vector<std::uint64_t> shape;  // height, width
};

// Reads the entry that lists `level`; `origin` names the entry in messages. Paths are relative to
// the group whose attributes contain the entry.
LevelStatement ReadLevelStatement(const json::Value& entry, const std::string& origin,
                                  const std::string& level, Warnings& warnings);

// Compares `statement`, from pyramid metadata, with the array `level`, and returns a sentence for
// each error. The sentences do not name the array, so that all arrays of one grid give equal
// sentences. `sources` are the arrays from which the level may have been computed. A scale is no
// error if it gives the level's size up to one element.
std::vector<std::string> StatementErrors(const LevelStatement& statement, const ArrayFacts& level,
                                         const std::vector<const ArrayFacts*>& sources);

}  // namespace zarr
