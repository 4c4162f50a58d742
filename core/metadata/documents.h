// SPDX-License-Identifier: MIT
// The documents of a store that describe its nodes. Their names are known here and in the other
// files of this folder alone.
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

// Deepest group that is followed, against links that lead back up.
inline constexpr std::size_t kMaxGroupDepth = 64;

enum class Format : std::uint8_t { kV1 = 1, kV2 = 2, kV3 = 3 };

// What a document is about. Zarr v2 (its specification, "Storage") has one for each; v1 (its
// specification, "Metadata" and "Attributes") has those of an array and of its attributes; v3 (its
// specification, "Metadata") has one that is about all of them.
enum class Document : std::uint8_t {
    kArray,         // the array that lies at the path
    kGroup,         // the group that lies there
    kAttributes,    // the attributes of either
    kConsolidated,  // all documents at and below the path (a convention of zarr-python)
};

// The key of a document, of the node at `path`. Of v1 there are kArray and kAttributes.
std::string DocumentKey(std::string_view path, Document document, Format format = Format::kV2);

// The document of a node of Zarr v3.
inline constexpr std::string_view kV3Document = "zarr.json";

// True for the last name of a document's key, of v2.
bool IsDocument(std::string_view name, Document document);
// The same of any document of v2 or v3: no node can have such a name.
bool IsDocument(std::string_view name);
// The same of any document of v1 as well.
bool IsDocumentOfAnyFormat(std::string_view name);
// True for documents of v2 and v3 that make a node or describe several: all but attributes.
bool IsNodeDocument(std::string_view name);
// The same of those that make a node: an array or a group.
bool MakesNode(std::string_view name);
// True for names that documents have, or what others add to them, such as NCZarr's.
bool IsLikeDocument(std::string_view name);

// The names of the documents of v2 and v3, one of which a store has at its root; that of
// consolidated metadata, which others use as well, last.
inline constexpr std::string_view kRootDocuments[] = {".zgroup", ".zarray", kV3Document,
                                                      ".zmetadata"};

// True where a store of v2 or v3, or of v1 as well, may have its root at `prefix`, by its
// documents. `has` tells whether a key has a value.
using KeyTest = std::function<bool(const std::string& key)>;
bool HoldsRootDocument(const std::string& prefix, const KeyTest& has);
bool HoldsRootDocumentOfAnyFormat(const std::string& prefix, const KeyTest& has);

// The entries of consolidated metadata (`.zmetadata`, format 1): keys, and the text of the document
// of each, which is not parsed. The texts lie in the text that was parsed.
using DocumentTexts = std::vector<std::pair<std::string, std::string_view>>;
// Without "zarr_consolidated_format" it is of format 1. kCorrupt where `text` cannot be used.
Result<DocumentTexts> ParseConsolidated(std::string_view text);
// The text of consolidated metadata that hold documents by their keys.
std::string ConsolidatedDocument(json::Object documents);

// True for a `.zmetadata` of Kerchunk references in Parquet files, which holds documents as
// consolidated metadata do, and says how many references a file has (fsspec's documentation of
// LazyReferenceMapper).
bool AreReferences(std::string_view text);

}  // namespace zarr
