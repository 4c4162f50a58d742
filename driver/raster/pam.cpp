// SPDX-License-Identifier: MIT
#include "driver/raster/pam.h"

#include <cstring>
#include <vector>

namespace zarr_driver {

namespace {

// An item of the default domain, with a value as the store has it.
bool IsStored(const CPLXMLNode& item, const CPLStringList& stored) {
    if (item.eType != CXT_Element || !EQUAL(item.pszValue, "MDI")) return false;
    const char* const value = stored.FetchNameValue(CPLGetXMLValue(&item, "key", ""));
    return value != nullptr && std::strcmp(value, CPLGetXMLValue(&item, "", "")) == 0;
}

// Removes the children of `parent` for which `is_unwanted` is true. Returns how many elements stay.
template <class Predicate>
int RemoveChildren(CPLXMLNode& parent, const Predicate& is_unwanted) {
    std::vector<CPLXMLNode*> unwanted;
    int elements = 0;
    for (CPLXMLNode* child = parent.psChild; child != nullptr; child = child->psNext) {
        if (is_unwanted(*child))
            unwanted.push_back(child);
        else
            elements += child->eType == CXT_Element ? 1 : 0;
    }
    for (CPLXMLNode* const child : unwanted) {
        CPLRemoveXMLChild(&parent, child);
        CPLDestroyXMLNode(child);
    }
    return elements;
}

}  // namespace

CPLXMLNode* WithoutStored(CPLXMLNode* tree, const CPLStringList& stored) {
    if (tree == nullptr) return nullptr;
    const auto is_empty_domain = [&](CPLXMLNode& child) {
        if (child.eType != CXT_Element || !EQUAL(child.pszValue, "Metadata") ||
            CPLGetXMLValue(&child, "domain", "")[0] != '\0')
            return false;
        return RemoveChildren(child, [&](CPLXMLNode& item) { return IsStored(item, stored); }) == 0;
    };
    if (RemoveChildren(*tree, is_empty_domain) != 0) return tree;
    CPLDestroyXMLNode(tree);
    return nullptr;
}

}  // namespace zarr_driver
