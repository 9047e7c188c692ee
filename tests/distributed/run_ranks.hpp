// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace mlp::distributed::testing {

/// Runs one function for each rank, each in a thread of its own.
///
/// \return what each threw, empty where it threw nothing   [world_size]
inline std::vector<std::string> run_ranks(
    int world_size, const std::function<void(int rank)>& run) {
  std::vector<std::string> errors(static_cast<std::size_t>(world_size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        run(rank);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace mlp::distributed::testing
