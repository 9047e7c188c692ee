# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The order of the calls that put a model and a checkpoint on the disk.
add_library(mlp_order_on_disk MODULE faults/order_on_disk.cpp)
target_compile_options(mlp_order_on_disk PRIVATE ${MLP_TEST_OPTIONS})
add_test(NAME "faults: models and checkpoints reach the disk in order" COMMAND
  Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/faults/order_on_disk.py
  $<TARGET_FILE:mlp_program> $<TARGET_FILE:mlp_order_on_disk>
  ${PROJECT_SOURCE_DIR}/data)
# A sanitizer must be the first library of a process.
set_tests_properties("faults: models and checkpoints reach the disk in order"
  PROPERTIES LABELS process TIMEOUT 300)

# The paths of outputs; tests/python/outputs_test.py runs the same cases.
add_test(NAME "faults: outputs have any kind of path" COMMAND
  Python3::Interpreter
  ${CMAKE_CURRENT_SOURCE_DIR}/outputs/program_outputs.py
  $<TARGET_FILE:mlp_program>)
set_tests_properties("faults: outputs have any kind of path" PROPERTIES
  LABELS process TIMEOUT 300)
