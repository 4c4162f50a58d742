// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.h"

namespace zarr {

// Operation on one attribute of a node: sets the attribute, or removes it.
struct AttributeChange {
    std::string name;
    std::optional<json::Value> before;  // value that the caller replaces; nullopt if there was none
    std::optional<json::Value> after;   // new value; nullopt removes the attribute
};

// Operations on attributes of one node, with different names.
using AttributeChanges = std::vector<AttributeChange>;

// Returns the value of an attribute that another writer has changed since the caller read it.
// `stored` is that writer's value. nullopt removes the attribute.
using AttributeMerge = std::function<std::optional<json::Value>(const AttributeChange& change,
                                                                const json::Value& stored)>;

// True if both values are absent, or have the same text in JSON; see json::HaveSameText().
bool IsSameAttribute(const std::optional<json::Value>& a, const std::optional<json::Value>& b);

// Returns the operations that change the attributes `before` into `after`, which are JSON objects.
// Attributes with equal values have no operation.
AttributeChanges DifferenceOf(const json::Value& before, const json::Value& after);

// Adds an operation to `changes`. Replaces an earlier operation on that attribute, but keeps the
// value before the earlier operation. Removes both operations if the attribute has that value
// again. Without any value before, the two operations stay, because the caller may not know it.
void AddChange(AttributeChanges& changes, AttributeChange change);

// Applies `changes` to the attributes `stored`. A new attribute is added at the end. `merge` is
// called for an attribute whose stored value is neither the value before the change nor absent; it
// may be empty, and the change then replaces the stored value.
void ApplyChanges(const AttributeChanges& changes, const AttributeMerge& merge,
                  json::Object& stored);

}  // namespace zarr
