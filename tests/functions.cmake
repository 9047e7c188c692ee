# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# Replaces the sources in the variable <result> by a few that join_sources.py
# makes of them: <name>_0.cpp holds the first twelve, and so on.
function(mlp_join_sources name result)
  set(joined "")
  set(rest ${${result}})
  while(rest)
    list(SUBLIST rest 0 12 batch)
    list(REMOVE_ITEM rest ${batch})
    list(LENGTH joined number)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/joined/${name}_${number}.cpp)
    add_custom_command(OUTPUT ${output}
      COMMAND Python3::Interpreter
        ${CMAKE_CURRENT_SOURCE_DIR}/join_sources.py ${output} ${batch}
      DEPENDS join_sources.py ${batch}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM)
    list(APPEND joined ${output})
  endwhile()
  set(${result} ${joined} PARENT_SCOPE)
endfunction()

# Makes one test program of <folder>/<name>_test.cpp for each name, and one
# CTest test of each test case.
function(mlp_add_tests folder)
  if(NOT ARGN)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND _test.cpp)
  set(target mlp_${folder}_tests)
  set(single_sources ${sources})
  if(MLP_JOIN_SOURCES)
    mlp_join_sources(${folder} sources)
  endif()
  add_executable(${target} ${sources})
  set_target_properties(${target} PROPERTIES
    SINGLE_SOURCES "${single_sources}")
  target_link_libraries(${target} PRIVATE mlp_test_main)
  target_precompile_headers(${target} REUSE_FROM mlp_test_main)
  if(folder STREQUAL cli)
    add_dependencies(${target} mlp_program)
    target_compile_definitions(${target} PRIVATE
      MLP_HAS_STATIC_RUNTIME=$<BOOL:${MLP_STATIC_RUNTIME}>)
  endif()
  doctest_discover_tests(${target} TEST_PREFIX "${folder}: "
    PROPERTIES FAIL_REGULAR_EXPRESSION "test cases:[ ]+0"
      SKIP_REGULAR_EXPRESSION "test skipped:" TIMEOUT 300)
endfunction()
