// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

int main(int num_words, char** words) {
  return mlp::cli::run_program(num_words, words);
}
