// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/mpi/mpi_launcher.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using mlp::distributed::is_started_by_mpi;

namespace {

/// What is_started_by_mpi() says where these variables alone are set.
bool is_started_with(const std::set<std::string>& variables) {
  return is_started_by_mpi([&variables](const char* name) -> const char* {
    return variables.count(name) == 0 ? nullptr : "1";
  });
}

}  // namespace

TEST_SUITE("distributed/mpi/mpi_launcher") {
  TEST_CASE("knows the variables of Open MPI, PMI and PMIx") {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
      CHECK(is_started_with({name}));
    }
  }

  TEST_CASE("takes a Slurm step for MPI only where it came with a PMI rank") {
    CHECK(is_started_with({"SLURM_STEP_ID", "PMI_RANK"}));
    CHECK_FALSE(is_started_with({"SLURM_STEP_ID"}));
    CHECK_FALSE(is_started_with({"PMI_RANK"}));
    CHECK_FALSE(is_started_with({"PATH"}));
  }
}
