// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/thread_pool.hpp"
#include "../../optim/stop_request.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "rank_instances.hpp"
#include "training_monitor.hpp"

namespace mlp {

/// What the steps of one training share. It owns nothing.
struct TrainingRun {
  const Topology& topology;  ///< of params
  const Params& params;
  const FitOptions& options;  ///< with a group
  const RankInstances& instances;
  ThreadPool& pool;  ///< for mini-batches and the validation
  TrainingMonitor& monitor;
  optim::StopRequest& stop;  ///< on all ranks
};

}  // namespace mlp
