// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../allreduce.hpp"
#include "plugin.hpp"

namespace mlp::distributed {

/// How a plugin connects the ranks.
struct PluginOptions {
  double deadline_seconds = 300.0;
  double connect_seconds = 60.0;
  double step_seconds = 0.0;
  std::string address;
  std::string secret;  ///< see PluginHost

  /// Null for a plugin that has its own rendezvous. Used only by the
  /// constructor.
  Rendezvous* rendezvous = nullptr;

  /// See PluginHost; may be empty.
  std::function<void(const std::string&)> on_lost;
};

/// A rank of a group that a plugin connects.
class PluginAllreduce final : public Allreduce {
 public:
  /// \param plugin  must outlive this object
  /// \throws ParamError, CommunicationError as the plugin reports, and the
  ///         exceptions of the rendezvous
  PluginAllreduce(const Plugin& plugin, PluginOptions options);

  PluginAllreduce(const PluginAllreduce&) = delete;
  PluginAllreduce& operator=(const PluginAllreduce&) = delete;

  ~PluginAllreduce() override { plugin_.close(group_); }

  [[nodiscard]] int rank() const override { return plugin_.rank(group_); }
  [[nodiscard]] int world_size() const override {
    return plugin_.world_size(group_);
  }
  [[nodiscard]] std::string local_address() const override {
    return plugin_.address(group_);
  }

  void sum(std::span<double> numbers) override {
    add(PluginNumber::kDouble, numbers.data(), numbers.size());
  }
  void sum(std::span<float> numbers) override {
    add(PluginNumber::kFloat, numbers.data(), numbers.size());
  }
  void sum(std::span<Float16> numbers) override {
    add(PluginNumber::kFloat16, numbers.data(), numbers.size());
  }
  void sum(std::span<Bfloat16> numbers) override {
    add(PluginNumber::kBfloat16, numbers.data(), numbers.size());
  }

  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override;

  void cancel(const std::string& sentence) noexcept override {
    plugin_.cancel(group_, sentence.c_str());
  }

 private:
  static int meet(void* self, const char* text, std::size_t size,
                  const PluginPiece** pieces);
  static void tell(void* self, const char* sentence);
  void add(PluginNumber kind, void* numbers, std::size_t count);

  const Plugin& plugin_;
  PluginOptions options_;
  std::exception_ptr meeting_failure_;  ///< the exception of the rendezvous
  std::vector<std::string> texts_;      ///< of the rendezvous
  std::vector<PluginPiece> pieces_;     ///< into texts_
  PluginHost host_;
  PluginFailure failure_{};  ///< of the last call that failed
  PluginGroup* group_ = nullptr;
};

}  // namespace mlp::distributed
