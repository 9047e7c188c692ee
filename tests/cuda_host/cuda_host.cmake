# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# An emulation of a CUDA device, on which kernels are tested without one. Its
# fibers confuse the thread sanitizer.
find_package(Boost 1.74 COMPONENTS context)
if(NOT Boost_CONTEXT_FOUND OR CMAKE_CXX_FLAGS MATCHES "sanitize=thread")
  message(STATUS "mlp: no tests of CUDA kernels on the CPU; they need "
    "Boost.Context and no thread sanitizer")
  return()
endif()
add_library(mlp_cuda_host STATIC
  cuda_host/cuda_runtime.cpp
  cuda_host/device_memory.cpp
  cuda_host/fiber.cpp
  cuda_host/grid.cpp
  cuda_host/stream_queues.cpp)
target_compile_features(mlp_cuda_host PUBLIC cxx_std_20)
target_link_libraries(mlp_cuda_host PUBLIC Boost::context)
target_compile_options(mlp_cuda_host PRIVATE ${MLP_TEST_OPTIONS})
