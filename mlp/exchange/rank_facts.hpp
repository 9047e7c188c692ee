// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/first_difference.hpp"
#include "../../core/sha256.hpp"
#include "../../distributed/allreduce.hpp"

namespace mlp {

/// Facts that must be the same on all ranks.
struct RankFacts {
  /// A line "name value" each; empty if this rank takes no part in the comparison.
  std::string lines;

  /// Ends the sentence of a refusal: "give every rank ...".
  std::string_view advice;
};

namespace detail {

inline constexpr std::size_t kFactDigestBytes = 64;

/// Makes a text that is equal on all ranks if their facts are.
inline std::string digest_facts(const std::vector<RankFacts>& facts) {
  std::string digests;
  for (const RankFacts& group : facts) {
    digests += group.lines.empty() ? std::string(kFactDigestBytes, '-')
                                   : sha256_hex(group.lines);
  }
  return digests;
}

/// Returns true if the ranks that take part in a comparison differ.
///
/// \param digests  of each rank   [world_size]
/// \param at       where the digest of the compared facts begins
inline bool is_any_different(const std::vector<std::string>& digests,
                             std::size_t at) {
  std::optional<std::string> expected;
  for (const std::string& digest : digests) {
    const std::string own = digest.substr(at, kFactDigestBytes);
    if (own.front() == '-') continue;
    if (expected.value_or(own) != own) return true;
    expected = own;
  }
  return false;
}

/// Completes "rank N: ...".
///
/// \param difference  the fact of the first rank and of this one
/// \param first       the first rank
inline std::string describe_difference(
    const std::pair<std::string, std::string>& difference, std::size_t first) {
  const std::string rank = "rank " + std::to_string(first);
  for (const std::string& fact : {difference.first, difference.second}) {
    const std::string name = unreadable_fact(fact);
    if (!name.empty()) return "differs from " + rank + " in '" + name + '\'';
  }
  return "has '" + difference.second + "', but " + rank + " has '" +
         difference.first + '\'';
}

/// Names the first rank whose facts differ and the first difference.
///
/// \param lines  of each rank   [world_size]
inline void refuse_difference(const std::vector<std::string>& lines,
                              std::string_view advice) {
  std::size_t first = 0;
  while (first < lines.size() && lines[first].empty()) ++first;
  for (std::size_t rank = first + 1; rank < lines.size(); ++rank) {
    if (lines[rank].empty()) continue;
    const auto difference = mlp::first_difference(lines[first], lines[rank]);
    if (!difference) continue;
    throw CommunicationError(
        static_cast<int>(rank),
        describe_difference(*difference, first).append("; ").append(advice));
  }
}

}  // namespace detail

/// Compares facts over all ranks. Ranks send digests; they send the facts only if
/// the digests differ.
///
/// \param own  groups of facts; the ranks call it with the same groups
/// \throws CommunicationError on all ranks, naming the first rank that differs
///         from the first rank that takes part, and the first difference
inline void require_equal_facts(distributed::Allreduce& allreduce,
                                const std::vector<RankFacts>& own) {
  const std::string digest = detail::digest_facts(own);
  const std::vector<std::string> digests = allreduce.all_gather(digest);
  for (std::size_t rank = 0; rank < digests.size(); ++rank) {
    if (digests[rank].size() == digest.size()) continue;
    throw CommunicationError(static_cast<int>(rank),
                             "must send " + std::to_string(digest.size()) +
                                 " bytes about its facts; got " +
                                 std::to_string(digests[rank].size()) +
                                 "; run the same program on every rank");
  }
  for (std::size_t group = 0; group < own.size(); ++group) {
    if (!detail::is_any_different(digests, group * detail::kFactDigestBytes)) {
      continue;
    }
    detail::refuse_difference(allreduce.all_gather(own[group].lines),
                              own[group].advice);
  }
}

}  // namespace mlp
