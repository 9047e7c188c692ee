// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The features of a model by their names.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "../core/error.hpp"
#include "guard.hpp"
#include "mlp/c_api.h"
#include "objects.hpp"

using mlp::capi::guarded;
using mlp::capi::require;

mlp_status mlp_model_find_columns(const mlp_model* model,
                                  const char* const* names, int64_t num_names,
                                  int64_t* columns) {
  return guarded([&] {
    require(model, "model");
    require(columns, "columns");
    if (num_names < 0) {
      throw mlp::ParamError("num_names",
                            "must be >= 0; got " + std::to_string(num_names));
    }
    if (num_names > 0) require(names, "names");
    std::vector<std::string> given;
    for (int64_t i = 0; i < num_names; ++i) {
      require(names[i], "names");
      given.emplace_back(names[i]);
    }
    const std::vector<mlp::Index> found =
        model->document.model.find_features(given);
    std::copy(found.begin(), found.end(), columns);
  });
}
