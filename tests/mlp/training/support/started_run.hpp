// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../../../core/thread_pool.hpp"
#include "../../../../datasets/dataset.hpp"
#include "../../../../mlp/instances/training_instances.hpp"
#include "../../../../mlp/training/training_run.hpp"

namespace mlp::testing {

/// What train() makes before its first step, with one thread.
class StartedRun {
 public:
  /// \param topology  must outlive this object, as all others must
  StartedRun(const Topology& topology, const Params& params,
             const FitOptions& options, const datasets::Dataset& data)
      : viewed_(TrainingInstances::view(data)),
        instances_(viewed_, topology, params, options),
        monitor_(topology, params, options, pool_),
        stop_(options.is_stopping),
        run_{topology, params, options, instances_, pool_, monitor_, stop_} {}

  [[nodiscard]] const TrainingRun& run() const { return run_; }

 private:
  TrainingInstances viewed_;
  RankInstances instances_;
  ThreadPool pool_{1};
  TrainingMonitor monitor_;
  optim::StopRequest stop_;
  TrainingRun run_;
};

}  // namespace mlp::testing
