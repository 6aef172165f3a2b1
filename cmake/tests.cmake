# Tests: found by name, labelled by folder, each run in a scratch folder of its own.
#   tests/FOLDER/test_NAME.c    cmocka program          tests/support/*.c    helpers linked into all of them
#   tests/FOLDER/test_NAME.sh   script (also .py)       tests/fuzz/fuzz_*.c  fuzz targets, replayed over tests/fuzz/corpus
#   tests/FOLDER/NAME.c         linked into the programs of its folder
find_package(Python3 3.7 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

set(vv_test_environment OMP_WAIT_POLICY=passive VISVIVA=${CMAKE_BINARY_DIR}/visviva
                        VISVIVA_SOURCE=${PROJECT_SOURCE_DIR} VISVIVA_BUILD=${CMAKE_BINARY_DIR} LC_ALL=C)
if(TARGET visviva-mpi)
  list(APPEND vv_test_environment VISVIVA_MPIEXEC=${MPIEXEC_EXECUTABLE})
endif()
# cmocka catches SIGSEGV and the like and hides where: under a sanitizer, leave them to it (2: no other handler).
set(signals handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2)
if(VV_SANITIZE MATCHES "address")
  list(APPEND vv_test_environment ASAN_OPTIONS=detect_stack_use_after_return=1:${signals}
              UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.txt)
endif()
if(VV_SANITIZE MATCHES "thread")
  # The OpenMP runtime is not instrumented, so ThreadSanitizer cannot see its barriers and calls every parallel loop a
  # race.  LLVM's runtime tells it through the tool library `archer`; libgomp has no such thing.
  get_filename_component(omp_folder "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(omp_folder "${omp_folder}" DIRECTORY)
  find_library(VV_ARCHER archer HINTS ${omp_folder})
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang" OR NOT VV_ARCHER)
    message(FATAL_ERROR "ThreadSanitizer needs clang and LLVM's OpenMP with archer (Debian: clang libomp-dev): "
                        "use the preset `tsan`")
  endif()
  list(APPEND vv_test_environment OMP_TOOL_LIBRARIES=${VV_ARCHER} OMP_NUM_THREADS=4
              TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:history_size=7:${signals})
endif()

# against hangs alone: sanitizers and busy machines slow everything down
set(VV_TEST_TIMEOUT 900)

# vv_add_test(NAME LABEL COMMAND...)
function(vv_add_test name label)
  set(scratch ${CMAKE_BINARY_DIR}/scratch/${name})
  file(MAKE_DIRECTORY ${scratch})
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${scratch})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${VV_TEST_TIMEOUT} LABELS ${label} SKIP_RETURN_CODE 77
                                          ENVIRONMENT "${vv_test_environment}")
endfunction()

# ---- programs -----------------------------------------------------------------------------------------------------------

file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
add_library(vv_test_base INTERFACE)
target_include_directories(vv_test_base INTERFACE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/support)
target_link_libraries(vv_test_base INTERFACE vv_insider visviva_yaml visviva_hdf5 PkgConfig::CMOCKA)
if(support_sources)
  add_library(vv_test_support STATIC ${support_sources})
  target_link_libraries(vv_test_support PUBLIC vv_test_base)
else()
  add_library(vv_test_support ALIAS vv_test_base)
endif()

# Python loads a library with a sanitizer only after the sanitizer's own.
if(VV_SANITIZE MATCHES "address")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE VV_PRELOAD
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

file(GLOB_RECURSE test_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.c
     ${PROJECT_SOURCE_DIR}/tests/test_*.sh ${PROJECT_SOURCE_DIR}/tests/test_*.py)
foreach(source ${test_files})
  file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR}/tests ${source})
  string(REGEX REPLACE "/?test_([^/]*)\\.[a-z]+$" "/\\1" name ${relative}) # folder/name
  string(REGEX REPLACE "^/" "" name ${name})
  string(REGEX REPLACE "/.*" "" label ${name})
  if(source MATCHES "\\.c$")
    string(REPLACE "/" "_" target test_${name})
    get_filename_component(folder ${source} DIRECTORY)
    file(GLOB beside CONFIGURE_DEPENDS ${folder}/*.c)
    list(FILTER beside EXCLUDE REGEX "/test_[^/]*$")
    add_executable(${target} ${source} ${beside})
    target_link_libraries(${target} PRIVATE vv_test_support)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    vv_add_test(${name} ${label} $<TARGET_FILE:${target}>)
  elseif(source MATCHES "/(python|soak)/")
    # what a test imports besides numpy stands in its line "needs: ..."
    file(STRINGS ${source} needs REGEX "^needs: ")
    string(REGEX REPLACE "^needs: " "" needs "${needs}")
    separate_arguments(needs)
    vv_add_test(${name} ${label} bash ${PROJECT_SOURCE_DIR}/tests/python/python.sh ${source} ${needs})
    if(VV_PRELOAD)
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT VISVIVA_PRELOAD=${VV_PRELOAD})
    endif()
    if(VV_SANITIZE MATCHES "thread" OR VV_FUZZ) # the interpreter is not instrumented
      set_property(TEST ${name} PROPERTY DISABLED ON)
    endif()
  elseif(source MATCHES "\\.py$")
    vv_add_test(${name} ${label} ${Python3_EXECUTABLE} ${source})
  else()
    vv_add_test(${name} ${label} bash ${source})
  endif()
endforeach()

# the book is part of a program, not of the library
target_sources(test_io_book PRIVATE ${PROJECT_SOURCE_DIR}/validation/book.c ${PROJECT_SOURCE_DIR}/validation/share.c
  ${PROJECT_SOURCE_DIR}/validation/summary.c)
target_include_directories(test_io_book PRIVATE ${PROJECT_SOURCE_DIR}/validation)

# A library in front of OpenCL's loader, for devices that fail.
find_library(VV_OPENCL_LOADER NAMES libOpenCL.so.1 OpenCL)
if(VV_HAVE_OPENCL AND VV_OPENCL_LOADER AND NOT APPLE)
  add_library(vv_fake_opencl MODULE ${PROJECT_SOURCE_DIR}/tests/device/fake/opencl.c)
  target_include_directories(vv_fake_opencl SYSTEM PRIVATE ${VV_OPENCL_INCLUDE})
  target_compile_definitions(vv_fake_opencl PRIVATE _GNU_SOURCE)
  target_link_options(vv_fake_opencl PRIVATE -Wl,--no-as-needed)
  target_link_libraries(vv_fake_opencl PRIVATE ${VV_OPENCL_LOADER} ${CMAKE_DL_LIBS})
  set_target_properties(vv_fake_opencl PROPERTIES C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(test_device_faults vv_fake_opencl)
  add_dependencies(test_net_devices vv_fake_opencl) # of net/ranks
  target_compile_definitions(test_device_faults PRIVATE VV_FAKE_OPENCL="$<TARGET_FILE:vv_fake_opencl>")
endif()

# ---- fuzz targets -------------------------------------------------------------------------------------------------------

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
  get_filename_component(target ${source} NAME_WE)
  string(REPLACE "fuzz_" "" name ${target})
  if(VV_FUZZ)
    add_executable(${target} ${source})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    if(NOT EXISTS ${corpus})
      set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus)
    endif()
    add_executable(${target} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
    target_compile_definitions(${target} PRIVATE VV_FUZZ_STANDALONE)
    vv_add_test(fuzz/${name} fuzz $<TARGET_FILE:${target}> ${corpus})
  endif()
  target_link_libraries(${target} PRIVATE vv_insider visviva_hdf5)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endforeach()

# ---- programs in examples/: they run without arguments and end with 0 -----------------------------------------------------

file(GLOB_RECURSE example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE vv vv_flags)
  target_compile_definitions(example_${name} PRIVATE VV_EXAMPLES_DIR="${PROJECT_SOURCE_DIR}/examples")
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  vv_add_test(examples/${name} examples $<TARGET_FILE:example_${name}>)
endforeach()

# ---- the sanitizer itself: a planted race must be found, a clean loop must pass ---------------------------------------------

if(VV_SANITIZE MATCHES "thread")
  foreach(name clean race)
    add_executable(tsan_${name} ${PROJECT_SOURCE_DIR}/tests/sanitizers/${name}.c)
    target_link_libraries(tsan_${name} PRIVATE vv_flags)
    vv_add_test(sanitizers/${name} sanitizers $<TARGET_FILE:tsan_${name}>)
  endforeach()
  vv_add_test(sanitizers/skin sanitizers $<TARGET_FILE:visviva> run ${PROJECT_SOURCE_DIR}/tests/sanitizers/skin.yaml
              -o skin --overwrite --quiet --threads 4)
  set_tests_properties(sanitizers/race PROPERTIES PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")
endif()

# ---- tools --------------------------------------------------------------------------------------------------------------

foreach(tool check_rooms check_equations check_figures check_papers metrics)
  vv_add_test(tools/${tool} tools ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/${tool}.py)
endforeach()
vv_add_test(tools/c_api tools ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/c_api.py --check)
vv_add_test(tools/format tools bash ${PROJECT_SOURCE_DIR}/tools/format.sh --check)
if(TARGET visviva AND NOT VV_SANITIZE AND NOT VV_COVERAGE AND NOT VV_FUZZ)
  vv_add_test(install/outside install bash ${PROJECT_SOURCE_DIR}/tests/install/outside.sh ${CMAKE_COMMAND})
  if(CMAKE_C_COMPILER_ID MATCHES "Clang") # a static library wants its own compiler's OpenMP runtime
    set_property(TEST install/outside APPEND PROPERTY ENVIRONMENT CC=clang CXX=clang++)
  endif()
  vv_add_test(tools/reference tools bash ${PROJECT_SOURCE_DIR}/tools/check_reference.sh)
endif()
