// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "endpoint.hpp"
#include "rank_identity.hpp"
#include "rendezvous.hpp"

namespace mlp::distributed {

/// Exchanges the addresses at which the ranks listen.
///
/// \return [world_size]
/// \throws CommunicationError if a rank cannot join
inline std::vector<Endpoint> exchange_endpoints(Rendezvous& rendezvous,
                                                const Endpoint& own) {
  std::vector<Endpoint> endpoints;
  for (const std::string& text : rendezvous.all_gather(format_endpoint(own))) {
    const int rank = static_cast<int>(endpoints.size());
    if (const auto excuse = parse_excuse(text)) {
      throw CommunicationError(rank, "cannot join: " + *excuse);
    }
    const auto endpoint = parse_endpoint(text);
    if (!endpoint) {
      throw CommunicationError(
          rank,
          "must send the address and port at which it listens; got a "
          "text of " +
              std::to_string(text.size()) +
              " bytes; run the same build everywhere");
    }
    endpoints.push_back(*endpoint);
  }
  return endpoints;
}

}  // namespace mlp::distributed
