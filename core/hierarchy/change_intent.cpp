// SPDX-License-Identifier: MIT
#include "core/hierarchy/change_intent.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <random>
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

// An intent as it is stored.
struct StoredIntent {
    ChangeIntent intent;
    std::string id;     // differs between all intents; empty in older ones
    std::string ended;  // DigestOfDocument() of the text beside the store that counts no more
};

std::string TextOf(const StoredIntent& stored, const std::string& store) {
    const ChangeIntent& intent = stored.intent;
    json::Array groups;
    for (const std::string& group : intent.consolidated) groups.emplace_back(group);
    json::Object documents;
    for (const auto& [key, document] : intent.documents) {
        json::Array shapes;
        for (const std::string& shape : document.shapes) shapes.emplace_back(shape);
        documents.emplace_back(
            key,
            json::Value(json::Array{Nullable(document.before), json::Value(document.after),
                                    json::Value(document.folder), json::Value(std::move(shapes))}));
    }
    json::Object nodes;
    for (const auto& [path, text] : intent.nodes) nodes.emplace_back(path, Nullable(text));
    json::Object members{{"store", json::Value(FolderIdentity(store))},
                         {"consolidated", json::Value(std::move(groups))},
                         {"documents", json::Value(std::move(documents))},
                         {"nodes", json::Value(std::move(nodes))},
                         {"id", json::Value(stored.id)}};
    if (!stored.ended.empty()) members.emplace_back("ended", json::Value(stored.ended));
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

// Returns nullopt if `value` is no document of an intent.
std::optional<ChangeIntent::Document> ParseIntentDocument(const json::Value& value) {
    const json::Array* const parts = value.as_array();
    // Older intents have two parts.
    if (parts == nullptr || (parts->size() != 2 && parts->size() != 4) ||
        (*parts)[1].as_string() == nullptr)
        return std::nullopt;
    ChangeIntent::Document document;
    document.before = OptionalText((*parts)[0]);
    document.after = *(*parts)[1].as_string();
    if (parts->size() == 2) return document;
    const json::Array* const shapes = (*parts)[3].as_array();
    if ((*parts)[2].as_string() == nullptr || shapes == nullptr) return std::nullopt;
    document.folder = *(*parts)[2].as_string();
    for (const json::Value& shape : *shapes)
        document.shapes.insert(OptionalText(shape).value_or(""));
    return document;
}

std::string TextOfMember(const json::Value& object, const char* name) {
    const json::Value* const member = object.Find(name);
    return member != nullptr ? OptionalText(*member).value_or("") : "";
}

// Returns nullopt if `text` is no intent of `store`.
std::optional<StoredIntent> ParseStored(const std::string& text, const std::string& store) {
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
    StoredIntent stored;
    ChangeIntent& intent = stored.intent;
    for (const json::Value& group : *groups->as_array()) {
        if (group.as_string() == nullptr || !NormalizePath(*group.as_string()).ok())
            return std::nullopt;
        intent.consolidated.insert(*group.as_string());
    }
    for (const auto& [key, document] : *documents) {
        auto read = ParseIntentDocument(document);
        if (!CheckKey(key).ok() || !IsDocument(LastName(key)) || !read) return std::nullopt;
        intent.documents[key] = std::move(*read);
    }
    for (const auto& [path, before] : *nodes) {
        if (path.empty() || !CheckKey(path).ok()) return std::nullopt;
        intent.nodes[path] = OptionalText(before);
    }
    if (const json::Value* const copy = parsed->Find("copy")) {
        intent.copy = ParseCopy(*copy);
        if (!intent.copy) return std::nullopt;
    }
    stored.id = TextOfMember(*parsed, "id");
    stored.ended = TextOfMember(*parsed, "ended");
    return stored;
}

std::string IntentFileText(const std::string& path) {
    return SmallFile(path, LimitOf(Limit::kMetadataSize));
}

// True if a writer may find an intent of `store` in `text`.
bool HoldsIntent(const std::string& text, const std::string& store) {
    const auto stored = ParseStored(text, store);
    return stored && !stored->intent.IsEmpty();
}

// Empties the file at `path`, unless something else than an intent of `store` is there by now.
bool EmptyIntentFile(const std::string& path, const std::string& store) {
    const int descriptor = OpenDescriptor(path, OpenAs::kUpdateNoLink);
    if (descriptor < 0) return false;
    const auto state = StateOf(descriptor);
    bool is_empty = false;
    if (state && state->type == FileType::kFile && state->size <= LimitOf(Limit::kMetadataSize)) {
        std::string text(static_cast<std::size_t>(state->size), '\0');
        auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
        is_empty = ReadDescriptor(descriptor, 0, {bytes, text.size()}) == 0 &&
                   ParseStored(text, store) && ResizeDescriptor(descriptor, 0) == 0;
    }
    CloseDescriptor(descriptor);
    return is_empty;
}

// Removes the file at `path`, or ends the intent there in another way. Returns false if a writer
// may still find the intent.
bool EndIntentAt(const std::string& path, const std::string& store) {
    if (RemoveFile(path) == 0 || !HoldsIntent(IntentFileText(path), store)) return true;
    return EmptyIntentFile(path, store);
}

}  // namespace

std::string DigestOfDocument(const std::optional<std::string>& text) {
    return text ? DigestOf(*text).Text() : "absent";
}

std::optional<ChangeIntent> IntentFile::Find() const {
    if (folder_.empty()) {
        Buffer text;
        const auto found = GetDocument(*store_, kIntentKey, text);
        if (!found.ok() || !*found) return std::nullopt;
        auto stored = ParseStored(std::string(std::as_const(text).span().text()), folder_);
        if (!stored || IsOwn(stored->id)) return std::nullopt;
        return std::move(stored->intent);
    }
    return FindInFiles(false);
}

std::optional<ChangeIntent::Copy> IntentFile::FindCopy() const {
    const auto [beside, inside] = PathsFor(folder_);
    // Most intents have no copy, and many documents.
    for (const std::string& path : {beside, inside}) {
        if (IntentFileText(path).find("\"copy\"") == std::string::npos) continue;
        const auto found = FindInFiles(true);
        return found ? found->copy : std::nullopt;
    }
    return std::nullopt;
}

std::optional<ChangeIntent> IntentFile::FindInFiles(bool also_own) const {
    const auto [beside, inside] = PathsFor(folder_);
    for (const std::string& path : {beside, inside}) {
        // A stranger may write such a file, too.
        if (!IsOwnFileOrOfOwnerOf(path, folder_)) continue;
        const std::string text = IntentFileText(path);
        auto stored = ParseStored(text, folder_);
        if (!stored || stored->intent.IsEmpty()) continue;
        // Whoever can write in the store can end an intent.
        if (path == beside) {
            const auto other = ParseStored(IntentFileText(inside), folder_);
            if (other && other->ended == DigestOfDocument(text)) continue;
        }
        if (!also_own && IsOwn(stored->id)) return std::nullopt;
        return std::move(stored->intent);
    }
    return std::nullopt;
}

bool IntentFile::IsOwn(const std::string& id) const {
    return !own_.empty() && id.compare(0, own_.size(), own_) == 0;
}

std::string IntentFile::NewText(const ChangeIntent& intent, const std::string& ended) {
    if (own_.empty()) {
        std::random_device random;
        for (int i = 0; i < 4; ++i) own_ += std::to_string(random()) + "-";
    }
    return TextOf({intent, own_ + std::to_string(++count_), ended}, folder_);
}

Status IntentFile::Write(const ChangeIntent& intent) {
    if (!folder_.empty()) return WriteFiles(intent);
    if (intent.IsEmpty()) return store_->Erase(kIntentKey);
    const std::string text = NewText(intent, {});
    return store_->Set(kIntentKey, ByteSpan(std::string_view(text)));
}

Status IntentFile::WriteFiles(const ChangeIntent& intent) {
    const auto [beside, inside] = PathsFor(folder_);
    const auto replace = [&, &own = inside](const std::string& path, const std::string& text) {
        return ReplaceFile(path, {ByteSpan(std::string_view(text))}, {}, own).error;
    };
    const auto failure = [](const std::string& path, const char* what, int error) {
        return Status::Io(path + ": " + what + ": " + std::generic_category().message(error));
    };
    if (intent.IsEmpty() && EndIntentAt(beside, folder_)) {
        if (EndIntentAt(inside, folder_)) return {};
        const int error = replace(inside, {});
        return error == 0 ? Status() : failure(inside, "cannot remove what has changed", error);
    }
    int error = EACCES;
    if (!intent.IsEmpty()) {
        // Staging files are in the store, where the next writer lists few files to find one that a
        // killed writer left.
        abandoned_.RemoveInFolderOf(inside);
        error = replace(beside, NewText(intent, {}));
        // An older intent must not count again once the one beside the store is removed.
        if (error == 0) EndIntentAt(inside, folder_);
        if (error == 0) return {};
    }
    const std::string left = IntentFileText(beside);
    const bool is_left = HoldsIntent(left, folder_);
    if (replace(inside, NewText(intent, is_left ? DigestOfDocument(left) : std::string())) != 0)
        return failure(
            beside, intent.IsEmpty() ? "cannot be removed" : "cannot write what is about to change",
            error);
    EndIntentAt(beside, folder_);
    return {};
}

void RemoveIntent(const std::string& store) {
    static_cast<void>(IntentFile(store, nullptr).Write({}));
}

}  // namespace zarr
