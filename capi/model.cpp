// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "../core/error.hpp"
#include "../mlp/model_json.hpp"
#include "../optim/convergence_reason.hpp"
#include "guard.hpp"
#include "objects.hpp"

// The functions of c_api.h about models.

using mlp::Index;
using mlp::capi::guarded;
using mlp::capi::require;

namespace {

Eigen::Map<const mlp::Matrix> features_of(const mlp_model* model,
                                          const double* features,
                                          std::int64_t num_rows) {
  require(model, "model");
  if (num_rows != 0) require(features, "features");
  const Index width = model->document.model.num_features();
  mlp::capi::require_rows(num_rows, width);
  return {features, width, num_rows};
}

/// Computes results for rows and copies them to the caller.
///
/// \param compute  (features) -> a matrix or vector whose columns are rows
template <typename Compute>
mlp_status score(const mlp_model* model, const double* features,
                 std::int64_t num_rows, int num_threads, double* result,
                 const Compute& compute) {
  return guarded([&] {
    const auto rows = features_of(model, features, num_rows);
    mlp::capi::require_threads(num_threads);
    if (num_rows == 0) return;
    require(result, "the array of the result");
    const auto computed = compute(rows);
    std::copy_n(computed.data(), computed.size(), result);
  });
}

void require_classes(const mlp_model& model) {
  if (!model.document.model.is_regressor()) return;
  throw mlp::ParamError("model", "must have classes; it predicts numbers");
}

}  // namespace

extern "C" {

mlp_status mlp_model_load(const char* path, mlp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = nullptr;
    require(path, "path");
    *model = new mlp_model(mlp::load_model(path));
  });
}

mlp_status mlp_model_from_json(const char* text, size_t size,
                               mlp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = nullptr;
    require(text, "text");
    *model = new mlp_model(mlp::from_json({text, size}, "model"));
  });
}

mlp_status mlp_model_save(const mlp_model* model, const char* path) {
  return guarded([&] {
    require(model, "model");
    require(path, "path");
    mlp::save_model(path, model->document);
  });
}

mlp_status mlp_model_to_json(const mlp_model* model, char** text) {
  return guarded([&] {
    require(text, "text");
    *text = nullptr;
    require(model, "model");
    const std::string json = mlp::to_json(model->document);
    auto* const copy = static_cast<char*>(std::malloc(json.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, json.c_str(), json.size() + 1);
    *text = copy;
  });
}

void mlp_model_free(mlp_model* model) { delete model; }

void mlp_text_free(char* text) { std::free(text); }

int64_t mlp_model_num_features(const mlp_model* model) {
  return model->document.model.num_features();
}

int64_t mlp_model_num_outputs(const mlp_model* model) {
  return model->document.model.num_classes();
}

int mlp_model_is_regressor(const mlp_model* model) {
  return model->document.model.is_regressor() ? 1 : 0;
}

int64_t mlp_model_num_sizes(const mlp_model* model) {
  return static_cast<int64_t>(model->document.model.layers().size());
}

int64_t mlp_model_size(const mlp_model* model, int64_t index) {
  const auto& layers = model->document.model.layers();
  const bool is_valid =
      index >= 0 && index < static_cast<int64_t>(layers.size());
  return is_valid ? layers[static_cast<std::size_t>(index)] : 0;
}

const char* mlp_model_label(const mlp_model* model, int64_t index) {
  const auto& names = model->document.model.label_names();
  const bool is_valid =
      index >= 0 && index < static_cast<int64_t>(names.size());
  return is_valid ? names[static_cast<std::size_t>(index)].c_str() : nullptr;
}

const double* mlp_model_weights(const mlp_model* model, int64_t* size) {
  *size = model->document.model.weights().size();
  return model->document.model.weights().data();
}

const double* mlp_model_objective_history(const mlp_model* model,
                                          int64_t* size) {
  const auto& history = model->document.summary.objective_history;
  *size = static_cast<int64_t>(history.size());
  return history.data();
}

const char* mlp_model_convergence_reason(const mlp_model* model) {
  return mlp::optim::text_of(model->document.summary.convergence_reason)
      .name.data();
}

mlp_status mlp_model_predict(const mlp_model* model, const double* features,
                             int64_t num_rows, int num_threads,
                             double* prediction) {
  return score(model, features, num_rows, num_threads, prediction,
               [&](const auto& rows) {
                 return model->scorer.predict(rows, num_threads);
               });
}

mlp_status mlp_model_predict_raw(const mlp_model* model, const double* features,
                                 int64_t num_rows, int num_threads,
                                 double* raw) {
  return score(model, features, num_rows, num_threads, raw,
               [&](const auto& rows) {
                 return model->scorer.predict_raw(rows, num_threads);
               });
}

mlp_status mlp_model_predict_probability(const mlp_model* model,
                                         const double* features,
                                         int64_t num_rows, int num_threads,
                                         double* probability) {
  return score(model, features, num_rows, num_threads, probability,
               [&](const auto& rows) {
                 require_classes(*model);
                 return model->scorer.predict_probability(rows, num_threads);
               });
}

mlp_status mlp_model_score(const mlp_model* model, const double* features,
                           int64_t num_rows, int num_threads,
                           double* prediction, double* raw,
                           double* probability) {
  return guarded([&] {
    const auto rows = features_of(model, features, num_rows);
    mlp::capi::require_threads(num_threads);
    if (probability != nullptr) require_classes(*model);
    if (num_rows == 0) return;
    const mlp::Model& network = model->document.model;
    const mlp::Matrix outputs = model->scorer.predict_raw(rows, num_threads);
    const auto copy = [](const auto& numbers, double* to) {
      std::copy_n(numbers.data(), numbers.size(), to);
    };
    if (raw != nullptr) copy(outputs, raw);
    if (prediction != nullptr) copy(network.to_prediction(outputs), prediction);
    if (probability != nullptr) {
      copy(network.to_probability(outputs), probability);
    }
  });
}

}  // extern "C"
