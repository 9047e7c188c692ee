// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/model_json.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../../optim/convergence_reason.hpp"
#include "arrays.hpp"
#include "backends.hpp"

namespace mlp::python {

namespace {

/// Numbers that a thread checks, converts and scores at a time: they stay in the
/// cache.
constexpr Index kNumbersPerPart = 65536;

/// The instances of a part are a multiple of this. Every kernel's group size
/// divides it.
constexpr Index kGroupSize = 64;

void check_width(const ScoredModel& model, const Rows& rows) {
  const auto width = static_cast<Index>(rows.shape(1));
  if (width == model.model().num_features()) return;
  throw ShapeError(
      "X has " + std::to_string(width) + " features, but the model expects " +
      std::to_string(model.model().num_features()) + " features as input");
}

/// Gives parts of an array as features, in place where the layout allows it.
class Parts {
 public:
  explicit Parts(const Rows& rows)
      : rows_(rows),
        num_features_(static_cast<Index>(rows.shape(1))),
        size_(static_cast<Index>(rows.shape(0))),
        part_size_(kNumbersPerPart / std::max<Index>(num_features_, 1) /
                   kGroupSize * kGroupSize),
        is_in_place_(is_in_place(rows)) {
    part_size_ = std::max(part_size_, kGroupSize);
  }

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index count() const {
    return (size_ + part_size_ - 1) / part_size_;
  }
  [[nodiscard]] Index first(Index part) const { return part * part_size_; }

  /// \param memory  keeps what is copied
  /// \return [num_features x instances of the part]
  [[nodiscard]] Eigen::Map<const Matrix> at(Index part, Matrix& memory) const {
    const Index begin = first(part);
    const Index part_size = std::min(part_size_, size_ - begin);
    if (is_in_place_) {
      return {static_cast<const double*>(rows_.data()) + begin * num_features_,
              num_features_, part_size};
    }
    memory.resize(num_features_, part_size);
    copy_rows(rows_, begin, memory);
    return {memory.data(), num_features_, part_size};
  }

 private:
  const Rows& rows_;
  Index num_features_;
  Index size_;
  Index part_size_;
  bool is_in_place_;
};

/// Calls work(first instance, features [num_features x size]) for all rows, on
/// several threads and without the GIL.
///
/// \param num_threads  an upper limit
/// \param is_finite    refuses features that are NaN or infinite
template <typename Work>
void for_each_part(const ScoredModel& model, const Rows& rows, int num_threads,
                   const Work& work, bool is_finite = true) {
  check_width(model, rows);
  const nb::gil_scoped_release release;
  const Parts parts(rows);
  std::atomic<bool> is_refused = false;
  const auto run = [&](Index part, int) {
    Matrix memory;
    const Eigen::Map<const Matrix> features = parts.at(part, memory);
    if (is_finite && !are_all_finite(features)) {
      is_refused = true;
    } else {
      work(parts.first(part), features);
    }
  };
  if (parts.count() <= 1) {
    if (parts.count() == 1) run(0, 0);
  } else {
    ThreadPool pool(model.scorer().useful_threads(parts.size(), num_threads));
    pool.parallel_for(parts.count(), run);
  }
  if (!is_refused) return;
  Matrix memory;
  for (Index part = 0; part < parts.count(); ++part) {
    check_finite(parts.at(part, memory), parts.first(part));
  }
}

/// Predicts class indices, or the numbers of a regressor   [instances]
nb::object predict(const ScoredModel& model, const Rows& rows, int threads) {
  Vector prediction(static_cast<Index>(rows.shape(0)));
  for_each_part(model, rows, threads,
                [&](Index first, const ConstMatrixRef& features) {
                  prediction.segment(first, features.cols()) =
                      model.scorer().predict(features);
                });
  return to_array(std::move(prediction));
}

nb::object predict_raw(const ScoredModel& model, const Rows& rows,
                       int threads) {
  Matrix raw(model.model().num_classes(), static_cast<Index>(rows.shape(0)));
  for_each_part(model, rows, threads,
                [&](Index first, const ConstMatrixRef& features) {
                  raw.middleCols(first, features.cols()) =
                      model.scorer().predict_raw(features);
                });
  return to_array(std::move(raw));
}

nb::object predict_probability(const ScoredModel& model, const Rows& rows,
                               int threads) {
  const Index num_classes =
      model.model().is_regressor() ? 0 : model.model().num_classes();
  Matrix probability(num_classes, static_cast<Index>(rows.shape(0)));
  for_each_part(model, rows, threads,
                [&](Index first, const ConstMatrixRef& features) {
                  probability.middleCols(first, features.cols()) =
                      model.scorer().predict_probability(features);
                });
  return to_array(std::move(probability));
}

/// Returns what predict_raw(), predict_probability() and predict() return; the
/// layers are computed only once. A regressor has no probabilities. Features that
/// are NaN give outputs that are NaN and class 0, as in Spark.
nb::tuple score(const ScoredModel& model, const Rows& rows, int threads) {
  const auto size = static_cast<Index>(rows.shape(0));
  const Index num_outputs = model.model().num_classes();
  const bool has_classes = !model.model().is_regressor();
  Matrix raw(num_outputs, size);
  Matrix probability(has_classes ? num_outputs : 0, size);
  Vector prediction(has_classes || num_outputs == 1 ? size : 0);
  const auto work = [&](Index first, const ConstMatrixRef& features) {
    const Matrix part = model.scorer().predict_raw(features);
    raw.middleCols(first, part.cols()) = part;
    if (prediction.size() > 0) {
      prediction.segment(first, part.cols()) =
          model.model().to_prediction(part);
    }
    if (has_classes) {
      probability.middleCols(first, part.cols()) =
          model.model().to_probability(part);
    }
  };
  for_each_part(model, rows, threads, work, false);
  return nb::make_tuple(to_array(std::move(raw)),
                        to_array(std::move(probability)),
                        to_array(std::move(prediction)));
}

nb::object hidden_output(const ScoredModel& model, const Rows& rows,
                         Index layer) {
  const std::vector<Index>& layers = model.model().layers();
  const auto num_hidden = static_cast<Index>(layers.size()) - 2;
  if (layer < 1 || layer > num_hidden) {
    throw ParamError("layer", "must be a hidden layer, 1 to " +
                                  std::to_string(num_hidden) + " for layers " +
                                  format_list(layers) + "; got " +
                                  std::to_string(layer));
  }
  Matrix output(layers[static_cast<std::size_t>(layer)],
                static_cast<Index>(rows.shape(0)));
  for_each_part(
      model, rows, 1, [&](Index first, const ConstMatrixRef& features) {
        output.middleCols(first, features.cols()) =
            model.model().hidden_output(features, layer, scoring_backend());
      });
  return to_array(std::move(output));
}

/// Returns a view of numbers that the model owns.
nb::object view(const Vector& numbers, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, const double>(
      numbers.data(), {static_cast<std::size_t>(numbers.size())}, owner));
}

nb::object weights(nb::handle self) {
  return view(nb::cast<const ScoredModel&>(self).model().weights(), self);
}

nb::object statistics(nb::handle self) {
  return view(nb::cast<const ScoredModel&>(self).model().statistics(), self);
}

/// Returns where W and the biases of each layer begin in the weights.
std::vector<std::pair<Index, Index>> offsets(const ScoredModel& model) {
  const Topology& topology = model.model().topology();
  std::vector<std::pair<Index, Index>> result;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    result.emplace_back(topology.weight_offset(k), topology.bias_offset(k));
  }
  return result;
}

nb::object history(const std::vector<double>& numbers) {
  return to_array(Vector(Eigen::Map<const Vector>(
      numbers.data(), static_cast<Index>(numbers.size()))));
}

nb::object scaler(const ScoredModel& model) {
  if (!model.model().scaler()) return nb::none();
  return nb::make_tuple(
      to_array(Vector(model.model().scaler()->mean)),
      to_array(Vector(model.model().scaler()->standard_deviation)));
}

std::string param(const ScoredModel& model, std::string_view name) {
  const ParamInfo* const info = find_param(name);
  return info == nullptr ? "" : info->format(model.document().params);
}

void bind_scoring(nb::class_<ScoredModel>& model) {
  model
      .def("predict_index", &predict, nb::arg("X").noconvert(),
           nb::arg("threads") = 1,
           "Predicts class indices, or the numbers of a regressor.")
      .def("predict_raw", &predict_raw, nb::arg("X").noconvert(),
           nb::arg("threads") = 1,
           "Computes the outputs of the last layer, before the softmax.")
      .def("predict_probability", &predict_probability,
           nb::arg("X").noconvert(), nb::arg("threads") = 1,
           "Computes the probability of each class.")
      .def("score", &score, nb::arg("X").noconvert(), nb::arg("threads") = 1,
           "Computes raw outputs, probabilities and predictions.")
      .def("hidden_output", &hidden_output, nb::arg("X").noconvert(),
           nb::arg("layer"), "Computes the output of a hidden layer.");
}

void bind_content(nb::class_<ScoredModel>& model) {
  const auto get = [&](const char* name, auto function) {
    model.def_prop_ro(name, function);
  };
  get("layers", [](const ScoredModel& m) { return m.model().layers(); });
  get("is_regressor",
      [](const ScoredModel& m) { return m.model().is_regressor(); });
  get("feature_names",
      [](const ScoredModel& m) { return m.model().feature_names(); });
  get("label_names",
      [](const ScoredModel& m) { return m.model().label_names(); });
  get("label_column",
      [](const ScoredModel& m) { return m.model().label_column(); });
  get("has_encoding",
      [](const ScoredModel& m) { return !m.model().input_columns().empty(); });
  get("thresholds",
      [](const ScoredModel& m) { return m.model().thresholds(); });
  get("scaler", &scaler);
  get("offsets", &offsets);
  get("objective_history", [](const ScoredModel& m) {
    return history(m.document().summary.objective_history);
  });
  get("validation_history", [](const ScoredModel& m) {
    return history(m.document().summary.validation_history);
  });
  get("total_iterations", [](const ScoredModel& m) {
    return m.document().summary.total_iterations();
  });
  get("best_iteration", [](const ScoredModel& m) {
    return m.document().summary.best_iteration();
  });
  get("evaluations",
      [](const ScoredModel& m) { return m.document().summary.evaluations; });
  get("convergence_reason", [](const ScoredModel& m) {
    return optim::text_of(m.document().summary.convergence_reason).name;
  });
  get("num_instances",
      [](const ScoredModel& m) { return m.document().num_instances; });
  model.def_prop_ro("weights", &weights);
  model.def_prop_ro("statistics", &statistics);
  model.def("param", &param, nb::arg("name"),
            "Returns a hyper-parameter of the training as JSON.");
}

ScoredModel load(const std::string& path) {
  const nb::gil_scoped_release release;
  return ScoredModel(load_model(path));
}

ScoredModel read_text(std::string_view text, const std::string& name) {
  const nb::gil_scoped_release release;
  return ScoredModel(from_json(text, name));
}

void save(const ScoredModel& model, const std::string& path) {
  const nb::gil_scoped_release release;
  save_model(path, model.document());
}

}  // namespace

ScoredModel::ScoredModel(ModelDocument document)
    : document_(std::move(document)),
      scorer_(document_.model, scoring_backend()) {}

void bind_model(nb::module_& module) {
  nb::class_<ScoredModel> model(module, "Model", "A trained network.");
  model.def_static("load", &load, nb::arg("path"));
  model.def_static("from_json", &read_text, nb::arg("text"),
                   nb::arg("name") = "model");
  model.def("save", &save, nb::arg("path"));
  model.def("to_json",
            [](const ScoredModel& m) { return to_json(m.document()); });
  bind_scoring(model);
  bind_content(model);
}

}  // namespace mlp::python
