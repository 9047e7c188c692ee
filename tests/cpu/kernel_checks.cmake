# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The bits of every instruction set, on this processor and on emulated ones.
if(TARGET mlp_cpu AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
    AND NOT CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-fsanitize")
  add_executable(mlp_write_kernel_bits ${CMAKE_CURRENT_LIST_DIR}/write_kernel_bits.cpp)
  target_compile_options(mlp_write_kernel_bits PRIVATE ${MLP_TEST_OPTIONS})
  target_link_libraries(mlp_write_kernel_bits PRIVATE
    mlp_cpu $<TARGET_NAME_IF_EXISTS:mlp_compiled>)
  foreach(set AVX-512 AVX2 SSE4 baseline)
    add_test(NAME "cpu: the bits of ${set}" COMMAND Python3::Interpreter
      ${CMAKE_CURRENT_LIST_DIR}/compare_kernel_bits.py
      $<TARGET_FILE:mlp_write_kernel_bits> ${set})
    set_tests_properties("cpu: the bits of ${set}" PROPERTIES
      SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endif()

# The kernels of g++ in an optimised build: sanitizers and other compilers use
# their registers in another way.
if(TARGET mlp_cpu AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
    AND CMAKE_BUILD_TYPE STREQUAL "Release"
    AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
    AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  mlp_add_style_test(inner_loops tools/check_inner_loops.py
    $<TARGET_FILE:mlp_cpu>)
endif()
