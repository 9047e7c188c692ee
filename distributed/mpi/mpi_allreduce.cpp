// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi_allreduce.hpp"

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../plugin/plugin_allreduce.hpp"

namespace mlp::distributed {

namespace {

/// The symbols of MPI are global, because MPI loads its own plugins, which look
/// for them in the whole process. Open MPI before 3.0 does not start without
/// (open-mpi/ompi#3705); Debian 12's 4.1.4 still has 25 parts that name no
/// library, pml_ob1 and btl_tcp among them.
constexpr PluginKind kMpi{"MPI",
                          "libmlp_mpi.so",
                          "mlp_mpi_plugin",
                          "MLP_WITH_MPI",
                          "Debian's libopenmpi-dev and openmpi-bin",
                          true};

}  // namespace

std::unique_ptr<Allreduce> make_mpi_allreduce(const MpiOptions& options) {
  if (!(options.deadline_seconds > 0)) {
    throw ParamError(
        "the deadline must be above 0 s; got " +
        format_double(options.deadline_seconds) +
        " s; set it to the longest time that a rank may wait for another");
  }
  PluginOptions given;
  given.deadline_seconds = options.deadline_seconds;
  given.on_lost = options.on_lost;
  return std::make_unique<PluginAllreduce>(
      load_plugin(kMpi, options.plugin_file), given);
}

PluginProbe probe_mpi(const std::string& plugin_file) {
  return probe_plugin(kMpi, plugin_file);
}

}  // namespace mlp::distributed
