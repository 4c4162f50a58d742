// SPDX-License-Identifier: MIT
#include "driver/raster/pam_merge.h"

#include <cpl_string.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/cf/band_lists.h"
#include "driver/base/metadata_text.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

using Elements = std::map<std::string, CPLXMLNode*>;

// Returns the element with the identity of `wanted`, or nullptr. Each element is returned once,
// because the caller may destroy it.
CPLXMLNode* Take(Elements& elements, const CPLXMLNode& wanted) {
    auto taken = elements.extract(IdentityOf(wanted));
    return taken ? taken.mapped() : nullptr;
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

void MergeElement(const CPLXMLNode* before, const CPLXMLNode* after, CPLXMLNode* found,
                  CPLXMLNode& stored) {
    if (AreEqual(before, after)) return;
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
    Elements old = ElementsById(before);
    Elements present = ElementsById(&stored);
    const Elements wanted = ElementsById(after);
    for (const CPLXMLNode* const node : ElementsOf(before))
        if (wanted.count(IdentityOf(*node)) == 0)
            MergeElement(node, nullptr, Take(present, *node), stored);
    for (const CPLXMLNode* const node : ElementsOf(after))
        MergeElement(Take(old, *node), node, Take(present, *node), stored);
    for (const CPLXMLNode* node = after != nullptr ? after->psChild : nullptr; node != nullptr;
         node = node->psNext) {
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

// Joins two records of statistics. The text of an array without statistics is the beginning of that
// with statistics (SourceArrays::RecordOf()). Returns nullopt if an array's statistics were made
// from other pixels.
std::optional<std::string> JoinRecords(const std::string& a, const std::string& b) {
    const CPLStringList texts(CSLTokenizeString2(a.c_str(), " ", 0));
    const CPLStringList others(CSLTokenizeString2(b.c_str(), " ", 0));
    if (texts.size() != others.size()) return std::nullopt;
    std::string joined;
    for (int i = 0; i < texts.size(); ++i) {
        const std::string text = texts[i], other = others[i];
        const std::string& longer = text.size() > other.size() ? text : other;
        const std::string& shorter = text.size() > other.size() ? other : text;
        if ((longer + ":").compare(0, shorter.size() + 1, shorter + ":") != 0) return std::nullopt;
        joined.append(i > 0 ? " " : "").append(longer);
    }
    return joined;
}

}  // namespace

void MergePam(const CPLXMLNode* before, const CPLXMLNode* after, CPLXMLNode& stored) {
    const auto state_of = [&](const CPLXMLNode* tree) {
        return tree == nullptr ? std::string()
                               : PamItem(*tree, kPamState, kStatisticsMadeFrom) +
                                     PamItem(*tree, kSidecarState, kStatisticsMadeFrom);
    };
    const XmlTree known = CopyOrNull(before);
    const bool had_any = before != nullptr && HoldsStatistics(*before);
    const bool has_any = after != nullptr && HoldsStatistics(*after);
    const auto joined = has_any ? JoinRecords(state_of(&stored), state_of(after)) : std::nullopt;
    const bool is_outdated = has_any ? !joined : had_any && state_of(&stored) == state_of(before);
    if (is_outdated) {
        RemoveStatistics(stored);
        if (known != nullptr) RemoveStatistics(*known);
    }
    MergeChildren(known.get(), after, stored);
    // Only files beside the store have records of several arrays.
    if (joined) SetPamItem(stored, kSidecarState, kStatisticsMadeFrom, *joined);
}

void AddMissing(const CPLXMLNode& other, CPLXMLNode& tree) {
    Elements present = ElementsById(&tree);
    for (const CPLXMLNode* const node : ElementsOf(&other)) {
        CPLXMLNode* const found = Take(present, *node);
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
    MergePam(PamOf(change.before).get(), PamOf(change.after).get(), *tree);
    json::Value merged = PamValue(tree.get());
    return merged.is_null() ? std::nullopt : std::optional(std::move(merged));
}

}  // namespace zarr_driver
