# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# Plugins that must be refused, and jobs of MPI.
add_library(mlp_no_mpi_plugin MODULE distributed/mpi/no_mpi_plugin.cpp)
add_library(mlp_newer_mpi_plugin MODULE distributed/mpi/newer_mpi_plugin.cpp)
target_link_libraries(mlp_newer_mpi_plugin PRIVATE mlp::distributed)
target_link_libraries(mlp_distributed_tests PRIVATE mlp::mpi)
add_dependencies(mlp_distributed_tests mlp_no_mpi_plugin mlp_newer_mpi_plugin)
set(mpi_plugin "")
if(TARGET mlp_mpi_plugin)
  add_dependencies(mlp_distributed_tests mlp_mpi_plugin)
  set(mpi_plugin $<TARGET_FILE:mlp_mpi_plugin>)
endif()
target_compile_definitions(mlp_distributed_tests PRIVATE
  MLP_NO_MPI_PLUGIN="$<TARGET_FILE:mlp_no_mpi_plugin>"
  MLP_NEWER_MPI_PLUGIN="$<TARGET_FILE:mlp_newer_mpi_plugin>"
  MLP_MPI_PLUGIN="${mpi_plugin}")

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
