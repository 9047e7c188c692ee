// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file that describe prediction intervals and sets.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../model/model.hpp"
#include "../model/prediction_region.hpp"
#include "value_check.hpp"

namespace mlp::detail {

/// Gives a model the intervals or sets that a file describes, or throws an error that
/// describes what is wrong.
class RegionBuilder : private ValueCheck {
 public:
  /// \param root  the document; must outlive this object
  RegionBuilder(const nlohmann::json& root, const std::string& file)
      : ValueCheck(file), root_(root) {}

  void set(Model& model) const {
    const bool is_regressor = model.is_regressor();
    refuse_other(is_regressor ? kSet : kInterval, is_regressor);
    if (is_regressor && root_.contains(kInterval)) {
      const nlohmann::json& json = root_.at(kInterval);
      model.set_prediction_interval(
          {json.at("coverage").get<double>(),
           numbers_of(json, "lower", model.num_classes()),
           numbers_of(json, "upper", model.num_classes())});
    }
    if (!is_regressor && root_.contains(kSet)) {
      const nlohmann::json& json = root_.at(kSet);
      model.set_prediction_set({json.at("coverage").get<double>(),
                                json.at("leastProbability").get<double>()});
    }
  }

 private:
  static constexpr const char* kInterval = "predictionInterval";
  static constexpr const char* kSet = "predictionSet";

  void refuse_other(const char* name, bool is_regressor) const {
    if (!root_.contains(name)) return;
    refuse("$." + std::string(name),
           std::string("must be left out for a ") +
               (is_regressor ? "regressor" : "classifier") + "; got an object");
  }

  [[nodiscard]] Vector numbers_of(const nlohmann::json& json, const char* name,
                                  Index count) const {
    const auto numbers = json.at(name).get<std::vector<double>>();
    const auto size = static_cast<Index>(numbers.size());
    require(size == count, "$." + std::string(kInterval) + '.' + name,
            std::to_string(count) + " numbers for layers " +
                format_list(root_.at("layers").get<std::vector<Index>>()),
            std::to_string(size));
    return Eigen::Map<const Vector>(numbers.data(), size);
  }

  const nlohmann::json& root_;
};

}  // namespace mlp::detail
