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

// Maximum number of groups above a node. The maximum ends searches in folders whose links form a
// circle.
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

// True if `name`, the last component of a key, is the name of the Zarr v2 document `document`.
bool IsDocument(std::string_view name, Document document);
// True if `name` is the name of any Zarr v2 or v3 document. These names are reserved: no node can
// have such a name.
bool IsDocument(std::string_view name);
// True if `name` is the name of any Zarr v1, v2 or v3 document.
bool IsDocumentOfAnyFormat(std::string_view name);
// True if `name` is the name of any Zarr v2 or v3 document except `.zattrs`.
bool IsNodeDocument(std::string_view name);
// True if a document called `name` makes its prefix a node: `zarr.json`, `.zarray` or `.zgroup`.
bool MakesNode(std::string_view name);
// True if `name` looks like the name of a metadata document, including documents that other
// software such as NCZarr adds.
bool LooksLikeDocument(std::string_view name);

// Names of the Zarr v2 and v3 documents that mark the root of a store. `.zmetadata` is last,
// because other software uses that name, too.
inline constexpr std::string_view kRootDocuments[] = {".zgroup", ".zarray", kV3Document,
                                                      ".zmetadata"};

// True if a document exists that makes `prefix` the root of a store. HoldsRootDocument() looks for
// documents of v2 and v3, HoldsRootDocumentOfAnyFormat() for documents of v1, v2 and v3. `has`
// returns true if a key exists.
using KeyTest = std::function<bool(const std::string& key)>;
bool HoldsRootDocument(const std::string& prefix, const KeyTest& has);
bool HoldsRootDocumentOfAnyFormat(const std::string& prefix, const KeyTest& has);

// Documents of consolidated metadata: the key and the unparsed JSON text of each. The texts point
// into the text of the `.zmetadata`.
using DocumentTexts = std::vector<std::pair<std::string, std::string_view>>;
// Splits the text of a `.zmetadata` into its documents. A missing "zarr_consolidated_format" means
// format 1. Returns kCorrupt if the text is invalid. The result points into `text`.
Result<DocumentTexts> ParseConsolidated(std::string_view text);
// Returns the text of a `.zmetadata`. The names of the members of `documents` are the keys of the
// documents.
std::string ConsolidatedDocument(json::Object documents);

// True if `text` is the `.zmetadata` of Kerchunk references in Parquet files. Such a file looks
// like consolidated metadata, but has the member "record_size" (fsspec, LazyReferenceMapper).
bool AreKerchunkReferences(std::string_view text);

}  // namespace zarr
