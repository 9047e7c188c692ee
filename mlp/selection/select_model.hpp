// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../params/params.hpp"
#include "../result/fit_result.hpp"
#include "../training/fit_options.hpp"
#include "selection_plan.hpp"

namespace mlp {

/// Trains the model that does best on unseen rows.
///
/// First one network of the first encoding and size is trained on all rows. All trainings
/// take at most a multiple of its multiplications: folds and networks get fewer
/// evaluations if need be, and then there are fewer of them. It is one of the networks
/// if nothing else is chosen.
///
/// Trainings without the rows of a fold each choose the encoding of the numbers, and
/// then the penalty, by the loss of these rows. Then networks of other seeds are
/// trained on all rows and merged into one, and for a classifier the temperature of
/// the folds' unseen rows divides its output. Features are encoded by all rows, and
/// standardised by all rows if options ask for it.
///
/// If the plan has a coverage, the model gets prediction intervals or sets of the
/// folds' unseen rows. The report tells how intervals or sets of the rows of the other
/// folds cover the rows of each fold.
///
/// The result does not depend on the number of threads, among which the trainings are
/// divided.
///
/// \param params   with layers, of a plain network, which begin with the number of
///                 features; their penalty is multiplied by the factors of the plan,
///                 whose encodings replace theirs
/// \param data     as for Classifier::fit(); instances of one group stay in one fold
/// \param options  without validation, warm start, checkpoint and ranks; nothing calls
///                 its callback
/// \return with selection. If options ask to stop, the networks of the choice that are
///         complete; if there are none, the first network without a selection, as one
///         fit would return it
/// \throws as Classifier::fit(); ParamError as check_coverage_rows()
/// \cost   at most max_multiple(plan) times that of one fit; with the memory of one fit
///         for each thread, and of two tables
[[nodiscard]] FitResult select_model(const Params& params,
                                     const datasets::Dataset& data,
                                     const FitOptions& options,
                                     const SelectionPlan& plan);

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline FitResult select_model(const Params&, const datasets::Dataset&,
                              const FitOptions&, const SelectionPlan&);
}  // namespace mlp
#include "select_model.ipp"
#endif
