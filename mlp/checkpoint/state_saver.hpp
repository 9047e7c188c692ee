// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "../../core/byte_stream.hpp"
#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../optim/objective.hpp"
#include "checkpoint_options.hpp"

namespace mlp {

/// Saves the state of a training where the caller asked for it, and where the
/// training cannot go on.
///
/// All ranks have the same state: one writes it as long as all is well, and each
/// that is left where others were lost.
class StateSaver {
 public:
  /// \param checkpoint  must outlive this object
  /// \param is_writer      of the states that are saved from time to time
  StateSaver(const CheckpointOptions& checkpoint, bool is_writer)
      : checkpoint_(checkpoint), is_writer_(is_writer) {}

  /// Saves after an iteration or epoch, or within one, where it is time to.
  ///
  /// \param write  appends the state to a ByteWriter
  template <typename Write>
  void save_if_due(Index iterations, bool is_within, const Write& write) const {
    if (!is_writer_ || !checkpoint_.is_due ||
        !checkpoint_.is_due(iterations, is_within)) {
      return;
    }
    save(write);
  }

  /// Saves while an exception is on its way; what else goes wrong is no news.
  ///
  /// \pre called from a handler
  template <typename Write>
  void rescue(const Write& write) const noexcept {
    if (!checkpoint_.write) return;
    try {
      if (is_writer_ || are_others_lost()) save(write);
    } catch (...) {
    }
  }

 private:
  template <typename Write>
  void save(const Write& write) const {
    ByteWriter writer;
    write(writer);
    checkpoint_.write(writer.bytes());
  }

  static bool are_others_lost() {
    try {
      throw;
    } catch (const CommunicationError&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  const CheckpointOptions& checkpoint_;
  bool is_writer_;
};

}  // namespace mlp
