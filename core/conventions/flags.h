// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/dtype/data_type.h"

namespace zarr {

// Names of the values 0, 1, 2, ... of a classification, by `flag_values` and `flag_meanings` (CF
// conventions, section 3.5), of which the latter may be a list; values without a meaning have an
// empty name. Empty where there are no such flags, where `flag_masks` say that they are bits of
// several, or one is negative or over 1023. Broken ones give a warning.
std::vector<std::string> FlagNames(const json::Value& attributes, Warnings& warnings);

// The type that `_Unsigned` (netCDF's convention for formats without unsigned integers) makes of an
// integer type; other types stay as they are.
DataType ApplyUnsigned(const DataType& type, const json::Value& attributes);

}  // namespace zarr
