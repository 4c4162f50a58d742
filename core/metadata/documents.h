// SPDX-License-Identifier: MIT
// The metadata documents of a store. Only the files of core/metadata know the names of the
// documents.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Maximum number of groups above a node, which stops at links that form a circle.
inline constexpr std::size_t kMaxGroupDepth = 64;

enum class Format : std::uint8_t { kV1 = 1, kV2 = 2, kV3 = 3 };

// Kinds of metadata documents. Zarr v2 has one document of each kind (v2 specification, "Storage").
// Zarr v1 has kArray and kAttributes (v1 specification, "Metadata" and "Attributes"). Zarr v3 has
// one document for all kinds (v3 specification, "Metadata").
enum class Document : std::uint8_t {
    kArray,         // metadata of the array at a path
    kGroup,         // metadata of the group at a path
    kAttributes,    // attributes of an array or a group
    kConsolidated,  // all documents at and below a path (zarr-python convention)
};

// Returns the key of a document of the node at `path`. For Zarr v1, `document` is kArray or
// kAttributes.
std::string DocumentKey(std::string_view path, Document document, Format format = Format::kV2);

// Name of the document of a Zarr v3 node.
inline constexpr std::string_view kV3Document = "zarr.json";

// True if `name`, the last component of a key, is the name of that Zarr v2 document.
bool IsDocument(std::string_view name, Document document);
// True if `name` is the name of any Zarr v2 or v3 document, which is reserved: no node can have
// such a name.
bool IsDocument(std::string_view name);
// True if `name` is the name of any Zarr v1, v2 or v3 document.
bool IsDocumentOfAnyFormat(std::string_view name);
// True if `name` is the name of any Zarr v2 or v3 document except `.zattrs`.
bool IsNodeDocument(std::string_view name);
// True if a document called `name` makes its prefix a node: `zarr.json`, `.zarray` or `.zgroup`.
bool MakesNode(std::string_view name);
// True if `name` is like the name of a document, or of a document that other software adds, such as
// NCZarr.
bool LooksLikeDocument(std::string_view name);

// Names of the Zarr v2 and v3 documents that mark the root of a store. `.zmetadata` is last,
// because other software uses that name, too.
inline constexpr std::string_view kRootDocuments[] = {".zgroup", ".zarray", kV3Document,
                                                      ".zmetadata"};

// True if a root document exists at `prefix`. HoldsRootDocument() looks for v2 and v3,
// HoldsRootDocumentOfAnyFormat() also for v1. `has` returns true if a key exists.
using KeyTest = std::function<bool(const std::string& key)>;
bool HoldsRootDocument(const std::string& prefix, const KeyTest& has);
bool HoldsRootDocumentOfAnyFormat(const std::string& prefix, const KeyTest& has);

// Keys of consolidated metadata and the unparsed JSON text of each document. The texts point into
// the parsed `.zmetadata`.
using DocumentTexts = std::vector<std::pair<std::string, std::string_view>>;
// Splits the text of a `.zmetadata` into its documents. A missing "zarr_consolidated_format" means
// format 1. Returns kCorrupt if the text is invalid. The result points into `text`.
Result<DocumentTexts> ParseConsolidated(std::string_view text);
// Returns the text of a `.zmetadata` with `documents`, whose members are named by keys.
std::string ConsolidatedDocument(json::Object documents);

// True if `text` is the `.zmetadata` of Kerchunk references in Parquet files. Such a file has
// documents like consolidated metadata, and the member "record_size" (fsspec, LazyReferenceMapper).
bool AreKerchunkReferences(std::string_view text);

}  // namespace zarr
