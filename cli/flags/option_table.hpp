// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "../../core/spark_random.hpp"
#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/label_kind.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/exchange/exchange_plan.hpp"
#include "../../mlp/params/export_format.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../../mlp/params/preset.hpp"
#include "command_table.hpp"
#include "flag_values.hpp"

/// The table of all flags, from which parsing, help and completion are made.
namespace mlp::cli {

/// One flag. Parsing, help and completion use this description.
struct OptionInfo {
  std::string_view name;      ///< without the dashes
  char letter = 0;            ///< of the short form; 0 for none
  std::string_view value;     ///< what the value looks like; empty for a switch
  std::string_view sentence;  ///< what it does
  unsigned commands = kEveryCommand;

  /// The allowed values; if is_list, the allowed items, separated by commas.
  std::span<const std::string_view> choices = {};
  bool is_list = false;

  const ParamInfo* param = nullptr;  ///< the hyper-parameter that it sets

  [[nodiscard]] constexpr bool is_switch() const { return value.empty(); }
  [[nodiscard]] constexpr bool is_global() const {
    return commands == kEveryCommand;
  }
  /// True for a flag that is about what is printed, and not about data or a model.
  [[nodiscard]] constexpr bool is_about_printing() const {
    return is_global() || name == "json";
  }
  [[nodiscard]] std::string flag() const { return "--" + std::string(name); }
};

/// The flags that are not hyper-parameters.
inline constexpr auto kProgramOptions = std::to_array<OptionInfo>({
    {"preset", 0, "name",
     "How to choose the values that no flag gives: modern fits them to the "
     "table, spark uses Spark's defaults. Default: modern without --layers, "
     "--warm-start and --initial-weights, otherwise spark.",
     kTrain, kNamesOf<kPresetNames>},
    {"effort", 0, "name",
     "How much to train without --layers: quick one network; standard chooses "
     "encoding and penalty by the unseen rows of folds, and joins several "
     "networks in one; best also tries other sizes of the hidden layer, and "
     "joins more networks.",
     kTrain, kNamesOf<kEffortNames>},
    {"for", 0, "format",
     "The format to which the model will be converted. Flags that the format "
     "cannot express are refused, and the preset modern chooses only values "
     "that it can express.",
     kTrain, kNamesOf<kExportFormatNames>},
    {"label", 0, "column",
     "The label column: a name or a 0-based index; a negative index counts "
     "from the end. With --task regression several, separated by commas.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize},
    {"label-kind", 0, "kind",
     "The meaning of labels that are numbers: class indices from 0, or names "
     "of "
     "classes. auto: names if they are integers, not 0 to k - 1, and few.",
     kReadsTable, kNamesOf<datasets::kLabelKindNames>},
    {"labels", 0, "file",
     "The file that has the labels of an .npy or idx matrix.",
     kTrain | kEvaluate | kInspect},
    {"header", 0, "rule",
     "Whether the first row of a CSV file has the names of the columns.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize,
     kNamesOf<kHeaderNames>},
    {"delimiter", 0, "character",
     "What separates the columns of a CSV file: ',', ';', '|', tab, or space "
     "for any number of spaces and tabs. Default: found in the first row.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize},
    {"decimal", 0, "character",
     "What separates the decimals of the numbers of a CSV file.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize,
     kNamesOf<kDecimalNames>},
    {"features", 0, "columns",
     "The columns that are features, in this order: names or 0-based indices, "
     "separated by commas. Default: all others.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize},
    {"ignore", 0, "columns",
     "The columns that are not read: names or 0-based indices, separated by "
     "commas.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize},
    {"keep", 0, "columns",
     "The columns of the data, such as an identifier, that are written before "
     "the predictions.",
     kPredict},
    {"weight-col", 0, "column",
     "The column of the instance weights, numbers >= 0: a name or an index.",
     kReadsTable},
    {"group", 0, "column",
     "The column that names the group of each row, such as a patient: a name "
     "or an index. It is no feature; rows of one group stay in one fold, and "
     "in one part of --split and --validation.",
     kTrain},
    {"na", 0, "texts",
     "The texts that mean a missing value, separated by commas; a number "
     "stands for all of its spellings. An empty field is always missing; the "
     "model stores the texts. Default: ?,NA,N/A,NULL,NaN, in any case.",
     kReadsTable},
    {"missing", 0, "rule",
     "What happens to missing features: refuse "
     "the file, drop the row, or replace them by the mean, or the most "
     "frequent category, of the training rows; the model stores it. With the "
     "preset modern, mean also makes features of missing values. Default: mean "
     "with the preset modern, otherwise refuse.",
     kReadsTable, kNamesOf<datasets::kMissingRuleNames>},
    {"one-hot", 0, "auto|columns",
     "Encodes columns of categories, one feature for each category: auto for "
     "all columns of texts, or names or indices; the model stores the "
     "categories. Default: auto with the preset modern, otherwise none.",
     kReadsTable},
    {"unknown", 0, "rule",
     "What happens to a category that the model does not have: refuse the "
     "file; ignore it, which sets all features of the column to 0; or other, "
     "the feature that rare categories share. Default: "
     "what train stored in the model, otherwise refuse.",
     kTrain | kPredict | kEvaluate | kFeaturize,
     kNamesOf<datasets::kUnknownRuleNames>},
    {"partitions", 0, "integer",
     "The number of Spark partitions of equal size, or files for one of each "
     "data file; each block is within one partition.",
     kTrain},
    {"partition-sizes", 0, "sizes",
     "The number of rows of each Spark partition, in order.", kTrain},
    {"split", 0, "weights",
     "Splits the rows as Spark's randomSplit does; trains on the first part "
     "and tests on the second.",
     kTrain},
    {"stratify", 0, "",
     "Gives both parts of --split and --validation the same share of each "
     "class. These are not the rows of Spark's randomSplit.",
     kTrain},
    {"write-split", 0, "prefix",
     "Writes the rows of --split to PREFIX-train.csv and PREFIX-test.csv, as "
     "they are in the data file.",
     kTrain},
    {"memory", 0, "bytes",
     "The memory that the data may take. Features that need more are kept in a "
     "file in --cache-dir, which changes no result but the order of "
     "mini-batches (--shuffle). Default: most of what is free.",
     kTrain | kPredict | kEvaluate | kFeaturize},
    {"cache-dir", 0, "folder",
     "The folder, on a disk, of the file for features that do not fit into "
     "memory. It has no name and is gone when the program ends. Default: the "
     "folder of --out, or else the current one.",
     kTrain | kPredict | kEvaluate | kFeaturize},
    {"folds", 0, "integer",
     "Cross-validation: trains this many times, each time without another "
     "part of the rows, and tests on that part; then trains on all rows. With "
     "--effort standard, the folds that choose.",
     kTrain},
    {"interval", 0, "share",
     "Gives a regression prediction intervals that should contain this share "
     "of the labels; the model stores them, and predict writes them. They "
     "follow from the rows that the trainings of folds did not see.",
     kTrain},
    {"coverage", 0, "share",
     "Gives a classification prediction sets that should contain this share "
     "of the labels; the model stores them, and predict writes them. They "
     "follow from the same rows.",
     kTrain},
    {"validation", 0, "share|file",
     "Rows for validation, a share of the data or a file: training stops when "
     "their loss has not improved for --patience iterations or epochs.",
     kTrain},
    {"strict", 0, "",
     "Ends with exit code 3 if the training has a warning; the results are "
     "written nevertheless.",
     kTrain},
    {"warm-start", 0, "model",
     "Starts from a model's weights; layers of another shape get new initial "
     "weights.",
     kTrain},
    {"checkpoint", 0, "file",
     "The file that stores the state of the training; --resume continues from "
     "it.",
     kTrain},
    {"checkpoint-every", 0, "time",
     "How often to store the state: 30s, 5m, 1h, or a number of iterations or "
     "epochs. Default: 30s.",
     kTrain},
    {"resume", 0, "",
     "Continues from --checkpoint, with the same bits as without an "
     "interruption; starts from the beginning if the file does not exist.",
     kTrain},
    {"force", 0, "", "Replaces the checkpoint of another training.", kTrain},
    {"history", 0, "file",
     "Writes a CSV file with a row for each iteration: objective, validation "
     "loss, step length, evaluations and seconds; - is standard output.",
     kTrain},
    {"ranks", 0, "integer",
     "Trains one model on this many ranks of this machine, each with a part of "
     "the rows.",
     kTrain},
    {"transport", 0, "name",
     "How ranks exchange sums. Default: threads; with --rendezvous: gloo.",
     kTrain, kNamesOf<kTransportNames>},
    {"rendezvous", 0, "folder",
     "The folder through which ranks that are started separately find each "
     "other. It must exist.",
     kTrain},
    {"rank", 0, "integer", "The rank of this process, from 0.", kTrain},
    {"world-size", 0, "integer", "The number of ranks.", kTrain},
    {"address", 0, "address",
     "The numeric address of this machine that the other ranks can reach. "
     "Default: 127.0.0.1 if all ranks run on one machine, otherwise that of "
     "the "
     "default route.",
     kTrain},
    {"reproducible", 0, "",
     "Gives the same bits for any number of ranks; sends three times as many "
     "bytes.",
     kTrain},
    {"rank-timeout", 0, "seconds",
     "The longest time that a rank waits for the others in each sum. Default: "
     "300.",
     kTrain},
    {"exchange-plan", 0, "plan",
     "How ranks send the gradients of mini-batches: 'bucketBytes=1048576 "
     "wire=asComputed threads=0'; each word is optional.",
     kTrain},
    {"wire", 0, "type",
     "The type in which ranks send these gradients; float16 and bfloat16 need "
     "half the bytes of float32.",
     kTrain, kNamesOf<kWireNames>},
    {"autotune", 0, "",
     "Chooses the exchange plan by timing the first steps, and prints it; "
     "--wire bfloat16 allows rounding.",
     kTrain},
    {"timeline", 0, "file",
     "Writes what each rank computes, sends and waits for, as a Chrome trace.",
     kTrain},
    {"layer", 0, "integer", "The hidden layer, from 1.", kFeaturize},
    {"standardize", 0, "",
     "Scales each feature to mean 0 and standard deviation 1; the model stores "
     "the scaling.",
     kTrain},
    {"no-standardize", 0, "",
     "Leaves the features, and the labels of a regression, as they are; the "
     "preset modern standardises them.",
     kTrain},
    {"scale", 0, "number",
     "Divides the features by this number; the model stores it.",
     kTrain | kPredict | kEvaluate | kFeaturize},
    {"seed-hash", 0, "version",
     "Generates the initial weights and the split as Spark 3 and later does, "
     "or as Spark 2 does.",
     kTrain, kNamesOf<kSeedHashNames>},
    {"precision", 0, "type",
     "The number type of the computation. Spark computes in float64. tf32 and "
     "bf16 need an NVIDIA device.",
     kTrain, kNamesOf<kPrecisionNames>},
    {"output", 0, "columns", "The columns to write, in any order.", kPredict,
     kNamesOf<kOutputColumnNames>, true},
    {"format", 0, "name",
     "How predictions are written: CSV or JSON Lines. Default: jsonl if the "
     "name of --out ends in .jsonl, otherwise csv.",
     kPredict, kNamesOf<kOutputFormatNames>},
    {"verify", 0, "", "Recomputes the predictions stored in the model.",
     kInspect},
    {"man", 0, "", "Prints the page in the man macros of troff.", kHelp},
    {"out", 'o', "file", "The file to write; - is standard output.",
     kTrain | kPredict | kFeaturize},
    {"json", 0, "", "Prints one JSON document on standard output.",
     kTrain | kEvaluate | kInspect | kDoctor},
    {"quiet", 'q', "",
     "Prints only errors and warnings that the result is probably wrong."},
    {"verbose", 'v', "", "Prints more details."},
    {"threads", 0, "integer",
     "The maximum number of threads; it never changes a result. Default: all "
     "cores."},
    {"backend", 0, "name",
     "The implementation: the kernels of this program, OpenBLAS, or plain "
     "reference code. auto is cpu.",
     kTrain | kPredict | kEvaluate | kFeaturize, kBackendNames},
    {"device", 0, "name",
     "The device that computes; cuda is an NVIDIA device, cuda:N one of "
     "several. auto is the CPU.",
     kTrain | kPredict | kEvaluate | kFeaturize, kDeviceNames},
    {"device-memory", 0, "bytes",
     "The maximum memory that is used on the device; larger data are copied in "
     "parts.",
     kTrain | kPredict | kEvaluate | kFeaturize},
    {"progress", 0, "when", "When train shows its progress.", kEveryCommand,
     kNamesOf<kProgressNames>},
    {"help", 'h', "", "Explains the command."},
    {"version", 'V', "", "Prints the version."},
});

namespace detail {

/// The flags of the hyper-parameters that change what the labels are. inspect has
/// them too.
constexpr bool is_about_labels(const ParamInfo& param) {
  return param.name == "layers" || param.name == "task";
}

/// Makes the flag of a hyper-parameter.
constexpr OptionInfo make_param_option(const ParamInfo& param) {
  OptionInfo option;
  option.name = param.flag.substr(2);
  option.value = param.type;
  option.sentence = param.sentence;
  option.commands = is_about_labels(param) ? kReadsTable : unsigned{kTrain};
  option.choices = param.choices;
  option.is_list = param.is_list;
  option.param = &param;
  return option;
}

constexpr auto make_option_table() {
  std::array<OptionInfo, kParamTable.size() + kProgramOptions.size()> table{};
  std::size_t size = 0;
  for (const ParamInfo& param : kParamTable) {
    table[size++] = make_param_option(param);
  }
  for (const OptionInfo& option : kProgramOptions) table[size++] = option;
  return table;
}

}  // namespace detail

/// Every flag, in the order of the help: the hyper-parameters come first.
inline constexpr auto kOptionTable = detail::make_option_table();

/// Finds a flag by any of its long spellings, but not by a prefix; returns null
/// if there is none.
[[nodiscard]] inline const OptionInfo* find_option(std::string_view name) {
  const std::string canonical = canonical_name(name);
  const auto found = std::find_if(
      kOptionTable.begin(), kOptionTable.end(), [&](const OptionInfo& option) {
        return canonical_name(option.name) == canonical;
      });
  return found == kOptionTable.end() ? nullptr : &*found;
}

/// Finds a flag by its letter; returns null if there is none.
[[nodiscard]] inline const OptionInfo* find_option(char letter) {
  const auto found = std::find_if(
      kOptionTable.begin(), kOptionTable.end(),
      [&](const OptionInfo& option) { return option.letter == letter; });
  return found == kOptionTable.end() || letter == 0 ? nullptr : &*found;
}

}  // namespace mlp::cli
