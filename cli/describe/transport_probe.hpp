// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlp::cli {

/// What carries sums between ranks, and whether it can on this machine.
struct TransportProbe {
  std::string name;     ///< as --transport spells it
  std::string problem;  ///< why it cannot; empty where it can
  std::string remark;   ///< what it is made of
};

/// Tries every transport, without ranks.
[[nodiscard]] std::vector<TransportProbe> probe_transports();

}  // namespace mlp::cli
