// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "../../../mlp/model/scorer.hpp"
#include "../../../mlp/model_file/model_document.hpp"

namespace mlp::python {

/// A model file in memory, prepared for scoring.
///
/// Thread safety: all const members may run at the same time.
class ScoredModel {
 public:
  explicit ScoredModel(ModelDocument document);

  [[nodiscard]] const ModelDocument& document() const { return document_; }
  [[nodiscard]] const Model& model() const { return document_.model; }
  [[nodiscard]] const Scorer& scorer() const { return scorer_; }

 private:
  ModelDocument document_;
  Scorer scorer_;
};

/// Binds the functions of the class Model that predict instances.
void bind_scoring(nanobind::class_<ScoredModel>& model);

/// Binds HiddenLayer and InputColumn, and what makes a Model of its parts.
void bind_parts(nanobind::module_& module,
                nanobind::class_<ScoredModel>& model);

}  // namespace mlp::python
