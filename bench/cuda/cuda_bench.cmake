# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# The worker of bench/cuda/device_goals.py. Its peer is cuBLASLt, which it links.
if(NOT TARGET CUDA::cublasLt)
  set(reason "no benchmarks on devices: they need cuBLASLt of the CUDA Toolkit; "
    "install NVIDIA's package libcublas-dev-13-0")
  list(JOIN reason "" reason)
  message(STATUS "mlp: ${reason}")
  add_custom_target(mlp_cuda_bench COMMAND ${CMAKE_COMMAND} -E echo "${reason}"
    VERBATIM)
  return()
endif()
add_executable(mlp_cuda_bench
  cuda/captured_evaluation.cpp
  cuda/device_evaluation.cpp
  cuda/fastest_products.cpp
  cuda/main.cpp
  cuda/random_numbers.cpp
  cuda/timed_iterations.cpp
  worker/problem.cpp
  worker/worker.cpp)
target_link_libraries(mlp_cuda_bench PRIVATE
  mlp::cuda mlp::gzip CUDA::cudart_static CUDA::cublasLt
  $<TARGET_NAME_IF_EXISTS:mlp_compiled>)
target_include_directories(mlp_cuda_bench SYSTEM PRIVATE
  $<TARGET_PROPERTY:CUDA::cudart_static,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(mlp_cuda_bench PRIVATE
  MLP_DATA_DIR="${PROJECT_SOURCE_DIR}/data")
mlp_link_runtime(mlp_cuda_bench)
set_target_properties(mlp_cuda_bench PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
