# Options of the build. All targets link zarr_options, which has the compiler options.

option(ZARR_BUILD_DRIVER "Build the GDAL driver; without it, only the core is built, which needs no GDAL" ON)
option(ZARR_BUILD_TESTS "Build the C++ unit tests" OFF)
option(ZARR_BUILD_BENCHMARKS "Build the C++ side of the benchmarks" OFF)
option(ZARR_BUILD_FUZZERS "Build the fuzzers, with clang" OFF)
set(ZARR_FUZZING_ENGINE "-fsanitize=fuzzer" CACHE STRING "How fuzzers are linked with what calls them")
option(ZARR_WARNINGS_AS_ERRORS "Stop at compiler warnings, as the presets do" OFF)
option(ZARR_BY_FOLDER "Compile the files of a folder together, which takes a third of the time" ON)
option(ZARR_CORE_SHARED "Build and install zarr_core as a shared library; the plugin has its own" OFF)
# Codecs that few stores use can be left out of the build with these options.
option(ZARR_WITH_BZ2 "Have the codec bz2, with libbz2" ON)
option(ZARR_WITH_LERC "Have the codec imagecodecs_lerc, with liblerc" ON)
option(ZARR_WITH_LZMA "Have the codec lzma, with liblzma" ON)
option(ZARR_WITH_TIFF "Have the codec imagecodecs_tiff, with libtiff" ON)
option(ZARR_WITH_ZFP "Have the codecs zfp and zfpy, with libzfp" ON)
set(ZARR_WHEEL_HEADERS "" CACHE STRING
  "Folders with headers of GDAL, named like its versions, for the Python package; scripts/wheel.sh sets it")
set(ZARR_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")

if(ZARR_BUILD_TESTS OR ZARR_BUILD_FUZZERS)
  foreach(codec BZ2 LERC LZMA TIFF ZFP)
    if(NOT ZARR_WITH_${codec})
      message(FATAL_ERROR "The tests need every codec: ZARR_WITH_${codec}=OFF needs ZARR_BUILD_TESTS=OFF")
    endif()
  endforeach()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The core of the Python package is a library of its own.
if(ZARR_WHEEL_HEADERS)
  set(CMAKE_CXX_VISIBILITY_PRESET default)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN OFF)
  # Without -fno-gnu-unique, static variables of templates would be shared by the plugins of all GDAL versions.
  add_compile_options(-fno-gnu-unique -fno-semantic-interposition
    "SHELL:-include ${PROJECT_SOURCE_DIR}/packaging/wheel/older_symbols.h")
endif()

add_library(zarr_options INTERFACE)
target_include_directories(zarr_options INTERFACE ${PROJECT_SOURCE_DIR})
if(WIN32)
  # Functions of Windows 10, and no macros min() and max().
  target_compile_definitions(zarr_options INTERFACE NOMINMAX WIN32_LEAN_AND_MEAN _WIN32_WINNT=0x0A00)
endif()
if(MSVC)
  # Sources are UTF-8. /bigobj is for the files of a folder that are compiled together.
  target_compile_options(zarr_options INTERFACE /utf-8 /bigobj /permissive- /Zc:__cplusplus
    /W4 $<$<BOOL:${ZARR_WARNINGS_AS_ERRORS}>:/WX>)
else()
  # Object files name sources as the project does, not by the folder that it lies in.
  target_compile_options(zarr_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
    # GCC 14 gives wrong warnings about uninitialized values in std::variant.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>>:-Wno-maybe-uninitialized>
    # In a unity build, -Wshadow would warn about equal names in different source files. -Wshadow=local warns only about
    # local names.
    $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow>
    $<$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>:-Wshadow=local>
    $<$<BOOL:${ZARR_WARNINGS_AS_ERRORS}>:-Werror>)
  if(ZARR_SANITIZE)
    target_compile_options(zarr_options INTERFACE
      -fsanitize=${ZARR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
      # GCC's manual says that -Wmaybe-uninitialized gives wrong warnings under sanitizers.
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(zarr_options INTERFACE -fsanitize=${ZARR_SANITIZE})
  endif()
  # Targets with the property ZARR_TEST_CODE are not optimized, which halves their build time. Undefined behaviour is
  # checked only in the tested code.
  target_compile_options(zarr_options INTERFACE
    "$<$<BOOL:$<TARGET_PROPERTY:ZARR_TEST_CODE>>:-O0;-fno-sanitize=undefined>")
endif()

# zarr_compile_by_folder(TARGET FILE...) compiles the .cpp files FILE... of TARGET, all files of a folder together as
# one unity file.
function(zarr_compile_by_folder target)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
