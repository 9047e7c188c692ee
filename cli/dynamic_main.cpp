// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../distributed/gloo/gloo_allreduce.hpp"
#include "../distributed/mpi/mpi_allreduce.hpp"
#include "../openblas/openblas_backend.hpp"
#include "../openblas/openblas_library.hpp"
#include "program.hpp"
#include "train/join_transport.hpp"

int main(int num_words, char** words) {
  mlp::cli::Loaders loaders;
  loaders.openblas_backend = &mlp::openblas::backend;
  loaders.openblas_library = &mlp::openblas::library;
  loaders.join_gloo = &mlp::cli::join_gloo;
  loaders.join_mpi = &mlp::cli::join_mpi;
  loaders.has_gloo = &mlp::distributed::has_gloo;
  loaders.probe_mpi = &mlp::distributed::probe_mpi;
  return mlp::cli::run_program(num_words, words, loaders);
}
