// SPDX-License-Identifier: MIT
// Finds the function GDALRegister_Zarr(), which builds of GDAL without the built-in Zarr driver
// lack. A plugin that needed the function could not be loaded there.
#include "driver/base/builtin_registration.h"

#include <gdal.h>

#if defined(_WIN32)
#include <windows.h>
#elif !defined(__ELF__)
#include <dlfcn.h>
#endif

// In the format ELF the reference is weak: the linker sets the function's address to null if no
// library has the function.
#if defined(__ELF__)
extern "C" {
// NOLINTNEXTLINE(readability-redundant-declaration): declares the function as weak
__attribute__((weak)) void CPL_DLL GDALRegister_Zarr();
}
#endif

namespace zarr_driver {

namespace {

using RegisterFunction = void (*)();

RegisterFunction FindRegisterFunction() {
#if defined(__ELF__)
    return GDALRegister_Zarr;
#else
    // The library with the function GDALVersionInfo() is the GDAL that this plugin uses.
    constexpr const char* kName = "GDALRegister_Zarr";
#if defined(_WIN32)
    HMODULE gdal = nullptr;
    if (GetModuleHandleExW(
            GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
            reinterpret_cast<LPCWSTR>(&GDALVersionInfo), &gdal) == 0)
        return nullptr;
    // The conversion by way of void* avoids a warning about different types of functions.
    return reinterpret_cast<RegisterFunction>(reinterpret_cast<void*>(GetProcAddress(gdal, kName)));
#else
    Dl_info gdal;
    if (dladdr(reinterpret_cast<const void*>(&GDALVersionInfo), &gdal) == 0) return nullptr;
    void* const library = dlopen(gdal.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library != nullptr ? reinterpret_cast<RegisterFunction>(dlsym(library, kName)) : nullptr;
#endif
#endif
}

}  // namespace

void RegisterBuiltin() {
    if (const RegisterFunction function = FindRegisterFunction(); function != nullptr) function();
}

}  // namespace zarr_driver
