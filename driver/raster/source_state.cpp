// SPDX-License-Identifier: MIT
#include "driver/raster/source_state.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <memory>

#include "core/json/value.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

namespace {

// True if the file under `key` is a chunk, not a metadata document, "pam.aux.xml" or an unfinished
// file of a writer.
bool IsChunk(std::string_view key) {
    constexpr std::string_view kUnfinished = ".partial";
    const std::string_view name = zarr::LastName(key);
    return !zarr::LooksLikeDocument(name) && name != "pam.aux.xml" &&
           (name.size() < kUnfinished.size() ||
            name.substr(name.size() - kUnfinished.size()) != kUnfinished);
}

std::int64_t TimeOf(const std::string& path) {
    VSIStatBufL stat;
    return VSIStatL(path.c_str(), &stat) == 0 ? zarr::ModificationTime(stat)
                                              : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

void SourceState::AddContents(const std::string& key, std::uint64_t size, std::uint64_t digest) {
    chunks_ += zarr::DigestOf(key).Add(size).Add(digest).Summand();
}

void SourceState::AddTime(const std::string& key, std::int64_t time) {
    has_times_ = true;
    times_ += zarr::DigestOf(key).Add(static_cast<std::uint64_t>(time)).Summand();
    AddTime(time);
}

void SourceState::AddTime(std::int64_t time) {
    newest_chunk_ = std::max(newest_chunk_, time);
    oldest_chunk_ = std::min(oldest_chunk_, time);
}

// Adds sizes and checksums of the chunks in a zip file to the state. Reads only the zip file's
// directory, which is in memory.
void SourceState::AddZip(const std::string& archive, const zarr::Array& array) {
    const zarr::Store& store = *array.store();
    const auto add = [&](std::string_view name, const std::optional<zarr::ObjectVersion>& version) {
        if (!IsChunk(name) || !version) return;
        if (is_like_folder_)
            AddContents(std::string(name), version->size, 0);
        else
            AddContents(zarr::JoinKey(array.path(), name), version->size,
                        static_cast<std::uint64_t>(version->modified));
    };
    const zarr::Status status = store.ForEachKey(array.path(), add, {});
    has_chunks_ = status.ok();
    newest_document_ = TimeOf(archive);
    AddTime(newest_document_);
}

void SourceState::AddMemory(const std::string& folder) {
    const CPLStringList names(VSIReadDirRecursive(folder.c_str()));
    for (int i = 0; i < names.size(); ++i) {
        const char* const name = names[i];
        vsi_l_offset size = 0;
        const std::string path = folder + "/" + name;
        const GByte* const bytes = VSIGetMemFileBuffer(path.c_str(), &size, FALSE);
        if (bytes == nullptr || !IsChunk(name)) continue;
        const std::string_view contents(reinterpret_cast<const char*>(bytes),
                                        static_cast<std::size_t>(size));
        AddContents(name, size, zarr::DigestOf(contents).value());
        AddTime(TimeOf(path));
    }
}

void SourceState::AddFolder(const std::string& folder, const zarr::Array& array) {
    if (array.chunk_count() > kMaxInspectedChunks) return AddTime("", TimeOf(folder));
    const auto store = OpenFolder(folder);
    bool are_known = true;
    const auto add = [&](std::string_view name, const std::optional<zarr::ObjectVersion>& version) {
        if (!IsChunk(name)) return;
        are_known = are_known && version;
        if (!version) return;
        const std::string key(name);
        AddContents(key, version->size, 0);
        AddTime(key, version->modified);
    };
    const zarr::Status status = store->ForEachKey("", add, {});
    has_chunks_ = has_chunks_ && status.ok() && are_known;
}

void SourceState::Add(const StoreAddress& store, const zarr::Array& array) {
    documents_.Add(array.path()).Add(zarr::MetadataText(array.metadata()));
    if (!store.archive.empty()) {
        if (VSIIsLocal(store.archive.c_str())) AddZip(store.archive, array);
        return;
    }
    const std::string& store_path = store;
    if (!VSIIsLocal(store_path.c_str())) return;
    const std::string folder = array.path().empty() ? store_path : store_path + "/" + array.path();
    has_chunks_ = true;
    VSIStatBufL stat;
    if (VSIStatL(folder.c_str(), &stat) == 0) folder_id_ = static_cast<std::uint64_t>(stat.st_ino);
    newest_document_ = std::max(
        newest_document_,
        TimeOf(zarr::DocumentKey(folder, zarr::Document::kArray, array.metadata().format)));
    if (STARTS_WITH(store_path.c_str(), "/vsimem/"))
        AddMemory(folder);
    else
        AddFolder(folder, array);
}

std::string SourceState::Text() const {
    std::string text = documents_.Text();
    if (has_chunks_) text += ":" + zarr::Digest().Add(chunks_).Text();
    if (has_chunks_ && has_times_) text += ":" + zarr::Digest().Add(times_).Text();
    return text;
}

bool SourceState::Matches(const std::string& text, std::optional<std::int64_t> written) const {
    const std::size_t one = zarr::Digest().Text().size();
    const std::size_t without_times = 2 * one + 1;
    const std::string own = Text();
    const std::size_t common = std::min({own.size(), text.size(), without_times});
    if (common < one || own.compare(0, common, text, 0, common) != 0) return false;
    const bool have_times = own.size() > without_times && text.size() > without_times;
    return !have_times || own == text || (written && newest_chunk_ <= *written);
}

bool SourceState::MayBeReplacedSince(std::int64_t written, const std::string& documents) const {
    if (newest_document_ <= written) return false;
    return documents != Documents() || oldest_chunk_ > written;
}

}  // namespace zarr_driver
