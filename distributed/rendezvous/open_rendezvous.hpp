// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "rendezvous.hpp"

namespace mlp::distributed {

/// Meets the other workers where one line of text says.
///
/// \param where  `tcp://HOST:PORT`, where rank 0 listens and HOST is a name, an
///               IPv4 address or an IPv6 address in brackets; or a folder that
///               all can reach
/// \param timeout_seconds  > 0: how long the ranks may be apart
/// \throws ParamError for another text, and for a rank, size or timeout that
///         cannot be
/// \throws CommunicationError as TcpRendezvous and DirectoryRendezvous do
[[nodiscard]] std::unique_ptr<Rendezvous> open_rendezvous(
    const std::string& where, int rank, int world_size, double timeout_seconds);

}  // namespace mlp::distributed
