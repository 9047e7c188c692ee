# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests of what nvcc builds. The preset cuda runs them; they need no device.

# Without nvcc, a build with CUDA says what is missing.
set(refusal "cuda: a build without nvcc says what to install")
add_test(NAME "${refusal}" COMMAND ${CMAKE_COMMAND} -E env
  CUDACXX=${CMAKE_CURRENT_BINARY_DIR}/no-nvcc
  ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -G ${CMAKE_GENERATOR}
  -B ${CMAKE_CURRENT_BINARY_DIR}/without_nvcc --fresh
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DMLP_WITH_CUDA=ON
  -DMLP_BUILD_TESTS=OFF -DMLP_BUILD_BENCH=OFF -DMLP_BUILD_EXAMPLES=OFF)
set_tests_properties("${refusal}" PROPERTIES LABELS style PASS_REGULAR_EXPRESSION
  "needs nvcc of the CUDA Toolkit[^;]*;[ \n]+install it")
if(NOT MLP_WITH_CUDA)
  return()
endif()

# A kernel that spills registers does not compile; -Werror makes it an error.
target_compile_options(mlp_cuda PRIVATE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=--warn-on-spills>)

# Compiles if the declarations of NCCL are those of its header.
add_library(mlp_nccl_header_check OBJECT cuda_build/nccl_header_check.cpp)
target_compile_features(mlp_nccl_header_check PRIVATE cxx_std_20)
target_link_libraries(mlp_nccl_header_check PRIVATE CUDA::cudart_static)

if(TARGET mlp_program)
  add_test(NAME "cuda: the program starts without a driver and opens none"
    COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_LIST_DIR}/opened_libraries_test.py
    $<TARGET_FILE:mlp_program> ${PROJECT_SOURCE_DIR}/data/iris.csv)
  set_tests_properties(
    "cuda: the program starts without a driver and opens none"
    PROPERTIES LABELS cuda)
endif()

if(TARGET mlp_cuda_bench AND TARGET mlp_program)
  add_test(NAME "cuda: the kit for devices needs a driver and nothing else"
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/device_kit_test
    ${PROJECT_BINARY_DIR} "${MLP_CUDA_ARCHITECTURES}")
  set_tests_properties("cuda: the kit for devices needs a driver and nothing else"
    PROPERTIES LABELS cuda SKIP_RETURN_CODE 77 TIMEOUT 1200 RUN_SERIAL TRUE)
endif()

if(TARGET mlp_cuda_bench)
  add_test(NAME "device: every benchmark works"
    COMMAND Python3::Interpreter
    ${PROJECT_SOURCE_DIR}/bench/cuda/device_goals.py --short
    --build ${PROJECT_BINARY_DIR})
  set_tests_properties("device: every benchmark works" PROPERTIES
    LABELS cuda SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
