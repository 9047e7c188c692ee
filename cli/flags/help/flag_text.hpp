// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "../command_table.hpp"
#include "../option_table.hpp"

/// The text about a flag in the help and the man pages: its sentence, its allowed
/// values and its default.
namespace mlp::cli {

/// What the row of a flag in the table of options lacks.
struct FlagNote {
  std::string_view flag;
  std::string_view allowed;  ///< empty if the row says it
  std::string_view preset;   ///< the default; empty if the row says it
};

/// The table. Every flag with a value has a default here, in its sentence, or as
/// a hyper-parameter.
inline constexpr auto kFlagNotes = std::to_array<FlagNote>({
    {"layers", "", "one hidden layer, sized for the data"},
    {"step-size", "",
     "0.03 with gd; with the preset modern 0.1 with sgd and "
     "0.01 with adam and adamw"},
    {"schedule", "EPOCHS >= 1, 0 < FACTOR <= 1 and DECAY >= 0", ""},
    {"initial-weights", "", "weights from the seed"},
    {"thresholds",
     "NAME=NUMBER for each class, or numbers in the order of the names of the "
     "classes",
     "none: the largest probability is predicted"},
    {"activation", "", "sigmoid; relu with the preset modern"},
    {"init", "", "spark; he-normal with the preset modern"},
    {"max-iter", "",
     "100; 300 with the preset modern and without mini-batches"},
    {"tol", "", "1e-06; 1e-04 with the preset modern"},
    {"gradient-tol", "", "off"},
    {"block-size", "", "128; 1 with the preset modern"},
    {"dropout", "", "off"},
    {"reg-param", "",
     "off; by features, outputs and rows with the preset modern"},
    {"class-weights",
     "NAME=NUMBER for some classes, balanced, or numbers in the order of the "
     "names of the classes",
     "1 for each class"},
    {"label-smoothing", "", "off"},
    {"clip-norm", "", "off"},
    {"clip-value", "", "off"},
    {"momentum", "", "off"},
    {"freeze", "", "none"},
    {"label", "",
     "the column named label, class, target or species, otherwise the last "
     "column"},
    {"labels", "", "none"},
    {"weight-col", "", "none: every row weighs 1"},
    {"group", "", "none"},
    {"partitions", "an integer >= 1, or files", "1"},
    {"partition-sizes", "integers whose sum is the number of rows",
     "one partition"},
    {"split", "two numbers > 0, such as 0.7,0.3", "off: trains on all rows"},
    {"validation", "a number above 0 and below 1, or a file", "off"},
    {"warm-start", "", "off"},
    {"checkpoint", "", "off"},
    {"ranks", "an integer from 1 to 1024", "1"},
    {"rendezvous", "", "off"},
    {"rank", "an integer >= 0 and below --world-size",
     "none, --rendezvous needs it"},
    {"world-size", "an integer from 1 to 1024", "none, --rendezvous needs it"},
    {"rank-timeout", "a number > 0 and <= 1000000", ""},
    {"exchange-plan", "", "the plan in the quotes"},
    {"wire", "", "asComputed"},
    {"timeline", "", "off"},
    {"layer", "an integer from 1 to the number of hidden layers",
     "none, it must be given"},
    {"scale", "a number > 0", "1"},
    {"seed-hash", "", "3"},
    {"precision", "", "float64"},
    {"output", "", "prediction, and the intervals or sets of the model"},
    {"threads", "an integer from 1 to 1024", ""},
    {"backend", "", "auto"},
    {"device", "", "auto"},
    {"device-memory", "a number of bytes, such as 500MB or 8G", "what is free"},
    {"memory", "a number of bytes, such as 500MB or 8G",
     "most of what is free"},
    {"cache-dir", "", "the folder of --out, or else the current one"},
    {"progress", "", "auto: only if standard error is a terminal"},
    {"header", "", "auto"},
    {"delimiter", "", "found in the file"},
    {"decimal", "", "."},
    {"na", "", "?,NA,N/A,NULL,NaN"},
    {"features", "", "all columns but the label and the weights"},
    {"ignore", "", "none"},
    {"missing", "", "mean with preset modern, otherwise refuse"},
    {"one-hot", "", "auto with preset modern, otherwise none"},
    {"unknown", "", "other with preset modern, otherwise refuse"},
    {"keep", "", "none"},
    {"format", "", "csv"},
    {"label-kind", "", "auto"},
    {"preset", "", "modern without --layers, otherwise spark"},
    {"effort", "", "standard; quick with flags of one training"},
    {"for", "", "none"},
    {"history", "", "off"},
    {"write-split", "", "off"},
    {"folds", "", "off"},
    {"interval", "a number above 0 and below 1", "off"},
    {"coverage", "a number above 0 and below 1", "off"},
});

/// The sentence of a flag where a command means something else by it.
struct CommandSentence {
  Command command;
  std::string_view flag;
  std::string_view sentence;
  std::string_view preset;  ///< the default; empty: as the flag
};

inline constexpr auto kCommandSentences = std::to_array<CommandSentence>({
    {kTrain, "unknown",
     "What happens later to a category that is not in DATA, and in a file of "
     "--validation: refuse the file; ignore it, which sets all features of "
     "the column to 0; or other: it shares a feature with the rare categories "
     "of DATA. The model stores it.",
     ""},
    {kTrain, "out", "The file for the model; - is standard output.",
     "the model is not saved"},
    {kPredict, "out", "The file for the predictions; - is standard output.",
     "standard output"},
    {kFeaturize, "out", "The file for the outputs; - is standard output.",
     "standard output"},
    {kTrain, "scale",
     "Divides the features by this number, such as 255 for pixels; the model "
     "stores it, so that predict and evaluate need no flag.",
     ""},
    {kEvaluate, "label",
     "The label column: a name or a 0-based index; a negative index counts "
     "from the end. Several, separated by commas, if the model predicts "
     "several "
     "numbers.",
     "the label columns of the training, otherwise as for train"},
    {kPredict, "label",
     "A column of DATA that is no feature and is left out: a name or a 0-based "
     "index; a negative index counts from the end.",
     "none"},
    {kFeaturize, "label",
     "The label column, which becomes the last column of the result: a name or "
     "a 0-based index; a negative index counts from the end.",
     "none"},
    {kPredict, "scale",
     "Divides the features by this number, for a model that stores no scaling.",
     ""},
    {kEvaluate, "scale",
     "Divides the features by this number, for a model that stores no scaling.",
     ""},
    {kFeaturize, "scale",
     "Divides the features by this number, for a model that stores no scaling.",
     ""},
});

/// How the value of a flag is written in a page: a placeholder, or the names that
/// it can be if they are few. Empty for a switch.
[[nodiscard]] std::string flag_value(const OptionInfo& option);

/// Returns what a flag does, its allowed values and its default.
///
/// \param command  whose page it is; one of several for a global flag
[[nodiscard]] std::string flag_sentences(const OptionInfo& option,
                                         Command command);

/// Returns true if the value of a flag is a file, or can be one.
[[nodiscard]] bool takes_file(const OptionInfo& option);

}  // namespace mlp::cli
