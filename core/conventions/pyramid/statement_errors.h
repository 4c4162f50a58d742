// SPDX-License-Identifier: MIT
// Compares what `multiscales` states about a pyramid level with the level itself.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/level_statement.h"

namespace zarr {

// Compares `statement` with the array `level`, and returns a sentence for each error. A scale is no
// error if it gives the level's size up to one element.
//
// Sentences do not name the array, so that arrays of one grid give equal sentences. `sources` are
// the arrays from which the level may have been computed.
std::vector<std::string> StatementErrors(const LevelStatement& statement, const ArrayFacts& level,
                                         const std::vector<const ArrayFacts*>& sources);

}  // namespace zarr
