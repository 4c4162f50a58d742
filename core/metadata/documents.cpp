// SPDX-License-Identifier: MIT
#include "core/metadata/documents.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kDocumentNames[] = {".zarray", ".zgroup", ".zattrs", ".zmetadata"};
constexpr std::string_view kV1Array = "meta";
constexpr std::string_view kV1Attributes = "attrs";

std::string_view NameOf(Document document) {
    return kDocumentNames[static_cast<std::size_t>(document)];
}

// Returns an error if the member "zarr_consolidated_format" exists and is not 1, the only version.
Status CheckVersion(const std::vector<json::Slice>& top) {
    const auto text = json::FindSlice(top, "zarr_consolidated_format");
    if (!text) return {};
    ZARR_ASSIGN_OR_RETURN(const json::Value format,
                          json::Parse(*text).WithContext("zarr_consolidated_format"));
    std::int64_t version = 0;
    return format.GetInt64(version) && version == 1
               ? Status()
               : json::Expected("zarr_consolidated_format", "1", format);
}

}  // namespace

std::string DocumentKey(std::string_view path, Document document, Format format) {
    if (format == Format::kV3) return JoinKey(path, kV3Document);
    if (format == Format::kV2) return JoinKey(path, NameOf(document));
    return JoinKey(path, document == Document::kArray ? kV1Array : kV1Attributes);
}

bool IsDocument(std::string_view name, Document document) { return name == NameOf(document); }

bool IsDocument(std::string_view name) {
    return name == kV3Document || std::find(std::begin(kDocumentNames), std::end(kDocumentNames),
                                            name) != std::end(kDocumentNames);
}

bool IsDocumentOfAnyFormat(std::string_view name) {
    return IsDocument(name) || name == kV1Array || name == kV1Attributes;
}

bool IsNodeDocument(std::string_view name) {
    return IsDocument(name) && !IsDocument(name, Document::kAttributes);
}

bool MakesNode(std::string_view name) {
    return name == kV3Document || IsDocument(name, Document::kArray) ||
           IsDocument(name, Document::kGroup);
}

bool LooksLikeDocument(std::string_view name) {
    return name.substr(0, 2) == ".z" || name.substr(0, 4) == ".ncz" || name == kV3Document;
}

bool HoldsRootDocument(const std::string& prefix, const KeyTest& has) {
    return std::any_of(std::begin(kRootDocuments), std::end(kRootDocuments),
                       [&](std::string_view name) { return has(JoinKey(prefix, name)); });
}

bool HoldsRootDocumentOfAnyFormat(const std::string& prefix, const KeyTest& has) {
    return HoldsRootDocument(prefix, has) ||
           has(DocumentKey(prefix, Document::kArray, Format::kV1));
}

Result<DocumentTexts> ParseConsolidated(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> top, json::MemberSlices(text));
    ZARR_RETURN_IF_ERROR(CheckVersion(top));
    const auto entries = json::FindSlice(top, "metadata");
    if (!entries) return Status::Corrupt("the compulsory member \"metadata\" is missing");
    ZARR_ASSIGN_OR_RETURN(DocumentTexts documents,
                          json::MemberSlices(*entries).WithContext("metadata"));
    for (const auto& [key, document] : documents)
        if (!IsValidKey(key))
            return Status::Corrupt("metadata: " + Quoted(key) + " is not a valid key");
    return documents;
}

std::string ConsolidatedDocument(json::Object documents) {
    // Each document takes one line. Indented documents would almost double the size of
    // `.zmetadata`, which slows opening over a network.
    constexpr std::size_t kIndent = 4, kLevelsAboveDocuments = 2;
    return json::DumpIndented(
        json::Value(json::Object{{"metadata", json::Value(std::move(documents))},
                                 {"zarr_consolidated_format", json::Value(std::int64_t{1})}}),
        kIndent, kLevelsAboveDocuments);
}

bool AreKerchunkReferences(std::string_view text) {
    // A search for the name avoids splitting the text of large consolidated metadata into members,
    // which is slow.
    if (text.find("\"record_size\"") == std::string_view::npos) return false;
    const auto members = json::MemberSlices(text);
    if (!members.ok()) return false;
    return json::FindSlice(*members, "record_size") &&
           !json::FindSlice(*members, "zarr_consolidated_format");
}

}  // namespace zarr
