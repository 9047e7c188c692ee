// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../mlp/backend/resident_training.hpp"
#include "../nccl/layer_sums.hpp"
#include "../network/device_objective.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/pinned_array.hpp"
#include "../runtime/stream.hpp"
#include "../steps/batch_loss.hpp"
#include "../steps/update_rules.hpp"
#include "device_penalty.hpp"
#include "repeated_work.hpp"

namespace mlp::cuda {

/// What a training by mini-batches on the device minimises.
///
/// \tparam Number  double or float: the type of weights, statistics and solver
template <typename Number>
struct BatchProblem {
  ResidentObjective resident;  ///< its functions and group outlive the solver
  std::shared_ptr<const Stream> stream;  ///< of the objective
  std::unique_ptr<DeviceBatchObjective<Number>> objective;
};

/// A training by mini-batches whose weights, statistics and solver stay in the
/// memory of a device.
///
/// A rank that is alone adds its steps to the stream and waits only when numbers
/// are read. Several ranks wait in each step, for the requests to stop.
template <typename Number>
class BatchSolverOnDevice final : public BatchSolver {
 public:
  /// \throws ResourceError if the device has too little memory
  BatchSolverOnDevice(BatchProblem<Number> problem, const BatchRule& rule);

  /// Waits for the steps.
  ~BatchSolverOnDevice() override;

  void start(const Vector& weights, const Vector& statistics) override;
  void step(const Step& step) override;
  void set_loss_sum(double sum) override;
  [[nodiscard]] double loss_sum() const override;
  void copy_out(Vector& weights, Vector& statistics) const override;
  void save(ByteWriter& state) const override;
  void restore(ByteReader& state) override;
  [[nodiscard]] Index num_steps() const override { return num_steps_; }

 private:
  using Flat = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

  /// The instances of a mini-batch that this rank has.
  struct Share {
    std::vector<Index> instances;  // positions in those of the rank
    std::vector<Index> places;     // in the mini-batch; empty for 0, 1, 2, ..
  };

  /// The input of the kernels of a step.
  struct Numbers {
    DeviceBatch::Step batch{};
    UpdateFactors update;
    double size = 0.0;  ///< of the mini-batch, over all ranks
    double weight = 0.0;
    double stop_request = 0.0;
  };

  /// Where the host writes the inputs of a step, while the device may still
  /// copy those of the step before.
  struct Inputs {
    PinnedArray<Index> positions;  // instances, then places
    PinnedArray<Numbers> numbers;  // [1]
    Event is_copied;
  };

  [[nodiscard]] const Stream& stream() const {
    return problem_.stream->selected();
  }
  [[nodiscard]] const ResidentObjective& resident() const {
    return problem_.resident;
  }
  [[nodiscard]] bool is_alone() const { return !resident().allreduce; }
  [[nodiscard]] Index num_weights() const {
    return resident().topology.num_weights();
  }
  [[nodiscard]] double poll() const;
  [[nodiscard]] Numbers numbers_of(const Step& step, double stop_request) const;
  void choose_share(const Step& step);
  void copy_inputs(const Numbers& numbers);
  void add_evaluation(const LayerEnqueued& on_layer);
  void add_summed_evaluation();
  void add_update();
  void run_alone();
  void run_with_others();
  [[nodiscard]] Flat read(const DeviceArray<Number>& from) const;
  void write(const Flat& numbers, DeviceArray<Number>& to);

  BatchProblem<Number> problem_;
  BatchRule rule_;
  DevicePenalty penalty_;
  std::unique_ptr<LayerSums<Number>> layer_sums_;    // null without other ranks
  DeviceArray<Number> weights_, gradient_;           // [num_weights]
  DeviceArray<Number> statistics_, old_statistics_;  // [num_statistics]
  DeviceArray<Number> first_, second_;  // velocity, or mean and mean square
  DeviceArray<double> loss_sum_;        // [1]
  DeviceArray<BatchSums> sums_;         // [1]
  DeviceArray<Numbers> numbers_;        // [1]
  DeviceArray<Index> positions_;  // instances, then places [2 max_batch_size]
  Share share_;
  std::array<Inputs, 2> inputs_;
  PinnedArray<BatchSums> host_sums_;  // [1]
  std::size_t next_inputs_ = 0;
  RepeatedWork work_;  // the steps of the largest mini-batches
  Index num_steps_ = 0;
};

}  // namespace mlp::cuda
