// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Stands for gloo_allreduce.cpp in a build without Gloo.
#include "../../core/error.hpp"
#include "gloo_allreduce.hpp"

namespace mlp::distributed {

bool has_gloo() noexcept { return false; }

std::unique_ptr<Allreduce> make_gloo_allreduce(Rendezvous& /*rendezvous*/,
                                               const GlooOptions& /*options*/) {
  throw NotCompiled("Gloo", "MLP_WITH_GLOO");
}

}  // namespace mlp::distributed
