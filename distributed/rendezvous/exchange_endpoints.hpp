// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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
  return detail::read_texts<Endpoint>(
      rendezvous.all_gather(format_endpoint(own)),
      "must send the address and port at which it listens",
      [](const std::string& text, int /*rank*/) {
        return parse_endpoint(text);
      });
}

}  // namespace mlp::distributed
