# Debian packages, which `cpack` makes in the build folder: the plugin for users of GDAL, and the core for C++
# programs.

file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
set(copyright ${PROJECT_BINARY_DIR}/package/copyright)
string(REGEX MATCH "Copyright[^\n]*" holder "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license_lines "${license}")
string(REGEX REPLACE "\n" "\n " license_lines "\n${license_lines}")
string(REGEX REPLACE "[ \n]+$" "" license_lines "${license_lines}")
file(WRITE ${copyright}
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
  "Files: *\n${holder}\nLicense: Expat\n\nLicense: Expat${license_lines}\n")
install(FILES ${copyright} DESTINATION share/doc/gdal-plugin-zarr COMPONENT plugin)
install(FILES ${copyright} DESTINATION share/doc/libzarr-core-dev COMPONENT core
  EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_CONTACT "The authors of Zarr for GDAL <gdal-plugin-zarr@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL plugin core)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Dependencies on all linked libraries are found automatically, including the version and ABI of GDAL.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME gdal-plugin-zarr)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SECTION science)
# libzfp is loaded at run time and not linked, so its package is no automatic dependency and is found here.
set(zfp_package "")
if(ZARR_ZFP_SONAME)
  get_target_property(zfp_library zarr::zfp IMPORTED_LOCATION)
  get_filename_component(zfp_library ${zfp_library} REALPATH)
  find_program(ZARR_DPKG_QUERY dpkg-query)
  mark_as_advanced(ZARR_DPKG_QUERY)
  if(ZARR_DPKG_QUERY)
    execute_process(COMMAND ${ZARR_DPKG_QUERY} --search ${zfp_library}
                    OUTPUT_VARIABLE zfp_package ERROR_QUIET)
    string(REGEX MATCH "^[^:]*" zfp_package "${zfp_package}")
  endif()
endif()
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS "${zfp_package}")
# The plugin itself needs no Python. Only the programs zarr_check, zarr_cube and zarr_qgis do.
set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS "python3-gdal, python3-jsonschema, python3-numpy")
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION "Zarr driver for GDAL
Reads and writes Zarr stores of versions 2 and 3 in GDAL, QGIS and every
program on GDAL, with shards and every codec of zarr-python, and reads
version 1. While it is installed it
takes the place of the driver Zarr that is built into GDAL.")

set(CPACK_DEBIAN_CORE_PACKAGE_NAME libzarr-core-dev)
set(CPACK_DEBIAN_CORE_PACKAGE_SECTION libdevel)
set(core_depends "libblosc-dev, libdeflate-dev, liblz4-dev, libzstd-dev, zlib1g-dev")
if(zfp_package)
  string(APPEND core_depends ", ${zfp_package}")
endif()
foreach(codec BZ2 LERC LZMA TIFF ZFP)
  if(ZARR_WITH_${codec} AND NOT (codec STREQUAL ZFP AND ZARR_ZFP_SONAME))
    string(TOLOWER "lib${codec}-dev" package)
    string(APPEND core_depends ", ${package}")
  endif()
endforeach()
set(CPACK_DEBIAN_CORE_PACKAGE_DEPENDS "${core_depends}")
set(CPACK_COMPONENT_CORE_DESCRIPTION "Zarr in C++ (static library)
Reads and writes Zarr stores: arrays of every data type, codec and filter,
groups and attributes. What the GDAL driver is made of, without GDAL.")
include(CPack)
