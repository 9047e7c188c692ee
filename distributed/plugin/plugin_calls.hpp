// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "../../core/error.hpp"
#include "plugin.hpp"

/// Runs the functions of a plugin so that no exception crosses the interface.
namespace mlp::distributed {

/// The rendezvous failed. The program knows the reason.
class RendezvousError : public CommunicationError {
 public:
  RendezvousError()
      : CommunicationError("the rendezvous failed; the program reports why") {}
};

/// Describes an error for the program.
inline void describe_failure(const std::exception& error,
                             PluginFailure& failure) {
  std::string sentence = error.what();
  failure.cause = dynamic_cast<const ParamError*>(&error) ? PluginCause::kParam
                  : dynamic_cast<const RendezvousError*>(&error)
                      ? PluginCause::kRendezvous
                      : PluginCause::kConnection;
  failure.rank = -1;
  const auto* lost = dynamic_cast<const CommunicationError*>(&error);
  if (lost && lost->rank() >= 0) {
    failure.rank = lost->rank();
    // The program adds the rank in front of the sentence again.
    const std::string prefix = "rank " + std::to_string(lost->rank()) + ": ";
    if (sentence.starts_with(prefix)) sentence.erase(0, prefix.size());
  }
  write_text({failure.sentence, sizeof failure.sentence}, sentence);
}

/// Runs the body of a plugin's function, because no exception may leave it.
///
/// \return 0, or 1 and the failure
template <class Body>
int run_plugin_call(PluginFailure* failure, const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    try {
      describe_failure(error, *failure);
    } catch (...) {
      // The sentence needs memory that is missing.
      *failure = {PluginCause::kConnection, -1, "out of memory"};
    }
  } catch (...) {
    *failure = {PluginCause::kConnection, -1, "an unknown exception"};
  }
  return 1;
}

}  // namespace mlp::distributed
