// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

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
    if (loss < best_loss_) {
      best_loss_ = loss;
      best_weights_ = weights;
      best_statistics_ = statistics;
      num_stalled_ = 0;
    } else {
      ++num_stalled_;
    }
    return num_stalled_ < patience_;
  }

  [[nodiscard]] double best_loss() const { return best_loss_; }

  /// Copies the best weights out; leaves the arguments as they are if no loss was
  /// ever a number.
  void restore_best(Vector& weights, Vector& statistics) const {
    if (best_weights_.size() == 0) return;
    weights = best_weights_;
    statistics = best_statistics_;
  }

  void save(ByteWriter& writer) const {
    writer.write(best_loss_);
    writer.write(std::int64_t{num_stalled_});
    writer.write_vector(best_weights_);
    writer.write_vector(best_statistics_);
  }

  /// Restores the state that save() wrote.
  ///
  /// \throws ModelError if the state ends early or has other sizes
  void restore(ByteReader& reader, Index num_weights, Index num_statistics) {
    best_loss_ = reader.read<double>();
    if (std::isnan(best_loss_)) {
      reader.refuse("the lowest validation loss must be a number; got NaN");
    }
    num_stalled_ =
        reader.read_count("the number of losses that were not lower", 0);
    // There are no best weights until a loss is recorded that is finite.
    const bool has_best = best_loss_ < std::numeric_limits<double>::infinity();
    best_weights_ = reader.read_vector<Vector>(has_best ? num_weights : 0,
                                               "the number of best weights");
    best_statistics_ = reader.read_vector<Vector>(
        has_best ? num_statistics : 0, "the number of best statistics");
  }

 private:
  Index patience_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  Index num_stalled_ = 0;
  Vector best_weights_;
  Vector best_statistics_;
};

}  // namespace mlp
