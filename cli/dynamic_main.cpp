// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../openblas/openblas_backend.hpp"
#include "../openblas/openblas_library.hpp"
#include "program.hpp"

int main(int num_words, char** words) {
  return mlp::cli::run_program(
      num_words, words, {&mlp::openblas::backend, &mlp::openblas::library});
}
