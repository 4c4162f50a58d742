# A library that is missing is an error: a driver without one of its codecs would be a smaller driver
# that looks the same. Options ZARR_WITH_... leave out the rare ones; the driver then says so.

find_package(GDAL CONFIG REQUIRED)
# Not as the version of find_package(): GDAL's package says that no minor version serves for another.
if(GDAL_VERSION VERSION_LESS 3.6)
  message(FATAL_ERROR "GDAL ${GDAL_VERSION} is too old: 3.6 or later is needed")
endif()
find_package(nlohmann_json 3.9 REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/CodecLibraries.cmake)
