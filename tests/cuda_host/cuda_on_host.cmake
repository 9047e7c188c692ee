# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# The sources of cuda/, compiled for the emulated device. Tests of cuda/ run on it
# everywhere, and on a device where there is one.
get_target_property(cuda_sources mlp_cuda MLP_CUDA_SOURCES)
list(FILTER cuda_sources EXCLUDE REGEX "[.]hpp$")
list(TRANSFORM cuda_sources PREPEND ${PROJECT_SOURCE_DIR}/cuda/)
set(kernel_sources ${cuda_sources})
list(FILTER kernel_sources INCLUDE REGEX "[.]cu$")
set_source_files_properties(${kernel_sources} PROPERTIES
  LANGUAGE CXX COMPILE_OPTIONS "-xc++")
add_library(mlp_cuda_on_host STATIC ${cuda_sources}
  cuda_host/cublas_on_host.cpp
  cuda_host/nccl_on_host.cpp)
target_include_directories(mlp_cuda_on_host SYSTEM BEFORE PUBLIC
  ${CMAKE_CURRENT_SOURCE_DIR}/cuda_host/include)
target_link_libraries(mlp_cuda_on_host PUBLIC
  mlp_cuda_host mlp::mlp ${CMAKE_DL_LIBS}
  $<TARGET_NAME_IF_EXISTS:mlp_compiled>)
target_compile_options(mlp_cuda_on_host PRIVATE ${MLP_TEST_OPTIONS})
target_link_libraries(mlp_cuda_tests PRIVATE mlp_cuda_on_host)

# The same tests for a device, but those that launch kernels of their own.
if(MLP_WITH_CUDA)
  get_target_property(test_sources mlp_cuda_tests SINGLE_SOURCES)
  list(FILTER test_sources EXCLUDE REGEX
    "host_only|(layer_sums|nccl_allreduce)_test")
  if(MLP_JOIN_SOURCES)
    mlp_join_sources(device test_sources)
  endif()
  add_executable(mlp_device_tests cuda_host/device_main.cpp ${test_sources})
  target_link_libraries(mlp_device_tests PRIVATE
    mlp_cuda mlp::gzip mlp::json doctest::doctest CUDA::cudart_static
    $<TARGET_NAME_IF_EXISTS:mlp_compiled>)
  target_compile_definitions(mlp_device_tests PRIVATE
    DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS
    MLP_TEST_DATA_DIR="tests" MLP_DATA_DIR="data")  # scripts/device-kit has them
  target_include_directories(mlp_device_tests SYSTEM PRIVATE
    ${CUDAToolkit_INCLUDE_DIRS})
  # Messages name files by their place in the sources.
  target_compile_options(mlp_device_tests PRIVATE ${MLP_TEST_OPTIONS}
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  mlp_link_runtime(mlp_device_tests)
  add_test(NAME "device: the tests of cuda/ on a device"
    COMMAND mlp_device_tests WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties("device: the tests of cuda/ on a device" PROPERTIES
    LABELS cuda SKIP_RETURN_CODE 77 TIMEOUT 900)
endif()
