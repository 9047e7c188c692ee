# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# Trainings on ranks that are processes, each group a test of its own.
set(transports threads)
if(TARGET mlp_gloo_plugin)
  list(APPEND transports gloo)
  add_dependencies(mlp_cli_tests mlp_gloo_plugin)
  target_compile_definitions(mlp_cli_tests PRIVATE MLP_HAS_GLOO)
endif()
if(TARGET mlp_mpi_plugin)
  list(APPEND transports mpi)
  add_dependencies(mlp_cli_tests mlp_mpi_plugin)
endif()

# Adds a test of a script: mlp_add_rank_test(<name> <script> <argument>...).
function(mlp_add_rank_test name script)
  add_test(NAME "cli: ${name}" COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/fit/ranks/${script} $<TARGET_FILE:mlp_program>
    ${PROJECT_SOURCE_DIR}/data ${ARGN})
  # Ranks that wait by spinning need processors of their own.
  set_tests_properties("cli: ${name}" PROPERTIES LABELS process
    SKIP_REGULAR_EXPRESSION "test skipped:" TIMEOUT 900 PROCESSORS 2)
endfunction()

foreach(transport ${transports})
  foreach(problem iris digits weights weighted_numbers mnist_shape)
    mlp_add_rank_test("ranks by ${transport} on ${problem}"
      rank_matrix.py ${transport} ${problem})
  endforeach()
endforeach()
# More rounds by hand: rank_faults.py says how.
if(TARGET mlp_gloo_plugin)
  mlp_add_rank_test("ranks of gloo are in two networks" rank_networks.py)
  mlp_add_rank_test("ranks of gloo are lost" rank_faults.py gloo 4)
  mlp_add_rank_test("ranks of gloo are lost often" rank_faults.py gloo 12)
endif()
if(TARGET mlp_mpi_plugin)
  mlp_add_rank_test("ranks of mpi are lost" rank_faults.py mpi 4)
endif()
mlp_add_rank_test("trainings stop at once" stop_latency.py 5 100000)
mlp_add_rank_test("trainings of 2 million rows stop at once"
  stop_latency.py 100 2000000)
set_tests_properties("cli: trainings of 2 million rows stop at once"
  PROPERTIES LABELS "process;rest" TIMEOUT 3000)
# What takes longest, and is done by another transport or on fewer numbers too.
foreach(name "ranks by gloo on mnist_shape" "ranks by mpi on digits"
    "ranks by mpi on weights" "ranks by mpi on weighted_numbers"
    "ranks by mpi on mnist_shape" "ranks of gloo are lost often"
    "ranks of mpi are lost")
  if(TEST "cli: ${name}")
    set_tests_properties("cli: ${name}" PROPERTIES LABELS "process;rest")
  endif()
endforeach()
