// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The plugin libmlp_gloo.so, the only part of mlp that uses Gloo. Debian has
// Gloo only as a shared library, which is linked with another C++ library.
// Because a plugin loads it, it costs nothing if it is not used.
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../plugin/plugin_calls.hpp"
#include "gloo_group.hpp"

namespace mlp::distributed {

namespace {

/// The rendezvous of the program, behind the plugin's interface.
class HostRendezvous final : public Rendezvous {
 public:
  explicit HostRendezvous(const PluginHost& host) : host_(host) {}

  [[nodiscard]] int rank() const override { return host_.rank; }
  [[nodiscard]] int world_size() const override { return host_.world_size; }

  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    const PluginPiece* pieces = nullptr;
    if (host_.all_gather(host_.object, text.data(), text.size(), &pieces) !=
        0) {
      throw RendezvousError();
    }
    std::vector<std::string> texts;
    for (int r = 0; r < host_.world_size; ++r) {
      texts.emplace_back(pieces[r].text, pieces[r].size);
    }
    return texts;
  }

 private:
  const PluginHost& host_;
};

}  // namespace

struct PluginGroup {
  PluginGroup(HostRendezvous rendezvous, const GlooOptions& options,
              const std::string& secret)
      : group(rendezvous, options, secret), address(group.local_address()) {}

  GlooAllreduce group;
  std::string address;
};

namespace {

void describe(PluginText text) {
  write_text(text, "TCP between processes and machines");
}

int open(const PluginHost* host, PluginGroup** opened, PluginFailure* failure) {
  return run_plugin_call(failure, [&] {
    GlooOptions options;
    options.deadline_seconds = host->deadline_seconds;
    options.connect_seconds = host->connect_seconds;
    options.step_seconds = host->step_seconds;
    options.address = host->address;
    *opened = new PluginGroup(HostRendezvous(*host), options,
                              std::string(host->secret, host->secret_size));
  });
}

int rank(const PluginGroup* group) { return group->group.rank(); }
int world_size(const PluginGroup* group) { return group->group.world_size(); }
const char* address(const PluginGroup* group) { return group->address.c_str(); }

template <class Number>
void add(GlooAllreduce& group, void* numbers, std::size_t count) {
  group.sum(std::span<Number>(static_cast<Number*>(numbers), count));
}

int sum(PluginGroup* group, PluginNumber kind, void* numbers, std::size_t count,
        PluginFailure* failure) {
  return run_plugin_call(failure, [&] {
    switch (kind) {
      case PluginNumber::kDouble:
        return add<double>(group->group, numbers, count);
      case PluginNumber::kFloat:
        return add<float>(group->group, numbers, count);
      case PluginNumber::kFloat16:
        return add<Float16>(group->group, numbers, count);
      case PluginNumber::kBfloat16:
        return add<Bfloat16>(group->group, numbers, count);
    }
  });
}

void cancel(PluginGroup* group, const char* sentence) {
  try {
    group->group.cancel(sentence);
  } catch (const std::exception&) {
    // The sentence needs memory that is missing. The deadline ends the group.
  }
}

void close(PluginGroup* group) { delete group; }

}  // namespace

}  // namespace mlp::distributed

extern "C" [[gnu::visibility("default")]] const mlp::distributed::Plugin*
mlp_gloo_plugin() {
  using namespace mlp::distributed;
  static constexpr Plugin plugin{kPluginVersion, describe, open, rank,
                                 world_size,     address,  sum,  nullptr,
                                 cancel,         close};
  return &plugin;
}
