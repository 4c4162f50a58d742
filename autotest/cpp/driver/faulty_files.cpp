// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/faulty_files.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_virtual.h>
#include <gdal_version.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

namespace zarr_driver::test {

struct FaultyNode {
    bool is_folder = false;
    std::shared_ptr<std::string> bytes;
    std::int64_t modified = 0;  // time of the last change, in nanoseconds since 1970
};

namespace {

std::int64_t Now() {
    using std::chrono::duration_cast;
    using std::chrono::nanoseconds;
    return duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Returns the path below the prefix, without the slashes that GDAL may pass at its ends.
std::string PathOf(const char* name) {
    std::string path = name;
    while (!path.empty() && path.back() == '/') path.pop_back();
    while (!path.empty() && path.front() == '/') path.erase(0, 1);
    return path;
}

std::string Parent(const std::string& path) {
    const std::size_t at = path.rfind('/');
    return at == std::string::npos ? "" : path.substr(0, at);
}

}  // namespace

struct FaultyFiles::State {
    mutable std::mutex mutex;
    std::map<std::string, FaultyNode> nodes{{"", {true, nullptr, 0}}};
    int folders = 0;
    Fault fault;
    bool is_armed = false;
    std::size_t calls = 0;
    std::vector<std::size_t> renames;  // positions of the calls that rename a file, counted from 1
    std::string first_failed;

    // If this call is to fail, sets errno to `error` and returns true. The caller must hold the
    // lock.
    bool Fails(const char* call, const std::string& path, int error) {
        if (!is_armed) return false;
        ++calls;
        if (std::strcmp(call, "rename") == 0) renames.push_back(calls);
        const bool follows =
            fault.after == Follow::kAll || (fault.after == Follow::kNeedsRoom && error == ENOSPC);
        const bool fails =
            fault.call != 0 && (calls == fault.call || (follows && calls > fault.call));
        if (!fails) return false;
        if (first_failed.empty()) first_failed = std::string(call) + " /" + path;
        const bool is_silent = fault.kind == FaultKind::kSilent && std::strcmp(call, "list") != 0;
        errno = is_silent ? 0 : error;
        return true;
    }
    bool IsShort() const { return fault.kind == FaultKind::kShort; }

    const FaultyNode* Find(const std::string& path) const {
        const auto found = nodes.find(path);
        return found == nodes.end() ? nullptr : &found->second;
    }
    bool IsFolder(const std::string& path) const {
        const FaultyNode* const node = Find(path);
        return node != nullptr && node->is_folder;
    }
    // Returns the range of nodes below a folder. The range excludes the folder.
    std::pair<std::map<std::string, FaultyNode>::iterator,
              std::map<std::string, FaultyNode>::iterator>
    Below(const std::string& path) {
        // The character after '/' in ASCII is '0', so the range ends after the last path below the
        // folder.
        return {nodes.lower_bound(path + "/"), nodes.lower_bound(path + "0")};
    }
};

namespace {

struct FaultyFile {
    void* state;
    std::string path;
    std::shared_ptr<std::string> bytes;
    std::size_t at = 0;
    bool is_eof = false;
    bool is_written = false;
};

int Fail(int error) {
    errno = error;
    return -1;
}

}  // namespace

// Callbacks of GDAL's plugin file system.
struct FaultyCalls {
    using State = FaultyFiles::State;

    static State& StateOf(void* data) { return *static_cast<State*>(data); }

    static int Stat(void* data, const char* name, VSIStatBufL* stat, int /*flags*/) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string path = PathOf(name);
        if (state.Fails("stat", path, EIO)) return -1;
        const FaultyNode* const node = state.Find(path);
        if (node == nullptr) return Fail(ENOENT);
        *stat = VSIStatBufL();
        stat->st_mode = node->is_folder ? S_IFDIR : S_IFREG;
        stat->st_size = node->is_folder ? 0 : static_cast<GIntBig>(node->bytes->size());
        stat->st_mtime = static_cast<time_t>(node->modified / 1'000'000'000);
#if defined(__linux__)
        stat->st_mtim.tv_nsec = node->modified % 1'000'000'000;
#endif
        return 0;
    }

    static int Unlink(void* data, const char* name) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string path = PathOf(name);
        if (state.Fails("unlink", path, EIO)) return -1;
        const FaultyNode* const node = state.Find(path);
        if (node == nullptr) return Fail(ENOENT);
        if (node->is_folder) return Fail(EISDIR);
        state.nodes.erase(path);
        return 0;
    }

    static int Rename(void* data, const char* from, const char* to) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string source = PathOf(from);
        const std::string target = PathOf(to);
        if (state.Fails("rename", source, EIO)) return -1;
        const FaultyNode* const node = state.Find(source);
        if (node == nullptr || !state.IsFolder(Parent(target))) return Fail(ENOENT);
        const auto [first, last] = state.Below(target);
        if (first != last) return Fail(ENOTEMPTY);
        const auto [begin, end] = state.Below(source);
        std::map<std::string, FaultyNode> moved{{target, *node}};
        for (auto it = begin; it != end; ++it)
            moved[target + it->first.substr(source.size())] = it->second;
        state.nodes.erase(begin, end);
        state.nodes.erase(source);
        for (const auto& [path, each] : moved) state.nodes[path] = each;
        return 0;
    }

    static int Mkdir(void* data, const char* name, long /*mode*/) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string path = PathOf(name);
        if (state.Fails("mkdir", path, ENOSPC)) return -1;
        if (state.Find(path) != nullptr) return Fail(EEXIST);
        if (!state.IsFolder(Parent(path))) return Fail(ENOENT);
        state.nodes[path] = {true, nullptr, Now()};
        return 0;
    }

    static int Rmdir(void* data, const char* name) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string path = PathOf(name);
        if (state.Fails("rmdir", path, EIO)) return -1;
        if (state.Find(path) == nullptr) return Fail(ENOENT);
        if (!state.IsFolder(path)) return Fail(ENOTDIR);
        const auto [begin, end] = state.Below(path);
        if (begin != end) return Fail(ENOTEMPTY);
        state.nodes.erase(path);
        return 0;
    }

    static char** ReadDir(void* data, const char* name, int /*max_files*/) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string path = PathOf(name);
        if (state.Fails("list", path, EIO)) return nullptr;
        if (!state.IsFolder(path)) {
            errno = state.Find(path) != nullptr ? ENOTDIR : ENOENT;
            return nullptr;
        }
        CPLStringList names;
        names.AddString(".");
        const auto [begin, end] = state.Below(path);
        for (auto it = begin; it != end; ++it) {
            const std::string below = it->first.substr(path.size() + 1);
            if (below.find('/') == std::string::npos) names.AddString(below.c_str());
        }
        return names.StealList();
    }

    static void* Open(void* data, const char* name, const char* access) {
        State& state = StateOf(data);
        const std::lock_guard<std::mutex> lock(state.mutex);
        const std::string path = PathOf(name);
        const bool makes = access[0] == 'w' || access[0] == 'a';
        if (state.Fails(makes ? "create" : "open", path, makes ? ENOSPC : EIO)) return nullptr;
        const FaultyNode* const node = state.Find(path);
        if (node != nullptr && node->is_folder) {
            errno = EISDIR;
            return nullptr;
        }
        if ((node == nullptr && !makes) || !state.IsFolder(Parent(path))) {
            errno = ENOENT;
            return nullptr;
        }
        if (node == nullptr || access[0] == 'w')
            state.nodes[path] = {false, std::make_shared<std::string>(), Now()};
        auto file = std::make_unique<FaultyFile>();
        file->state = data;
        file->path = path;
        file->bytes = state.nodes[path].bytes;
        file->at = access[0] == 'a' ? file->bytes->size() : 0;
        return file.release();
    }

    static FaultyFile& FileOf(void* file) { return *static_cast<FaultyFile*>(file); }

    static vsi_l_offset Tell(void* file) { return FileOf(file).at; }

    static int Seek(void* data, vsi_l_offset offset, int whence) {
        FaultyFile& file = FileOf(data);
        const std::lock_guard<std::mutex> lock(StateOf(file.state).mutex);
        const std::size_t start = whence == SEEK_SET   ? 0
                                  : whence == SEEK_CUR ? file.at
                                                       : file.bytes->size();
        file.at = start + static_cast<std::size_t>(offset);
        file.is_eof = false;
        return 0;
    }

    static int Eof(void* file) { return FileOf(file).is_eof ? 1 : 0; }

    static std::size_t Read(void* data, void* buffer, std::size_t size, std::size_t count) {
        FaultyFile& file = FileOf(data);
        State& state = StateOf(file.state);
        const std::lock_guard<std::mutex> lock(state.mutex);
        if (size == 0) return 0;
        std::size_t wanted = count;
        if (state.Fails("read", file.path, EIO)) {
            if (!state.IsShort()) return 0;
            wanted /= 2;
        }
        const std::size_t left = file.bytes->size() - std::min(file.at, file.bytes->size());
        const std::size_t got = std::min(wanted, left / size);
        file.is_eof = got < count;
        if (got != 0) std::memcpy(buffer, file.bytes->data() + file.at, got * size);
        file.at += got * size;
        return got;
    }

    static std::size_t Write(void* data, const void* buffer, std::size_t size, std::size_t count) {
        FaultyFile& file = FileOf(data);
        State& state = StateOf(file.state);
        const std::lock_guard<std::mutex> lock(state.mutex);
        std::size_t items = count;
        if (state.Fails("write", file.path, ENOSPC)) {
            if (!state.IsShort()) return 0;
            items /= 2;
        }
        const std::size_t bytes = items * size;
        if (file.bytes->size() < file.at + bytes) file.bytes->resize(file.at + bytes);
        if (bytes != 0) std::memcpy(file.bytes->data() + file.at, buffer, bytes);
        file.at += bytes;
        file.is_written = true;
        const auto node = state.nodes.find(file.path);
        if (node != state.nodes.end()) node->second.modified = Now();
        return items;
    }

    static int Flush(void* data) {
        const FaultyFile& file = FileOf(data);
        State& state = StateOf(file.state);
        const std::lock_guard<std::mutex> lock(state.mutex);
        return state.Fails("flush", file.path, ENOSPC) ? -1 : 0;
    }

    static int Truncate(void* data, vsi_l_offset size) {
        FaultyFile& file = FileOf(data);
        State& state = StateOf(file.state);
        const std::lock_guard<std::mutex> lock(state.mutex);
        if (state.Fails("truncate", file.path, EIO)) return -1;
        file.bytes->resize(static_cast<std::size_t>(size));
        return 0;
    }

    static int Close(void* data) {
        if (data == nullptr) return 0;  // GDAL 3.13 closes a zip file's file twice
        const std::unique_ptr<FaultyFile> file(&FileOf(data));
        State& state = StateOf(file->state);
        const std::lock_guard<std::mutex> lock(state.mutex);
        // Closing fails only for files that were written.
        if (!file->is_written || !state.Fails("close", file->path, ENOSPC)) return 0;
        if (state.IsShort()) file->bytes->resize(file->bytes->size() / 2);
        return -1;
    }
};

namespace {

// Prefix of GDAL's plugin file system. Class Handler opens its files through this prefix, and
// removes files itself, because the plugin of GDAL 3.6 cannot.
constexpr const char* kPlugin = "/faulty-plugin/";

void InstallPlugin(void* state) {
    VSIFilesystemPluginCallbacksStruct* const calls = VSIAllocFilesystemPluginCallbacksStruct();
    calls->pUserData = state;
    calls->stat = FaultyCalls::Stat;
    calls->open = FaultyCalls::Open;
    calls->tell = FaultyCalls::Tell;
    calls->seek = FaultyCalls::Seek;
    calls->read = FaultyCalls::Read;
    calls->eof = FaultyCalls::Eof;
    calls->write = FaultyCalls::Write;
    calls->flush = FaultyCalls::Flush;
    calls->truncate = FaultyCalls::Truncate;
    calls->close = FaultyCalls::Close;
    VSIInstallPluginHandler(kPlugin, calls);
    VSIFreeFilesystemPluginCallbacksStruct(calls);
}

class Handler final : public VSIFilesystemHandler {
  public:
    Handler(std::string prefix, void* state) : prefix_(std::move(prefix)), state_(state) {}

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
    using Opened = VSIVirtualHandleUniquePtr;
#else
    using Opened = VSIVirtualHandle*;
#endif
    Opened Open(const char* name, const char* access, bool set_error,
                CSLConstList options) override {
        const std::string path = std::string(kPlugin) + Below(name);
        return VSIFileManager::GetHandler(kPlugin)->Open(path.c_str(), access, set_error, options);
    }
    int Stat(const char* name, VSIStatBufL* stat, int flags) override {
        return FaultyCalls::Stat(state_, Below(name), stat, flags);
    }
    int Unlink(const char* name) override { return FaultyCalls::Unlink(state_, Below(name)); }
    int Mkdir(const char* name, long mode) override {
        return FaultyCalls::Mkdir(state_, Below(name), mode);
    }
    int Rmdir(const char* name) override { return FaultyCalls::Rmdir(state_, Below(name)); }
    char** ReadDirEx(const char* name, int most) override {
        return FaultyCalls::ReadDir(state_, Below(name), most);
    }
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 11, 0)
    int Rename(const char* from, const char* to, GDALProgressFunc /*progress*/,
               void* /*data*/) override {
#else
    int Rename(const char* from, const char* to) override {
#endif
        return FaultyCalls::Rename(state_, Below(from), Below(to));
    }

  private:
    // GDAL may pass the folder of the prefix without its final slash. `name` is then shorter than
    // prefix_.
    const char* Below(const char* name) const {
        return name + std::min(prefix_.size(), std::strlen(name));
    }

    const std::string prefix_;
    void* state_;
};

void Install(const char* prefix, void* state) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
    VSIFileManager::InstallHandler(prefix, std::make_shared<Handler>(prefix, state));
#else
    VSIFileManager::InstallHandler(prefix, new Handler(prefix, state));
#endif
}

// Returns the number in the name of a test folder, without the prefix of the file system.
std::string NumberOf(const std::string& folder) { return folder.substr(folder.rfind('/') + 1); }

}  // namespace

FaultyFiles::FaultyFiles() : state_(std::make_shared<State>()) {
    InstallPlugin(state_.get());
    Install("/faulty/", state_.get());
    Install("/vsifaulty/", state_.get());
}

FaultyFiles& FaultyFiles::Get() {
    // Never destroyed, because GDAL may call the file system until the process ends.
    static auto& files = *new FaultyFiles();
    return files;
}

std::string FaultyFiles::NewFolder(const Files& files, const std::string& prefix) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const std::string folder = std::to_string(++state_->folders);
    // Files begin a minute old, so that a later change gives them a different time.
    const std::int64_t modified = Now() - 60'000'000'000;
    state_->nodes[folder] = {true, nullptr, modified};
    for (const auto& [name, bytes] : files) {
        const bool is_folder = name.back() == '/';
        state_->nodes[folder + "/" + PathOf(name.c_str())] = {
            is_folder, is_folder ? nullptr : std::make_shared<std::string>(bytes), modified};
    }
    return prefix + folder;
}

Files FaultyFiles::FilesIn(const std::string& folder) const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const std::string path = NumberOf(folder);
    Files files;
    const auto [begin, end] = state_->Below(path);
    for (auto it = begin; it != end; ++it) {
        const std::string name = it->first.substr(path.size() + 1);
        files[it->second.is_folder ? name + "/" : name] =
            it->second.is_folder ? "" : *it->second.bytes;
    }
    return files;
}

void FaultyFiles::Remove(const std::string& folder) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const std::string path = NumberOf(folder);
    const auto [begin, end] = state_->Below(path);
    state_->nodes.erase(begin, end);
    state_->nodes.erase(path);
}

void FaultyFiles::Arm(const Fault& fault) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->fault = fault;
    state_->is_armed = true;
    state_->calls = 0;
    state_->renames.clear();
    state_->first_failed.clear();
}

std::size_t FaultyFiles::Disarm() {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->is_armed = false;
    return state_->calls;
}

std::vector<std::size_t> FaultyFiles::Renames() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->renames;
}

std::string FaultyFiles::FirstFailed() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->first_failed;
}

}  // namespace zarr_driver::test
