// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mlp::distributed {

/// A port of this machine that nobody listens at.
inline int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound = ::bind(descriptor, plain, size) == 0 &&
                        ::getsockname(descriptor, plain, &size) == 0;
  ::close(descriptor);
  return is_bound ? ntohs(address.sin_port) : 0;
}

}  // namespace mlp::distributed
