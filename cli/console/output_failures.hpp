// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "console.hpp"
#include "exit_code.hpp"

namespace mlp::cli {

/// The failures of a command that writes several outputs. One output that fails
/// does not keep the command from writing the others.
class OutputFailures {
 public:
  /// Writes one output.
  ///
  /// \return false if it throws; the exception is kept
  template <typename Write>
  bool attempt(const Write& write) {
    try {
      write();
      return true;
    } catch (const std::exception&) {
      failures_.push_back(std::current_exception());
      return false;
    }
  }

  /// Prints all failures but the first as warnings, and throws the first.
  void rethrow_first() const {
    warn(1);
    if (!failures_.empty()) std::rethrow_exception(failures_.front());
  }

  /// Prints the failures as warnings.
  ///
  /// \param first  the number of the first that is printed
  void warn(std::size_t first = 0) const {
    for (std::size_t i = first; i < failures_.size(); ++i) {
      write_warning(describe_failure(failures_[i]).sentence);
    }
  }

 private:
  std::vector<std::exception_ptr> failures_;
};

}  // namespace mlp::cli
