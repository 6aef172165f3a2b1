# make install PREFIX=...: library, headers, program, scenes, visviva.pc and the CMake package.
include(CMakePackageConfigHelpers)

set(vv_libraries vv_inside)
if(VV_SHARED)
  list(APPEND vv_libraries vv_shared)
endif()
install(TARGETS ${vv_libraries} EXPORT visvivaTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/visviva DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/visviva)
install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET visviva)
  file(RELATIVE_PATH vv_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  if(APPLE)
    set(vv_origin "@loader_path")
  else()
    set(vv_origin "$ORIGIN")
  endif()
  set_target_properties(visviva PROPERTIES INSTALL_RPATH "${vv_origin}/${vv_lib_from_bin}")
  if(VV_WHEEL) # bin/visviva beside the library in the Python package; libraries that it brings along lie in lib
    set_target_properties(visviva PROPERTIES INSTALL_RPATH "${vv_origin}/..")
    set_target_properties(vv_shared PROPERTIES INSTALL_RPATH "${vv_origin}/lib")
    if(NOT APPLE) # the old tag: it holds for the libraries of the library, too
      target_link_options(vv_shared PRIVATE -Wl,--disable-new-dtags)
      target_link_options(visviva PRIVATE -Wl,--disable-new-dtags)
    endif()
  endif()
  install(TARGETS visviva RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET visviva-mpi)
    set_target_properties(visviva-mpi PROPERTIES INSTALL_RPATH "${vv_origin}/${vv_lib_from_bin}")
    install(TARGETS visviva-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  install(FILES ${CMAKE_BINARY_DIR}/report-template.html DESTINATION ${CMAKE_INSTALL_DATADIR}/visviva OPTIONAL)
  if(NOT CMAKE_CROSSCOMPILING) # made by the program itself, from the tables of its help
    set(vv_shell ${CMAKE_BINARY_DIR}/shell)
    add_custom_command(
      OUTPUT ${vv_shell}/visviva.1 ${vv_shell}/visviva ${vv_shell}/_visviva ${vv_shell}/visviva.fish
      COMMAND sh ${PROJECT_SOURCE_DIR}/tools/shell.sh $<TARGET_FILE:visviva> ${vv_shell}
      DEPENDS visviva ${PROJECT_SOURCE_DIR}/tools/shell.sh
      VERBATIM)
    if(NOT VV_WHEEL)
      add_custom_target(shell ALL DEPENDS ${vv_shell}/visviva.1)
      install(FILES ${vv_shell}/visviva.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
      install(FILES ${vv_shell}/visviva DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
      install(FILES ${vv_shell}/_visviva DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
      install(FILES ${vv_shell}/visviva.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    endif()
  endif()
endif()

# pkg-config.  A static library alone needs what stands below it at every link; a shared one brings it along.
if(NOT VV_OPENMP)
  set(vv_pc_libs " -lm")
elseif(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(vv_pc_libs " -fopenmp -lm")
else()
  set(vv_pc_libs " ${OpenMP_C_LIBRARIES} -lm") # by name: another compiler's -fopenmp means another runtime
endif()
set(vv_pc_requires "yaml-0.1 hdf5-serial")
if(NOT VV_HDF5_FOUND)
  set(vv_pc_requires "yaml-0.1")
  string(PREPEND vv_pc_libs " ${HDF5_C_LIBRARIES}")
endif()
string(REPLACE ";" " " vv_pc_libs "${vv_pc_libs}")
if(VV_SHARED) # `pkg-config --static` for the other
  set(vv_pc_private .private)
  set(vv_pc_libs_private "${vv_pc_libs}")
else()
  set(vv_pc_libs_public "${vv_pc_libs}")
endif()
# The prefix follows the file, so that an installed tree may be moved.
file(RELATIVE_PATH vv_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/visviva.pc.in visviva.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/visviva.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(vv_package ${CMAKE_INSTALL_LIBDIR}/cmake/visviva)
install(EXPORT visvivaTargets NAMESPACE visviva:: DESTINATION ${vv_package})
configure_package_config_file(cmake/visvivaConfig.cmake.in visvivaConfig.cmake INSTALL_DESTINATION ${vv_package})
write_basic_package_version_file(visvivaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/visvivaConfig.cmake ${CMAKE_BINARY_DIR}/visvivaConfigVersion.cmake
              cmake/visvivaDependencies.cmake DESTINATION ${vv_package})
