// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_needs.hpp"

#include <array>
#include <string_view>

#include "../../core/error.hpp"

namespace mlp::cli {

namespace {

/// What the flags of a command line ask for.
struct Conditions {
  const TrainOptions& options;
  const FlagReader& flags;

  bool has_ranks =
      flags.has("ranks") || options.ranks.transport != Transport::kNone;
  bool has_batches = has_mini_batches(options.params.solver);
  bool has_no_batches = !has_batches;
  bool is_lbfgs = options.params.solver == Solver::kLbfgs;
  /// The rows decide the solver, and a note comes later.
  bool takes_any_solver =
      options.preset == Preset::kModern && !flags.has("solver");
  bool has_step_size = !is_lbfgs || takes_any_solver;
  bool reads_tol = !has_batches || options.params.stall_epochs > 0;
  bool has_no_gradient_tol = !flags.has("gradient-tol");
  bool has_validation = flags.has("validation");
  bool has_split = !options.split.empty();
  bool has_random_parts = has_split || options.validation_share > 0.0;
  bool has_folds = options.effort != Effort::kQuick || options.num_folds > 0;
  bool has_parts = has_folds || has_random_parts;
  bool has_parts_besides_folds = !flags.has("folds") || has_random_parts;
  bool has_classes = options.params.task == Task::kClassification;
  bool is_regression = !has_classes;
  bool has_checkpoint = flags.has("checkpoint");
  bool may_have_categories =
      options.csv.one_hot.is_on() ||
      (options.warm_start &&
       datasets::has_categories(options.warm_start->input_columns()));
  bool has_no_initial_weights = !flags.has("initial-weights");
  bool keeps_regions = !flags.has("for");
  bool is_not_standardizing = !options.is_standardizing;
};

/// The condition under which a flag has an effect.
struct FlagNeed {
  FlagName flag;
  bool Conditions::*condition;

  /// Follows the name of the flag if the condition is not met.
  std::string_view sentence;

  /// Only a note: the value is one of Spark's parameters, or is harmless.
  bool is_note = false;
};

constexpr std::string_view kNeedsRanks =
    "needs several ranks; add --ranks N or --rendezvous, or start the program "
    "with mpirun";
constexpr std::string_view kNeedsBatches =
    "needs mini-batches, which l-bfgs and gd do not have; add --solver sgd, "
    "adam or adamw";
constexpr std::string_view kHasNoBatches =
    "has no effect with mini-batches; only l-bfgs and gd use it";

constexpr std::string_view kLosesRegions =
    "is for the model file of mlp only; files of the format of --for have no "
    "prediction intervals and sets";

constexpr auto kFlagNeeds = std::to_array<FlagNeed>({
    {"timeline", &Conditions::has_ranks, kNeedsRanks},
    {"rank-timeout", &Conditions::has_ranks, kNeedsRanks},
    {"wire", &Conditions::has_ranks, kNeedsRanks},
    {"exchange-plan", &Conditions::has_ranks, kNeedsRanks},
    {"autotune", &Conditions::has_ranks, kNeedsRanks},
    {"wire", &Conditions::has_batches, kNeedsBatches},
    {"exchange-plan", &Conditions::has_batches, kNeedsBatches},
    {"autotune", &Conditions::has_batches, kNeedsBatches},
    {"batch-size", &Conditions::has_batches, kNeedsBatches},
    {"history-size", &Conditions::is_lbfgs,
     "needs --solver l-bfgs; the others have no history"},
    {"patience", &Conditions::has_validation,
     "needs rows for validation; add --validation with a share or a file"},
    {"unknown", &Conditions::may_have_categories,
     "needs columns of categories; add --one-hot"},
    {"label-kind", &Conditions::has_classes, kLabelKindNeed},
    {"interval", &Conditions::is_regression,
     "needs numbers to predict; add --task regression, or use --coverage for "
     "sets of classes"},
    {"coverage", &Conditions::has_classes,
     "needs classes, which --task regression does not have; use --interval"},
    {"interval", &Conditions::keeps_regions, kLosesRegions, true},
    {"coverage", &Conditions::keeps_regions, kLosesRegions, true},
    {"stratify", &Conditions::has_parts_besides_folds,
     "has no effect on --folds, which give each part the same share of each "
     "class already; leave it out"},
    {"stratify", &Conditions::has_random_parts,
     "needs rows to draw; add --split, or --validation with a share"},
    {"stratify", &Conditions::has_classes,
     "needs classes, which --task regression does not have; leave it out"},
    {"group", &Conditions::has_parts,
     "needs parts in which the rows of a group stay together, and one training "
     "has none; leave it out, or add --folds N or --split"},
    {"write-split", &Conditions::has_split, "needs the parts; add --split"},
    {"force", &Conditions::has_checkpoint,
     "needs the file of the state; add --checkpoint FILE"},
    {"init", &Conditions::has_no_initial_weights,
     "cannot be combined with --initial-weights, which gives all weights; use "
     "only one of them"},
    {"step-size", &Conditions::has_step_size,
     "has no effect with solver l-bfgs, which searches for the size of each "
     "step",
     true},
    {"tol", &Conditions::reads_tol, kHasNoBatches, true},
    {"tol", &Conditions::has_no_gradient_tol,
     "has no effect with --gradient-tol, which stops l-bfgs instead", true},
    {"block-size", &Conditions::has_no_batches, kHasNoBatches, true},
    {"partitions", &Conditions::has_no_batches, kHasNoBatches, true},
    {"partition-sizes", &Conditions::has_no_batches, kHasNoBatches, true},
    {"scale", &Conditions::is_not_standardizing,
     "has no effect with --standardize, which removes any earlier scaling",
     true},
});

}  // namespace

std::vector<std::string> check_flag_needs(const TrainOptions& options,
                                          const FlagReader& flags) {
  std::vector<std::string> notes;
  const Conditions conditions{options, flags};
  for (const FlagNeed& need : kFlagNeeds) {
    if (!flags.has(need.flag) || conditions.*need.condition) continue;
    const std::string name = "--" + std::string(need.flag.view());
    if (!need.is_note) {
      throw ParamError(name + ": " + std::string(need.sentence));
    }
    notes.push_back(name + " " + std::string(need.sentence));
  }
  return notes;
}

}  // namespace mlp::cli
