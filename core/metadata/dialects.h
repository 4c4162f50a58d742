// SPDX-License-Identifier: MIT
// Where netCDF-C's NCZarr writes a `.zarray` that means something else than the Zarr v2
// specification makes of it, as netCDF-C 4.9.0, 4.9.3 and 4.10.1 have been seen to do.
#pragma once

#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// The extension of NCZarr, "_NCZARR_ARRAY" or "_nczarr_array", in a `.zarray` or, as netCDF-C has
// it since 4.9.3, in the array's `.zattrs`; nullptr where it is in neither. Borrows.
const json::Value* NczarrExtension(const json::Value& document);
const json::Value* NczarrExtension(const ArrayMetadata& metadata);

// False where the document means what it says whether or not the array is netCDF-C's.
bool MayMeanElse(const json::Value& array_document);

// The document as the specification would have it: of a scalar, which NCZarr stores with the shape
// [1] under the same chunk key, without dimensions; of characters, which it calls "<U1" or ">S1"
// but stores as one byte each, of "|S1"; and with the exact fill value where the default one of
// doubles was written with six digits. Any other document as it is.
struct NczarrForm {
    json::Value document;
    bool has_characters = false;  // not strings of at most one, which are "|S1"
};
NczarrForm AsSpecified(json::Value array_document, const json::Value& extension);

// True where netCDF-C has a type for the elements of an array: numbers of 8 to 64 bits but float16,
// and characters.
bool IsKnownToNetcdf(const json::Value& array_document);

// The dimension that a scalar has in a store of netCDF-C's, as some of its releases write it, too.
inline constexpr std::string_view kNczarrScalar = "_scalar_";

// True for attributes that are netCDF-C's own bookkeeping.
bool IsNczarrName(std::string_view name);

// netCDF-C before 4.9.3 refuses a store with an attribute that is null, an empty list, or a list of
// anything but numbers. Such ones become JSON texts, which "json" of the attribute `extension_name`
// (_NCZARR_ATTR) lists; netCDF-C shows them as texts. "types" there, of the attributes that have
// been stored so far, loses those that are gone or of another kind now. Attributes are objects.
void HideFromNetcdf(json::Object& attributes, const json::Value& stored,
                    std::string_view extension_name);
// The attributes as they were before HideFromNetcdf().
void ShowHidden(json::Value& attributes);

// Where zarr-python writes a `.zarray` that means something else than the Zarr v2 specification
// makes of it, as zarr-python 3.0.6 has been seen to do; later versions write what it says.

// True for text of a fixed width, "<U5" or "|S5", whose first filter is a codec of objects,
// vlen-utf8 or vlen-bytes: the chunks hold texts of any width.
bool IsTextOfObjects(const json::Value& array_document);

// Such a document with the dtype "|O", which chunks of that filter have, and with the fill value of
// bytes as it is, not in base64.
json::Value AsObjects(json::Value array_document);

}  // namespace zarr
