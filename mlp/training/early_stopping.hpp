// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// Keeps the weights with the lowest validation loss, and tells when the loss has
/// not fallen for too long.
///
/// \source Prechelt 1998, Early Stopping - But When?
class EarlyStopping {
 public:
  /// \param patience  how many recordings without a lower loss end the training
  explicit EarlyStopping(Index patience) : patience_(patience) {}

  /// Records the validation loss of some weights. NaN is not an improvement.
  ///
  /// \return false if the training should end
  bool record(double loss, const Vector& weights, const Vector& statistics) {
    if (count(loss)) {
      best_weights_ = weights;
      best_statistics_ = statistics;
    }
    return num_stalled_ < patience_;
  }

  /// The losses, in the order in which they were recorded.
  [[nodiscard]] const std::vector<double>& history() const { return history_; }

  [[nodiscard]] double best_loss() const { return best_loss_; }

  /// Copies the best weights out; leaves the arguments as they are if no loss was
  /// ever a number.
  void restore_best(Vector& weights, Vector& statistics) const {
    if (best_weights_.size() == 0) return;
    weights = best_weights_;
    statistics = best_statistics_;
  }

  void save(ByteWriter& writer) const {
    writer.write_vector(history_);
    writer.write_vector(best_weights_);
    writer.write_vector(best_statistics_);
  }

  /// Restores the state that save() wrote.
  ///
  /// \throws ModelError if the state ends early or has other sizes
  void restore(ByteReader& reader, Index num_weights, Index num_statistics) {
    const auto history = reader.read_vector<std::vector<double>>();
    for (const double loss : history) static_cast<void>(count(loss));
    // There are no best weights until a loss is recorded that is finite.
    const bool has_best = best_loss_ < std::numeric_limits<double>::infinity();
    best_weights_ = reader.read_vector<Vector>(has_best ? num_weights : 0,
                                               "the number of best weights");
    best_statistics_ = reader.read_vector<Vector>(
        has_best ? num_statistics : 0, "the number of best statistics");
  }

 private:
  /// Adds a loss to the history.
  ///
  /// \return true if it is the lowest
  [[nodiscard]] bool count(double loss) {
    history_.push_back(loss);
    const bool is_lowest = loss < best_loss_;
    if (is_lowest) best_loss_ = loss;
    num_stalled_ = is_lowest ? 0 : num_stalled_ + 1;
    return is_lowest;
  }

  Index patience_;
  std::vector<double> history_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  Index num_stalled_ = 0;
  Vector best_weights_;
  Vector best_statistics_;
};

}  // namespace mlp
