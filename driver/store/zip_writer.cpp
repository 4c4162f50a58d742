// SPDX-License-Identifier: MIT
#include "driver/store/zip_writer.h"

#include <cpl_string.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/store/keys.h"
#include "driver/base/report.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kPrefix = "/vsizip/";

Status CannotWrite(const std::string& key) {
    const std::string detail = QuietErrors::Message();
    return Status::Io(key + ": cannot write into the zip file" +
                      (detail.empty() ? "" : ": " + detail));
}

// Of the zip file that a folder is in, whatever that is called.
std::string RootOf(const std::string& folder) {
    return std::string(kPrefix) + "{" + ArchiveOf(folder).value_or("") + "}";
}

bool IsMetadata(std::string_view key) { return zarr::IsLikeDocument(zarr::LastName(key)); }

}  // namespace

std::optional<std::string> ArchiveOf(const std::string& path) {
    if (!STARTS_WITH_CI(path.c_str(), kPrefix)) return std::nullopt;
    const std::string inner = path.substr(std::strlen(kPrefix));
    if (!inner.empty() && inner[0] == '{') {  // /vsizip/{archive}/member
        const std::size_t end = inner.find('}');
        return end == std::string::npos ? inner : inner.substr(1, end - 1);
    }
    const CPLString lower = CPLString(inner).tolower();
    for (std::size_t at = lower.find(".zip"); at != std::string::npos;
         at = lower.find(".zip", at + 1))
        if (at + 4 == lower.size() || lower[at + 4] == '/') return inner.substr(0, at + 4);
    return inner;
}

Result<std::shared_ptr<zarr::Store>> ZipWriter::Create(const std::string& folder,
                                                       StoreReplacement replacement) {
    const QuietErrors quiet;
    VSILFILE* const file = VSIFOpenL(RootOf(replacement.folder()).c_str(), "wb");
    if (file == nullptr) return CannotWrite("");
    return std::shared_ptr<zarr::Store>(new ZipWriter(folder, file, std::move(replacement)));
}

ZipWriter::~ZipWriter() {
    const QuietErrors quiet;
    if (archive_ != nullptr) VSIFCloseL(archive_);
}

Result<bool> ZipWriter::Get(const std::string& key, zarr::Buffer& value, std::size_t limit) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto held = held_.find(key);
    if (held == held_.end()) {
        if (written_.count(key) == 0) return false;
        return Status::Unsupported(key + ": cannot be read until the zip file is closed");
    }
    if (held->second.size() > limit) return zarr::ValueTooLarge(key, held->second.size(), limit);
    ZARR_RETURN_IF_ERROR(value.Reset(held->second.size()).WithContext(key));
    std::copy(held->second.begin(), held->second.end(), value.span().data);
    return true;
}

Result<bool> ZipWriter::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                 zarr::Buffer& value) const {
    zarr::Buffer whole;
    ZARR_ASSIGN_OR_RETURN(const bool found, Get(key, whole, zarr::kNoLimit));
    if (!found) return false;
    const std::size_t from =
        static_cast<std::size_t>(std::min<std::uint64_t>(offset, whole.size()));
    const std::size_t size = std::min(length, whole.size() - from);
    ZARR_RETURN_IF_ERROR(value.Reset(size).WithContext(key));
    std::copy_n(whole.span().data + from, size, value.span().data);
    return true;
}

Status ZipWriter::Set(const std::string& key, zarr::ByteSpan value) {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (written_.count(key) != 0)
        return Status::Unsupported(
            key + ": a member of a zip file is written once; write whole chunks, or into a folder");
    const auto held = held_.find(key);
    const bool fits = value.size <= kSmall && held_bytes_ + value.size <= kHeld;
    if (!IsMetadata(key) && held == held_.end() && !fits) return Write(key, value);
    std::string text(value.text());
    std::string& place = held_[key];
    held_bytes_ += value.size;
    held_bytes_ -= place.size();
    place = std::move(text);
    return {};
}

Status ZipWriter::Write(const std::string& key, zarr::ByteSpan value) {
    if (archive_ == nullptr) return Status::Io(key + ": the zip file is closed");
    const QuietErrors quiet;
    const std::string path = building_folder_ + "/" + key;
    const auto member = written_.insert(key).first;
    VSILFILE* const file = VSIFOpenL(path.c_str(), "wb");
    if (file == nullptr) {
        written_.erase(member);
        return CannotWrite(key);
    }
    const bool written =
        value.size == 0 || VSIFWriteL(value.data, 1, value.size, file) == value.size;
    if (VSIFCloseL(file) == 0 && written) return {};
    is_damaged_ = true;
    return CannotWrite(key);
}

Status ZipWriter::Erase(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto held = held_.find(key);
    if (held != held_.end()) {
        held_bytes_ -= held->second.size();
        held_.erase(held);
    }
    if (written_.count(key) == 0) return {};
    return Status::Unsupported(key + ": a member of a zip file cannot be removed");
}

Status ZipWriter::Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (archive_ == nullptr) return {};
    Status status;
    for (const auto& [key, text] : held_) {
        status = Write(key, zarr::ByteSpan(std::string_view(text)));
        if (!status.ok()) break;
    }
    {
        const QuietErrors quiet;
        if (VSIFCloseL(std::exchange(archive_, nullptr)) != 0 && status.ok())
            status = CannotWrite("");
    }
    if (status.ok() && is_damaged_) return {};  // which was told when it happened
    if (status.ok()) status = CheckZip(ArchiveOf(building_folder_).value_or(""));
    if (status.ok()) status = replacement_.Commit();
    return status;
}

Result<std::vector<zarr::StoreEntry>> ZipWriter::List(const std::string& prefix) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::map<std::string, bool> names;
    const std::string start = prefix.empty() ? "" : prefix + "/";
    const auto add = [&](const std::string& key) {
        if (key.compare(0, start.size(), start) != 0) return;
        const std::size_t end = key.find('/', start.size());
        names[key.substr(start.size(), end - start.size())] |= end != std::string::npos;
    };
    for (const auto& [key, text] : held_) add(key);
    for (const std::string& key : written_) add(key);
    std::vector<zarr::StoreEntry> entries;
    entries.reserve(names.size());
    for (const auto& [name, is_prefix] : names) entries.push_back({name, is_prefix});
    return entries;
}

}  // namespace zarr_driver
