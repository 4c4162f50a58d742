# Finds the libraries that zarr_core links, and defines a target zarr::NAME for each, also for users of an installed
# zarr_core. Options ZARR_WITH_BZ2, _LERC, _LZMA, _TIFF and _ZFP select optional libraries.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

# zarr_library_missing(WHAT PACKAGE [OPTION]) stops with the error that the library WHAT is missing. PACKAGE is its
# Debian package; OPTION is the CMake option to build without it.
function(zarr_library_missing what package)
  set(advice "")
  if(ARGN)
    set(advice "; -D${ARGN}=OFF builds without it")
  endif()
  message(FATAL_ERROR "${what} not found; on Debian the package is ${package}${advice}")
endfunction()

function(zarr_find_library target header library package)
  if(TARGET zarr::${target})
    return()
  endif()
  find_path(${target}_INCLUDE_DIR ${header})
  # Some packages for Windows begin the name with "lib" there, too.
  find_library(${target}_LIBRARY NAMES ${library} lib${library})
  mark_as_advanced(${target}_INCLUDE_DIR ${target}_LIBRARY)
  if(NOT ${target}_INCLUDE_DIR OR NOT ${target}_LIBRARY)
    zarr_library_missing("${header} or lib${library}" ${package} ${ARGN})
  endif()
  add_library(zarr::${target} UNKNOWN IMPORTED)
  set_target_properties(zarr::${target} PROPERTIES
    IMPORTED_LOCATION "${${target}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${${target}_INCLUDE_DIR}")
endfunction()

zarr_find_library(blosc blosc.h blosc libblosc-dev)
zarr_find_library(libdeflate libdeflate.h deflate libdeflate-dev)
zarr_find_library(zstd zstd.h zstd libzstd-dev)
zarr_find_library(lz4 lz4.h lz4 liblz4-dev)

if(ZARR_WITH_BZ2)
  find_package(BZip2 QUIET)
  if(NOT BZip2_FOUND)
    zarr_library_missing("bzlib.h or libbz2" libbz2-dev ZARR_WITH_BZ2)
  endif()
endif()
if(ZARR_WITH_LERC)
  zarr_find_library(lerc Lerc_c_api.h Lerc liblerc-dev ZARR_WITH_LERC)
endif()
if(ZARR_WITH_LZMA)
  find_package(LibLZMA QUIET)
  if(NOT LibLZMA_FOUND)
    zarr_library_missing("lzma.h or liblzma" liblzma-dev ZARR_WITH_LZMA)
  endif()
endif()
if(ZARR_WITH_TIFF)
  zarr_find_library(tiff tiffio.h tiff libtiff-dev ZARR_WITH_TIFF)
endif()
if(ZARR_WITH_ZFP)
  zarr_find_library(zfp zfp.h zfp libzfp-dev ZARR_WITH_ZFP)
endif()
