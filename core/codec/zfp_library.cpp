// SPDX-License-Identifier: MIT
#include "core/codec/zfp_library.h"

#ifdef ZARR_ZFP_LIBRARY  // the soname of libzfp, such as libzfp.so.1
#include <dlfcn.h>

#include <string>

#include "core/base/sanitizers.h"
#endif

namespace zarr {

namespace {

#ifdef ZARR_ZFP_LIBRARY

// RTLD_DEEPBIND makes libzfp call its own functions, even if the program has functions of these
// names. Sanitizers and musl do not support the flag.
#if defined(RTLD_DEEPBIND) && !ZARR_ADDRESS_SANITIZER && !ZARR_THREAD_SANITIZER
constexpr int kDeepBind = RTLD_DEEPBIND;
#else
constexpr int kDeepBind = 0;
#endif

// Fails if libzfp would call functions of another library instead of its own. `compress` is the
// address of zfp_compress().
Status FindReplacedFunctions(void* compress) {
    Dl_info libzfp;
    // libzfp calls a function of the program, or of a library that the program links, if the
    // function has the name of one of libzfp's own.
    void* const program = dlopen(nullptr, RTLD_LAZY);
    if (program == nullptr || dladdr(compress, &libzfp) == 0) return {};
    for (const char* const name : {"stream_open", "stream_close", "stream_size", "stream_flush"}) {
        Dl_info found;
        void* const function = dlsym(program, name);
        if (function == nullptr || dladdr(function, &found) == 0 ||
            found.dli_fbase == libzfp.dli_fbase)
            continue;
        return Status::Unsupported("libzfp does not work in this program, because " +
                                   std::string(found.dli_fname) +
                                   " has functions of equal names (" + name + ")");
    }
    return {};
}

Status Load(ZfpFunctions& functions) {
    // If the program has already loaded libzfp, RTLD_DEEPBIND has no effect on it.
    const bool is_loaded = dlopen(ZARR_ZFP_LIBRARY, RTLD_LAZY | RTLD_NOLOAD) != nullptr;
    // The library is never closed, because other threads may still use it while the process ends.
    void* const library = dlopen(ZARR_ZFP_LIBRARY, RTLD_NOW | RTLD_LOCAL | kDeepBind);
    if (library == nullptr)
        return Status::Unsupported("cannot load libzfp (" + std::string(dlerror()) +
                                   "); install it, on Debian by the package libzfp1");
#define ZARR_ZFP_LOAD(name)                                                             \
    functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name)); \
    if (functions.name == nullptr)                                                      \
        return Status::Unsupported(std::string(ZARR_ZFP_LIBRARY " has no function " #name));
    ZARR_FOR_EACH_ZFP_FUNCTION(ZARR_ZFP_LOAD)
#undef ZARR_ZFP_LOAD
    if (kDeepBind != 0 && !is_loaded) return {};
    return FindReplacedFunctions(dlsym(library, "zfp_compress"));
}

#else

// On Windows and macOS, the program's functions cannot replace those of libzfp, so the plugin
// simply links libzfp.
Status Load(ZfpFunctions& functions) {
#define ZARR_ZFP_LINK(name) functions.name = &::name;
    ZARR_FOR_EACH_ZFP_FUNCTION(ZARR_ZFP_LINK)
#undef ZARR_ZFP_LINK
    return {};
}

#endif

struct Loaded {
    Loaded() : status(Load(functions)) {}
    ZfpFunctions functions;
    Status status;
};

const Loaded& LoadOnce() {
    // Never destroyed, because other threads may still use libzfp while the process ends.
    static const auto& loaded = *new Loaded();
    return loaded;
}

}  // namespace

Status LoadLibzfp() { return LoadOnce().status; }

const ZfpFunctions& Libzfp() { return LoadOnce().functions; }

}  // namespace zarr
