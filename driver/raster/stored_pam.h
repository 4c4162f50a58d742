// SPDX-License-Identifier: MIT
// Stores metadata of GDAL in an attribute of arrays, if neither Zarr nor CF can express the
// metadata. Examples are colour tables, raster attribute tables, control points, RPC and
// statistics.
#pragma once

#include <cpl_minixml.h>
#include <cpl_string.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/json/value.h"

namespace zarr_driver {

struct DestroyXml {
    void operator()(CPLXMLNode* tree) const { CPLDestroyXMLNode(tree); }
};
using XmlTree = std::unique_ptr<CPLXMLNode, DestroyXml>;

// Metadata domain of the stored PAM with items of this driver. The item kMadeFrom is the state of
// the chunks, SourceState::Text(), when statistics were stored.
inline constexpr const char* kPamState = "ZARR";
inline constexpr const char* kMadeFrom = "MADE_FROM";

// Return a copy of one element, and its XML text, without the elements that follow it.
XmlTree CopyOf(const CPLXMLNode& node);
std::string ElementText(const CPLXMLNode& node);
// True if `node` is an element with this name, in upper or lower case.
bool IsElement(const CPLXMLNode& node, const char* name);
// True if the element contains no other elements.
bool IsEmptyElement(const CPLXMLNode& node);

// Returns the XML in the attribute kPamAttribute of an array, or of the group of several arrays;
// nullptr if missing or invalid. It has the format of GDAL's ".aux.xml" files, and is text because
// netCDF has no object attributes. CRS and geotransform are removed, because other attributes state
// them.
XmlTree ReadPam(const zarr::json::Value& attributes);

// Returns the element PAMDataset of `tree`, which may be nullptr, as ReadPam() does; nullptr if
// there is none.
XmlTree SafePam(XmlTree tree);

// Returns the XML in the local file `path` like ReadPam(); nullptr if missing or invalid.
XmlTree ReadPamFile(const std::string& path);

// Removes the child elements of `parent` for which `is_unwanted` returns true.
void RemoveElements(CPLXMLNode& parent, const std::function<bool(const CPLXMLNode&)>& is_unwanted);

// Returns the value of the attribute kPamAttribute for `tree`. Returns null if `tree` is nullptr or
// empty.
zarr::json::Value PamValue(const CPLXMLNode* tree);

// True if the tree has histograms or STATISTICS_ items. Both are computed from pixels.
bool HoldsStatistics(const CPLXMLNode& tree);
void RemoveStatistics(CPLXMLNode& tree);

// Removes the colour interpretations of all bands.
void RemoveColours(CPLXMLNode& tree);

// True if the tree has control points, RPC or GEOLOCATION, which refer to rows and columns of
// pixels.
bool HasPixelReferences(const CPLXMLNode& tree);
void RemovePixelReferences(CPLXMLNode& tree);

// Removes elements from `tree` that `other` also contains. An element that describes a band, or a
// metadata domain, is not removed as a whole: its child elements are compared.
void RemoveShared(CPLXMLNode& tree, const CPLXMLNode& other);

// Returns the text of item `key` in a metadata domain of the dataset. Empty if the item is missing.
std::string PamItem(const CPLXMLNode& tree, const char* domain, const char* key);
// Adds a metadata domain with `items`, which are pairs of key and value.
void AddPamItems(CPLXMLNode& tree, const char* domain,
                 const std::vector<std::pair<std::string, std::string>>& items);

// Removes from `list` (NAME=VALUE) the items that the array's `attributes` store as PAM of its only
// band. The band's description counts as the item "long_name".
void RemoveBandItems(const zarr::json::Value& attributes, CPLStringList& list);

// Joins PAM trees, each of which may be nullptr, into the tree of a dataset with several arrays.
// `group` has the elements of the dataset itself. Array i has the tree arrays[i] and bands[i]
// bands. The dataset has the bands of array 0, then those of array 1, and so on.
XmlTree JoinPam(XmlTree group, std::vector<XmlTree> arrays, const std::vector<int>& bands);

// Splits `tree` into one tree for each array, as the reverse of JoinPam(), and removes the bands
// from `tree`. The tree of an array whose bands have no elements is nullptr.
std::vector<XmlTree> SplitPam(CPLXMLNode& tree, const std::vector<int>& bands);

// Writes the names of all bands into those elements of `tree` that describe bands. An unnamed band
// has the name "". Returns false if `tree` describes no band.
bool NameBands(CPLXMLNode& tree, const std::vector<std::string>& names);
// True if NameBands() has written a name into `tree`.
bool HasNamedBands(const CPLXMLNode& tree);
// Returns the current number of the band that had `number` and `name` when its dataset was saved
// with `written` bands; 0 if the band was removed. `names` are the current names of all bands. A
// band whose name is gone keeps its number, or counts as removed if there are now fewer than
// `written` bands.
int CurrentBand(int number, const std::string& name, const std::vector<std::string>& names,
                std::size_t written);
// Renumbers the bands in `tree` by CurrentBand(), because bands may have been added or removed.
// Removes the elements of bands that no longer exist.
void RenumberBands(CPLXMLNode& tree, const std::vector<std::string>& names, std::size_t written);

}  // namespace zarr_driver
