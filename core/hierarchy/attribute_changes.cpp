// SPDX-License-Identifier: MIT
#include "core/hierarchy/attribute_changes.h"

#include <algorithm>
#include <utility>

namespace zarr {

bool IsSameAttribute(const std::optional<json::Value>& a, const std::optional<json::Value>& b) {
    return a && b ? json::HaveSameText(*a, *b) : a.has_value() == b.has_value();
}

AttributeChanges DifferenceOf(const json::Value& before, const json::Value& after) {
    AttributeChanges changes;
    for (const json::Member& member : *before.as_object())
        if (after.Find(member.first) == nullptr)
            AddChange(changes, {member.first, member.second, std::nullopt});
    for (const json::Member& member : *after.as_object()) {
        const json::Value* const found = before.Find(member.first);
        const std::optional was = found != nullptr ? std::optional(*found) : std::nullopt;
        if (!IsSameAttribute(was, member.second))
            AddChange(changes, {member.first, was, member.second});
    }
    return changes;
}

void AddChange(AttributeChanges& changes, AttributeChange change) {
    const auto known =
        std::find_if(changes.begin(), changes.end(),
                     [&](const AttributeChange& other) { return other.name == change.name; });
    if (known == changes.end()) {
        changes.push_back(std::move(change));
        return;
    }
    const bool is_undone =
        (known->before || change.before) && IsSameAttribute(known->before, change.after);
    known->after = std::move(change.after);
    if (is_undone) changes.erase(known);
}

void ApplyChanges(const AttributeChanges& changes, const AttributeMerge& merge,
                  json::Object& stored) {
    for (const AttributeChange& change : changes) {
        std::optional<json::Value> value = change.after;
        json::Value* const found = json::FindMember(stored, change.name);
        const bool is_of_other = found != nullptr && !IsSameAttribute(*found, change.before);
        if (merge && is_of_other) value = merge(change, *found);
        if (!value || found == nullptr) {
            json::EraseMember(stored, change.name);
            if (value) stored.emplace_back(change.name, std::move(*value));
            continue;
        }
        // The stored object may repeat the name. One member then replaces all of this name.
        *found = std::move(*value);
        const auto is_other = [&](const json::Member& member) {
            return member.first == change.name && &member.second != found;
        };
        stored.erase(std::remove_if(stored.begin(), stored.end(), is_other), stored.end());
    }
}

}  // namespace zarr
