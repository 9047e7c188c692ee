// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "command_table.hpp"
#include "option_table.hpp"

/// Names that other programs use for flags and commands. They are refused with a
/// hint and never taken, because their meaning often differs in a detail.
namespace mlp::cli {

/// A flag of other programs.
struct ForeignFlag {
  std::string_view name;  ///< without the dashes
  std::string_view hint;  ///< follows "unknown flag '--NAME'; "
  unsigned commands = kEveryCommand;
};

inline constexpr std::string_view kHintOfLayers =
    "write all sizes as --preset modern --layers FEATURES,HIDDEN,CLASSES; "
    "without --preset the other values are Spark's";
inline constexpr std::string_view kHintOfOutput =
    "write the result to a file with -o FILE";
inline constexpr std::string_view kHintOfLabel =
    "name the label column with --label";
inline constexpr std::string_view kHintOfFolds =
    "write --folds, such as --folds 5";
inline constexpr std::string_view kHintOfSplit =
    "write --split TRAIN,TEST, such as --split 0.7,0.3";
inline constexpr std::string_view kHintOfIgnored =
    "write --ignore COLUMNS to leave columns out";
inline constexpr std::string_view kHintOfKept =
    "write --keep COLUMN to copy it to the predictions, or --ignore COLUMN to "
    "leave it out";
inline constexpr std::string_view kHintOfDelimiter =
    "write --delimiter: ',', ';', '|', tab or space";
inline constexpr std::string_view kHintOfMissing =
    "write --missing mean or --missing drop";
inline constexpr std::string_view kHintOfStored =
    "it is a flag of train, and the model applies what it was trained with";
inline constexpr std::string_view kHintOfDevice = "write --device cuda";

/// The commands that use a model for data.
inline constexpr unsigned kScores = kPredict | kEvaluate | kFeaturize;
inline constexpr unsigned kReadsData = kReadsTable | kScores;

/// The table. A name that is a flag of another command is listed too, for the
/// commands that lack it.
inline constexpr auto kForeignFlags = std::to_array<ForeignFlag>({
    {"epochs", "write --max-iter, which counts epochs with sgd, adam and adamw",
     kTrain},
    {"num-epochs",
     "write --max-iter, which counts epochs with sgd, adam and adamw", kTrain},
    {"iterations", "write --max-iter", kTrain},
    {"iter", "write --max-iter", kTrain},
    {"lr", "write --step-size", kTrain},
    {"learning-rate", "write --step-size", kTrain},
    {"learning-rate-init", "write --step-size", kTrain},
    {"optimizer", "write --solver", kTrain},
    {"optim", "write --solver", kTrain},
    {"algorithm", "write --solver", kTrain},
    {"hidden", kHintOfLayers, kTrain},
    {"hidden-layers", kHintOfLayers, kTrain},
    {"hidden-layer-sizes", kHintOfLayers, kTrain},
    {"hidden-size", kHintOfLayers, kTrain},
    {"hidden-units", kHintOfLayers, kTrain},
    {"units", kHintOfLayers, kTrain},
    {"neurons", kHintOfLayers, kTrain},
    {"layer",
     "write all sizes as --layers FEATURES,HIDDEN,CLASSES; --layer is a flag "
     "of featurize",
     kTrain},
    {"num-classes", "the last size of --layers is the number of classes",
     kTrain},
    {"l2", "write --reg-param, the factor of half the sum of squared weights",
     kTrain},
    {"alpha",
     "write --reg-param; scikit-learn's alpha is the number of rows (of a "
     "mini-batch with adam and sgd) times it",
     kTrain},
    {"weight-decay",
     "write --reg-param, which leaves the biases out; it is the decoupled "
     "weight decay with --solver adamw",
     kTrain},
    {"l1", "only L2 regularisation is implemented: --reg-param", kTrain},
    {"early-stopping", "write --validation 0.1 --patience 10", kTrain},
    {"validation-fraction", "write --validation SHARE", kTrain},
    {"n-iter-no-change", "write --patience", kTrain},
    {"test-size", kHintOfSplit, kTrain},
    {"train-size", kHintOfSplit, kTrain},
    {"test-split", kHintOfSplit, kTrain},
    {"validation-split", "write --validation SHARE", kTrain},
    {"cv", kHintOfFolds, kTrain},
    {"kfold", kHintOfFolds, kTrain},
    {"k-folds", kHintOfFolds, kTrain},
    {"cross-validation", kHintOfFolds, kTrain},
    {"batch", "write --batch-size with sgd, adam and adamw", kTrain},
    {"minibatch", "write --batch-size with sgd, adam and adamw", kTrain},
    {"regression", "write --task regression", kReadsTable},
    {"regressor", "write --task regression", kReadsTable},
    {"classification", "leave it out; --task classification is the default",
     kReadsTable},
    {"random-state", "write --seed", kTrain},
    {"random-seed", "write --seed", kTrain},
    {"normalize", "write --standardize: mean 0 and standard deviation 1",
     kTrain},
    {"scaler", "write --standardize: mean 0 and standard deviation 1", kTrain},
    {"target", kHintOfLabel},
    {"target-column", kHintOfLabel},
    {"label-col", kHintOfLabel},
    {"label-column", kHintOfLabel},
    {"y", kHintOfLabel},
    {"id", kHintOfKept, kPredict},
    {"id", kHintOfIgnored, kReadsTable | kEvaluate | kFeaturize},
    {"id-col", kHintOfKept, kPredict},
    {"id-col", kHintOfIgnored, kReadsTable | kEvaluate | kFeaturize},
    {"exclude", kHintOfIgnored, kReadsData},
    {"drop", kHintOfIgnored, kReadsData},
    {"drop-columns", kHintOfIgnored, kReadsData},
    {"sep", kHintOfDelimiter, kReadsData},
    {"separator", kHintOfDelimiter, kReadsData},
    {"median", kHintOfMissing, kReadsTable},
    {"impute", kHintOfMissing, kReadsTable},
    {"fillna", kHintOfMissing, kReadsTable},
    {"missing", kHintOfStored, kScores},
    {"one-hot", kHintOfStored, kScores},
    {"standardize", kHintOfStored, kScores},
    {"output", kHintOfOutput, kTrain | kFeaturize},
    {"output-file", kHintOfOutput, kTrain | kPredict | kFeaturize},
    {"save", "write the model to a file with -o FILE", kTrain},
    {"model", "the model is the first argument", kScores | kInspect},
    {"model", "write the model to a file with -o FILE", kTrain},
    {"data", "the data file is an argument without a flag"},
    {"input", "the data file is an argument without a flag"},
    {"file", "the data file is an argument without a flag"},
    {"num-threads", "write --threads"},
    {"n-jobs", "write --threads"},
    {"jobs", "write --threads"},
    {"gpu", kHintOfDevice, kTrain | kScores},
    {"cuda", kHintOfDevice, kTrain | kScores},
    {"device-id", "write --device cuda:N", kTrain | kScores},
    {"gpu-id", "write --device cuda:N", kTrain | kScores},
    {"gpus", "write --device cuda:N for one of several", kTrain | kScores},
    {"fp16", "write --precision bf16 with an NVIDIA device", kTrain},
    {"amp", "write --precision bf16 with an NVIDIA device", kTrain},
    {"proba", "write --output prediction,probability", kPredict},
    {"json", "predictions are CSV or, with --format jsonl, JSON Lines",
     kPredict},
    {"json", "the outputs are CSV", kFeaturize},
});

/// Returns what to write instead of a flag of other programs; empty if it is not
/// known.
///
/// \param name     without the dashes, in any spelling
/// \param command  null if the command line has none
[[nodiscard]] inline std::string_view foreign_flag_hint(
    std::string_view name, const CommandInfo* command) {
  const std::string canonical = canonical_name(name);
  const unsigned commands =
      command == nullptr ? unsigned{kEveryCommand} : unsigned{command->command};
  for (const ForeignFlag& flag : kForeignFlags) {
    const bool is_it = (flag.commands & commands) != 0 &&
                       canonical_name(flag.name) == canonical;
    if (is_it) return flag.hint;
  }
  return {};
}

/// A command of other programs.
struct ForeignCommand {
  std::string_view name;
  std::string_view hint;  ///< follows "unknown command 'NAME'; "
};

inline constexpr auto kForeignCommands = std::to_array<ForeignCommand>({
    {"fit", "write mlp train DATA"},
    {"learn", "write mlp train DATA"},
    {"score",
     "write mlp predict MODEL DATA for predictions, or mlp evaluate MODEL DATA "
     "for the accuracy"},
    {"test", "write mlp evaluate MODEL DATA"},
    {"eval", "write mlp evaluate MODEL DATA"},
    {"classify", "write mlp predict MODEL DATA"},
    {"apply", "write mlp predict MODEL DATA"},
    {"transform",
     "write mlp predict MODEL DATA for predictions, or mlp featurize MODEL "
     "DATA "
     "for the outputs of a hidden layer"},
    {"convert",
     "a model is one JSON file, which docs/model-format.md describes; "
     "'python -m mlp convert' of the Python package converts it"},
    {"export",
     "a model is one JSON file, which docs/model-format.md describes; "
     "'python -m mlp convert' of the Python package converts it"},
    {"show", "write mlp inspect FILE"},
    {"info", "write mlp inspect FILE, or mlp doctor for this machine"},
    {"version", "write mlp --version"},
    {"cv", "write mlp train DATA --folds 5"},
});

/// Returns what to write instead of a word that is no command; empty if it is
/// not known. A word that looks like a file gets the command for files.
[[nodiscard]] inline std::string foreign_command_hint(const std::string& word) {
  for (const ForeignCommand& command : kForeignCommands) {
    if (command.name == word) return std::string(command.hint);
  }
  const bool is_model = word.ends_with(".json");
  const bool is_file = word == "-" || word.find_first_of("./") != word.npos;
  if (!is_file) return "";
  return is_model ? "a command comes first: mlp inspect " + word
                  : "a command comes first: mlp train " + word;
}

}  // namespace mlp::cli
