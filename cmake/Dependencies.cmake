# Every library is required. Otherwise, a build might lack a codec without anybody noticing. A library is left
# out only by an option ZARR_WITH_...; the driver then names the missing codec in its errors.

if(ZARR_BUILD_DRIVER AND NOT ZARR_WHEEL_HEADERS)
  find_package(GDAL CONFIG REQUIRED)
  # GDAL's CMake package accepts only its own minor version, so the version is checked here and not by
  # find_package().
  if(GDAL_VERSION VERSION_LESS 3.6)
    message(FATAL_ERROR "GDAL ${GDAL_VERSION} is too old: 3.6 or later is needed")
  endif()
endif()
find_package(nlohmann_json 3.9 REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/CodecLibraries.cmake)

# ZARR_ZFP_SONAME is the soname of libzfp, such as libzfp.so.1. It is empty if libzfp is static, or if the
# format of the library is not ELF.
set(ZARR_ZFP_SONAME "")
if(ZARR_WITH_ZFP AND CMAKE_READELF)
  get_target_property(library zarr::zfp IMPORTED_LOCATION)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  string(REGEX MATCH "\\(SONAME\\)[^[]*\\[([^]]+)\\]" found "${dynamic}")
  set(ZARR_ZFP_SONAME "${CMAKE_MATCH_1}")
endif()
