// SPDX-License-Identifier: MIT
// The plugin file that GDAL finds in the Python package. It loads the plugin that was built for the
// minor version and C++ ABI of the GDAL that called it.
//
// The file of libgdal has another name in each wheel, such as libgdal-c8c9c467.so.36.3.10.3. Python
// loads it without making its symbols global, so that a plugin finds them only if the plugin's list
// of needed libraries names exactly this file. The plugins of the package name a placeholder, which
// is overwritten in a copy in memory.
//
// One process can contain several libgdal, for example those of rasterio and of pyogrio. Each gets
// a plugin of its own.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using RegisterFunction = void (*)();
using VersionFunction = const char* (*)(const char*);
using ErrorFunction = void (*)(int, int, const char*, ...);
using DriverFunction = void* (*)(const char*);

// Values of CPLErr and CPLErrorNum in GDAL's cpl_error.h.
constexpr int kWarning = 2;
constexpr int kOpenFailed = 4;

// A libgdal that has called this loader, and the plugin that was loaded for it.
struct Loaded {
    const link_map* gdal;
    RegisterFunction register_driver;  // null if there is no plugin for this libgdal
};

constexpr int kMaxLoaded = 16;
Loaded loaded[kMaxLoaded];
int loaded_count = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Path below the folder that contains this file's folder. Too long paths become empty, so that
// opening them fails.
struct Path {
    char text[4096];
};
Path PathInPackage(const char* below) {
    Path path = {};
    Dl_info own;
    if (dladdr(reinterpret_cast<void*>(&PathInPackage), &own) == 0) return path;
    const char* end = strrchr(own.dli_fname, '/');
    const int length = end == nullptr ? 1 : static_cast<int>(end - own.dli_fname);
    const char* const folder = end == nullptr ? "." : own.dli_fname;
    const int written = snprintf(path.text, sizeof(path.text), "%.*s/../%s", length, folder, below);
    if (written < 0 || static_cast<size_t>(written) >= sizeof(path.text)) path.text[0] = '\0';
    return path;
}

// Returns the name by which the dynamic linker finds `library` again: its path, or its soname if
// the path is longer than `max_length`. Returns nullptr if both are longer.
const char* NameOf(const link_map& library, size_t max_length) {
    const size_t length = strlen(library.l_name);
    if (length > 0 && length <= max_length) return library.l_name;
    const char* strings = nullptr;
    ElfW(Xword) offset = 0;
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_SONAME) offset = entry->d_un.d_val;
    }
    if (strings == nullptr || offset == 0 || strlen(strings + offset) > max_length) return nullptr;
    return strings + offset;
}

// Overwrites the placeholder in the file `contents` with `gdal`. Returns false if there is no
// placeholder, or if the name of `gdal` is too long.
bool NameGdal(char* contents, size_t size, const link_map& gdal) {
    // ZARR_GDAL_PLACEHOLDER is the soname with which the plugins were linked. Tools that edit
    // plugins may leave a second one behind.
    constexpr size_t kLength = sizeof(ZARR_GDAL_PLACEHOLDER) - 1;
    const char* const name = NameOf(gdal, kLength);
    if (name == nullptr) return false;
    char* rest = contents;
    const char* const end = contents + size;
    while (void* const place =
               memmem(rest, static_cast<size_t>(end - rest), ZARR_GDAL_PLACEHOLDER, kLength)) {
        rest = static_cast<char*>(place);
        memset(rest, 0, kLength);
        memcpy(rest, name, strlen(name));
        rest += kLength;
    }
    return rest != contents;
}

// Returns an open file in memory with the contents of the file `path`; -1 on failure.
int CopyToMemory(const char* path, const link_map& gdal) {
    const int source = open(path, O_RDONLY | O_CLOEXEC);
    if (source < 0) return -1;
    int copy = -1;
    struct stat status;
    if (fstat(source, &status) == 0 && status.st_size > 0) {
        const size_t size = static_cast<size_t>(status.st_size);
        void* const contents = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, source, 0);
        if (contents != MAP_FAILED) {
            if (NameGdal(static_cast<char*>(contents), size, gdal)) {
                // Kernels before 6.3 do not know MFD_EXEC. Later ones may be configured to demand
                // it, or to refuse it; a library can be mapped either way.
                constexpr unsigned kExecutable = 0x10;
                copy = memfd_create("gdal_zarr", MFD_CLOEXEC | kExecutable);
                if (copy < 0) copy = memfd_create("gdal_zarr", MFD_CLOEXEC);
            }
            const char* rest = static_cast<const char*>(contents);
            const char* const end = rest + size;
            while (copy >= 0 && rest < end) {
                const ssize_t written = write(copy, rest, static_cast<size_t>(end - rest));
                if (written <= 0) {
                    close(copy);
                    copy = -1;
                } else {
                    rest += written;
                }
            }
            munmap(contents, size);
        }
    }
    close(source);
    return copy;
}

// Loads the core of the file `core`, and the plugin of the file `path` for `gdal`. Returns the
// plugin's registration function; nullptr on failure, with the reason in `why`.
RegisterFunction LoadPlugin(const char* core, const char* path, const link_map& gdal, char* why,
                            size_t why_size) {
    // The plugin names its core by soname, and the dynamic linker finds a loaded library with that
    // soname.
    if (dlopen(core, RTLD_NOW | RTLD_LOCAL) == nullptr) {
        snprintf(why, why_size, "%s", dlerror());
        return nullptr;
    }
    const int file = CopyToMemory(path, gdal);
    if (file < 0) {
        snprintf(why, why_size, "%s cannot be copied into memory", path);
        return nullptr;
    }
    // The dynamic linker takes equal paths for the same library, and a number of a file may be used
    // again. Each plugin therefore has a path with another number of "./".
    char name[64 + 2 * kMaxLoaded] = "/proc/self/fd/";
    for (int i = 0; i < loaded_count; ++i) strcat(name, "./");
    char* const end = name + strlen(name);
    snprintf(end, sizeof(name) - static_cast<size_t>(end - name), "%d", file);
    void* const plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void* const function = plugin == nullptr ? nullptr : dlsym(plugin, "GDALRegister_ZarrV2");
    if (function == nullptr) snprintf(why, why_size, "%s", dlerror());
    close(file);
    return reinterpret_cast<RegisterFunction>(function);
}

RegisterFunction PluginFor(const link_map& gdal) {
    void* const handle = dlopen(gdal.l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    const auto version = reinterpret_cast<VersionFunction>(dlsym(handle, "GDALVersionInfo"));
    const auto emit_error = reinterpret_cast<ErrorFunction>(dlsym(handle, "CPLError"));
    if (version == nullptr || emit_error == nullptr) return nullptr;
    // Wheels for manylinux2014 are compiled with the C++ ABI that libstdc++ had before GCC 5. In it
    // the mangled name of this method of GDAL names std::string by the abbreviation "Ss".
    const bool old_abi = dlsym(handle, "_ZNK17GDALIHasAttribute12GetAttributeERKSs") != nullptr;
    const char* const ending = old_abi ? "_old_abi" : "";
    // VERSION_NUM is 3100300 for GDAL 3.10.3.
    const int number = atoi(version("VERSION_NUM"));
    char below[64];
    snprintf(below, sizeof(below), "plugins/gdal_zarr_%d.%d%s.so", number / 1000000,
             number / 10000 % 100, ending);
    const Path path = PathInPackage(below);
    if (access(path.text, R_OK) != 0) {
        // GDAL has this driver already if GDAL_DRIVER_PATH names another folder that contains it.
        const auto driver = reinterpret_cast<DriverFunction>(dlsym(handle, "GDALGetDriverByName"));
        if (driver != nullptr && driver("ZarrBuiltin") != nullptr) return nullptr;
        // python/gdal_zarr/libraries.py has this text, too.
        emit_error(kWarning, kOpenFailed,
                   "gdal_zarr has plugins for GDAL %s, not for GDAL %s%s: GDAL's own Zarr driver "
                   "is used, which may show less of a store. Install a package with one of these "
                   "versions of GDAL, or a gdal_zarr for GDAL %d.%d.",
                   ZARR_GDAL_VERSIONS, version("RELEASE_NAME"),
                   old_abi ? " with the old C++ ABI" : "", number / 1000000, number / 10000 % 100);
        return nullptr;
    }
    snprintf(below, sizeof(below), "lib/libgdal_zarr_core%s-" ZARR_CORE_VERSION ".so", ending);
    const Path core = PathInPackage(below);
    char why[1024] = "";
    const RegisterFunction function = LoadPlugin(core.text, path.text, gdal, why, sizeof(why));
    if (function == nullptr)
        emit_error(kWarning, kOpenFailed, "gdal_zarr: the plugin for GDAL %s cannot be loaded: %s",
                   version("RELEASE_NAME"), why);
    return function;
}

}  // namespace

// GDAL calls this function after it has loaded the file gdal_ZarrV2.so.
extern "C" __attribute__((visibility("default"))) void GDALRegister_ZarrV2() {
    Dl_info caller;
    link_map* gdal = nullptr;
    if (dladdr1(__builtin_return_address(0), &caller, reinterpret_cast<void**>(&gdal),
                RTLD_DL_LINKMAP) == 0 ||
        gdal == nullptr)
        return;
    // Several libgdal may register their drivers at once, in different threads.
    pthread_mutex_lock(&mutex);
    RegisterFunction function = nullptr;
    int i = 0;
    while (i < loaded_count && loaded[i].gdal != gdal) ++i;
    if (i < loaded_count) {
        function = loaded[i].register_driver;
    } else if (loaded_count < kMaxLoaded) {
        function = PluginFor(*gdal);
        loaded[loaded_count++] = {gdal, function};
    }
    pthread_mutex_unlock(&mutex);
    if (function != nullptr) function();
}
