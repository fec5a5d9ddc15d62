# SPDX-License-Identifier: Apache-2.0
# One Verilated static library per top:
#
#   caravan_verilate(<name> TOP <module> BLOCKS prim axis net ... [SOURCES extra.sv ...] [ARGS ...] [FLAVOURED])
#
# makes the library target v_<name> with the class V<name> and the header "V<name>.h". BLOCKS are folders of rtl/ in
# dependency order. FLAVOURED tops take waves or coverage from the build's preset; unit tops never pay for them.
file(GLOB _verilator_home ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/verilator)
find_program(VERILATOR_EXECUTABLE verilator HINTS ${_verilator_home}/bin REQUIRED)
execute_process(COMMAND ${VERILATOR_EXECUTABLE} --version OUTPUT_VARIABLE _verilator_version)
string(REGEX MATCH "[0-9]+\\.[0-9]+" _verilator_version "${_verilator_version}")
if(_verilator_version VERSION_LESS 5.050)
  list(GET _verilator_home 0 _verilator_first)
  set(VERILATOR_EXECUTABLE ${_verilator_first}/bin/verilator CACHE FILEPATH "" FORCE)
endif()
execute_process(COMMAND ${VERILATOR_EXECUTABLE} --getenv VERILATOR_ROOT
                OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

set(_vl_sources verilated verilated_threads verilated_save verilated_dpi verilated_random)
set(_vl_defines VM_COVERAGE=0 VM_SC=0 VM_TIMING=0 VM_TRACE=0)
set(_vl_flavour)
if(CARAVAN_WAVES)
  list(APPEND _vl_sources verilated_fst_c)
  list(APPEND _vl_flavour --trace-fst --trace-structs)
  set(_vl_defines VM_COVERAGE=0 VM_SC=0 VM_TIMING=0 VM_TRACE=1 VM_TRACE_FST=1)
elseif(CARAVAN_COVERAGE)
  list(APPEND _vl_sources verilated_cov verilated_covergroup)
  list(APPEND _vl_flavour --coverage-user)
  set(_vl_defines VM_COVERAGE=1 VM_SC=0 VM_TIMING=0 VM_TRACE=0)
endif()
set(_vl_files)
foreach(source IN LISTS _vl_sources)
  if(EXISTS ${VERILATOR_ROOT}/include/${source}.cpp)
    list(APPEND _vl_files ${VERILATOR_ROOT}/include/${source}.cpp)
  endif()
endforeach()
add_library(verilated_runtime STATIC ${_vl_files})
target_include_directories(verilated_runtime SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
target_compile_definitions(verilated_runtime PUBLIC ${_vl_defines})
target_compile_options(verilated_runtime PRIVATE -O2 -w)
target_link_libraries(verilated_runtime PUBLIC Threads::Threads)
if(CARAVAN_WAVES)
  target_link_libraries(verilated_runtime PUBLIC lz4 z)
endif()

# Verilated C++ is always optimised, in every preset: -O0 is 20 to 45 times slower.
set(_vl_cflags "-O2 -w -std=gnu++20 -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
if(CARAVAN_SANITIZE)
  set(_vl_cflags "-O1 -w -std=gnu++20 -fsanitize=address,undefined -fno-sanitize-recover=undefined")
endif()
list(JOIN CARAVAN_PGO_FLAGS " " _vl_pgo)
string(APPEND _vl_cflags " ${_vl_pgo}")
set(_vl_compiler)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(_vl_compiler CXX=${CMAKE_CXX_COMPILER} CFG_CXXFLAGS_PCH_I=-include-pch CFG_GCH_IF_CLANG=.gch)
endif()

cmake_host_system_information(RESULT _vl_jobs QUERY NUMBER_OF_LOGICAL_CORES)

function(caravan_verilate name)
  cmake_parse_arguments(arg "FLAVOURED" "TOP" "BLOCKS;SOURCES;ARGS" ${ARGN})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/v_${name})
  set(lists)
  set(inputs)
  foreach(block IN LISTS arg_BLOCKS)
    set(list_file ${PROJECT_SOURCE_DIR}/rtl/${block}/${block}.f)
    list(APPEND lists -F ${list_file})
    list(APPEND inputs ${list_file})
    if(EXISTS ${PROJECT_SOURCE_DIR}/rtl/${block}/${block}.vlt)
      list(APPEND lists ${PROJECT_SOURCE_DIR}/rtl/${block}/${block}.vlt)
    endif()
  endforeach()
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND sources ${source})
  endforeach()
  set(flavour --savable)
  set(jobs)
  if(arg_FLAVOURED)
    list(APPEND flavour ${_vl_flavour})
    if(CARAVAN_COVERAGE)
      list(REMOVE_ITEM flavour --savable)  # Verilator does not do both
    endif()
    set(jobs -j${_vl_jobs})  # the one top that is large enough
  endif()
  # On the command line, not in a file that is included: GCC takes a precompiled header only as the first include.
  list(TRANSFORM _vl_defines PREPEND -D OUTPUT_VARIABLE defines)
  list(JOIN defines " " defines)
  set(archive ${dir}/libV${name}.a)
  add_custom_command(
    OUTPUT ${archive}
    BYPRODUCTS ${dir}/V${name}.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${VERILATOR_EXECUTABLE} --cc --MMD --assert -Wall -Wno-fatal -fno-ico-change-detect
            --output-split 20000 --output-split-cfuncs 5000 -I${PROJECT_SOURCE_DIR}/rtl/prim ${flavour} ${arg_ARGS}
            --prefix V${name} --top-module ${arg_TOP} --Mdir ${dir} ${lists} ${sources}
    # A precompiled header of other flags would be refused, not rebuilt.
    COMMAND ${CMAKE_COMMAND} -E rm -f ${dir}/V${name}__pch.h.fast.gch ${dir}/V${name}__pch.h.slow.gch
    COMMAND ${CMAKE_COMMAND} -E env "CCACHE_NOHASHDIR=1" "CCACHE_SLOPPINESS=pch_defines,time_macros"
            make -s ${jobs} -C ${dir} -f V${name}.mk libV${name}.a OPT_FAST= OPT_SLOW= OPT_GLOBAL= ${_vl_compiler} "OBJCACHE=${CARAVAN_CCACHE}"
            "CPPFLAGS=-I. -I${VERILATOR_ROOT}/include -I${VERILATOR_ROOT}/include/vltstd ${defines} ${_vl_cflags}"
    DEPENDS ${sources} ${inputs}
    DEPFILE ${dir}/V${name}__ver.d
    COMMENT "Verilating ${name}"
    VERBATIM)
  add_custom_target(v_${name}_build DEPENDS ${archive})
  add_library(v_${name} INTERFACE)
  add_dependencies(v_${name} v_${name}_build)
  target_include_directories(v_${name} SYSTEM INTERFACE ${dir})
  target_link_libraries(v_${name} INTERFACE ${archive} verilated_runtime)
endfunction()
