// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace mlp::cli {

/// The commands, as bits, so that an option can name all its commands.
enum Command : unsigned {
  kTrain = 1,
  kPredict = 2,
  kEvaluate = 4,
  kInspect = 8,
  kCompletion = 16,
  kHelp = 32,
  kDoctor = 64,
  kFeaturize = 128,
  kEveryCommand = 255
};

/// The commands that read a data file as a training does.
inline constexpr unsigned kReadsTable = kTrain | kInspect;

/// The largest number of arguments of a command that takes any number of files.
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

/// One command: parsing, help and completion are made from it.
struct CommandInfo {
  Command command;
  std::string_view name;
  std::string_view arguments;  ///< as usage shows them
  std::size_t min_arguments;
  std::size_t max_arguments;
  std::string_view sentence;     ///< what it does
  std::string_view description;  ///< details, in lines
  std::string_view example;  ///< lines that run in the root of the repository

  /// Returns true if the first argument is a model and data follow it.
  [[nodiscard]] bool has_model() const {
    return (command & (kPredict | kEvaluate | kFeaturize)) != 0;
  }

  /// Returns the name and the arguments of the command.
  [[nodiscard]] std::string usage() const {
    std::string text(name);
    if (!arguments.empty()) text.append(" ").append(arguments);
    return text;
  }
};

/// The table, in the order of the help.
inline constexpr auto kCommandTable = std::to_array<CommandInfo>({
    {kTrain, "train", "DATA...", 1, kAnyNumber,
     "Trains a classifier or a regressor.",
     "DATA is CSV, TSV, LIBSVM, .npy or idx (.gz too), Parquet or Arrow with "
     "a\n"
     "plugin, or - for standard input.\n"
     "Several files, a folder or a pattern such as 'part-*.csv' are read as "
     "one\n"
     "file, in the order of their names.\n"
     "Text labels become classes, the most frequent first; the model stores\n"
     "their names. Ctrl-C stops the training and saves the best model so far.",
     "mlp train data/wine.csv -o wine.json\n"
     "mlp train data/iris.csv --layers 4,5,4,3 --seed 1234 -o iris.json"},
    {kPredict, "predict", "MODEL DATA...", 2, kAnyNumber,
     "Writes the predictions for instances.",
     "The result is CSV with a header. If the model and DATA have column "
     "names,\n"
     "features are matched by name, otherwise by position; other columns are\n"
     "ignored.",
     "mlp predict iris.json data/iris.csv --output prediction,probability"},
    {kEvaluate, "evaluate", "MODEL DATA...", 2, kAnyNumber,
     "Evaluates a model on labelled instances.",
     "Prints accuracy, precision, recall, F-measure and the confusion matrix,\n"
     "as Spark defines them.",
     "mlp evaluate iris.json data/iris.csv"},
    {kFeaturize, "featurize", "MODEL DATA...", 2, kAnyNumber,
     "Writes the outputs of a hidden layer for instances.",
     "The result is CSV with a header: features that the network has learned.\n"
     "With --label the last column is the label.",
     "mlp featurize iris.json data/iris.csv --layer 1"},
    {kInspect, "inspect", "MODEL|DATA...", 1, kAnyNumber,
     "Describes a model or data files.",
     "DATA is read exactly as train reads it with the same flags: columns,\n"
     "ranges and classes are printed, and errors are those of train.\n"
     "A file that begins with { or whose name ends with .json is a model.\n"
     "--verify recomputes the predictions that are stored in it.",
     "mlp inspect iris.json --verify"},
    {kDoctor, "doctor", "", 0, 0,
     "Describes this machine, its devices, and this program.",
     "Prints the processor, its kernels, the OpenBLAS that can be loaded, and\n"
     "the parts that were built. A missing part is not an error.",
     "mlp doctor"},
    {kCompletion, "completion", "bash|zsh|fish", 1, 1,
     "Prints the completion script of a shell.",
     "For bash: source <(mlp completion bash). For zsh, save it as _mlp in a\n"
     "folder of fpath; for fish, as ~/.config/fish/completions/mlp.fish.",
     "mlp completion bash"},
    {kHelp, "help", "[COMMAND]", 0, 1, "Explains a command.",
     "Without a command it prints the same as mlp --help. The man pages that\n"
     "are installed come from --man: mlp help train --man.",
     "mlp help train"},
});

/// Finds a command by its exact name; returns null if there is none.
[[nodiscard]] inline const CommandInfo* find_command(std::string_view name) {
  const auto found =
      std::find_if(kCommandTable.begin(), kCommandTable.end(),
                   [&](const CommandInfo& info) { return info.name == name; });
  return found == kCommandTable.end() ? nullptr : &*found;
}

}  // namespace mlp::cli
