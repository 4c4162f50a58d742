// SPDX-License-Identifier: MIT
#include "core/hierarchy/node_documents.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/limits.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

std::string TextOf(json::Object members) {
    return json::DumpIndented(json::Value(std::move(members)));
}

}  // namespace

Result<std::optional<std::string>> NodeDocuments::Text(const std::string& key) const {
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store_, key, text));
    if (!found) return std::optional<std::string>();
    return std::optional(std::string(std::as_const(text).span().text()));
}

std::vector<std::string> NodeDocuments::KeysThatChangeWith(const std::string& path) const {
    std::vector<std::string> keys{KeyOf(path, Document::kArray)};
    if (format_ == Format::kV3) return keys;
    keys.push_back(KeyOf(path, Document::kAttributes));
    for (std::string group = path; !group.empty();) {
        group = ParentPath(group);
        keys.push_back(KeyOf(group, Document::kGroup));
        keys.push_back(KeyOf(group, Document::kAttributes));
    }
    return keys;
}

Result<bool> NodeDocuments::IsArray(const std::string& path) const {
    const std::string key = KeyOf(path, Document::kArray);
    if (format_ != Format::kV3) return store_.Exists(key);
    ZARR_ASSIGN_OR_RETURN(const auto text, Text(key));
    if (!text) return false;
    ZARR_ASSIGN_OR_RETURN(const V3NodeType type, V3NodeTypeOf(*text).WithContext(key));
    return type == V3NodeType::kArray;
}

Result<bool> NodeDocuments::IsGroup(const std::string& path) const {
    const std::string key = KeyOf(path, Document::kGroup);
    if (format_ != Format::kV3) return store_.Exists(key);
    ZARR_ASSIGN_OR_RETURN(const auto text, Text(key));
    if (!text) return false;
    ZARR_ASSIGN_OR_RETURN(const V3NodeType type, V3NodeTypeOf(*text).WithContext(key));
    return type == V3NodeType::kGroup;
}

Status NodeDocuments::MakeGroup(const std::string& path) {
    const std::string text = format_ == Format::kV3 ? V3GroupText() : GroupText();
    Learn(KeyOf(path, Document::kGroup));
    return store_.Set(KeyOf(path, Document::kGroup), ByteSpan(std::string_view(text)));
}

Status NodeDocuments::MakeArray(const std::string& path, const ArrayMetadata& metadata,
                                const json::Object& attributes) {
    const std::string key = KeyOf(path, Document::kArray);
    if (metadata.format != format_)
        return Status::Invalid(
            key + ": the array is of Zarr v" + std::to_string(static_cast<int>(metadata.format)) +
            ", but the store is of v" + std::to_string(static_cast<int>(format_)));
    Learn(key);
    Learn(KeyOf(path, Document::kAttributes));
    if (format_ == Format::kV3) {
        const std::string text = V3ArrayText(metadata, json::Value(attributes));
        return store_.Set(key, ByteSpan(std::string_view(text)));
    }
    NczarrDocuments::NewArray array{metadata.document, attributes};
    ZARR_ASSIGN_OR_RETURN(const bool is_nczarr, nczarr_.DescribeArray(path, array));
    const std::string attributes_key = KeyOf(path, Document::kAttributes);
    ZARR_RETURN_IF_ERROR(
        array.attributes.empty()
            ? store_.Erase(attributes_key)
            : store_.Set(attributes_key, ByteSpan(TextOf(std::move(array.attributes)))));
    ZARR_RETURN_IF_ERROR(store_.Set(key, ByteSpan(TextOf(std::move(array.document)))));
    return is_nczarr ? nczarr_.List(path) : Status();
}

Result<bool> NodeDocuments::IsDone(const Change& change) const {
    if (change.before) return change.before == change.text;
    if (!change.text) {
        ZARR_ASSIGN_OR_RETURN(const bool exists, store_.Exists(change.key));
        return !exists;
    }
    Buffer value;
    const auto found = store_.Get(change.key, value, change.text->size());
    // The stored text is longer than `change.text`, so the two differ.
    if (!found.ok() && found.status().code() == StatusCode::kLimit) return false;
    if (!found.ok()) return found.status();
    return *found && std::as_const(value).span().text() == *change.text;
}

Status NodeDocuments::Apply(const Change& change) {
    if (change.text && !IsDocument(LastName(change.key), Document::kConsolidated))
        Learn(change.key);
    return change.text ? store_.Set(change.key, ByteSpan(std::string_view(*change.text)))
                       : store_.Erase(change.key);
}

Result<json::Value> NodeDocuments::Attributes(const std::string& path) const {
    const std::string key = KeyOf(path, Document::kAttributes);
    ZARR_ASSIGN_OR_RETURN(const auto text, Text(key));
    if (!text) return json::Value(json::Object{});
    return (format_ == Format::kV3 ? ParseV3Attributes(*text) : ParseAttributes(*text))
        .WithContext(key);
}

Result<NodeDocuments::Change> NodeDocuments::WithAttributes(const std::string& path,
                                                            const json::Value& attributes) const {
    Change change{KeyOf(path, Document::kAttributes), std::nullopt, std::nullopt};
    if (format_ == Format::kV3) {
        ZARR_ASSIGN_OR_RETURN(change.before, Text(change.key));
        if (!change.before)
            return Status::NotFound(change.key + ": there is no such array or group");
        ZARR_ASSIGN_OR_RETURN(change.text,
                              WithV3Attributes(*change.before, attributes).WithContext(change.key));
        return change;
    }
    ZARR_ASSIGN_OR_RETURN(const json::Value stored, nczarr_.ToStoredAttributes(path, attributes));
    if (!stored.as_object()->empty()) change.text = json::DumpIndented(stored);
    return change;
}

Result<NodeDocuments::Change> NodeDocuments::WithArray(const std::string& path,
                                                       const ArrayMetadata& metadata) const {
    Change change{KeyOf(path, Document::kArray), std::nullopt, std::nullopt};
    ZARR_ASSIGN_OR_RETURN(change.before, Text(change.key));
    if (!change.before) return Status::NotFound(change.key + ": there is no such array");
    if (format_ == Format::kV3) {
        ZARR_ASSIGN_OR_RETURN(change.text,
                              WithV3Array(*change.before, metadata).WithContext(change.key));
        return change;
    }
    const auto old = json::Parse(*change.before);
    if (!old.ok()) return old.status().WithContext(change.key);
    ArrayMetadata wanted = metadata;
    if (const json::Object* members = old->as_object()) AddUndefined(*members, wanted);
    change.text = ArrayText(wanted);
    return change;
}

Result<bool> NodeDocuments::HasConsolidated(const std::string& group) const {
    const std::string key = KeyOf(group, Document::kConsolidated);
    if (format_ != Format::kV3) return store_.Exists(key);
    ZARR_ASSIGN_OR_RETURN(const auto text, Text(key));
    return text && HasV3Consolidated(*text);
}

Status NodeDocuments::EraseConsolidated(const std::string& group) {
    const std::string key = KeyOf(group, Document::kConsolidated);
    const bool is_v3 = format_ == Format::kV3;
    std::optional<std::string> text;
    if (is_v3 || DistrustsListings()) {
        ZARR_ASSIGN_OR_RETURN(text, Text(key));
        if (!text) return {};
        LearnConsolidated(group, *text);
    }
    if (!is_v3) return store_.Erase(key);
    ZARR_ASSIGN_OR_RETURN(const std::string without,
                          WithV3Consolidated(*text, std::nullopt).WithContext(key));
    return store_.Set(key, ByteSpan(std::string_view(without)));
}

void NodeDocuments::Learn(const std::string& key) {
    if (DistrustsListings()) known_.insert(key);
}

void NodeDocuments::LearnConsolidated(const std::string& group, std::string_view text) {
    if (!DistrustsListings()) return;
    const auto documents = format_ == Format::kV3
                               ? ParseV3Consolidated(SplitV3Consolidated(text).consolidated)
                               : ParseConsolidated(text);
    if (!documents.ok()) return;
    for (const auto& [key, document] : *documents) known_.insert(JoinKey(group, key));
    known_groups_.insert(group);
}

KnownDocuments NodeDocuments::KnownBelow(const std::string& group) const {
    KnownDocuments known;
    known.keys = known_;
    known.are_all =
        std::any_of(known_groups_.begin(), known_groups_.end(),
                    [&](const std::string& other) { return IsAtOrBelow(group, other); });
    return known;
}

void NodeDocuments::ForgetBelow(const std::string& path) {
    for (auto key = known_.begin(); key != known_.end();)
        key = IsAtOrBelow(*key, path) ? known_.erase(key) : std::next(key);
}

void NodeDocuments::ForgetAll() {
    known_.clear();
    known_groups_.clear();
}

Result<std::optional<NodeDocuments::Change>> NodeDocuments::Consolidated(
    const std::string& group) const {
    Change change{KeyOf(group, Document::kConsolidated), std::nullopt, std::nullopt};
    if (format_ != Format::kV3) {
        ZARR_ASSIGN_OR_RETURN(
            std::string text,
            ConsolidatedText(store_, group, KnownBelow(group)).WithContext(change.key));
        if (text.empty()) return std::optional<Change>();
        change.text = std::move(text);
        return std::optional(std::move(change));
    }
    ZARR_ASSIGN_OR_RETURN(const auto own, Text(change.key));
    if (!own) return std::optional<Change>();
    ZARR_ASSIGN_OR_RETURN(const V3NodeType type, V3NodeTypeOf(*own).WithContext(change.key));
    // An array has no consolidated metadata, because no nodes are below it.
    if (type == V3NodeType::kArray) return std::optional<Change>();
    ZARR_ASSIGN_OR_RETURN(
        json::Object documents,
        V3DocumentsBelow(store_, group, KnownBelow(group)).WithContext(change.key));
    ZARR_ASSIGN_OR_RETURN(change.text,
                          WithV3Consolidated(*own, std::move(documents)).WithContext(change.key));
    // Readers reject a document above this limit, so it is not written.
    if (change.text->size() > LimitOf(Limit::kMetadataSize))
        return OverLimit(Limit::kMetadataSize, change.key + ": consolidated metadata would have " +
                                                   std::to_string(change.text->size()) + " bytes");
    return std::optional(std::move(change));
}

}  // namespace zarr
