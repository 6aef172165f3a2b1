# What libvisviva stands on.  Used by the build and, unchanged, by the installed package.
# Defines OpenMP::OpenMP_C, visviva_yaml and visviva_hdf5.

# Without OpenMP (VV_OPENMP off, or a compiler that has none: Apple's clang) everything runs on one thread.
if(NOT DEFINED VV_OPENMP)
  set(VV_OPENMP ON)
endif()
get_property(vv_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(VV_OPENMP AND "C" IN_LIST vv_languages)
  find_package(OpenMP COMPONENTS C)
elseif(VV_OPENMP AND NOT TARGET OpenMP::OpenMP_C) # a project in C++ alone
  find_package(OpenMP COMPONENTS CXX)
  if(OpenMP_CXX_FOUND)
    add_library(OpenMP::OpenMP_C INTERFACE IMPORTED)
    target_link_libraries(OpenMP::OpenMP_C INTERFACE OpenMP::OpenMP_CXX)
  endif()
endif()
if(NOT TARGET OpenMP::OpenMP_C)
  message(STATUS "visviva: no OpenMP: one thread")
  set(VV_OPENMP OFF)
  add_library(OpenMP::OpenMP_C INTERFACE IMPORTED)
endif()
find_package(PkgConfig REQUIRED)

if(NOT TARGET visviva_yaml)
  pkg_check_modules(VV_YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  add_library(visviva_yaml INTERFACE IMPORTED)
  target_link_libraries(visviva_yaml INTERFACE PkgConfig::VV_YAML)
endif()

# By the name of the serial flavour: where an MPI flavour is installed too, plain `hdf5` may mean that one.
if(NOT TARGET visviva_hdf5)
  add_library(visviva_hdf5 INTERFACE IMPORTED)
  pkg_check_modules(VV_HDF5 IMPORTED_TARGET hdf5-serial)
  if(VV_HDF5_FOUND)
    target_link_libraries(visviva_hdf5 INTERFACE PkgConfig::VV_HDF5)
  else()
    find_package(HDF5 REQUIRED COMPONENTS C)
    target_include_directories(visviva_hdf5 INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_compile_definitions(visviva_hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
    target_link_libraries(visviva_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  endif()
endif()
