// SPDX-License-Identifier: MIT
// Files on Windows. A file's number is one of the C runtime, which owns the system's handle.
#ifdef _WIN32

#include <windows.h>
// The headers below need the one above.
#include <aclapi.h>
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/files.h"
#include "core/base/wide.h"

namespace zarr {

namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
// Bytes that locks of TryLock() and TryShareLock() cover. No file has so many bytes: Windows would
// otherwise refuse reads and writes of locked bytes.
constexpr std::uint64_t kLockOffset = std::uint64_t{1} << 62;

int ErrnoOf(DWORD error) {
    switch (error) {
        case ERROR_SUCCESS:
            return 0;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_DRIVE:
        case ERROR_BAD_NETPATH:
        case ERROR_BAD_NET_NAME:
        // Windows has no file with such a name, so that it is absent as on other systems.
        case ERROR_INVALID_NAME:
        case ERROR_BAD_PATHNAME:
            return ENOENT;
        case ERROR_DIRECTORY:
            return ENOTDIR;
        case ERROR_ACCESS_DENIED:
        case ERROR_PRIVILEGE_NOT_HELD:
            return EACCES;
        case ERROR_WRITE_PROTECT:
            return EROFS;
        case ERROR_SHARING_VIOLATION:
        case ERROR_BUSY:
            return EBUSY;
        case ERROR_LOCK_VIOLATION:
            return EAGAIN;
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS:
            return EEXIST;
        case ERROR_DIR_NOT_EMPTY:
            return ENOTEMPTY;
        case ERROR_NOT_SAME_DEVICE:
            return EXDEV;
        case ERROR_DISK_FULL:
        case ERROR_HANDLE_DISK_FULL:
            return ENOSPC;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_OUTOFMEMORY:
            return ENOMEM;
        case ERROR_TOO_MANY_OPEN_FILES:
            return EMFILE;
        case ERROR_FILENAME_EXCED_RANGE:
            return ENAMETOOLONG;
        case ERROR_INVALID_HANDLE:
            return EBADF;
        case ERROR_INVALID_PARAMETER:
            return EINVAL;
        default:
            return EIO;
    }
}

int LastError() { return ErrnoOf(GetLastError()); }

// Sets errno to the reason why the system's last call failed. Returns -1.
int Fail() {
    errno = LastError();
    return -1;
}

// Returns the absolute path of `path`, with backslashes; `path` itself on failure.
std::wstring FullPath(const std::wstring& path) {
    const DWORD size = GetFullPathNameW(path.c_str(), 0, nullptr, nullptr);
    std::wstring full(size, L'\0');
    const DWORD written = GetFullPathNameW(path.c_str(), size, full.data(), nullptr);
    full.resize(written < size ? written : 0);
    return full.empty() ? path : full;
}

// Returns `path` for functions of the system. Paths of 248 characters and more need a prefix, and
// must then be absolute and have backslashes.
std::wstring SystemPath(const std::string& path) {
    constexpr std::size_t kLongest = 247;  // of a folder, without the prefix
    std::wstring wide = Widen(path);
    if (wide.size() <= kLongest || wide.compare(0, 4, L"\\\\?\\") == 0) return wide;
    const std::wstring full = FullPath(wide);
    const bool is_on_server = full.compare(0, 2, L"\\\\") == 0;
    return is_on_server ? L"\\\\?\\UNC" + full.substr(1) : L"\\\\?\\" + full;
}

// Owns a handle of the system.
class Handle {
  public:
    explicit Handle(HANDLE handle) : handle_(handle) {}
    ~Handle() {
        if (is_open()) CloseHandle(handle_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    bool is_open() const { return handle_ != INVALID_HANDLE_VALUE && handle_ != nullptr; }
    HANDLE get() const { return handle_; }
    HANDLE Release() { return std::exchange(handle_, INVALID_HANDLE_VALUE); }

  private:
    HANDLE handle_;
};

// Opens a file or folder that exists, for example to rename it.
HANDLE OpenExisting(const std::string& path, DWORD access, bool follows_link) {
    return CreateFileW(
        SystemPath(path).c_str(), access, kShareAll, nullptr, OPEN_EXISTING,
        FILE_FLAG_BACKUP_SEMANTICS | (follows_link ? 0U : FILE_FLAG_OPEN_REPARSE_POINT), nullptr);
}

HANDLE HandleOf(int descriptor) {
    return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));  // NOLINT: as its manual says
}

bool IsLink(HANDLE file) {
    FILE_ATTRIBUTE_TAG_INFO info{};
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &info, sizeof info) != 0 &&
           (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
           (info.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
            info.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

std::uint64_t Join(DWORD high, DWORD low) { return std::uint64_t{high} << 32U | low; }

// Returns a time of the system, in units of 100 ns since 1601, in nanoseconds since 1970.
std::int64_t UnixTime(FILETIME time) {
    constexpr std::int64_t k1970 = 116'444'736'000'000'000;
    return (static_cast<std::int64_t>(Join(time.dwHighDateTime, time.dwLowDateTime)) - k1970) * 100;
}

std::optional<FileState> StateOfHandle(HANDLE file) {
    BY_HANDLE_FILE_INFORMATION info{};
    FileState state;
    if (GetFileType(file) != FILE_TYPE_DISK) return state;
    if (GetFileInformationByHandle(file, &info) == 0) {
        Fail();
        return std::nullopt;
    }
    FILE_STANDARD_INFO standard{};
    const bool is_pending =
        GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof standard) != 0 &&
        standard.DeletePending != 0;
    if (IsLink(file))
        state.type = FileType::kLink;
    else if ((info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
        state.type = FileType::kFolder;
    else
        state.type = FileType::kFile;
    state.is_deleted = is_pending || info.nNumberOfLinks == 0;
    state.device = info.dwVolumeSerialNumber;
    state.number = Join(info.nFileIndexHigh, info.nFileIndexLow);
    state.size = Join(info.nFileSizeHigh, info.nFileSizeLow);
    state.modified = UnixTime(info.ftLastWriteTime);
    return state;
}

std::optional<FileState> StateAtPath(const std::string& path, bool follows_link) {
    const Handle file(OpenExisting(path, FILE_READ_ATTRIBUTES, follows_link));
    if (file.is_open()) return StateOfHandle(file.get());
    Fail();
    return std::nullopt;
}

OVERLAPPED At(std::uint64_t offset) {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(offset & 0xFFFFFFFFU);
    at.OffsetHigh = static_cast<DWORD>(offset >> 32U);
    return at;
}

// Maximum number of bytes of one call of the system.
constexpr std::size_t kMost = std::size_t{1} << 30;

// Writes at `*offset`, and increases it; at the position of the file if `offset` is null.
int WriteAll(HANDLE file, std::uint64_t* offset, ByteSpan bytes) {
    while (bytes.size != 0) {
        OVERLAPPED at = At(offset != nullptr ? *offset : 0);
        DWORD count = 0;
        if (WriteFile(file, bytes.data, static_cast<DWORD>(std::min(bytes.size, kMost)), &count,
                      offset != nullptr ? &at : nullptr) == 0)
            return LastError();
        if (count == 0) return ENOSPC;
        bytes = bytes.From(count);
        if (offset != nullptr) *offset += count;
    }
    return 0;
}

Locking Lock(int descriptor, DWORD flags) {
    OVERLAPPED at = At(kLockOffset);
    if (LockFileEx(HandleOf(descriptor), flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0)
        return Locking::kTaken;
    const DWORD error = GetLastError();
    return error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? Locking::kHeldByOther
                                                                      : Locking::kImpossible;
}

// Tells the file system to remove or rename an open file as POSIX does: the path is free at once,
// and those who have the file open keep it. Windows 10 before version 1709 and some file systems
// cannot; the functions then return false.
bool RemoveAsPosix(HANDLE file) {
    struct {
        DWORD flags;
    } info = {0x1 | 0x2};  // FILE_DISPOSITION_FLAG_DELETE and _POSIX_SEMANTICS
    constexpr auto kDispositionInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
    return SetFileInformationByHandle(file, kDispositionInfoEx, &info, sizeof info) != 0;
}

bool RenameAsPosix(HANDLE file, const std::wstring& to) {
    // The layout of FILE_RENAME_INFO with its member Flags, which older headers lack.
    struct Info {
        DWORD flags;
        HANDLE folder;
        DWORD bytes;
        WCHAR name[1];
    };
    std::vector<std::uint8_t> memory(sizeof(Info) + to.size() * sizeof(WCHAR));
    Info info{};
    info.flags = 0x1 | 0x2;  // FILE_RENAME_FLAG_REPLACE_IF_EXISTS and _POSIX_SEMANTICS
    info.bytes = static_cast<DWORD>(to.size() * sizeof(WCHAR));
    std::memcpy(memory.data(), &info, sizeof info);
    std::memcpy(memory.data() + offsetof(Info, name), to.data(), info.bytes);
    constexpr auto kRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
    return SetFileInformationByHandle(file, kRenameInfoEx, memory.data(),
                                      static_cast<DWORD>(memory.size())) != 0;
}

struct FreeDescriptor {
    void operator()(void* memory) const { LocalFree(memory); }
};
using SecurityDescriptor = std::unique_ptr<void, FreeDescriptor>;

// Returns the owner of an open file; nullptr on failure. `descriptor` owns the memory.
PSID OwnerOf(HANDLE file, SecurityDescriptor& descriptor) {
    PSID owner = nullptr;
    PSECURITY_DESCRIPTOR found = nullptr;
    if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr,
                        nullptr, &found) != ERROR_SUCCESS)
        return nullptr;
    descriptor.reset(found);
    return owner;
}

// True if new files of this process get the owner `owner`, or if it is the user of this process.
bool IsOwnedByUser(PSID owner) {
    HANDLE opened = nullptr;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return false;
    const Handle token(opened);
    for (const auto kind : {TokenUser, TokenOwner}) {
        DWORD size = 0;
        GetTokenInformation(token.get(), kind, nullptr, 0, &size);
        std::vector<std::max_align_t> memory(size / sizeof(std::max_align_t) + 1);
        if (GetTokenInformation(token.get(), kind, memory.data(), size, &size) == 0) continue;
        const PSID user = kind == TokenUser ? reinterpret_cast<TOKEN_USER*>(memory.data())->User.Sid
                                            : reinterpret_cast<TOKEN_OWNER*>(memory.data())->Owner;
        if (EqualSid(owner, user) != 0) return true;
    }
    return false;
}

struct CloseListing {
    void operator()(void* listing) const { FindClose(listing); }
};

EntryType TypeOf(const WIN32_FIND_DATAW& entry) {
    if ((entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return EntryType::kUnknown;
    return (entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? EntryType::kFolder
                                                                    : EntryType::kOther;
}

}  // namespace

int OpenDescriptor(const std::string& path, OpenAs as) {
    const bool is_new = as == OpenAs::kNew;
    const bool follows_link = as != OpenAs::kReadNoLink && as != OpenAs::kUpdateNoLink;
    DWORD access = GENERIC_READ | GENERIC_WRITE;
    if (as == OpenAs::kRead || as == OpenAs::kReadNoLink) access = GENERIC_READ;
    if (is_new) access = GENERIC_WRITE;
    DWORD disposition = OPEN_EXISTING;
    if (as == OpenAs::kUpdateOrCreate) disposition = OPEN_ALWAYS;
    if (is_new) disposition = CREATE_NEW;
    // Folders can be opened for reading only.
    const DWORD flags = FILE_ATTRIBUTE_NORMAL |
                        (access == GENERIC_READ ? FILE_FLAG_BACKUP_SEMANTICS : 0U) |
                        (follows_link ? 0U : FILE_FLAG_OPEN_REPARSE_POINT);
    Handle file(CreateFileW(SystemPath(path).c_str(), access, kShareAll, nullptr, disposition,
                            flags, nullptr));
    if (!file.is_open()) return Fail();
    if (!follows_link && IsLink(file.get())) {
        errno = ELOOP;
        return -1;
    }
    const int descriptor =
        _open_osfhandle(reinterpret_cast<std::intptr_t>(file.get()), _O_BINARY | _O_NOINHERIT);
    if (descriptor >= 0) static_cast<void>(file.Release());
    return descriptor;
}

int CloseDescriptor(int descriptor) { return _close(descriptor) == 0 ? 0 : errno; }

int DuplicateDescriptor(int descriptor) {
    HANDLE second = nullptr;
    if (DuplicateHandle(GetCurrentProcess(), HandleOf(descriptor), GetCurrentProcess(), &second, 0,
                        FALSE, DUPLICATE_SAME_ACCESS) == 0)
        return Fail();
    Handle owned(second);
    const int number =
        _open_osfhandle(reinterpret_cast<std::intptr_t>(second), _O_BINARY | _O_NOINHERIT);
    if (number >= 0) static_cast<void>(owned.Release());
    return number;
}

int ReadDescriptor(int descriptor, std::uint64_t offset, MutableByteSpan memory) {
    for (std::size_t done = 0; done < memory.size;) {
        OVERLAPPED at = At(offset + done);
        DWORD got = 0;
        if (ReadFile(HandleOf(descriptor), memory.data + done,
                     static_cast<DWORD>(std::min(memory.size - done, kMost)), &got, &at) == 0)
            return LastError();
        if (got == 0) return EIO;
        done += got;
    }
    return 0;
}

int WriteDescriptor(int descriptor, const std::vector<ByteSpan>& parts) {
    for (const ByteSpan& part : parts)
        if (const int error = WriteAll(HandleOf(descriptor), nullptr, part); error != 0)
            return error;
    return 0;
}

int WriteDescriptorAt(int descriptor, std::uint64_t offset, ByteSpan bytes) {
    return WriteAll(HandleOf(descriptor), &offset, bytes);
}

int ResizeDescriptor(int descriptor, std::uint64_t size) {
    FILE_END_OF_FILE_INFO end{};
    end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
    return SetFileInformationByHandle(HandleOf(descriptor), FileEndOfFileInfo, &end, sizeof end) !=
                   0
               ? 0
               : LastError();
}

int TouchDescriptor(int descriptor) {
    FILETIME now{};
    GetSystemTimeAsFileTime(&now);
    return SetFileTime(HandleOf(descriptor), nullptr, nullptr, &now) != 0 ? 0 : LastError();
}

bool WaitsForDisk(int /*descriptor*/, std::uint64_t /*offset*/) { return false; }

std::optional<FileState> StateOf(int descriptor) { return StateOfHandle(HandleOf(descriptor)); }

std::optional<FileState> StateAt(const std::string& path) { return StateAtPath(path, true); }

std::optional<FileState> StateAtLink(const std::string& path) { return StateAtPath(path, false); }

std::string FolderIdentity(const std::string& path) {
    const Handle folder(OpenExisting(path, FILE_READ_ATTRIBUTES, true));
    BY_HANDLE_FILE_INFORMATION info{};
    if (!folder.is_open() || GetFileInformationByHandle(folder.get(), &info) == 0) return {};
    return std::to_string(Join(info.nFileIndexHigh, info.nFileIndexLow)) + "@" +
           std::to_string(UnixTime(info.ftCreationTime));
}

bool IsOwnFileOrOfOwnerOf(const std::string& path, const std::string& other) {
    const Handle file(OpenExisting(path, READ_CONTROL | FILE_READ_ATTRIBUTES, false));
    const Handle there(OpenExisting(other, READ_CONTROL | FILE_READ_ATTRIBUTES, true));
    if (!file.is_open() || !there.is_open()) return false;
    const auto state = StateOfHandle(file.get());
    SecurityDescriptor of_file;
    SecurityDescriptor of_there;
    const PSID owner = OwnerOf(file.get(), of_file);
    const PSID owner_there = OwnerOf(there.get(), of_there);
    return state && state->type == FileType::kFile && owner != nullptr && owner_there != nullptr &&
           (IsOwnedByUser(owner) || EqualSid(owner, owner_there) != 0);
}

Locking TryLock(int descriptor) { return Lock(descriptor, LOCKFILE_EXCLUSIVE_LOCK); }

Locking TryShareLock(int descriptor) { return Lock(descriptor, 0); }

void Unlock(int descriptor) {
    OVERLAPPED at = At(kLockOffset);
    UnlockFileEx(HandleOf(descriptor), 0, 1, 0, &at);
}

int LockWholeFile(int descriptor) {
    OVERLAPPED at = At(0);
    return LockFileEx(HandleOf(descriptor), LOCKFILE_EXCLUSIVE_LOCK, 0, MAXDWORD, MAXDWORD, &at) !=
                   0
               ? 0
               : LastError();
}

int UnlockWholeFile(int descriptor) {
    OVERLAPPED at = At(0);
    return UnlockFileEx(HandleOf(descriptor), 0, MAXDWORD, MAXDWORD, &at) != 0 ? 0 : LastError();
}

int RenamePath(const std::string& from, const std::string& to) {
    const std::wstring target = SystemPath(to);
    {
        const Handle file(OpenExisting(from, DELETE | SYNCHRONIZE, false));
        if (!file.is_open()) return LastError();
        if (RenameAsPosix(file.get(), FullPath(target))) return 0;
    }
    return MoveFileExW(SystemPath(from).c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING) != 0
               ? 0
               : LastError();
}

int RemoveFile(const std::string& path) {
    {
        const Handle file(OpenExisting(path, DELETE | FILE_READ_ATTRIBUTES, false));
        if (!file.is_open()) return LastError();
        const auto state = StateOfHandle(file.get());
        if (!state) return errno;
        if (state->type == FileType::kFolder) return EISDIR;
        if (RemoveAsPosix(file.get())) return 0;
    }
    return DeleteFileW(SystemPath(path).c_str()) != 0 ? 0 : LastError();
}

int MakeFolder(const std::string& path) {
    return CreateDirectoryW(SystemPath(path).c_str(), nullptr) != 0 ? 0 : LastError();
}

std::string RealPath(const std::string& path) {
    const Handle file(OpenExisting(path, FILE_READ_ATTRIBUTES, true));
    if (!file.is_open()) return {};
    const DWORD size = GetFinalPathNameByHandleW(file.get(), nullptr, 0, VOLUME_NAME_DOS);
    std::wstring wide(size, L'\0');
    const DWORD written = GetFinalPathNameByHandleW(file.get(), wide.data(), size, VOLUME_NAME_DOS);
    if (written == 0 || written >= size) return {};
    wide.resize(written);
    std::string real = Narrow(wide);
    std::replace(real.begin(), real.end(), '\\', '/');
    if (real.compare(0, 8, "//?/UNC/") == 0) return "//" + real.substr(8);
    return real.compare(0, 4, "//?/") == 0 ? real.substr(4) : real;
}

int CheckWritableFolder(const std::string& path) {
    const Handle folder(OpenExisting(path, FILE_ADD_FILE, true));
    return folder.is_open() ? 0 : LastError();
}

int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit) {
    WIN32_FIND_DATAW entry{};
    const HANDLE found =
        FindFirstFileExW(SystemPath(folder + "/*").c_str(), FindExInfoBasic, &entry,
                         FindExSearchNameMatch, nullptr, FIND_FIRST_EX_LARGE_FETCH);
    if (found == INVALID_HANDLE_VALUE) return LastError();
    const std::unique_ptr<void, CloseListing> listing(found);
    do {
        const std::string name = Narrow(entry.cFileName);
        if (name != "." && name != ".." && !visit(name, TypeOf(entry))) return 0;
    } while (FindNextFileW(listing.get(), &entry) != 0);
    const DWORD error = GetLastError();
    return error == ERROR_NO_MORE_FILES ? 0 : ErrnoOf(error);
}

}  // namespace zarr

#endif
