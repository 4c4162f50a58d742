// SPDX-License-Identifier: MIT
#include "core/store/directory_store.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "core/base/files.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"

namespace zarr {

namespace fs = std::filesystem;

namespace {

Status ErrnoStatus(const std::string& key, const char* what, int error) {
    const std::string message =
        (key.empty() ? "" : key + ": ") + what + ": " + std::generic_category().message(error);
    return error == EACCES || error == EPERM ? Status::Permission(message) : Status::Io(message);
}

bool IsAbsence(int error) { return error == ENOENT || error == ENOTDIR; }

// True if a file or a link exists at `path`, even an unreadable file or a link without target.
bool IsSeen(const std::string& path) {
    const auto state = StateAtLink(path);
    return state && state->type != FileType::kFolder;
}

// Opens the file of a key. The result is not open if the key is absent.
Result<LocalFile> Open(const std::string& path, const std::string& key) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    LocalFile file;
    int error = file.Open(path);
    if (IsAbsence(error)) {
        if (!IsSeen(path)) return file;
        // The file is opened again, because another process may have written it after the first
        // attempt.
        error = file.Open(path);
        if (error != 0 && !IsSeen(path)) return file;
        if (error != 0) return ErrnoStatus(key, "exists, but cannot be opened", error);
    }
    // ENODEV means that the path is not a regular file but, for example, a pipe. Opening a pipe
    // could wait forever.
    if (error == ENODEV)
        return Status::Io(key +
                          ": is not a regular file (a pipe, a socket or a device), and not read");
    if (error != 0) return ErrnoStatus(key, "cannot open", error);
    return file;
}

// True if the file system's clock has advanced since the time `modified` (in nanoseconds). A change
// of the file from now on gets another modification time.
bool IsSettled(std::int64_t modified) {
    using std::chrono::duration_cast;
    using std::chrono::nanoseconds;
    constexpr std::int64_t kSecond = 1'000'000'000;
    const bool whole_seconds = modified % kSecond == 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return duration_cast<nanoseconds>(now).count() - modified >
           (whole_seconds ? 2 * kSecond : kSecond / 10);
}

// True if the entry at `path` is a folder, or a link without target. Fails if the type cannot be
// read, because skipping a folder would hide its contents.
Result<bool> IsFolder(const std::string& path, EntryType type, const std::string& key) {
    if (type != EntryType::kUnknown) return type == EntryType::kFolder;
    if (const auto state = StateAt(path)) return state->type == FileType::kFolder;
    const int error = errno;
    if (!IsAbsence(error)) return ErrnoStatus(key, "cannot read its file type", error);
    return true;
}

ObjectVersion VersionOfAbsent() {
    ObjectVersion version;
    version.is_certain = true;
    return version;
}

// True if `text` is the path of a link to a folder that contains the link, such as a link to `/`.
// Following such a link would list the link's own parents again.
bool HasCycle(const std::string& text) {
    const fs::path path = fs::u8path(text);
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    if (error) return false;
    const fs::path here = fs::canonical(path.parent_path(), error);
    if (error) return false;
    return std::mismatch(target.begin(), target.end(), here.begin(), here.end()).first ==
           target.end();
}

bool PathExists(const std::string& path) { return StateAt(path).has_value(); }

// Creates the folder `path` and its parents. Returns 0 or an errno. Succeeds if another process
// creates a folder at the same time.
int MakeFolders(const std::string& path) {
    if (path.empty() || PathExists(path)) return 0;
    const std::string parent = fs::u8path(path).parent_path().generic_u8string();
    if (parent == path) return ENOENT;  // a drive that does not exist
    if (const int error = MakeFolders(parent); error != 0) return error;
    const int error = MakeFolder(path);
    return error == EEXIST ? 0 : error;
}

}  // namespace

ObjectVersion VersionOfFile(std::uint64_t size, std::int64_t modified, std::uint64_t number) {
    ObjectVersion version;
    version.exists = true;
    version.size = size;
    version.modified = modified;
    version.mark = number;
    version.is_certain = IsSettled(modified);
    return version;
}

std::string DirectoryStore::Identity() const {
    return real_path_.Get([this] {
        if (std::string real = RealPath(folder_); !real.empty()) return real;
        std::error_code error;
        fs::path path = fs::weakly_canonical(fs::u8path(folder_), error);
        if (error) path = fs::absolute(fs::u8path(folder_), error);
        return error ? folder_ : path.generic_u8string();
    });
}

ObjectVersion DirectoryStore::VersionOf(const std::string& key) const {
    const auto state = StateAt(PathOf(key));
    if (!state) return errno == ENOENT || errno == ENOTDIR ? VersionOfAbsent() : ObjectVersion();
    if (state->type == FileType::kFolder) return VersionOfAbsent();
    return VersionOfFile(state->size, state->modified, state->number);
}

ObjectVersion DirectoryStore::VersionOfFolder(const std::string& prefix) const {
    const auto state = StateAt(PathOf(prefix));
    if (!state || state->type != FileType::kFolder) return {};
    return VersionOfFile(0, state->modified, state->number);
}

Result<ReadResult> DirectoryStore::Read(const std::string& key, const ValuePart& part,
                                        const ReadSink& sink) const {
    ReadResult read{false, 0, VersionOfAbsent()};
    ZARR_ASSIGN_OR_RETURN(const LocalFile file, Open(PathOf(key), key));
    if (!file.is_open()) return read;
    read.found = true;
    read.size = file.size();
    read.version = VersionOfFile(file.size(), file.modified(), file.number());
    ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of(key, file.size()));
    ZARR_ASSIGN_OR_RETURN(const auto memory, sink.Reserve(extent.size).WithContext(key));
    if (!memory || memory->size == 0) return read;
    if (const int error = file.ReadAt(extent.offset, *memory); error != 0)
        return ErrnoStatus(key, "cannot read", error);
    return read;
}

bool DirectoryStore::WaitsForDisk(const std::string& key) const {
    LocalFile file;
    return CheckKey(key).ok() && file.Open(PathOf(key)) == 0 && file.WaitsForDisk(file.size() / 2);
}

Result<std::vector<StoreEntry>> DirectoryStore::List(const std::string& prefix) const {
    std::vector<StoreEntry> entries;
    const auto add = [&](const StoreEntry& entry) {
        entries.push_back(entry);
        return true;
    };
    ZARR_RETURN_IF_ERROR(VisitEntries(prefix, add));
    std::sort(entries.begin(), entries.end(),
              [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; });
    return entries;
}

Status DirectoryStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    if (!prefix.empty()) ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    const std::string folder = prefix.empty() ? folder_ : PathOf(prefix);
    Status failure;
    const int error = VisitFolder(folder, [&](const std::string& name, EntryType type) {
        const std::string path = JoinKey(folder, name);
        const Result<bool> is_folder = IsFolder(path, type, JoinKey(prefix, name));
        failure = is_folder.status();
        if (!failure.ok()) return false;
        const bool is_round = *is_folder && type == EntryType::kUnknown && HasCycle(path);
        return is_round || visit({name, *is_folder});
    });
    if (error != 0 && !IsAbsence(error)) return ErrnoStatus(prefix, "cannot list", error);
    return failure;
}

Status DirectoryStore::WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    const std::string path = PathOf(key);
    abandoned_.RemoveInFolderOf(path);
    const FileReplacement replacement = ReplaceFile(path, parts, [&] {
        return PathExists(folder_) ? MakeFolders(path.substr(0, path.rfind('/'))) : ENOENT;
    });
    if (replacement.failed == nullptr) return {};
    return ErrnoStatus(key, replacement.failed, replacement.error);
}

Status DirectoryStore::Remove(const std::string& key) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    const int error = RemoveFile(PathOf(key));
    return error == 0 || IsAbsence(error) ? Status() : ErrnoStatus(key, "cannot remove", error);
}

Result<bool> DirectoryStore::RemovePrefix(const std::string& prefix) {
    ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    const fs::path path = fs::u8path(PathOf(prefix));
    std::error_code error;
    // Only an empty folder or a link to a folder is removed. A link to a file is a key and stays.
    // remove() fails for a folder that is not empty.
    return fs::is_directory(path, error) && fs::remove(path, error);
}

Result<bool> DirectoryStore::MovePrefix(const std::string& from, const std::string& to) {
    ZARR_RETURN_IF_ERROR(CheckKey(from));
    ZARR_RETURN_IF_ERROR(CheckKey(to));
    const std::string target = PathOf(to);
    if (PathExists(target)) return Status::Invalid(to + ": already exists");
    if (!PathExists(PathOf(from))) return ErrnoStatus(from, "cannot rename", ENOENT);
    if (const int error = MakeFolders(target.substr(0, target.rfind('/'))); error != 0)
        return ErrnoStatus(to, "cannot create its folder", error);
    return RenamePath(PathOf(from), target) == 0;
}

}  // namespace zarr
