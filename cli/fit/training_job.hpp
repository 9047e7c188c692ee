// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../distributed/allreduce.hpp"
#include "../../mlp/params/params.hpp"
#include "../flags/global_options.hpp"
#include "train_options.hpp"

namespace mlp::cli {

/// A training of this process: its flags, its ranks and its hyper-parameters.
struct TrainingJob {
  TrainOptions options;
  GlobalOptions global;

  /// The ranks that this process belongs to; null if it trains alone.
  distributed::Allreduce* group = nullptr;

  /// The result of choose_params().
  Params params;

  [[nodiscard]] bool is_first_rank() const {
    return group == nullptr || group->rank() == 0;
  }

  /// Returns the group if each of its ranks has files of its own, else null.
  [[nodiscard]] distributed::Allreduce* group_of_parts() const {
    return options.has_own_data() ? group : nullptr;
  }
};

}  // namespace mlp::cli
