// SPDX-License-Identifier: MIT
#include "driver/transport/vsi_store.h"

#include <cpl_conv.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_virtual.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/limits.h"
#include "core/base/thread_pool.h"
#include "core/hierarchy/tree.h"
#include "core/store/directory_store.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "core/store/staging.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/http_errors.h"
#include "driver/transport/http_retry.h"
#include "driver/transport/logged_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

bool IsLocalPath(const std::string& path) {
    if (STARTS_WITH(path.c_str(), "/vsi")) return false;
    const CPLStringList prefixes(VSIGetFileSystemsPrefixes());
    for (int i = 0; i < prefixes.size(); ++i) {
        if (*prefixes[i] != '\0' && STARTS_WITH(path.c_str(), prefixes[i])) return false;
    }
    return true;
}

bool TakesNoRequests(const StorePath& path) {
    const StorePath::Kind kind = path.kind();
    return kind == StorePath::Kind::kLocal || kind == StorePath::Kind::kMemory ||
           VSIIsLocal(path.c_str());
}

namespace {

// PathExists() whose errors of GDAL are not hidden.
bool StatSucceeds(const std::string& path) {
    const auto ask = [&]() -> Result<bool> {
        VSIStatBufL stat;
        return VSIStatExL(path.c_str(), &stat, VSI_STAT_EXISTS_FLAG) == 0;
    };
    return StorePath(path).is_remote() ? *Logged("HEAD", path, {}, ask) : *ask();
}

// True if `paths` are remote. All paths must belong to one store, so only the first is examined.
bool AreOnAServer(const std::vector<std::string>& paths) {
    return !paths.empty() && !VSIIsLocal(paths.front().c_str());
}

// Calls `visit` for each of `paths`, in parallel if the paths are remote. All paths must belong to
// one store.
void ForEachTogether(const std::vector<std::string>& paths,
                     const std::function<void(const std::string&)>& visit) {
    const std::size_t at_once = AreOnAServer(paths) ? 32 : 1;
    static_cast<void>(zarr::ParallelFor(paths.size(), at_once, [&](std::size_t i) -> Status {
        const QuietErrors quiet;
        visit(paths[i]);
        return {};
    }));
}

}  // namespace

bool PathExists(const std::string& path) {
    const QuietErrors quiet;
    return StatSucceeds(path);
}

void ForgetCached(const std::string& path) {
    // GDAL looks for credentials here, too, and reports if it finds none.
    const QuietErrors quiet;
    VSICurlPartialClearCache(path.c_str());
}

void ForgetListings(const std::string& folder) {
    if (StorePath(folder).is_object_store()) ForgetCached(folder);
}

void StatInParallel(const std::vector<std::string>& paths) {
    if (paths.size() < 2 || !AreOnAServer(paths)) return;
    ForEachTogether(paths, [](const std::string& path) { static_cast<void>(PathExists(path)); });
}

void UnlinkInParallel(const std::vector<std::string>& paths) {
    ForEachTogether(paths, [](const std::string& path) { VSIUnlink(path.c_str()); });
}

// A folder that another thread or process creates at the same time counts as created.
int MakeFolder(const std::string& path) {
    VSIStatBufL stat;
    if (path.empty() || VSIStatL(path.c_str(), &stat) == 0) return 0;
    const std::string parent = CPLGetPath(path.c_str());
    if (parent.size() >= path.size()) return ENOENT;
    if (const int error = MakeFolder(parent); error != 0) return error;
    errno = 0;
    if (VSIMkdir(path.c_str(), 0755) == 0) return 0;
    const int error = errno != 0 ? errno : EIO;
    // EEXIST counts as success even if VSIStatL() fails, because VSIStatL() takes a relative folder
    // "c:" for a drive.
    return error == EEXIST || VSIStatL(path.c_str(), &stat) == 0 ? 0 : error;
}

namespace {

struct FreeList {
    void operator()(int* list) const { VSIFree(list); }
};

struct CloseDir {
    void operator()(VSIDIR* dir) const { VSICloseDir(dir); }
};

// Returns `error`, or 0 for the two values that sockets in GDAL's network code leave in errno,
// because these are no file errors.
int WithoutSocketErrors(int error) { return error == EAGAIN || error == EINPROGRESS ? 0 : error; }

Status Failure(const std::string& key, const std::string& what, int file_error) {
    const int error = WithoutSocketErrors(file_error);
    std::string message = (key.empty() ? "" : key + ": ") + what;
    const std::string detail = QuietErrors::Message();
    if (error != 0)
        message += ": " + std::generic_category().message(error);
    else if (!detail.empty())
        message += ": " + detail;
    return error == EACCES || error == EPERM ? Status::Permission(message) : Status::Io(message);
}

// True if an entry of a listing is a folder; `path` and `key` are those of the entry. Fails if GDAL
// cannot examine the entry, which may be a folder that looks like a file.
Result<bool> IsFolder(const VSIDIREntry& entry, const std::string& path, const std::string& key) {
    // Mode 0 means that GDAL failed to examine the entry.
    const bool is_known = entry.bModeKnown && entry.nMode != 0;
    if (is_known || VSI_ISDIR(entry.nMode)) return VSI_ISDIR(entry.nMode);
    if (VSI_ISREG(entry.nMode)) return false;
    VSIStatBufL stat;
    errno = 0;
    if (VSIStatExL(path.c_str(), &stat, VSI_STAT_NATURE_FLAG) == 0) return VSI_ISDIR(stat.st_mode);
    // ENOENT and ENOTDIR mean a broken link, or a folder of /vsimem/ that GDAL does not report.
    // Both count as folders.
    if (errno == ENOENT || errno == ENOTDIR) return true;
    return Failure(key, "cannot read its file type", errno);
}

// Finds errors of listings on local paths, where only errno shows that GDAL returned an empty or
// truncated listing. Finds no errors for remote paths, where errno has no meaning.
class ListingErrors {
  public:
    explicit ListingErrors(const std::string& path) : is_local_(VSIIsLocal(path.c_str())) {}

    // Sets errno to 0. Must be called before a call into GDAL.
    void ResetErrno() const { errno = 0; }
    // Returns the errno of the last call into GDAL; 0 if the call succeeded, or if only a file or
    // folder was absent.
    int LastErrno() const {
        const bool is_one = is_local_ && errno != ENOENT && errno != ENOTDIR;
        return is_one ? errno : 0;
    }

  private:
    const bool is_local_;
};

// True if a file failed to open because it is absent. Some file systems do not set errno; in this
// case a stat shows whether the file exists. A server is asked for its answer, because GDAL treats
// each failure as absence.
Result<bool> IsAbsent(const std::string& path, const std::string& key, int file_error) {
    if (!VSIIsLocal(path.c_str())) {
        ZARR_ASSIGN_OR_RETURN(const std::optional<bool> exists, AskGdal(path, key));
        if (exists) return !*exists;
    }
    const int error = WithoutSocketErrors(file_error);
    if (error == ENOENT || error == ENOTDIR) return true;
    if (error != 0) return false;
    return !PathExists(path);
}

// True if a folder failed to open because `path` is absent or is a file. If a web server lists no
// folders, its folders look like files. An object store answers 403 for an absent key to a client
// without the right to list, so that 403 counts as absence.
Result<bool> HasNoEntries(const std::string& path, const std::string& key, int file_error) {
    const Result<bool> is_absent = IsAbsent(path, key, file_error);
    if (!is_absent.ok() && is_absent.status().code() != zarr::StatusCode::kPermission)
        return is_absent.status();
    if (!is_absent.ok() || *is_absent) return true;
    VSIStatBufL stat;
    return file_error == 0 && VSIIsLocal(path.c_str()) &&
           VSIStatExL(path.c_str(), &stat, VSI_STAT_NATURE_FLAG) == 0 && VSI_ISREG(stat.st_mode);
}

// Returns an error if the listing of `path` is truncated. GDAL emits a message if an object store
// refuses a later part of a listing, but does not set errno.
Status CheckListing(const std::string& path, const std::string& prefix) {
    const bool is_whole = VSIIsLocal(path.c_str()) || QuietErrors::Message().empty();
    return is_whole ? Status() : Failure(prefix, "cannot list", 0);
}

// Returns an error if the listing of `prefix`, which a server may continue without end, has reached
// a size that `limit` does not allow.
Status CheckListed(const std::string& prefix, zarr::Limit limit, std::uint64_t size) {
    if (size <= zarr::LimitOf(limit)) return {};
    return zarr::OverLimit(limit,
                           (prefix.empty() ? "" : prefix + ": ") + "the listing is too long");
}

// True if a file exists at `path`, even if the file cannot be opened. Sends no request over a
// network.
bool IsVisible(const std::string& path) {
    int flags = VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG;
    if (!VSIIsLocal(path.c_str())) flags |= VSI_STAT_CACHE_ONLY;
    VSIStatBufL stat;
    return VSIStatExL(path.c_str(), &stat, flags) == 0 && !VSI_ISDIR(stat.st_mode);
}

// A file that is open for reading, and its size in bytes. `file` is nullptr if the key is absent.
struct OpenedFile {
    VsiFile file;
    std::uint64_t size = 0;
};

Result<OpenedFile> OpenLocal(const std::string& path, const std::string& key) {
    OpenedFile opened;
    const auto open = [&] {
        errno = 0;
        opened.file.reset(VSIFOpenL(path.c_str(), "rb"));
        return opened.file != nullptr ? 0 : errno;
    };
    int error = open();
    if (opened.file != nullptr) return opened;
    ZARR_ASSIGN_OR_RETURN(const bool is_absent, IsAbsent(path, key, error));
    if (!is_absent) return Failure(key, "cannot open", error);
    if (!IsVisible(path)) return opened;
    // Another process may have created the file between VSIFOpenL() and IsVisible(), so a second
    // attempt is made.
    error = open();
    if (opened.file == nullptr && IsVisible(path))
        return Failure(key, "exists, but cannot be opened", error);
    return opened;
}

// Sets the size of an open file.
Status FindSize(const std::string& key, OpenedFile& opened) {
    errno = 0;
    // A file of an absurd size is a folder: some systems open a folder as if it were a file.
    constexpr vsi_l_offset kAbsurd = vsi_l_offset{1} << 62;
    const bool seekable = VSIFSeekL(opened.file.get(), 0, SEEK_END) == 0;
    const vsi_l_offset size = seekable ? VSIFTellL(opened.file.get()) : kAbsurd;
    if (size >= kAbsurd) return Failure(key, "cannot read", errno != 0 ? errno : EISDIR);
    opened.size = size;
    return {};
}

// Opens a file on a server. GDAL opens one without a request, and VSIFTellL() returns 0 after each
// failure. The server is therefore asked for its answer if the size is 0.
Result<OpenedFile> OpenRemote(const std::string& path, const std::string& key) {
    OpenedFile opened{VsiFile(VSIFOpenL(path.c_str(), "rb"))};
    if (opened.file != nullptr) ZARR_RETURN_IF_ERROR(FindSize(key, opened));
    if (opened.size != 0) return opened;
    ZARR_ASSIGN_OR_RETURN(const std::optional<bool> answer, AskGdal(path, key));
    const bool exists = answer ? *answer : StatSucceeds(path);
    if (!exists && !answer && !QuietErrors::Message().empty())
        return Failure(key, "cannot read", 0);
    if (!exists) return OpenedFile();
    // Either the value is empty, or the first request has failed, and GDAL has cached the failure.
    ForgetCached(path);
    opened.file.reset(VSIFOpenL(path.c_str(), "rb"));
    if (opened.file == nullptr) return Failure(key, "cannot open", 0);
    ZARR_RETURN_IF_ERROR(FindSize(key, opened));
    return opened;
}

Result<OpenedFile> Open(const std::string& path, const std::string& key) {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    if (!VSIIsLocal(path.c_str())) return OpenRemote(path, key);
    ZARR_ASSIGN_OR_RETURN(OpenedFile opened, OpenLocal(path, key));
    if (opened.file != nullptr) ZARR_RETURN_IF_ERROR(FindSize(key, opened));
    return opened;
}

Status ReadAt(const OpenedFile& opened, const std::string& key, std::uint64_t offset,
              zarr::MutableByteSpan memory) {
    if (memory.size == 0) return {};
    errno = 0;
    if (VSIFSeekL(opened.file.get(), offset, SEEK_SET) == 0 &&
        VSIFReadL(memory.data, 1, memory.size, opened.file.get()) == memory.size)
        return {};
    return Failure(key, "cannot read", errno);
}

const Status& StatusOf(const Status& status) { return status; }
template <class T>
const Status& StatusOf(const Result<T>& result) {
    return result.status();
}

// Returns the answer of `ask`, which uses GDAL's HTTP client for `path` in `folder`. If the folder
// is remote, repeats the request by HttpRetry, also if GDAL hides why it failed.
template <class Ask>
auto Repeated(const StorePath& folder, const std::string& path, Ask&& ask) {
    if (!folder.is_remote()) return ask();
    HttpRetry retry(path);
    const GdalRetriesOff off;
    while (true) {
        auto answer = ask();
        const Status& status = StatusOf(answer);
        if (answer.ok() || status.code() != zarr::StatusCode::kIo) return answer;
        if (!retry.WaitFor(HttpStatusIn(status.message()), status.message())) return answer;
        ForgetCached(path);
    }
}

// Returns the version of an absent value. Remote values get this version, too, because finding
// their version would take a request.
zarr::ObjectVersion NoFile() {
    zarr::ObjectVersion version;
    version.is_certain = true;
    return version;
}

}  // namespace

zarr::StoreTraits VsiStore::Traits() const {
    zarr::StoreTraits traits;
    traits.in_memory = folder_.kind() == StorePath::Kind::kMemory;
    return traits;
}

std::string VsiStore::Identity() const {
    if (!VSIIsLocal(folder_.c_str())) return folder_.text() + folder_.AccountOptions();
    if (!CPLIsFilenameRelative(folder_.c_str())) return folder_.text();
    char* current = CPLGetCurrentDir();
    std::string path = (current != nullptr ? std::string(current) + "/" : "") + folder_.text();
    CPLFree(current);
    return path;
}

zarr::ObjectVersion VsiStore::VersionOf(const std::string& key) const {
    const std::string path = PathOf(key);
    const QuietErrors quiet;
    if (!VSIIsLocal(path.c_str())) return NoFile();
    VSIStatBufL stat;
    constexpr int kWhat = VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG | VSI_STAT_SIZE_FLAG;
    if (VSIStatExL(path.c_str(), &stat, kWhat) != 0 || VSI_ISDIR(stat.st_mode) != 0)
        return NoFile();
    return zarr::VersionOfFile(static_cast<std::uint64_t>(stat.st_size),
                               zarr::ModificationTime(stat),
                               static_cast<std::uint64_t>(stat.st_ino));
}

Result<zarr::ReadResult> VsiStore::Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const {
    const auto attempt = [&]() -> Result<zarr::ReadResult> {
        zarr::ReadResult read;
        if (part.is_whole()) read.version = VsiStore::VersionOf(key);
        const QuietErrors quiet;
        ZARR_ASSIGN_OR_RETURN(const OpenedFile opened, Open(PathOf(key), key));
        read.found = opened.file != nullptr;
        if (!read.found) return read;
        read.size = opened.size;
        ZARR_ASSIGN_OR_RETURN(const auto extent, part.Of(key, opened.size));
        ZARR_ASSIGN_OR_RETURN(const auto memory, sink.Reserve(extent.size).WithContext(key));
        const Status got = memory ? ReadAt(opened, key, extent.offset, *memory) : Status();
        if (got.ok() || !folder_.is_remote()) return got.ok() ? Result(read) : got;
        // GDAL may know the size from a listing, and hides the answer to the read.
        ZARR_ASSIGN_OR_RETURN(const std::optional<bool> exists, AskGdal(PathOf(key), key));
        return exists.value_or(true) ? Result<zarr::ReadResult>(got) : zarr::ReadResult();
    };
    const auto ask = [&] { return Repeated(folder_, PathOf(key), attempt); };
    return Logged("GET", folder_, key, ask, sink.buffer());
}

Result<std::vector<zarr::StoreEntry>> VsiStore::List(const std::string& prefix) const {
    return ListUpTo(prefix, std::numeric_limits<std::size_t>::max());
}

Result<std::vector<zarr::StoreEntry>> VsiStore::ListUpTo(const std::string& prefix,
                                                         std::size_t most) const {
    std::vector<zarr::StoreEntry> entries;
    std::uint64_t bytes = 0;
    const auto add = [&](const zarr::StoreEntry& entry) {
        entries.push_back(entry);
        bytes += sizeof(entry) + entry.name.size();
        return entries.size() <= most && bytes <= zarr::LimitOf(zarr::Limit::kReferenceSize);
    };
    ZARR_RETURN_IF_ERROR(VsiStore::VisitEntries(prefix, add));
    ZARR_RETURN_IF_ERROR(CheckListed(prefix, zarr::Limit::kReferenceSize, bytes));
    if (entries.size() > most)
        return Status::Limit(prefix + ": has more than " + std::to_string(most) + " entries");
    std::sort(entries.begin(), entries.end(),
              [](const zarr::StoreEntry& a, const zarr::StoreEntry& b) { return a.name < b.name; });
    return entries;
}

namespace {

// Visits the entries of the opened folder `path`, whose prefix is `prefix`. `errors` knows whether
// it was opened without an error.
Status VisitOpened(VSIDIR& dir, const std::string& path, const std::string& prefix,
                   const zarr::Store::EntryVisitor& visit, const ListingErrors& errors) {
    const int open_error = errors.LastErrno();
    std::uint64_t count = 0;
    errors.ResetErrno();
    while (const VSIDIREntry* entry = VSIGetNextDirEntry(&dir)) {
        ZARR_RETURN_IF_ERROR(CheckListed(prefix, zarr::Limit::kReferences, ++count));
        const std::string key = zarr::JoinKey(prefix, entry->pszName);
        const std::string entry_path = path + "/" + entry->pszName;
        ZARR_ASSIGN_OR_RETURN(const bool is_folder, IsFolder(*entry, entry_path, key));
        if (!visit({entry->pszName, is_folder})) return {};
        errors.ResetErrno();
    }
    const int read_error = errors.LastErrno();
    if (read_error != 0 || (count == 0 && open_error != 0))
        return Failure(prefix, "cannot list", read_error != 0 ? read_error : open_error);
    return CheckListing(path, prefix);
}

}  // namespace

Status VsiStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    const auto ask = [&]() -> Status {
        const QuietErrors quiet;
        if (!prefix.empty()) ZARR_RETURN_IF_ERROR(zarr::CheckKey(prefix));
        const std::string path = prefix.empty() ? folder_.text() : PathOf(prefix);
        // With this option, GDAL does not call stat for each entry, if the file system returns the
        // types of entries together with their names.
        constexpr const char* kOptions[] = {"NAME_AND_TYPE_ONLY=YES", nullptr};
        const ListingErrors errors(path);
        errors.ResetErrno();
        const std::unique_ptr<VSIDIR, CloseDir> dir(VSIOpenDir(path.c_str(), 0, kOptions));
        if (dir == nullptr) {
            const int error = errno;
            ZARR_ASSIGN_OR_RETURN(const bool is_empty, HasNoEntries(path, prefix, error));
            return is_empty ? Status() : Failure(prefix, "cannot list", error);
        }
        return VisitOpened(*dir, path, prefix, visit, errors);
    };
    return Logged("LIST", folder_, prefix, ask);
}

Status VsiStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const {
    const QuietErrors quiet;
    if (!prefix.empty()) ZARR_RETURN_IF_ERROR(zarr::CheckKey(prefix));
    const std::string path = prefix.empty() ? folder_.text() : PathOf(prefix);
    const ListingErrors errors(path);
    errors.ResetErrno();
    // The listing is recursive, because one answer of an object store contains up to a thousand
    // names from several folders.
    const std::unique_ptr<VSIDIR, CloseDir> dir(VSIOpenDir(path.c_str(), -1, nullptr));
    if (dir == nullptr) {
        const int error = errno;
        ZARR_ASSIGN_OR_RETURN(const bool is_empty, HasNoEntries(path, prefix, error));
        return is_empty ? Status() : Failure(prefix, "cannot list", error);
    }
    int listing_error = errors.LastErrno();
    std::uint64_t count = 0;
    errors.ResetErrno();
    while (const VSIDIREntry* entry = VSIGetNextDirEntry(dir.get())) {
        ZARR_RETURN_IF_ERROR(CheckListed(prefix, zarr::Limit::kReferences, ++count));
        if (listing_error == 0) listing_error = errors.LastErrno();
        if (entry->bModeKnown && VSI_ISDIR(entry->nMode)) {
            if (visit_prefix) visit_prefix(entry->pszName);
        } else {
            std::optional<zarr::ObjectVersion> version;
            if (entry->bSizeKnown) {
                version.emplace().exists = true;
                version->size = entry->nSize;
            }
            visit(entry->pszName, version);
        }
        errors.ResetErrno();
    }
    if (listing_error == 0) listing_error = errors.LastErrno();
    if (listing_error != 0) return Failure(prefix, "cannot list", listing_error);
    return CheckListing(path, prefix);
}

// ---------------------------------------------------------------------------------------------
// Writing

Renaming RenamingAt(const std::string& path) {
    const StorePath place(path);
    if (place.kind() == StorePath::Kind::kLocal || place.kind() == StorePath::Kind::kMemory)
        return Renaming::kYes;
    return place.is_remote() ? Renaming::kNo : Renaming::kUntested;
}

namespace {

// Opens the file `path` for writing, and truncates an existing file. `folder` is the folder of the
// store.
VsiFile OpenForWriting(const std::string& path, const std::string& folder) {
    // The folder is created explicitly, because before GDAL 3.7 listings in /vsimem/ contain only
    // such folders.
    if (STARTS_WITH(path.c_str(), "/vsimem/")) MakeFolder(CPLGetPath(path.c_str()));
    errno = 0;
    VsiFile file(VSIFOpenL(path.c_str(), "wb"));
    if (file != nullptr || errno != ENOENT) return file;
    if (!PathExists(folder)) {
        errno = ENOENT;
        return file;
    }
    // The folder of the key is created only after opening has failed. A check before each write
    // would cost a stat per chunk.
    errno = MakeFolder(CPLGetPath(path.c_str()));
    if (errno != 0) return file;
    file.reset(VSIFOpenL(path.c_str(), "wb"));
    return file;
}

Status WriteFile(const std::string& path, const std::string& folder, const std::string& key,
                 zarr::ByteSpan value) {
    VsiFile file = OpenForWriting(path, folder);
    if (file == nullptr) return Failure(key, "cannot create", errno);
    errno = 0;
    const bool is_written =
        value.size == 0 || VSIFWriteL(value.data, 1, value.size, file.get()) == value.size;
    int error = errno;
    if (is_written) errno = 0;
    const bool is_closed = VSIFCloseL(file.release()) == 0;
    if (is_written && is_closed) return {};
    if (is_written) error = errno;
    return Failure(key, "cannot write", error);
}

}  // namespace

Status VsiStore::WriteParts(const std::string& key, const std::vector<zarr::ByteSpan>& parts) {
    zarr::Buffer joined;
    if (parts.size() != 1) ZARR_RETURN_IF_ERROR(joined.AssignJoined(parts).WithContext(key));
    const zarr::ByteSpan value = parts.size() == 1 ? parts[0] : std::as_const(joined).span();
    const auto attempt = [&] { return Replace(key, value); };
    return Logged("PUT", folder_, key, [&] { return Repeated(folder_, PathOf(key), attempt); });
}

Status VsiStore::Replace(const std::string& key, zarr::ByteSpan value) {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    const QuietErrors quiet;
    const std::string path = PathOf(key);
    const Renaming renaming = RenamingAt(path);
    // If the file system cannot rename, a failed write leaves the old value or a truncated value.
    // Readers report a truncated value as an error; a deleted value would read as the fill value.
    if (renaming == Renaming::kNo) return WriteFile(path, folder_, key, value);
    const std::string staging = zarr::StagingName(path);
    Status written = WriteFile(staging, folder_, key, value);
    errno = 0;
    if (written.ok() && VSIRename(staging.c_str(), path.c_str()) == 0) return {};
    const int error = errno;
    VSIUnlink(staging.c_str());
    if (!written.ok()) return written;
    if (renaming == Renaming::kUntested) return WriteFile(path, folder_, key, value);
    return Failure(key, "cannot replace", error);
}

Status VsiStore::Remove(const std::string& key) {
    const auto attempt = [&]() -> Status {
        ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
        const QuietErrors quiet;
        const std::string path = PathOf(key);
        errno = 0;
        if (VSIUnlink(path.c_str()) == 0) return {};
        const int error = errno;
        ZARR_ASSIGN_OR_RETURN(const bool is_absent, IsAbsent(path, key, error));
        return is_absent ? Status() : Failure(key, "cannot remove", error);
    };
    const auto ask = [&] { return Repeated(folder_, PathOf(key), attempt); };
    return Logged("DELETE", folder_, key, ask);
}

Status VsiStore::RemoveMany(const std::vector<std::string>& keys) {
    if (keys.size() < 2 || !folder_.is_object_store()) return StoreWriter::RemoveMany(keys);
    CPLStringList paths;
    for (const std::string& key : keys) {
        ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
        paths.AddString(PathOf(key).c_str());
    }
    const QuietErrors quiet;
    const std::unique_ptr<int, FreeList> removed(VSIUnlinkBatch(paths.List()));
    // Keys that the common request did not delete are deleted one by one, so that the error message
    // names the key that failed.
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (removed == nullptr || !removed.get()[i]) ZARR_RETURN_IF_ERROR(Remove(keys[i]));
    return {};
}

namespace {

bool HoldsSomething(const std::string& folder) {
    const CPLStringList names(VSIReadDirEx(folder.c_str(), 3));
    for (int i = 0; i < names.size(); ++i)
        if (!EQUAL(names[i], ".") && !EQUAL(names[i], "..")) return true;
    return false;
}

}  // namespace

Result<bool> VsiStore::RemovePrefix(const std::string& prefix) {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(prefix));
    const QuietErrors quiet;
    const std::string path = PathOf(prefix);
    VSIStatBufL stat;
    if (VSIStatL(path.c_str(), &stat) != 0 || !VSI_ISDIR(stat.st_mode)) return false;
    // A folder with contents is not removed. In /vsimem/ the contents would stay, but no listing
    // would show them.
    if (STARTS_WITH(path.c_str(), "/vsi") && HoldsSomething(path)) return false;
    // VSIRmdir() succeeds only for an empty folder, so no key is lost. VSIUnlink() removes a link
    // to a folder.
    return VSIRmdir(path.c_str()) == 0 || VSIUnlink(path.c_str()) == 0;
}

Result<bool> VsiStore::MovePrefix(const std::string& from, const std::string& to) {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(from));
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(to));
    const QuietErrors quiet;
    if (RenamingAt(PathOf(from)) == Renaming::kNo) return false;
    if (PathExists(PathOf(to))) return Status::Invalid(to + ": already exists");
    // /vsimem/ reports success if an absent file is renamed, so the file is checked. Before GDAL
    // 3.7, it moves files into folders that its listings omit, so the target folder is created.
    if (!PathExists(PathOf(from))) return Failure(from, "cannot rename", ENOENT);
    if (const int error = MakeFolder(CPLGetPath(PathOf(to).c_str())); error != 0)
        return Failure(to, "cannot create its folder", error);
    return VSIRename(PathOf(from).c_str(), PathOf(to).c_str()) == 0;
}

std::shared_ptr<zarr::Store> OpenFolder(const StorePath& folder) {
    if (!IsLocalPath(folder)) return std::make_shared<VsiStore>(folder);
    std::shared_ptr<zarr::Store> store = std::make_shared<zarr::DirectoryStore>(folder.text());
    if (!IsDebugEnabled()) return store;
    return std::make_shared<LoggedStore>(std::move(store));
}

Status EraseFileOrFolder(const std::string& path) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    if (VSIStatL(path.c_str(), &stat) == 0 && !VSI_ISDIR(stat.st_mode)) {
        errno = 0;
        if (VSIUnlink(path.c_str()) == 0) return {};
        return Status::Io("cannot be removed: " + std::generic_category().message(errno));
    }
    ZARR_RETURN_IF_ERROR(zarr::EraseStore(*OpenFolder(path)));
    if (VSIRmdir(path.c_str()) == 0 || VSIUnlink(path.c_str()) == 0) return {};
    return PathExists(path) ? Status::Io("the empty folder cannot be removed") : Status();
}

}  // namespace zarr_driver
