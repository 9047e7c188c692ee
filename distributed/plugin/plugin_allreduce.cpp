// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_allreduce.hpp"

#include <utility>

#include "../../core/error.hpp"

namespace mlp::distributed {

namespace {

[[noreturn]] void throw_failure(const PluginFailure& failure) {
  if (failure.cause == PluginCause::kParam) throw ParamError(failure.sentence);
  if (failure.rank < 0) throw CommunicationError(failure.sentence);
  throw CommunicationError(failure.rank, failure.sentence);
}

}  // namespace

PluginAllreduce::PluginAllreduce(const Plugin& plugin, PluginOptions options)
    : plugin_(plugin),
      options_(std::move(options)),
      host_{options_.deadline_seconds,
            options_.connect_seconds,
            options_.step_seconds,
            options_.address.c_str(),
            options_.secret.data(),
            options_.secret.size(),
            options_.rendezvous ? options_.rendezvous->rank() : 0,
            options_.rendezvous ? options_.rendezvous->world_size() : 1,
            this,
            meet,
            tell} {
  const bool is_open = plugin_.open(&host_, &group_, &failure_) == 0;
  options_.rendezvous = nullptr;
  if (is_open) return;
  // A rank that fails by itself tells the others through the rendezvous, which
  // can fail as well. The first failure is the one to report.
  if (failure_.cause == PluginCause::kRendezvous && meeting_failure_) {
    std::rethrow_exception(meeting_failure_);
  }
  throw_failure(failure_);
}

std::vector<std::string> PluginAllreduce::all_gather(const std::string& text) {
  if (plugin_.all_gather == nullptr) return Allreduce::all_gather(text);
  const PluginPiece* pieces = nullptr;
  if (plugin_.all_gather(group_, text.data(), text.size(), &pieces,
                         &failure_) != 0) {
    throw_failure(failure_);
  }
  std::vector<std::string> texts;
  for (int r = 0; r < world_size(); ++r) {
    texts.emplace_back(pieces[r].text, pieces[r].size);
  }
  return texts;
}

/// Calls the rendezvous for the plugin. An exception is stored, because none
/// may cross the plugin.
int PluginAllreduce::meet(void* self, const char* text, std::size_t size,
                          const PluginPiece** pieces) {
  auto& group = *static_cast<PluginAllreduce*>(self);
  try {
    group.texts_ =
        group.options_.rendezvous->all_gather(std::string(text, size));
    if (group.texts_.size() !=
        static_cast<std::size_t>(group.host_.world_size)) {
      throw CommunicationError(
          "the rendezvous must give one text for each of " +
          std::to_string(group.host_.world_size) + " ranks; got " +
          std::to_string(group.texts_.size()) + " texts; correct it");
    }
    group.pieces_.clear();
    for (const std::string& each : group.texts_) {
      group.pieces_.push_back({each.data(), each.size()});
    }
    *pieces = group.pieces_.data();
    return 0;
  } catch (...) {
    group.meeting_failure_ = std::current_exception();
    return 1;
  }
}

/// Passes a sentence on. Exceptions of the callback must not reach the plugin.
void PluginAllreduce::tell(void* self, const char* sentence) {
  const auto& on_lost = static_cast<PluginAllreduce*>(self)->options_.on_lost;
  try {
    if (on_lost) on_lost(sentence);
  } catch (...) {
    // The process ends anyway.
  }
}

void PluginAllreduce::add(PluginNumber kind, void* numbers, std::size_t count) {
  if (plugin_.sum(group_, kind, numbers, count, &failure_) != 0) {
    throw_failure(failure_);
  }
}

}  // namespace mlp::distributed
