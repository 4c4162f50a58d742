// SPDX-License-Identifier: MIT
// XML trees. Those of GDAL's metadata (PAM) have the format of its ".aux.xml" files.
#pragma once

#include <cpl_minixml.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zarr_driver {

struct DestroyXml {
    void operator()(CPLXMLNode* tree) const { CPLDestroyXMLNode(tree); }
};
using XmlTree = std::unique_ptr<CPLXMLNode, DestroyXml>;

// Returns the nodes of a text; nullptr, without an error, if it is not XML.
XmlTree ParseXml(const std::string& text);
// Returns an element PAMDataset without children.
XmlTree NewPam();
// Return the element PAMDataset of a text or of the file at `path`; nullptr if missing or invalid.
// Emit no errors.
XmlTree ParsePam(const std::string& text);
XmlTree ReadPamFile(const std::string& path);

// Return a copy of one element, and its XML text, without the elements that follow it.
XmlTree CopyOf(const CPLXMLNode& node);
std::string ElementText(const CPLXMLNode& node);
// True if `node` is an element with this name, in upper or lower case.
bool IsElement(const CPLXMLNode& node, const char* name);
// True if the element contains no other elements.
bool IsEmptyElement(const CPLXMLNode& node);
// Returns the child elements of `parent` with this name, or all if `name` is nullptr. The result is
// empty if `parent` is nullptr. The elements stay owned by `parent`.
std::vector<CPLXMLNode*> ElementsOf(const CPLXMLNode* parent, const char* name = nullptr);
// Returns the first of these elements; nullptr if there is none.
CPLXMLNode* FirstElement(const CPLXMLNode* parent, const char* name);
// Returns a text that is equal for elements of PAM about the same band, domain, item or else name.
std::string IdentityOf(const CPLXMLNode& node);
// Returns ElementsOf() by their IdentityOf(), of equal ones the first.
std::map<std::string, CPLXMLNode*> ElementsById(const CPLXMLNode* parent);
// Removes the child elements of `parent` for which `is_wanted` returns true, and returns them.
std::vector<XmlTree> TakeElements(CPLXMLNode& parent,
                                  const std::function<bool(CPLXMLNode&)>& is_wanted);

// Returns the text of item `key` in a metadata domain of the dataset. Empty if the item is missing.
std::string PamItem(const CPLXMLNode& tree, const char* domain, const char* key);
// Replaces the text of such an item, if there is one.
void SetPamItem(CPLXMLNode& tree, const char* domain, const char* key, const std::string& value);
// Adds a metadata domain with `items`, which are pairs of key and value.
void AddPamItems(CPLXMLNode& tree, const char* domain,
                 const std::vector<std::pair<std::string, std::string>>& items);

}  // namespace zarr_driver
