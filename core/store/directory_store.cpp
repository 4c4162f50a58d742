// SPDX-License-Identifier: MIT
#include "core/store/directory_store.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/store/keys.h"
#include "core/store/local_file.h"

namespace zarr {

namespace fs = std::filesystem;

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Status ErrnoStatus(const std::string& key, const char* what, int error) {
    const std::string message = key + ": " + what + ": " + std::generic_category().message(error);
    return error == EACCES || error == EPERM ? Status::Permission(message) : Status::Io(message);
}

Status CodeStatus(const std::string& key, const char* what, const std::error_code& error) {
    return ErrnoStatus(key, what, error.value());
}

bool IsAbsence(int error) { return error == ENOENT || error == ENOTDIR; }

// The file of a key; one that is not open where there is none.
Result<LocalFile> Open(const std::string& path, const std::string& key) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    LocalFile file;
    const int error = file.Open(path);
    if (error == 0 || IsAbsence(error)) return file;
    if (error == EISDIR) return ErrnoStatus(key, "cannot read", error);
    // To open a pipe waits, perhaps for ever.
    if (error == ENODEV)
        return Status::Io(key +
                          ": is not a regular file (a pipe, a socket or a device), and not read");
    return ErrnoStatus(key, "cannot open", error);
}

Status ReadAt(const LocalFile& file, const std::string& key, std::uint64_t offset,
              MutableByteSpan memory) {
    const int error = file.ReadAt(offset, memory);
    return error == 0 ? Status() : ErrnoStatus(key, "cannot read", error);
}

// Makes a new file beside `path` that no other writer, of this process or another, has.
File CreateBeside(const fs::path& path, fs::path& temporary) {
    static std::atomic<unsigned> counter{0};
    for (;;) {
        temporary = path.string() + "." + std::to_string(counter++) + ".partial";
        File file(std::fopen(temporary.string().c_str(), "wbx"));
        if (file != nullptr || errno != EEXIST) return file;
    }
}

}  // namespace

DirectoryStore::DirectoryStore(std::string folder) : folder_(std::move(folder)) {}

ObjectVersion DirectoryStore::VersionOf(const std::string& key) const {
    ObjectVersion version;
    const std::string path = PathOf(key);
    std::error_code error;
    const auto modified = fs::last_write_time(path, error);
    version.is_certain = IsAbsence(error.value());
    if (error || !fs::is_regular_file(path, error)) return version;
    version.size = fs::file_size(path, error);
    version.exists = !error;
    version.modified =
        std::chrono::duration_cast<std::chrono::nanoseconds>(modified.time_since_epoch()).count();
    version.is_certain = fs::file_time_type::clock::now() - modified > std::chrono::seconds(2);
    return version;
}

Result<ReadResult> DirectoryStore::Read(const std::string& key, const ValuePart& part,
                                        const ReadSink& sink) const {
    ReadResult read;
    if (part.is_whole()) read.version = VersionOf(key);
    ZARR_ASSIGN_OR_RETURN(const LocalFile file, Open(PathOf(key), key));
    read.found = file.is_open();
    if (!read.found) return read;
    read.size = file.size();
    ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of(key, file.size()));
    ZARR_ASSIGN_OR_RETURN(const auto memory, sink.Reserve(extent.size).WithContext(key));
    if (memory) ZARR_RETURN_IF_ERROR(ReadAt(file, key, extent.offset, *memory));
    return read;
}

bool DirectoryStore::WaitsForDisk(const std::string& key) const {
    LocalFile file;
    return CheckKey(key).ok() && file.Open(PathOf(key)) == 0 && file.WaitsForDisk(file.size() / 2);
}

Status DirectoryStore::WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    const fs::path path(PathOf(key));
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return CodeStatus(key, "cannot make its folder", error);
    fs::path temporary;
    File file = CreateBeside(path, temporary);
    if (file == nullptr) return ErrnoStatus(key, "cannot create", errno);
    bool written = std::all_of(parts.begin(), parts.end(), [&](const ByteSpan& part) {
        return part.size == 0 || std::fwrite(part.data, 1, part.size, file.get()) == part.size;
    });
    written = std::fclose(file.release()) == 0 && written;
    const int write_error = errno;
    if (written) {
        fs::rename(temporary, path, error);
        if (!error) return {};
    }
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return written ? CodeStatus(key, "cannot replace", error)
                   : ErrnoStatus(key, "cannot write", write_error);
}

Status DirectoryStore::Remove(const std::string& key) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    std::error_code error;
    fs::remove(PathOf(key), error);
    if (!error || IsAbsence(error.value())) return {};
    return CodeStatus(key, "cannot remove", error);
}

Result<bool> DirectoryStore::RemovePrefix(const std::string& prefix) {
    ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    const std::string path = PathOf(prefix);
    std::error_code error;
    // A link to a file is a key.
    if (!fs::is_directory(path, error)) return false;
    const bool is_link = fs::is_symlink(fs::symlink_status(path, error));
    if (!is_link && !fs::is_empty(path, error)) {
        if (!error || IsAbsence(error.value())) return false;
        return CodeStatus(prefix, "cannot look into", error);
    }
    fs::remove(path, error);
    if (!error) return true;
    if (error == std::errc::directory_not_empty || error == std::errc::file_exists)
        return false;  // a key has come meanwhile
    return CodeStatus(prefix, "cannot remove", error);
}

Result<bool> DirectoryStore::MovePrefix(const std::string& from, const std::string& to) {
    ZARR_RETURN_IF_ERROR(CheckKey(from));
    ZARR_RETURN_IF_ERROR(CheckKey(to));
    std::error_code error;
    if (fs::exists(fs::symlink_status(PathOf(to), error)))
        return Status::Invalid(to + ": is there already");
    fs::create_directories(fs::path(PathOf(to)).parent_path(), error);
    if (error) return CodeStatus(to, "cannot make its folder", error);
    fs::rename(PathOf(from), PathOf(to), error);
    if (error == std::errc::cross_device_link) return false;
    if (error) return CodeStatus(from, "cannot rename", error);
    return true;
}

Result<std::vector<StoreEntry>> DirectoryStore::List(const std::string& prefix) const {
    if (!prefix.empty()) ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    std::vector<StoreEntry> entries;
    std::error_code error;
    fs::directory_iterator it(prefix.empty() ? folder_ : PathOf(prefix), error);
    if (error) {
        if (IsAbsence(error.value())) return entries;
        return CodeStatus(prefix, "cannot list", error);
    }
    for (; it != fs::directory_iterator(); it.increment(error)) {
        std::error_code ignored;
        entries.push_back({it->path().filename().string(), it->is_directory(ignored)});
    }
    if (error) return CodeStatus(prefix, "cannot list", error);
    std::sort(entries.begin(), entries.end(),
              [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; });
    return entries;
}

}  // namespace zarr
