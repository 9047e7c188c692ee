// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/error.hpp"
#include "../../core/first_difference.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"

namespace mlp {

/// What a rank tells all others before the first sum.
struct RankReport {
  /// What must be the same on all ranks, a line "name value" each.
  std::string facts;

  Index num_instances = 0;

  /// Why this rank cannot train; empty where it can.
  std::string refusal;
};

namespace detail {

inline constexpr std::string_view kReportName = "mlp rank report 1";

inline std::string pack_report(const RankReport& report) {
  ByteWriter writer;
  writer.write_text(kReportName);
  writer.write_text(report.facts);
  writer.write(std::int64_t{report.num_instances});
  writer.write_text(report.refusal);
  return std::move(writer).bytes();
}

/// \throws CommunicationError if another program sent the bytes
inline RankReport unpack_report(const std::string& bytes, int rank) {
  try {
    ByteReader reader(bytes, "its report");
    reader.require_text(kReportName, "the name");
    RankReport report;
    report.facts = reader.read_text();
    report.num_instances = static_cast<Index>(reader.read<std::int64_t>());
    report.refusal = reader.read_text();
    return report;
  } catch (const ModelError& error) {
    throw CommunicationError(rank, error.what());
  }
}

}  // namespace detail

/// Exchanges the reports of all ranks, so that all of them begin or none does.
///
/// \return instances of each rank   [world_size]
/// \throws CommunicationError naming the first rank that cannot train, or whose
///         facts differ from rank 0's, and the first difference
[[nodiscard]] inline std::vector<Index> agree(distributed::Allreduce& allreduce,
                                              const RankReport& own) {
  std::vector<Index> sizes;
  std::string facts_of_first;
  int rank = 0;
  for (const std::string& bytes :
       allreduce.all_gather(detail::pack_report(own))) {
    const RankReport report = detail::unpack_report(bytes, rank);
    if (!report.refusal.empty()) {
      throw CommunicationError(rank, "cannot train: " + report.refusal);
    }
    if (rank == 0) facts_of_first = report.facts;
    const auto difference = first_difference(facts_of_first, report.facts);
    if (difference) {
      throw CommunicationError(
          rank, "has '" + difference->second + "', but rank 0 has '" +
                    difference->first +
                    "'; give every rank the same options and the same version");
    }
    sizes.push_back(report.num_instances);
    ++rank;
  }
  return sizes;
}

}  // namespace mlp
