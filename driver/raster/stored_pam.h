// SPDX-License-Identifier: MIT
// Stores GDAL's metadata in an attribute of arrays if neither Zarr nor CF can express the metadata.
// Examples are colour tables, raster attribute tables, control points, RPC and statistics.
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

// Returns the XML in the attribute kPamAttribute of an array, or of the group around several
// arrays. nullptr if the attribute is missing or invalid. The attribute is text, because netCDF has
// no object attributes. Its format is that of GDAL's ".aux.xml" files (GDAL's documentation of
// GDALPamDataset). CRS and geotransform are removed, because other attributes state them.
XmlTree ReadPam(const zarr::json::Value& attributes);

// Returns the attribute's value for `tree`; null if `tree` is nullptr or empty.
zarr::json::Value PamValue(const CPLXMLNode* tree);

// True if the tree has histograms or STATISTICS_ items, which are computed from pixels.
bool HoldsStatistics(const CPLXMLNode& tree);
void RemoveStatistics(CPLXMLNode& tree);

// True if the tree has control points, RPC or GEOLOCATION, which refer to rows and columns of
// pixels.
bool HasPixelReferences(const CPLXMLNode& tree);
void RemovePixelReferences(CPLXMLNode& tree);

// Removes the elements from `tree` that `other` has, too. Bands and metadata domains are compared
// element by element.
void RemoveShared(CPLXMLNode& tree, const CPLXMLNode& other);

// Returns an item of a metadata domain of the dataset; empty if missing.
std::string PamItem(const CPLXMLNode& tree, const char* domain, const char* key);
// Adds a metadata domain with `items`, which are pairs of key and value.
void AddPamItems(CPLXMLNode& tree, const char* domain,
                 const std::vector<std::pair<std::string, std::string>>& items);

// Removes from `list`, as NAME=VALUE, the metadata items of the only band of an array with
// `attributes`. The band's description counts as the item "long_name".
void RemoveBandItems(const zarr::json::Value& attributes, CPLStringList& list);

// Joins the PAM trees of a dataset whose bands are arrays. The dataset's elements come from
// `group`. The first band of arrays[i] becomes band i + 1. Each tree may be nullptr.
XmlTree JoinPam(XmlTree group, std::vector<XmlTree> arrays);

// Splits `tree` into one tree for each of `bands` bands, the reverse of JoinPam(). Removes the
// bands from `tree`. The tree of a band without elements is nullptr.
std::vector<XmlTree> SplitPam(CPLXMLNode& tree, int bands);

// Writes the names of all bands into the elements of `tree` that describe bands; "" for an unnamed
// band. Returns false if `tree` describes no band.
bool NameBands(CPLXMLNode& tree, const std::vector<std::string>& names);
// True if NameBands() has written a name into `tree`.
bool HasNamedBands(const CPLXMLNode& tree);
// Returns the current number of a band that had `number` and `name` when `written` bands existed; 0
// if the band was removed. `names` are the current names of all bands. A band whose name is gone
// keeps its number unless fewer bands exist now.
int CurrentBand(int number, const std::string& name, const std::vector<std::string>& names,
                std::size_t written);
// Renumbers the bands in `tree` by CurrentBand(), and removes the elements of removed bands.
void RenumberBands(CPLXMLNode& tree, const std::vector<std::string>& names, std::size_t written);

}  // namespace zarr_driver
