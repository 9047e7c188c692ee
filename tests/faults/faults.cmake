# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The program with a library that lets calls to the C library fail.
add_library(mlp_fault_injection MODULE faults/fault_injection.cpp)
# The program has a C++ library of its own, so this library uses none.
target_compile_options(mlp_fault_injection PRIVATE
  -fno-exceptions -fno-rtti -fno-threadsafe-statics)
target_link_options(mlp_fault_injection PRIVATE -nodefaultlibs -lc)

# Adds a test in which some calls of each kind fail, or all if <points> is 0:
# mlp_add_fault_test(<name> <points> [<scenario>]).
function(mlp_add_fault_test name points)
  add_test(NAME "cli: ${name}" COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/faults/run_faults.py
    $<TARGET_FILE:mlp_program> $<TARGET_FILE:mlp_fault_injection>
    ${PROJECT_SOURCE_DIR}/data ${points} ${ARGN})
  set_tests_properties("cli: ${name}" PROPERTIES LABELS process TIMEOUT 900)
endfunction()

mlp_add_fault_test("calls fail" 6)
mlp_add_fault_test("every call fails" 0)
set_tests_properties("cli: every call fails" PROPERTIES
  LABELS "process;rest" TIMEOUT 3600)
if(TARGET mlp_gloo_plugin)
  mlp_add_fault_test("calls of ranks fail" 3 gloo)
  set_tests_properties("cli: calls of ranks fail" PROPERTIES
    LABELS "process;rest" TIMEOUT 3600)
endif()
