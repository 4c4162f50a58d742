# Every library is required. Otherwise a driver without a codec would look like a complete driver.
# Options ZARR_WITH_... leave out rare libraries; errors of the driver then name them.

find_package(GDAL CONFIG REQUIRED)
# find_package() gets no version argument, because GDAL's package rejects every other minor version.
if(GDAL_VERSION VERSION_LESS 3.6)
  message(FATAL_ERROR "GDAL ${GDAL_VERSION} is too old: 3.6 or later is needed")
endif()
find_package(nlohmann_json 3.9 REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/CodecLibraries.cmake)
