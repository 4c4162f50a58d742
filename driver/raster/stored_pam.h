// SPDX-License-Identifier: MIT
// Stores metadata of GDAL in an attribute of arrays, if neither Zarr nor CF can express the
// metadata. Examples are colour tables, raster attribute tables, control points, RPC and
// statistics.
#pragma once

#include <cpl_string.h>

#include <string>
#include <vector>

#include "core/json/value.h"
#include "driver/base/xml_tree.h"
#include "driver/store/sidecars.h"

namespace zarr_driver {

// Items of the domains kPamState and kSidecarState: the records of statistics, and of files of
// overviews and masks. In an attribute the record is the fingerprint of the array; see
// source_arrays.h.
inline constexpr const char* kStatisticsMadeFrom = "MADE_FROM";
inline constexpr const char* kOverviewsMadeFrom = "OVERVIEWS";
inline constexpr const char* kMaskMadeFrom = "MASK";

// Returns the XML in the attribute kPamAttribute of an array, or of the group of several arrays;
// nullptr if missing or invalid. It has the format of GDAL's ".aux.xml" files, and is text because
// netCDF has no object attributes. CRS and geotransform are removed, because other attributes state
// them.
XmlTree ReadPam(const zarr::json::Value& attributes);

// Returns `tree`, which may be nullptr, without the elements that ReadPam() removes.
XmlTree SafePam(XmlTree tree);

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

// True for the metadata domains that describe how pixels are stored, and what else the store holds.
// A copy of these domains becomes wrong if another program changes the store.
bool IsOfStore(const CPLXMLNode& node);
// Removes these domains, and metadata items that the store has with equal values (`stored`).
// Returns nullptr if nothing is left or `tree` is nullptr.
XmlTree RemoveStoredItems(XmlTree tree, const CPLStringList& stored);

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
