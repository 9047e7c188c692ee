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
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "rank_facts.hpp"

namespace mlp {

/// What a rank tells all others before the first sum.
struct RankReport {
  /// The options, which must be the same on all ranks, a line "name value" each.
  std::string facts;

  Index num_instances = 0;

  /// Why this rank cannot train; empty where it can.
  std::string refusal;

  /// The columns of the data, as facts; empty if this rank has no instances.
  std::string columns;
};

namespace detail {

inline constexpr std::string_view kReportName = "mlp rank report 2";

inline std::string pack_report(const RankReport& report) {
  ByteWriter writer;
  writer.write_text(kReportName);
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
///         facts or columns differ from rank 0's, and the first difference
[[nodiscard]] inline std::vector<Index> agree(distributed::Allreduce& allreduce,
                                              const RankReport& own) {
  std::vector<Index> sizes;
  for (const std::string& bytes :
       allreduce.all_gather(detail::pack_report(own))) {
    const auto rank = static_cast<int>(sizes.size());
    const RankReport report = detail::unpack_report(bytes, rank);
    if (!report.refusal.empty()) {
      throw CommunicationError(rank, "cannot train: " + report.refusal);
    }
    sizes.push_back(report.num_instances);
  }
  require_equal_facts(
      allreduce,
      {{own.facts, "give every rank the same options and the same version"},
       {own.columns, "give every rank the same columns in the same order"}});
  return sizes;
}

}  // namespace mlp
