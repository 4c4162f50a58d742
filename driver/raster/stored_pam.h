// SPDX-License-Identifier: MIT
// Stores metadata of GDAL in an attribute of arrays, if neither Zarr nor CF can express the
// metadata. Examples are colour tables, raster attribute tables, control points, RPC and
// statistics.
#pragma once

#include <cpl_minixml.h>
#include <cpl_string.h>

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

// Returns the XML in the attribute kPamAttribute of an array, or of the group that contains several
// arrays. Returns nullptr if the attribute is missing or invalid. The attribute is text, because
// netCDF has no object attributes. The XML has the format of GDAL's ".aux.xml" files (GDAL's
// documentation of GDALPamDataset). CRS and geotransform are removed, because other attributes
// state them.
XmlTree ReadPam(const zarr::json::Value& attributes);

// Returns the value of the attribute kPamAttribute for `tree`. Returns null if `tree` is nullptr or
// empty.
zarr::json::Value PamValue(const CPLXMLNode* tree);

// True if the tree has histograms or STATISTICS_ items. Both are computed from pixels.
bool HoldsStatistics(const CPLXMLNode& tree);
void RemoveStatistics(CPLXMLNode& tree);

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

// Removes from `list` (NAME=VALUE) the items that are stored in the array's `attributes`, as PAM of
// the array's only band. The band's description counts as the item "long_name".
void RemoveBandItems(const zarr::json::Value& attributes, CPLStringList& list);

// Joins PAM trees into the tree of a dataset with several arrays. `group` gives the elements of the
// dataset. bands[i] is the number of bands of array i, and arrays[i] its tree. The bands of the
// dataset are those of array 0, then those of array 1, and so on. Each tree may be nullptr.
XmlTree JoinPam(XmlTree group, std::vector<XmlTree> arrays, const std::vector<int>& bands);

// Splits `tree` into one tree for each array, as the reverse of JoinPam(). The bands are removed
// from `tree`. If no band of an array has elements, the tree of the array is nullptr.
std::vector<XmlTree> SplitPam(CPLXMLNode& tree, const std::vector<int>& bands);

// Writes the names of all bands into those elements of `tree` that describe bands. An unnamed band
// has the name "". Returns false if `tree` describes no band.
bool NameBands(CPLXMLNode& tree, const std::vector<std::string>& names);
// True if NameBands() has written a name into `tree`.
bool HasNamedBands(const CPLXMLNode& tree);
// Returns the current number of a band, or 0 if the band was removed. The band had `number` and
// `name` when its dataset was saved with `written` bands. `names` are the current names of all
// bands.
// If no band has `name` now, the band keeps its number. It counts as removed if there are now fewer
// than `written` bands.
int CurrentBand(int number, const std::string& name, const std::vector<std::string>& names,
                std::size_t written);
// Renumbers the bands in `tree` by CurrentBand(), because bands may have been added or removed.
// Removes the elements of bands that no longer exist.
void RenumberBands(CPLXMLNode& tree, const std::vector<std::string>& names, std::size_t written);

}  // namespace zarr_driver
