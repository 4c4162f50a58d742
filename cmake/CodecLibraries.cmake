# The libraries that zarr_core links, as targets. This file is also in the package of an installed
# zarr_core. Libraries without a CMake package are found by header and library.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)

function(zarr_find_library target header library package)
  if(TARGET zarr::${target})
    return()
  endif()
  find_path(${target}_INCLUDE_DIR ${header})
  find_library(${target}_LIBRARY ${library})
  mark_as_advanced(${target}_INCLUDE_DIR ${target}_LIBRARY)
  if(NOT ${target}_INCLUDE_DIR OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR
      "${header} or lib${library} not found; on Debian they are in the package ${package}")
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
zarr_find_library(zfp zfp.h zfp libzfp-dev)
zarr_find_library(tiff tiffio.h tiff libtiff-dev)
