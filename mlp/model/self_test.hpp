// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../backend/backend.hpp"
#include "../backend/reference_backend.hpp"
#include "model.hpp"
#include "scorer.hpp"

namespace mlp {

/// An instance stored in the model file with the outputs computed when saving.
///
/// A reader in any language recomputes the outputs to check that its own
/// arithmetic agrees.
struct SelfTestInstance {
  Vector features;        ///< not yet scaled   [num_features]
  Vector raw_prediction;  ///< [num_classes]
  Vector probability;     ///< [num_classes]; empty for a regressor
  Index prediction = 0;   ///< class index by thresholds; 0 for a regressor
};

/// The result of recomputing a self-test.
struct SelfTestReport {
  Index num_instances = 0;

  /// A sentence about the first difference that starts with its JSON path;
  /// empty if there is no difference.
  std::string difference;

  [[nodiscard]] bool is_passed() const { return difference.empty(); }
};

/// The largest accepted relative difference of a recomputed number:
/// |recomputed - stored| <= kSelfTestTolerance * max(1, largest |stored|) of
/// the vector. Sums in another order pass; single precision does not.
inline constexpr double kSelfTestTolerance = 1e-9;

namespace detail {

inline Index predicted_class(const Model& model, const Matrix& raw) {
  return model.is_regressor() ? 0
                              : static_cast<Index>(model.to_prediction(raw)[0]);
}

}  // namespace detail

/// Selects the first instances whose features and outputs are finite.
///
/// \param features       [num_features x num_instances], not yet scaled
/// \param max_instances  >= 0
/// \return at most max_instances instances
/// \throws ShapeError if features has a wrong number of rows
[[nodiscard]] inline std::vector<SelfTestInstance> make_self_test(
    const Model& model, const ConstMatrixRef& features, Index max_instances,
    const Backend& backend = reference_backend()) {
  std::vector<SelfTestInstance> instances;
  const Scorer scorer(model, backend);
  for (Index i = 0; i < features.cols(); ++i) {
    if (static_cast<Index>(instances.size()) >= max_instances) break;
    const Matrix raw = scorer.predict_raw(features.col(i));
    const Matrix probability = model.to_probability(raw);
    const bool is_finite = features.col(i).allFinite() && raw.allFinite() &&
                           probability.allFinite();
    if (!is_finite) continue;
    instances.push_back({features.col(i), raw.col(0), probability.col(0),
                         detail::predicted_class(model, raw)});
  }
  return instances;
}

namespace detail {

/// Describes the first stored number that differs from the recomputed number.
inline std::string first_difference(const std::string& path,
                                    const Vector& stored,
                                    const ConstVectorRef& recomputed) {
  const double largest = stored.size() == 0 ? 0 : stored.cwiseAbs().maxCoeff();
  const double tolerance = kSelfTestTolerance * std::max(1.0, largest);
  for (Index i = 0; i < stored.size(); ++i) {
    // The comparison is written so that NaN counts as different.
    if (std::abs(recomputed[i] - stored[i]) <= tolerance) continue;
    return path + '[' + std::to_string(i) + "] is " + format_double(stored[i]) +
           "; this program computes " + format_double(recomputed[i]) +
           ", and they may differ by " + format_double(tolerance);
  }
  return "";
}

}  // namespace detail

/// Recomputes a self-test and reports the first difference.
///
/// \param instances  made by make_self_test()
/// \pre    the shapes of the instances fit the model
[[nodiscard]] inline SelfTestReport verify_self_test(
    const Model& model, const std::vector<SelfTestInstance>& instances,
    const Backend& backend = reference_backend()) {
  SelfTestReport report;
  const Scorer scorer(model, backend);
  for (const SelfTestInstance& instance : instances) {
    const std::string path =
        "$.selfTest[" + std::to_string(report.num_instances++) + "].";
    const Matrix raw = scorer.predict_raw(instance.features);
    report.difference = detail::first_difference(
        path + "rawPrediction", instance.raw_prediction, raw.col(0));
    if (!report.is_passed()) return report;
    report.difference =
        detail::first_difference(path + "probability", instance.probability,
                                 model.to_probability(raw).col(0));
    if (!report.is_passed()) return report;
    const Index prediction = detail::predicted_class(model, raw);
    if (prediction != instance.prediction) {
      report.difference =
          path + "prediction is " + std::to_string(instance.prediction) +
          "; this program computes " + std::to_string(prediction);
      return report;
    }
  }
  return report;
}

}  // namespace mlp
