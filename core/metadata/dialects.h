// SPDX-License-Identifier: MIT
// Differences between the Zarr v2 specification and documents that netCDF-C's NCZarr writes,
// observed in netCDF-C 4.9.0, 4.9.3 and 4.10.1.
#pragma once

#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Return NCZarr's member "_NCZARR_ARRAY" or "_nczarr_array" of a `.zarray`, or, since netCDF-C
// 4.9.3, of the array's `.zattrs`. Return nullptr if the member is absent. The result points into
// the argument.
const json::Value* NczarrExtension(const json::Value& document);
const json::Value* NczarrExtension(const ArrayMetadata& metadata);

// True if the interpretation of the `.zarray` document depends on whether netCDF-C wrote the array.
bool IsAmbiguous(const json::Value& array_document);

// A `.zarray` document of NCZarr, rewritten to comply with the Zarr v2 specification. A scalar,
// which NCZarr stores with shape [1], gets no dimensions. Characters, stored as one byte each under
// dtype "<U1" or ">S1", get dtype "|S1". The default fill value of doubles gets its exact value,
// because NCZarr prints only six digits.
struct NczarrForm {
    json::Value document;
    bool has_characters = false;  // true: netCDF characters, not strings of dtype "|S1"
};
NczarrForm ToSpecification(json::Value array_document, const json::Value& extension);

// True if netCDF-C has a type for the array's elements: characters, or numbers of 8 to 64 bits
// other than float16.
bool HasNetcdfType(const json::Value& array_document);

// Name of the dimension that some netCDF-C releases give a scalar.
inline constexpr std::string_view kNczarrScalar = "_scalar_";

// True if netCDF-C uses an attribute of this name for its own metadata.
bool IsNczarrName(std::string_view name);

// Hides attributes from netCDF-C before 4.9.3, which would reject the store because of their
// values. Such a value is null, an empty list, or a list with an item that is not a number. It is
// replaced by its JSON text.
//
// The attribute `extension_name` (_NCZARR_ATTR) lists the names of the hidden attributes in its
// member "json". Its member "types" has the types of the attributes in `stored`. A type is removed
// if `attributes` lacks the attribute or has a value of another kind.
void HideFromNetcdf(json::Object& attributes, const json::Value& stored,
                    std::string_view extension_name);
// Reverts HideFromNetcdf(): parses the JSON texts of the listed attributes.
void RestoreHiddenAttributes(json::Value& attributes);

// IsTextStoredAsObjects() and AsObjects() handle documents of zarr-python 3.0.6 that deviate from
// the Zarr v2 specification. Later versions of zarr-python comply with the specification.

// True if the array's dtype is text of fixed width, such as "<U5" or "|S5", but its first filter is
// vlen-utf8 or vlen-bytes. The chunks of such an array contain texts of any width.
bool IsTextStoredAsObjects(const json::Value& array_document);

// Returns the document with dtype "|O", which describes the array's chunks. IsTextStoredAsObjects()
// must be true for the document. A fill value of bytes is decoded from base64.
json::Value AsObjects(json::Value array_document);

}  // namespace zarr
