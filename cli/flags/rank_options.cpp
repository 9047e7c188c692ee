// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_options.hpp"

#include <cstdlib>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "global_options.hpp"

namespace mlp::cli {

namespace {

constexpr std::string_view kPlace = "{rank}";
constexpr int kMaxRanks = 1024;

/// Reads a whole number of an interval.
int read_count(const CommandLine& line, const char* name, int least, int most,
               int otherwise) {
  const auto text = line.value(name);
  if (!text) return otherwise;
  const auto number = parse_int(*text);
  if (!number || *number < least || *number > most) {
    refuse_value(name,
                 "an integer from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 *text);
  }
  return static_cast<int>(*number);
}

double read_timeout(const CommandLine& line) {
  const auto text = line.value("rank-timeout");
  if (!text) return RankOptions().timeout_seconds;
  const auto seconds = parse_double(*text);
  if (!seconds || !(*seconds > 0.0)) {
    refuse_value("rank-timeout", "a number of seconds > 0", *text);
  }
  return *seconds;
}

Transport read_transport(const CommandLine& line, Transport otherwise) {
  const auto name = line.value("transport");
  if (!name) return otherwise;
  if (*name == "threads") return Transport::kThreads;
  return *name == "gloo" ? Transport::kGloo : Transport::kMpi;
}

void read_rendezvous(RankOptions& options, const CommandLine& line) {
  options.rendezvous = line.value("rendezvous").value_or("");
  options.address = line.value("address").value_or("");
  for (const char* const flag : {"rank", "world-size", "address"}) {
    const bool is_optional = flag == std::string_view("address");
    if (options.rendezvous.empty() == !line.has(flag)) continue;
    if (is_optional && !line.has(flag)) continue;
    throw ParamError(
        options.rendezvous.empty()
            ? std::string("--").append(flag).append(
                  ": needs the place where the ranks meet; add --rendezvous")
            : std::string("--rendezvous: needs --")
                  .append(flag)
                  .append(" too; every rank must be given its own rank and the "
                          "number "
                          "of all"));
  }
  if (options.rendezvous.empty()) return;
  if (options.rendezvous.find("://") != std::string::npos) {
    throw ParamError(
        "--rendezvous: must be a folder that all ranks can reach; got '" +
        options.rendezvous +
        "'; ranks do not meet at an address: give a folder, or start them by "
        "mpirun");
  }
  if (line.has("ranks")) {
    throw ParamError(
        "--ranks: cannot be had with --rendezvous, where each rank is a "
        "process of its own; give one of them");
  }
  options.world_size = read_count(line, "world-size", 1, kMaxRanks, 1);
  options.rank = read_count(line, "rank", 0, options.world_size - 1, 0);
  options.transport = read_transport(line, Transport::kGloo);
  if (options.transport != Transport::kGloo) {
    throw ParamError("--transport: must be gloo with --rendezvous; got '" +
                     line.value("transport").value_or("") + "'");
  }
}

void read_exchange(RankOptions& options, const CommandLine& line) {
  const auto plan = line.value("exchange-plan");
  if (plan) {
    try {
      options.plan = parse_exchange_plan(*plan);
    } catch (const ParamError& error) {
      throw ParamError("--exchange-plan: " + std::string(error.what()));
    }
  }
  const auto wire = line.value("wire");
  if (wire) options.plan.wire = parse_exchange_plan("wire=" + *wire).wire;
  options.is_autotuned = line.has("autotune");
  options.timeline_file = line.value("timeline").value_or("");
  const bool is_exact_only =
      !options.is_autotuned && options.plan.wire == WireType::kAsComputed;
  if (options.is_reproducible && !is_exact_only) {
    throw ParamError(
        std::string(options.is_autotuned ? "--autotune" : "--wire") +
        ": must be left out with --reproducible, whose bits depend on nothing "
        "that is measured or rounded");
  }
}

/// Tells whether mpirun, srun or another launcher of MPI started this process,
/// by the variables that Open MPI, PMI, PMIx and Slurm set.
bool is_started_by_mpi() {
  const auto has = [](const char* name) {
    return std::getenv(name) != nullptr;
  };
  return has("OMPI_COMM_WORLD_SIZE") || has("PMI_SIZE") || has("PMIX_RANK") ||
         (has("SLURM_STEP_ID") && has("PMI_RANK"));
}

/// This process is one of the ranks of an MPI job.
bool is_mpi_rank(const CommandLine& line) {
  return !line.has("ranks") && !line.has("rendezvous") &&
         line.value("transport").value_or("mpi") == "mpi" &&
         is_started_by_mpi();
}

}  // namespace

RankOptions read_rank_options(const CommandLine& line) {
  RankOptions options;
  options.is_reproducible = line.has("reproducible");
  options.timeout_seconds = read_timeout(line);
  read_exchange(options, line);
  read_rendezvous(options, line);
  if (!options.rendezvous.empty()) return options;
  options.num_ranks = read_count(line, "ranks", 1, kMaxRanks, 1);
  if (line.has("ranks")) {
    options.transport = read_transport(line, Transport::kThreads);
    options.is_launcher = options.transport != Transport::kThreads;
  } else if (is_mpi_rank(line)) {
    options.transport = Transport::kMpi;
  } else if (line.has("transport")) {
    throw ParamError(
        "--transport: needs ranks to carry numbers between; add --ranks N or "
        "--rendezvous, or start the program by mpirun");
  }
  return options;
}

std::string file_of_rank(const std::string& file, int rank) {
  const std::size_t at = file.find(kPlace);
  if (at == std::string::npos) return file;
  std::string named = file;
  return named.replace(at, kPlace.size(), std::to_string(rank));
}

bool has_rank(const std::string& file) {
  return file.find(kPlace) != std::string::npos;
}

}  // namespace mlp::cli
