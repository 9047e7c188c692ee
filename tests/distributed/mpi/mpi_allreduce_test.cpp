// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/mpi/mpi_allreduce.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::distributed {

namespace {

MpiOptions options_of(const std::string& plugin_file) {
  MpiOptions options;
  options.plugin_file = plugin_file;
  return options;
}

/// Joins a job, or fails as make_mpi_allreduce() does.
void join(const MpiOptions& options) {
  static_cast<void>(make_mpi_allreduce(options));
}

}  // namespace

// What ranks do with each other stands in mpi_worker.cpp, which mpirun starts.
TEST_SUITE("distributed/mpi/mpi_allreduce") {
  TEST_CASE("says which plugin is not there and what builds it") {
    CHECK_THROWS_WITH_AS(
        join(options_of("/nowhere/libmlp_mpi.so")),
        "MPI (there is no file /nowhere/libmlp_mpi.so) is not "
        "part of this build; install Debian's libopenmpi-dev and openmpi-bin, "
        "configure with -DMLP_WITH_MPI=ON and build again",
        NotCompiled);
  }

  TEST_CASE("looks beside the program and in libexec where no file is named") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();

    const std::string refusal = probe_mpi("").refusal;

    CHECK(refusal ==
          "MPI (there is no file " + (folder / "libmlp_mpi.so").string() +
              " or " +
              (folder.parent_path() / "libexec/mlp/libmlp_mpi.so").string() +
              ") is not part of this build; install Debian's libopenmpi-dev "
              "and openmpi-bin, "
              "configure with -DMLP_WITH_MPI=ON and build again");
  }

  TEST_CASE("passes on why a file cannot be loaded") {
    const mlp::test::ScratchFolder folder;
    const std::string file = folder.write("libmlp_mpi.so", "too short");

    CHECK_THROWS_WITH_AS(
        join(options_of(file)),
        ("MPI cannot be loaded: " + file +
         ": file too short; install the MPI library that the plugin was built "
         "with, or build the plugin with the one installed here")
            .c_str(),
        ResourceError);
  }

  TEST_CASE("refuses a library that is no plugin") {
    const std::string file = MLP_NO_PLUGIN;

    CHECK_THROWS_WITH_AS(join(options_of(file)),
                         (file + ": must be a plugin of mlp; it lacks "
                                 "mlp_mpi_plugin; name libmlp_mpi.so")
                             .c_str(),
                         ResourceError);
  }

  TEST_CASE("refuses a plugin of another version") {
    const std::string file = MLP_NEWER_PLUGIN;

    CHECK_THROWS_WITH_AS(
        join(options_of(file)),
        (file + ": must have version 4 of the plugin's interface; it has 5; "
                "build it with this program")
            .c_str(),
        ResourceError);
  }

  TEST_CASE("refuses a deadline that is no time to wait") {
    MpiOptions options = options_of(MLP_NEWER_PLUGIN);
    options.deadline_seconds = 0;

    CHECK_THROWS_WITH_AS(join(options),
                         "the deadline must be above 0 s; got 0 s; set it to "
                         "the longest time that a rank may wait for another",
                         ParamError);
    options.deadline_seconds = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(join(options), ParamError);
  }

  TEST_CASE("probes without throwing and tells the refusal") {
    const PluginProbe probe = probe_mpi(MLP_NO_PLUGIN);

    CHECK(probe.refusal.find("it lacks mlp_mpi_plugin") != std::string::npos);
    CHECK(probe.description.empty());
  }

  TEST_CASE("probes what MPI says of itself before it begins") {
    const std::string file = MLP_MPI_PLUGIN;
    if (file.empty()) {
      std::puts("test skipped: this build has no plugin for MPI");
      return;
    }

    const PluginProbe probe = probe_mpi(file);

    CHECK(probe.refusal == "");
    CHECK(probe.description.find("MPI") != std::string::npos);
  }
}

}  // namespace mlp::distributed
