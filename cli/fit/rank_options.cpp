// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_options.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

namespace {

constexpr std::string_view kPlace = "{rank}";
constexpr int kMaxRanks = 1024;
// Eleven days. Clocks that count nanoseconds in 64 bits end after 292 years.
constexpr std::int64_t kMaxTimeoutSeconds = 1'000'000;
constexpr Interval kRankCounts = at_least(1).and_at_most(kMaxRanks);

void read_rendezvous(RankOptions& options, const FlagReader& flags) {
  options.rendezvous = flags.text("rendezvous");
  options.address = flags.text("address");
  for (const FlagName flag :
       {FlagName("rank"), FlagName("world-size"), FlagName("address")}) {
    const bool is_needed = flag.view() != "address";
    const bool is_alone = options.rendezvous.empty() && flags.has(flag);
    const bool is_missing =
        !options.rendezvous.empty() && is_needed && !flags.has(flag);
    if (!is_alone && !is_missing) continue;
    throw ParamError(
        options.rendezvous.empty()
            ? std::string("--")
                  .append(flag.view())
                  .append(": needs the folder through which the ranks find "
                          "each other; add --rendezvous")
            : std::string("--rendezvous: needs --")
                  .append(flag.view())
                  .append(" too; give every process its own rank and the "
                          "number of ranks"));
  }
  if (options.rendezvous.empty()) return;
  if (options.rendezvous.find("://") != std::string::npos) {
    throw ParamError(
        "--rendezvous: must be a folder that all ranks can reach; got '" +
        options.rendezvous +
        "'; an address is not supported: give a folder, or start the ranks "
        "with mpirun");
  }
  flags.refuse_both(
      "ranks", "rendezvous",
      ", which needs each rank to be started separately; use only one of them");
  options.world_size =
      static_cast<int>(flags.integer("world-size", kRankCounts, 1));
  options.rank = static_cast<int>(flags.integer(
      "rank", at_least(0).and_at_most(options.world_size - 1), 0));
  options.transport =
      flags.choice("transport", kTransportNames, Transport::kGloo);
  if (options.transport != Transport::kGloo &&
      options.transport != Transport::kNccl) {
    flags.refuse("transport", "gloo or nccl with --rendezvous");
  }
}

void read_exchange(RankOptions& options, const FlagReader& flags) {
  try {
    options.plan = parse_exchange_plan(flags.text("exchange-plan"));
  } catch (const ParamError& error) {
    throw error.with_prefix("--exchange-plan: ");
  }
  options.plan.wire = flags.choice("wire", kWireNames, options.plan.wire);
  options.is_autotuned = flags.has("autotune");
  options.timeline_file = flags.text("timeline");
  const bool is_exact_only =
      !options.is_autotuned && options.plan.wire == WireType::kAsComputed;
  if (options.is_reproducible && !is_exact_only) {
    throw ParamError(
        std::string(options.is_autotuned ? "--autotune" : "--wire") +
        ": cannot be combined with --reproducible, whose bits must not depend "
        "on measured times or on rounding; use only one of them");
  }
}

/// Returns N of --device cuda:N, or -1. Other values are checked elsewhere.
int read_device_index(const FlagReader& flags) {
  constexpr std::string_view kStart = "cuda:";
  const std::string device = flags.text("device");
  if (!device.starts_with(kStart)) return -1;
  const auto index = parse_int(device.substr(kStart.size()));
  return index && *index >= 0 && *index < kMaxRanks ? static_cast<int>(*index)
                                                    : -1;
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

/// Returns true if this process is a rank of an MPI job.
bool is_mpi_rank(const FlagReader& flags) {
  return !flags.has("ranks") && !flags.has("rendezvous") &&
         flags.text("transport", "mpi") == "mpi" && is_started_by_mpi();
}

/// \throws ParamError if NCCL is to sum what the CPU computes
void check_nccl(const FlagReader& flags) {
  if (flags.text("transport") != "nccl") return;
  const bool names_backend = flags.text("backend", "auto") != "auto";
  if (!names_backend && flags.text("device", "auto") != "cpu") return;
  throw ParamError(
      std::string("--transport: nccl sums in the memory of NVIDIA devices; --")
          .append(names_backend ? "backend" : "device cpu")
          .append(" computes without one; use only one of them"));
}

/// \throws ParamError for flags that NCCL does not use
void check_nccl_flags(const FlagReader& flags) {
  if (flags.text("transport") != "nccl") return;
  for (const FlagName name :
       {FlagName("wire"), FlagName("exchange-plan"), FlagName("autotune")}) {
    if (!flags.has(name)) continue;
    throw ParamError(std::string("--")
                         .append(name.view())
                         .append(": is not used with --transport nccl, which "
                                 "sums each layer in the "
                                 "precision of its gradient; leave it out"));
  }
  if (flags.has("ranks") && flags.text("device").starts_with("cuda:")) {
    throw ParamError(
        "--device: must be cuda with --ranks and --transport nccl, because "
        "each rank needs a device of its own; got '" +
        flags.text("device") + "'");
  }
}

}  // namespace

RankOptions read_rank_options(const CommandLine& line) {
  const FlagReader flags(line);
  check_nccl(flags);
  check_nccl_flags(flags);
  RankOptions options;
  options.is_reproducible = flags.has("reproducible");
  options.timeout_seconds =
      flags.number("rank-timeout", above(0).and_at_most(kMaxTimeoutSeconds),
                   options.timeout_seconds, "a number of seconds");
  options.device = read_device_index(flags);
  read_exchange(options, flags);
  read_rendezvous(options, flags);
  if (!options.rendezvous.empty()) return options;
  options.num_ranks = static_cast<int>(flags.integer("ranks", kRankCounts, 1));
  if (flags.has("ranks")) {
    options.transport =
        flags.choice("transport", kTransportNames, Transport::kThreads);
    options.is_launcher = options.transport != Transport::kThreads;
  } else if (is_mpi_rank(flags)) {
    options.transport = Transport::kMpi;
  } else if (flags.has("transport")) {
    throw ParamError(
        "--transport: needs several ranks; add --ranks N or --rendezvous, or "
        "start the program with mpirun");
  }
  return options;
}

std::string file_of_rank(const std::string& file, int rank) {
  std::string named = file;
  const std::string number = std::to_string(rank);
  for (std::size_t at = named.find(kPlace); at != std::string::npos;
       at = named.find(kPlace, at + number.size())) {
    named.replace(at, kPlace.size(), number);
  }
  return named;
}

bool has_rank(const std::string& file) {
  return file.find(kPlace) != std::string::npos;
}

}  // namespace mlp::cli
