// SPDX-License-Identifier: MIT
// What GDAL knows of a raster and neither Zarr nor CF has words for, in the attributes of its
// arrays: colour tables, raster attribute tables, control points, RPC, further metadata domains,
// statistics, names of classes and bands as they are.
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

// The tree of the attribute kPamAttribute of an array, or of the group around the arrays that are a
// dataset's bands. Its value is a text: the XML that GDAL's Persistent Auxiliary Metadata have in
// "x.tif.aux.xml" (GDAL's documentation of GDALPamDataset). A text, as netCDF has no attributes
// that are objects. nullptr where there is none, or it is not such XML. It says nothing of where
// the raster lies, which other attributes say.
XmlTree ReadPam(const zarr::json::Value& attributes);

// The value of the attribute; null where nothing is left of the tree.
zarr::json::Value PamValue(const CPLXMLNode* tree);

// True where the tree has something that was made from pixels.
bool HoldsStatistics(const CPLXMLNode& tree);
void RemoveStatistics(CPLXMLNode& tree);

// True where the tree has control points, or a metadata domain that places pixels by their rows and
// columns: RPC or GEOLOCATION.
bool HoldsPixelPlaces(const CPLXMLNode& tree);
void RemovePixelPlaces(CPLXMLNode& tree);

// Removes from `tree` what `other` has, too: elements of the same content, and of bands and
// metadata domains each of their elements.
void RemoveShared(CPLXMLNode& tree, const CPLXMLNode& other);

// An item of a metadata domain of the dataset; empty without.
std::string PamItem(const CPLXMLNode& tree, const char* domain, const char* key);
// Adds a metadata domain.
void AddPamItems(CPLXMLNode& tree, const char* domain,
                 const std::vector<std::pair<std::string, std::string>>& items);

// Removes from `list`, as NAME=VALUE, the items of the default metadata domain that belong to the
// only band of the dataset whose array has `attributes`. The band's description is its "long_name".
void RemoveBandItems(const zarr::json::Value& attributes, CPLStringList& list);

// The tree of a dataset of which each band is an array: of the group's tree, which may be nullptr,
// what is said of the dataset, and of each array's, likewise, what is said of its first band.
XmlTree JoinPam(XmlTree group, std::vector<XmlTree> arrays);

// What JoinPam() joins: takes the bands out of `tree`, of which there are `bands`. The trees of
// bands of which nothing is said are nullptr.
std::vector<XmlTree> SplitPam(CPLXMLNode& tree, int bands);

// Writes the names of all bands, "" for a band without one, into what is said of them. Returns
// false where nothing is said of a band.
bool NameBands(CPLXMLNode& tree, const std::vector<std::string>& names);
// True where NameBands() has left a name.
bool HasNamedBands(const CPLXMLNode& tree);
// The number of the band that was band `number`, called `name`, when there were `written` bands;
// the bands are called `names` now. A band whose name is gone keeps its number unless there are
// fewer bands; 0 for a removed band.
int CurrentBand(int number, const std::string& name, const std::vector<std::string>& names,
                std::size_t written);
// Moves the elements of bands to the CurrentBand(), and removes those of removed bands.
void PlaceBands(CPLXMLNode& tree, const std::vector<std::string>& names, std::size_t written);

}  // namespace zarr_driver
