// SPDX-License-Identifier: MIT
#include "driver/raster/pam_merge.h"

#include <cpl_string.h>

#include <string>
#include <utility>
#include <vector>

#include "core/conventions/cf/band_lists.h"
#include "driver/base/metadata_text.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

// Attributes that distinguish elements of one name: bands, metadata domains and metadata items.
constexpr const char* kIdentifying[] = {"band", "domain", "key"};

bool IsSameElement(const CPLXMLNode& a, const CPLXMLNode& b) {
    if (b.eType != CXT_Element || !EQUAL(a.pszValue, b.pszValue)) return false;
    for (const char* name : kIdentifying)
        if (!EQUAL(CPLGetXMLValue(&a, name, ""), CPLGetXMLValue(&b, name, ""))) return false;
    return true;
}

// Returns the element of `tree`, which may be nullptr, that has the identity of `wanted`.
CPLXMLNode* Find(const CPLXMLNode* tree, const CPLXMLNode& wanted) {
    for (CPLXMLNode* node = tree != nullptr ? tree->psChild : nullptr; node != nullptr;
         node = node->psNext)
        if (IsSameElement(wanted, *node)) return node;
    return nullptr;
}

// True if the children of the element are merged one by one. A domain of XML or JSON text is
// replaced as a whole.
bool IsContainer(const CPLXMLNode& node) {
    return EQUAL(node.pszValue, "PAMRasterBand") ||
           (EQUAL(node.pszValue, "Metadata") && CPLGetXMLValue(&node, "format", "")[0] == '\0');
}

bool AreEqual(const CPLXMLNode* a, const CPLXMLNode* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return ElementText(*a) == ElementText(*b);
}

void Remove(CPLXMLNode& parent, CPLXMLNode* child) {
    CPLRemoveXMLChild(&parent, child);
    CPLDestroyXMLNode(child);
}

void Add(CPLXMLNode& parent, const CPLXMLNode& child) {
    CPLAddXMLChild(&parent, CopyOf(child).release());
}

void MergeChildren(const CPLXMLNode* before, const CPLXMLNode* after, CPLXMLNode& stored);

void MergeElement(const CPLXMLNode* before, const CPLXMLNode* after, CPLXMLNode& stored) {
    if (AreEqual(before, after)) return;
    CPLXMLNode* const found = Find(&stored, after != nullptr ? *after : *before);
    if (found != nullptr && IsContainer(*found)) {
        MergeChildren(before, after, *found);
        if (IsEmptyElement(*found)) Remove(stored, found);
        return;
    }
    // An element that another handle has set anew stays, because the caller did not know it.
    if (found != nullptr && after == nullptr && !AreEqual(before, found)) return;
    if (found != nullptr) Remove(stored, found);
    if (after != nullptr) Add(stored, *after);
}

void MergeChildren(const CPLXMLNode* before, const CPLXMLNode* after, CPLXMLNode& stored) {
    for (const CPLXMLNode* node = before != nullptr ? before->psChild : nullptr; node != nullptr;
         node = node->psNext)
        if (node->eType == CXT_Element && Find(after, *node) == nullptr)
            MergeElement(node, nullptr, stored);
    for (const CPLXMLNode* node = after != nullptr ? after->psChild : nullptr; node != nullptr;
         node = node->psNext) {
        if (node->eType == CXT_Element) MergeElement(Find(before, *node), node, stored);
        if (node->eType == CXT_Attribute)
            CPLSetXMLValue(&stored, (std::string("#") + node->pszValue).c_str(),
                           CPLGetXMLValue(node, "", ""));
    }
}

XmlTree CopyOrNull(const CPLXMLNode* tree) { return tree != nullptr ? CopyOf(*tree) : nullptr; }

// Returns the PAM of an attribute's value; nullptr if the value is absent or no PAM.
XmlTree PamOf(const std::optional<json::Value>& value) {
    if (!value) return nullptr;
    return ReadPam(json::Value(json::Object{{kPamAttribute, *value}}));
}

// Returns the stored list with the entries that `change` changes.
std::optional<json::Value> MergeEntries(const zarr::AttributeChange& change,
                                        const json::Value& stored) {
    const json::Array* const before = change.before ? change.before->as_array() : nullptr;
    const json::Array* const after = change.after ? change.after->as_array() : nullptr;
    const json::Array* const others = stored.as_array();
    const bool are_lists = before != nullptr && after != nullptr && others != nullptr &&
                           before->size() == after->size() && others->size() == after->size();
    if (!are_lists) return change.after;
    json::Array merged = *others;
    for (std::size_t i = 0; i < merged.size(); ++i)
        if (!json::Equals((*before)[i], (*after)[i])) merged[i] = (*after)[i];
    return json::Value(std::move(merged));
}

}  // namespace

void MergePam(const CPLXMLNode* before, const CPLXMLNode* after, const StatisticsState& state,
              CPLXMLNode& stored) {
    const auto state_of = [&](const CPLXMLNode* tree) {
        return tree != nullptr ? PamItem(*tree, state.domain, state.key) : std::string();
    };
    const XmlTree known = CopyOrNull(before);
    const bool had_any = before != nullptr && HoldsStatistics(*before);
    const bool has_any = after != nullptr && HoldsStatistics(*after);
    const bool is_outdated = has_any ? state_of(&stored) != state_of(after)
                                     : had_any && state_of(&stored) == state_of(before);
    if (is_outdated) {
        RemoveStatistics(stored);
        if (known != nullptr) RemoveStatistics(*known);
    }
    MergeChildren(known.get(), after, stored);
}

void AddMissing(const CPLXMLNode& other, CPLXMLNode& tree) {
    for (const CPLXMLNode* node = other.psChild; node != nullptr; node = node->psNext) {
        if (node->eType != CXT_Element) continue;
        CPLXMLNode* const found = Find(&tree, *node);
        if (found == nullptr)
            Add(tree, *node);
        else if (IsContainer(*found))
            AddMissing(*node, *found);
    }
}

std::optional<json::Value> MergeAttribute(const zarr::AttributeChange& change,
                                          const json::Value& stored) {
    if (zarr::IsListOfBands(change.name)) return MergeEntries(change, stored);
    const XmlTree tree = change.name == kPamAttribute ? PamOf(stored) : nullptr;
    if (tree == nullptr) return change.after;
    MergePam(PamOf(change.before).get(), PamOf(change.after).get(), {kPamState, kMadeFrom}, *tree);
    json::Value merged = PamValue(tree.get());
    return merged.is_null() ? std::nullopt : std::optional(std::move(merged));
}

}  // namespace zarr_driver
