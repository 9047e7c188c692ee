// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/byte_stream.hpp"
#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "checkpoint_options.hpp"

namespace mlp {

/// Saves the state of a training when the caller asks for it, and when the
/// training fails.
///
/// All ranks have the same state. One of them writes it; if a rank is lost, each
/// of the others writes it.
class StateSaver {
 public:
  /// \param options    must outlive this object
  /// \param is_writer  true on the rank that writes the states that are due
  StateSaver(const CheckpointOptions& options, bool is_writer)
      : options_(options), is_writer_(is_writer) {}

  /// Saves after an iteration or an epoch, or within one, if the caller wants it.
  ///
  /// \param iterations    iterations or epochs that are finished
  /// \param is_mid_epoch  true within an epoch
  /// \param write         appends the state to a ByteWriter
  template <typename Write>
  void save_if_due(Index iterations, bool is_mid_epoch,
                   const Write& write) const {
    if (!is_writer_ || !options_.is_due ||
        !options_.is_due(iterations, is_mid_epoch)) {
      return;
    }
    save(write);
  }

  /// Saves while an exception is handled. Errors of the saving itself are ignored.
  ///
  /// \pre called from a catch block
  template <typename Write>
  void rescue(const Write& write) const noexcept {
    if (!options_.write) return;
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
    options_.write(writer.bytes());
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

  const CheckpointOptions& options_;
  bool is_writer_;
};

}  // namespace mlp
