# find_package(zarr_core) gives the target zarr::zarr_core.
include(${CMAKE_CURRENT_LIST_DIR}/CodecLibraries.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/zarr_core_targets.cmake)
