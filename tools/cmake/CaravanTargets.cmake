# SPDX-License-Identifier: Apache-2.0
# caravan_library(<name> SOURCES ... [LINK ...])     static library with the project's warnings and include root
# caravan_test(<name> LABEL unit|model|cosim|cluster|golden|paper|fuzz SOURCES ... [LINK ...])   one Catch2 program
set(CARAVAN_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
# Another compiler warns of other things, also of what the library of GCC does inside.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND CARAVAN_WARNINGS -Werror)
endif()

function(caravan_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${CARAVAN_WARNINGS})
  target_link_libraries(${name} PUBLIC fmt::fmt ${arg_LINK})
endfunction()

function(caravan_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${CARAVAN_WARNINGS} -Wno-conversion)
  target_compile_definitions(${name} PRIVATE CARAVAN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             CARAVAN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain fmt::fmt ${arg_LINK})
  catch_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${arg_LABEL} TIMEOUT 900)
endfunction()
