// SPDX-License-Identifier: MIT
#include "core/hierarchy/change_intent.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/limits.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"

namespace zarr {

namespace {

namespace fs = std::filesystem;

constexpr char kIntentKey[] = ".intent";

// Returns the two paths that the file may have, the usual one first.
std::pair<std::string, std::string> PathsFor(const std::string& store) {
    std::error_code error;
    const fs::path real = fs::canonical(fs::u8path(store), error);
    const std::string folder = error ? store : real.generic_u8string();
    return {folder + ".intent", JoinKey(folder, kIntentKey)};
}

json::Value Nullable(const std::optional<std::string>& text) {
    return text ? json::Value(*text) : json::Value();
}

std::string TextOf(const ChangeIntent& intent, const std::string& store) {
    json::Array groups;
    for (const std::string& group : intent.consolidated) groups.emplace_back(group);
    json::Object documents;
    for (const auto& [key, document] : intent.documents)
        documents.emplace_back(
            key, json::Value(json::Array{Nullable(document.before), json::Value(document.after)}));
    json::Object nodes;
    for (const auto& [path, text] : intent.nodes) nodes.emplace_back(path, Nullable(text));
    json::Object members{{"store", json::Value(FolderIdentity(store))},
                         {"consolidated", json::Value(std::move(groups))},
                         {"documents", json::Value(std::move(documents))},
                         {"nodes", json::Value(std::move(nodes))}};
    if (intent.copy)
        members.emplace_back("copy",
                             json::Value(json::Array{json::Value(intent.copy->signature),
                                                     json::Value(std::int64_t{intent.copy->band}),
                                                     json::Value(std::int64_t{intent.copy->row})}));
    return json::Dump(json::Value(std::move(members)));
}

std::optional<std::string> OptionalText(const json::Value& value) {
    const std::string* const text = value.as_string();
    return text != nullptr ? std::optional(*text) : std::nullopt;
}

std::optional<ChangeIntent::Copy> ParseCopy(const json::Value& value) {
    const json::Array* const members = value.as_array();
    std::int64_t band = 0;
    std::int64_t row = 0;
    if (members == nullptr || members->size() != 3 || (*members)[0].as_string() == nullptr ||
        !(*members)[1].GetInt64(band) || !(*members)[2].GetInt64(row) || band < 1 ||
        band > INT32_MAX || row < 0 || row > INT32_MAX)
        return std::nullopt;
    return ChangeIntent::Copy{*(*members)[0].as_string(), static_cast<int>(band),
                              static_cast<int>(row)};
}

// Returns nullopt if `text` is no intent of `store`.
std::optional<ChangeIntent> Parse(const std::string& text, const std::string& store) {
    const auto parsed = json::Parse(text);
    if (!parsed.ok()) return std::nullopt;
    const auto object = [&](const char* name) {
        const json::Value* const member = parsed->Find(name);
        return member != nullptr ? member->as_object() : nullptr;
    };
    const json::Value* const number = parsed->Find("store");
    const json::Value* const groups = parsed->Find("consolidated");
    const json::Object* const documents = object("documents");
    const json::Object* const nodes = object("nodes");
    if (number == nullptr || number->as_string() == nullptr || groups == nullptr ||
        groups->as_array() == nullptr || documents == nullptr || nodes == nullptr ||
        *number->as_string() != FolderIdentity(store))
        return std::nullopt;
    ChangeIntent intent;
    for (const json::Value& group : *groups->as_array()) {
        if (group.as_string() == nullptr || !NormalizePath(*group.as_string()).ok())
            return std::nullopt;
        intent.consolidated.insert(*group.as_string());
    }
    for (const auto& [key, document] : *documents) {
        const json::Array* const texts = document.as_array();
        if (!CheckKey(key).ok() || !IsDocument(LastName(key)) || texts == nullptr ||
            texts->size() != 2 || (*texts)[1].as_string() == nullptr)
            return std::nullopt;
        intent.documents[key] = {OptionalText((*texts)[0]), *(*texts)[1].as_string()};
    }
    for (const auto& [path, before] : *nodes) {
        if (path.empty() || !CheckKey(path).ok()) return std::nullopt;
        intent.nodes[path] = OptionalText(before);
    }
    if (const json::Value* const copy = parsed->Find("copy")) {
        intent.copy = ParseCopy(*copy);
        if (!intent.copy) return std::nullopt;
    }
    return intent;
}

}  // namespace

std::string DigestOfDocument(const std::optional<std::string>& text) {
    return text ? DigestOf(*text).Text() : "absent";
}

std::optional<ChangeIntent> IntentFile::Find() const {
    if (folder_.empty()) {
        Buffer text;
        const auto found = GetDocument(*store_, kIntentKey, text);
        const std::string_view document = std::as_const(text).span().text();
        if (!found.ok() || !*found || document == written_) return std::nullopt;
        return Parse(std::string(document), folder_);
    }
    const auto [beside, inside] = PathsFor(folder_);
    for (const std::string& path : {beside, inside}) {
        // A stranger may write such a file, too.
        if (!IsOwnFileOrOfOwnerOf(path, folder_)) continue;
        const std::string text = SmallFile(path, LimitOf(Limit::kMetadataSize));
        if (text == written_) return std::nullopt;
        if (auto intent = Parse(text, folder_)) return intent;
    }
    return std::nullopt;
}

Status IntentFile::Write(const ChangeIntent& intent) {
    std::string text = intent.IsEmpty() ? std::string() : TextOf(intent, folder_);
    if (!folder_.empty())
        ZARR_RETURN_IF_ERROR(WriteFiles(text));
    else if (text.empty())
        ZARR_RETURN_IF_ERROR(store_->Erase(kIntentKey));
    else
        ZARR_RETURN_IF_ERROR(store_->Set(kIntentKey, ByteSpan(std::string_view(text))));
    written_ = std::move(text);
    return {};
}

Status IntentFile::WriteFiles(const std::string& text) {
    if (text.empty()) {
        RemoveIntent(folder_);
        return {};
    }
    const auto [beside, inside] = PathsFor(folder_);
    // Staging files are in the store, where the next writer lists few files to find one that a
    // killed writer left.
    abandoned_.RemoveInFolderOf(inside);
    const auto replace = [&, &own = inside](const std::string& path) {
        return ReplaceFile(path, {ByteSpan(std::string_view(text))}, {}, own).error;
    };
    const int error = replace(beside);
    if (error != 0 && replace(inside) != 0)
        return Status::Io(beside + ": cannot write what is about to change: " +
                          std::generic_category().message(error));
    // Find() looks beside the store first, where an older text may tell of a change that has ended.
    if (error != 0) RemoveFile(beside);
    return {};
}

void RemoveIntent(const std::string& store) {
    const auto [beside, inside] = PathsFor(store);
    for (const std::string& path : {beside, inside}) RemoveFile(path);
}

}  // namespace zarr
