// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlp::cuda {

/// A library of C functions that is loaded while the program runs. It stays
/// loaded until the process ends: libraries of NVIDIA have threads of their own.
class SharedLibrary {
 public:
  /// \param title   for messages, such as NCCL
  /// \param files   tried in this order, such as libnccl.so.2; by the rules of
  ///                dlopen
  /// \param advice  what to install, which ends the message
  /// \throws ResourceError with the loader's reason for the first file
  SharedLibrary(std::string title, const std::vector<std::string>& files,
                std::string advice);

  /// Looks up a function.
  ///
  /// \param[out] function  a pointer to a function of the type of the symbol
  /// \throws ResourceError if the library lacks it
  template <typename Function>
  void find(const char* symbol, Function*& function) const {
    function = reinterpret_cast<Function*>(address(symbol));
  }

  /// The file that was loaded, as it was given.
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  [[nodiscard]] void* address(const char* symbol) const;

  std::string title_;
  std::string advice_;
  std::string file_;
  void* handle_ = nullptr;
};

}  // namespace mlp::cuda
