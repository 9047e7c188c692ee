// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What it costs to sum over the ranks of an MPI job: by this project's plugin, or
// by MPI's own call. Rank 0 serves it over a pipe.

#include "../../distributed/mpi/mpi_allreduce.hpp"

#include <mpi.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "../../core/error.hpp"
#include "sums.hpp"

namespace mlp::bench {
namespace {

using distributed::Allreduce;

/// MPI_Allreduce among all ranks.
class RawMpi final : public Allreduce {
 public:
  RawMpi() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size_);
  }
  RawMpi(const RawMpi&) = delete;
  RawMpi& operator=(const RawMpi&) = delete;
  ~RawMpi() override { MPI_Finalize(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  void sum(std::span<double> numbers) override {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(),
                  static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0;
  int world_size_ = 1;
};

/// Shares while the other ranks sleep: MPI waits by spinning, which would take
/// the processor from the other side of a pair.
void share_and_sleep(double& number) {
  MPI_Request request{};
  MPI_Ibcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  int has_come = 0;
  while (MPI_Test(&request, &has_come, MPI_STATUS_IGNORE), has_come == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

std::unique_ptr<Allreduce> make_group(const Arguments& arguments) {
  const std::string side = word_argument(arguments, 0, "SIDE");
  if (side == "raw") return std::make_unique<RawMpi>();
  if (side != "ours") {
    throw ParamError("the argument SIDE must be ours or raw; got " + side);
  }
  distributed::MpiOptions options;
  options.deadline_seconds = 3600.0;
  return distributed::make_mpi_allreduce(options);
}

int run(const Arguments& arguments) {
  if (arguments.size() != 2) {
    std::cerr << "mpirun -np 2 mlp_mpi_bench ours|raw BYTES\n";
    return 2;
  }
  const long num_bytes = count_argument(arguments, 1, "BYTES");
  const std::unique_ptr<Allreduce> group = make_group(arguments);
  Sums sums(*group, num_bytes);
  serve_ranks(group->rank(), sums, &share_and_sleep);
  return 0;
}

}  // namespace
}  // namespace mlp::bench

int main(int num_words, char** words) {
  return mlp::bench::run_program("mlp_mpi_bench", num_words, words,
                                 &mlp::bench::run);
}
