# Toolchain for Windows programs on Debian (packages g++-mingw-w64-x86-64-posix and lld). autotest/portable/run.sh uses
# this file. ZARR_SYSROOT is a folder with the headers and import libraries that Debian has only for Linux.

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
# Programs contain the compiler's own libraries, so that they need no DLL of the compiler.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -fno-use-linker-plugin -wrapper ${CMAKE_CURRENT_LIST_DIR}/mingw_link.sh")
# try_compile() reads this file, too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZARR_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${ZARR_SYSROOT} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
