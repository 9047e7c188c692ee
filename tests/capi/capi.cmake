# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The C interface from C, which has its own compiler.
if(TARGET mlp_c)
  enable_language(C)
  add_executable(mlp_c_api_test capi/c_api_test.c)
  add_executable(mlp_c_api_refusals_test capi/c_api_refusals_test.c)
  foreach(test mlp_c_api_test mlp_c_api_refusals_test)
    set_target_properties(${test} PROPERTIES C_STANDARD 11)
    target_link_libraries(${test} PRIVATE mlp::c m)
  endforeach()
  add_test(NAME "capi: works from C"
    COMMAND mlp_c_api_test ${CMAKE_CURRENT_BINARY_DIR}
    ${CMAKE_CURRENT_SOURCE_DIR}/corpus/good/named.json)
  add_executable(mlp_c_columns_test capi/columns_test.c)
  set_target_properties(mlp_c_columns_test PROPERTIES C_STANDARD 11)
  target_link_libraries(mlp_c_columns_test PRIVATE mlp::c)
  add_test(NAME "capi: finds columns by name from C"
    COMMAND mlp_c_columns_test
    ${CMAKE_CURRENT_SOURCE_DIR}/corpus/good/named.json)
  add_executable(mlp_c_weights_test capi/weights_test.c)
  set_target_properties(mlp_c_weights_test PROPERTIES C_STANDARD 11)
  target_link_libraries(mlp_c_weights_test PRIVATE mlp::c m)
  add_test(NAME "capi: makes models of weights" COMMAND mlp_c_weights_test)
  add_test(NAME "capi: refuses what it cannot use"
    COMMAND mlp_c_api_refusals_test)

  find_package(Threads REQUIRED)
  add_executable(mlp_c_api_callbacks capi/c_api_callbacks.cpp)
  target_link_libraries(mlp_c_api_callbacks PRIVATE mlp::c Threads::Threads)
  add_test(NAME "capi: keeps exceptions and threads apart"
    COMMAND mlp_c_api_callbacks)

  add_test(NAME "capi: exports the functions of its header alone"
    COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/capi/exported_names_test.py
    $<TARGET_FILE:mlp_c> ${PROJECT_SOURCE_DIR}/capi/mlp/c_api.h)
  add_test(NAME "capi: statuses are the exit codes of the program"
    COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/capi/status_test.py
    ${PROJECT_SOURCE_DIR}/capi/mlp/c_api.h
    ${PROJECT_SOURCE_DIR}/cli/console/exit_code.hpp)
endif()
