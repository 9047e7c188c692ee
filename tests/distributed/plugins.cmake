# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The plugins, files that must be refused as plugins, and jobs of MPI.
target_link_libraries(mlp_distributed_tests PRIVATE mlp::gloo mlp::mpi)
add_library(mlp_no_plugin MODULE distributed/plugin/no_plugin.cpp)
add_library(mlp_newer_plugin MODULE distributed/plugin/newer_plugin.cpp)
target_link_libraries(mlp_newer_plugin PRIVATE mlp::distributed)
add_dependencies(mlp_distributed_tests mlp_no_plugin mlp_newer_plugin)
target_compile_definitions(mlp_distributed_tests PRIVATE
  MLP_NO_PLUGIN="$<TARGET_FILE:mlp_no_plugin>"
  MLP_NEWER_PLUGIN="$<TARGET_FILE:mlp_newer_plugin>")
foreach(name gloo mpi)
  string(TOUPPER ${name} upper)
  set(${name}_plugin "")
  if(TARGET mlp_${name}_plugin)
    add_dependencies(mlp_distributed_tests mlp_${name}_plugin)
    set(${name}_plugin $<TARGET_FILE:mlp_${name}_plugin>)
  endif()
  target_compile_definitions(mlp_distributed_tests PRIVATE
    MLP_${upper}_PLUGIN="${${name}_plugin}")
endforeach()

if(TARGET mlp_mpi_plugin)
  add_executable(mlp_mpi_worker distributed/mpi/mpi_worker.cpp)
  target_link_libraries(mlp_mpi_worker PRIVATE mlp::mpi)
  # Each job is a test of its own; CTest says skipped where there is no mpirun.
  foreach(job sums_on_1_rank sums_on_2_ranks sums_on_3_ranks sums_on_4_ranks
      rank_is_killed rank_stops_calling rank_is_stopped rank_cancels
      rank_leaves rank_gives_up)
    add_test(NAME "distributed: MPI ${job}" COMMAND Python3::Interpreter
      ${CMAKE_CURRENT_SOURCE_DIR}/distributed/mpi/mpi_jobs.py
      $<TARGET_FILE:mlp_mpi_worker> ${mpi_plugin} Jobs.test_${job})
    # Its ranks wait by spinning, so that jobs beside each other take turns.
    set_tests_properties("distributed: MPI ${job}" PROPERTIES
      SKIP_REGULAR_EXPRESSION "test skipped:" TIMEOUT 150 PROCESSORS 2)
  endforeach()
endif()
