// SPDX-License-Identifier: MIT
#include "core/hierarchy/change_intent.h"

#include <cerrno>
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

// Ends the name of a file that is being written, which a killed writer leaves.
constexpr char kStaging[] = ".partial";

// Returns the two paths that the file may have, the usual one first.
std::pair<std::string, std::string> PathsFor(const std::string& store) {
    std::error_code error;
    const fs::path real = fs::canonical(fs::u8path(store), error);
    const std::string folder = error ? store : real.generic_u8string();
    return {folder + ".intent", folder + "/.intent"};
}

// Replaces a file in one step. Returns 0 or an errno. The staging file has a fixed name, so that
// one that a killed writer has left is removed, and a link that a stranger has left is not
// followed.
int Replace(const std::string& path, const std::string& text) {
    const std::string staging = path + kStaging;
    RemoveFile(staging);
    const int file = OpenDescriptor(staging, OpenAs::kNew);
    if (file < 0) return errno;
    int error = WriteDescriptor(file, {ByteSpan(text)});
    const int not_closed = CloseDescriptor(file);
    if (error == 0) error = not_closed;
    if (error == 0) error = RenamePath(staging, path);
    if (error != 0) RemoveFile(staging);
    return error;
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
    return json::Dump(json::Value(json::Object{{"store", json::Value(FolderIdentity(store))},
                                               {"consolidated", json::Value(std::move(groups))},
                                               {"documents", json::Value(std::move(documents))},
                                               {"nodes", json::Value(std::move(nodes))}}));
}

std::optional<std::string> OptionalText(const json::Value& value) {
    const std::string* const text = value.as_string();
    return text != nullptr ? std::optional(*text) : std::nullopt;
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
    return intent;
}

}  // namespace

std::string DigestOfDocument(const std::optional<std::string>& text) {
    return text ? DigestOf(*text).Text() : "absent";
}

std::optional<ChangeIntent> IntentFile::Find() const {
    const auto [beside, inside] = PathsFor(store_);
    for (const std::string& path : {beside, inside}) {
        // A stranger may write such a file, too.
        if (!IsOwnFileOrOfOwnerOf(path, store_)) continue;
        const std::string text = SmallFile(path, LimitOf(Limit::kMetadataSize));
        if (text == written_) return std::nullopt;
        if (auto intent = Parse(text, store_)) return intent;
    }
    return std::nullopt;
}

bool IntentFile::HasUnfinished() const {
    const auto [beside, inside] = PathsFor(store_);
    return StateAtLink(beside + kStaging) || StateAtLink(inside + kStaging);
}

void IntentFile::RemoveUnfinished() const {
    const auto [beside, inside] = PathsFor(store_);
    for (const std::string& path : {beside, inside}) RemoveFile(path + kStaging);
}

Status IntentFile::Write(const ChangeIntent& intent) {
    const auto [beside, inside] = PathsFor(store_);
    if (intent.IsEmpty()) {
        written_.clear();
        RemoveIntent(store_);
        return {};
    }
    std::string text = TextOf(intent, store_);
    const int error = Replace(beside, text);
    if (error != 0 && Replace(inside, text) != 0)
        return Status::Io(beside + ": cannot write what is about to change: " +
                          std::generic_category().message(error));
    // Find() looks beside the store first, where an older text may tell of a change that has ended.
    if (error != 0) RemoveFile(beside);
    written_ = std::move(text);
    return {};
}

void RemoveIntent(const std::string& store) {
    const auto [beside, inside] = PathsFor(store);
    for (const std::string& path : {beside, inside}) {
        RemoveFile(path);
        RemoveFile(path + kStaging);
    }
}

}  // namespace zarr
