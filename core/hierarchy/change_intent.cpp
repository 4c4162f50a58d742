// SPDX-License-Identifier: MIT
#include "core/hierarchy/change_intent.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "core/base/bytes.h"
#include "core/json/value.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "core/store/process_lock.h"

namespace zarr {

namespace {

namespace fs = std::filesystem;

// Ends the name of a file that is being written, which a killed writer leaves.
constexpr char kStaging[] = ".partial";

// Returns the two paths that the file may have, the usual one first.
std::pair<std::string, std::string> PathsFor(const std::string& store) {
    std::error_code error;
    const fs::path real = fs::canonical(store, error);
    const std::string folder = error ? store : real.string();
    return {folder + ".intent", folder + "/.intent"};
}

// Returns the contents of a file; empty if the file cannot be read.
std::string Contents(const std::string& path) {
    LocalFile file;
    if (file.Open(path) != 0) return {};
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
    return file.ReadAt(0, {bytes, text.size()}) == 0 ? text : std::string();
}

bool Exists(const std::string& path) {
    std::error_code error;
    return fs::exists(path, error);
}

// Replaces a file in one step. Returns 0 or an errno.
int Replace(const std::string& path, const std::string& text) {
    const std::string staging = path + kStaging;
    std::FILE* const file = std::fopen(staging.c_str(), "wb");
    if (file == nullptr) return errno;
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    int error = is_written ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    if (error == 0 && std::rename(staging.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) RemoveFile(staging);
    return error;
}

// Names the folder itself, so that a store that replaces another one does not get its intent.
std::string NumberOf(const std::string& store) { return FileIdentity(store).value_or(""); }

std::string TextOf(const ChangeIntent& intent, const std::string& store) {
    json::Array groups;
    for (const std::string& group : intent.consolidated) groups.emplace_back(group);
    json::Object documents;
    for (const auto& [key, text] : intent.documents)
        documents.emplace_back(key, text ? json::Value(*text) : json::Value());
    return json::Dump(json::Value(json::Object{{"store", json::Value(NumberOf(store))},
                                               {"consolidated", json::Value(std::move(groups))},
                                               {"documents", json::Value(std::move(documents))}}));
}

// Returns nullopt if `text` is no intent of `store`.
std::optional<ChangeIntent> Parse(const std::string& text, const std::string& store) {
    const auto parsed = json::Parse(text);
    if (!parsed.ok()) return std::nullopt;
    const json::Value* const number = parsed->Find("store");
    const json::Value* const groups = parsed->Find("consolidated");
    const json::Value* const documents = parsed->Find("documents");
    if (number == nullptr || number->as_string() == nullptr || groups == nullptr ||
        groups->as_array() == nullptr || documents == nullptr ||
        documents->as_object() == nullptr || *number->as_string() != NumberOf(store))
        return std::nullopt;
    ChangeIntent intent;
    for (const json::Value& group : *groups->as_array()) {
        if (group.as_string() == nullptr || !NormalizePath(*group.as_string()).ok())
            return std::nullopt;
        intent.consolidated.insert(*group.as_string());
    }
    for (const auto& [key, document] : *documents->as_object()) {
        if (!CheckKey(key).ok()) return std::nullopt;
        const std::string* const before = document.as_string();
        intent.documents[key] = before != nullptr ? std::optional(*before) : std::nullopt;
    }
    return intent;
}

}  // namespace

bool IntentFile::MayExist() const {
    const auto [beside, inside] = PathsFor(store_);
    return (Exists(beside) || Exists(inside)) && Find().ok() && Find()->has_value();
}

Result<std::optional<ChangeIntent>> IntentFile::Find() const {
    const auto [beside, inside] = PathsFor(store_);
    for (const std::string& path : {beside, inside}) {
        if (!Exists(path)) continue;
        const std::string text = Contents(path);
        if (text == written_) return std::optional<ChangeIntent>();
        return Parse(text, store_);
    }
    return std::optional<ChangeIntent>();
}

Status IntentFile::Write(const ChangeIntent& intent) {
    const auto [beside, inside] = PathsFor(store_);
    if (intent.IsEmpty()) {
        written_.clear();
        RemoveIntent(store_);
        return {};
    }
    std::string text = TextOf(intent, store_);
    int error = Replace(beside, text);
    if (error == EACCES || error == EPERM || error == EROFS) error = Replace(inside, text);
    if (error != 0)
        return Status::Io(beside + ": cannot write what is about to change: " +
                          std::generic_category().message(error));
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
