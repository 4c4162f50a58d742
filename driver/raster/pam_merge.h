// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_minixml.h>

#include <optional>

#include "core/hierarchy/attribute_changes.h"
#include "core/json/value.h"

namespace zarr_driver {

// Applies the difference between the PAM trees `before` and `after`, which may be nullptr, to the
// tree `stored`, element by element: metadata items by domain and key, other elements by name, for
// each band. An element that is missing in `after`, but not equal to `before` in `stored`, stays.
// Statistics in `stored` stay if they were made from the pixels of the statistics in `after`.
void MergePam(const CPLXMLNode* before, const CPLXMLNode* after, CPLXMLNode& stored);

// Adds elements of the PAM tree `other` that `tree` lacks: metadata items by domain and key, other
// elements by name, for each band.
void AddMissing(const CPLXMLNode& other, CPLXMLNode& tree);

// Merges two changes of an attribute, of which one is stored, as zarr::AttributeMerge. The change
// in PAM (kPamAttribute) is applied by MergePam(). Lists of zarr::IsListOfBands() are merged entry
// by entry. Other attributes get the new value.
std::optional<zarr::json::Value> MergeAttribute(const zarr::AttributeChange& change,
                                                const zarr::json::Value& stored);

}  // namespace zarr_driver
