// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "../../../optim/line_search/strong_wolfe.hpp"

namespace mlp::optim::testing {

/// Value and derivative; the search adds t.
struct Answer {
  double value;
  double derivative;
};

using Curve = std::function<Answer(double t)>;

/// A run of a search: what it accepted and where it looked.
struct Run {
  std::optional<double> accepted;
  std::vector<double> trials;
};

template <typename Search>
Run run(Search search, const Curve& curve, double first_step) {
  Run run;
  run.accepted = search.search(
      [&](double t) {
        run.trials.push_back(t);
        const Answer answer = curve(t);
        return LinePoint{t, answer.value, answer.derivative};
      },
      first_step);
  return run;
}

}  // namespace mlp::optim::testing
