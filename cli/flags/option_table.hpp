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
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/exchange/exchange_plan.hpp"
#include "../../mlp/params/param_table.hpp"
#include "command_table.hpp"
#include "flag_values.hpp"

/// The table of all flags, from which parsing, help and completion are made.
namespace mlp::cli {

/// One flag: parsing, help and completion are made from it.
struct OptionInfo {
  std::string_view name;      ///< without the dashes
  char letter = 0;            ///< of the short form; 0 for none
  std::string_view value;     ///< what the value looks like; empty for a switch
  std::string_view sentence;  ///< what it does
  unsigned commands = kEveryCommand;

  /// The only values; items of a value if it is a list, parted by commas.
  std::span<const std::string_view> choices = {};
  bool is_list = false;

  const ParamInfo* param = nullptr;  ///< the hyper-parameter that it sets

  [[nodiscard]] constexpr bool is_switch() const { return value.empty(); }
  [[nodiscard]] constexpr bool is_global() const {
    return commands == kEveryCommand;
  }
  [[nodiscard]] std::string flag() const { return "--" + std::string(name); }
};

/// The flags that are no hyper-parameters.
inline constexpr auto kProgramOptions = std::to_array<OptionInfo>({
    {"label", 0, "column",
     "The label: a name or a 0-based index, negative from the end.",
     kTrain | kPredict | kEvaluate | kInspect | kFeaturize},
    {"labels", 0, "file",
     "Labels of an .npy or idx matrix, in a file of their own.",
     kTrain | kEvaluate | kInspect},
    {"weight-col", 0, "column",
     "What each row counts: a column of numbers >= 0, by name or index.",
     kTrain},
    {"partitions", 0, "integer",
     "Spark partitions of equal size; blocks never cross them.", kTrain},
    {"partition-sizes", 0, "sizes", "Rows of each Spark partition, in order.",
     kTrain},
    {"split", 0, "weights",
     "Trains on the first part and tests on the second, as randomSplit parts "
     "the rows.",
     kTrain},
    {"validation", 0, "share|file",
     "Rows that are not trained on, a share of them or a file: training stops "
     "where their loss has not fallen for --patience.",
     kTrain},
    {"warm-start", 0, "model",
     "Starts from a model's weights; layers of another shape are drawn.",
     kTrain},
    {"checkpoint", 0, "file",
     "Saves the state of the training there, from which --resume goes on.",
     kTrain},
    {"checkpoint-every", 0, "time",
     "How often: 30s, 5m, 1h, or a number of iterations or epochs. Default: "
     "30s.",
     kTrain},
    {"resume", 0, "",
     "Goes on from --checkpoint, to the same bits; starts where there is none.",
     kTrain},
    {"ranks", 0, "integer",
     "Trains one model on so many ranks of this machine, each with a part of "
     "the rows.",
     kTrain},
    {"transport", 0, "name",
     "What carries the sums between ranks. Default: threads; gloo between "
     "processes.",
     kTrain, kNamesOf<kTransportNames>},
    {"rendezvous", 0, "folder",
     "The folder in which ranks that are started one by one meet.", kTrain},
    {"rank", 0, "integer", "The rank of this process, from 0 on.", kTrain},
    {"world-size", 0, "integer", "The number of ranks that meet.", kTrain},
    {"address", 0, "address",
     "The numeric address of this machine that the other ranks can reach. "
     "Default: 127.0.0.1.",
     kTrain},
    {"reproducible", 0, "",
     "The same bits for any number of ranks; sends three times the bytes.",
     kTrain},
    {"rank-timeout", 0, "seconds",
     "Within which every rank must come to each sum. Default: 300.", kTrain},
    {"exchange-plan", 0, "plan",
     "How ranks send the gradients of mini-batches: 'bucketBytes=1048576 "
     "wire=asComputed threads=0', each word optional.",
     kTrain},
    {"wire", 0, "type",
     "Rounds those gradients on their way, to half the bytes of float32.",
     kTrain, kNamesOf<kWireNames>},
    {"autotune", 0, "",
     "Chooses the exchange plan by the first steps, and says which; --wire "
     "bfloat16 lets it round.",
     kTrain},
    {"timeline", 0, "file",
     "Writes what each rank computes, sends and waits for, as a Chrome trace.",
     kTrain},
    {"layer", 0, "integer", "The hidden layer, from 1 on.", kFeaturize},
    {"standardize", 0, "",
     "Gives each feature mean 0 and deviation 1; the model keeps both.",
     kTrain},
    {"scale", 0, "number", "Divides the features; the model keeps the number.",
     kTrain | kPredict | kEvaluate | kFeaturize},
    {"seed-hash", 0, "era",
     "Draws the initial weights and the split as Spark 3 and later or as "
     "Spark 2 does.",
     kTrain, kNamesOf<kSeedHashNames>},
    {"precision", 0, "type",
     "Numbers that the network is evaluated in. Spark's are float64.", kTrain,
     kNamesOf<kPrecisionNames>},
    {"output", 0, "columns", "What to write, in any order.", kPredict,
     kNamesOf<kOutputColumnNames>, true},
    {"verify", 0, "", "Recomputes the predictions stored in the model.",
     kInspect},
    {"out", 'o', "file", "The file to write; - is standard output.",
     kTrain | kPredict | kFeaturize},
    {"json", 0, "", "Prints one JSON document on standard output."},
    {"quiet", 'q', "", "Says nothing but errors."},
    {"verbose", 'v', "", "Says more."},
    {"threads", 0, "integer",
     "Threads at most; never changes a result. Default: all cores."},
    {"backend", 0, "name",
     "Who computes: the kernels of this program, OpenBLAS, or plain code. auto "
     "is cpu.",
     kTrain | kPredict | kEvaluate | kFeaturize, kBackendNames},
    {"device", 0, "name", "Where to compute; cuda:N names one of several.",
     kEveryCommand, kDeviceNames},
    {"progress", 0, "when", "When to show progress.", kEveryCommand,
     kNamesOf<kProgressNames>},
    {"help", 'h', "", "Explains the command."},
    {"version", 'V', "", "Prints the version."},
});

namespace detail {

/// The flag of a hyper-parameter.
constexpr OptionInfo make_param_option(const ParamInfo& param) {
  OptionInfo option;
  option.name = param.flag.substr(2);
  option.value = param.type;
  option.sentence = param.sentence;
  option.commands = kTrain;
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

/// Spells a flag as it is compared: without dashes and underscores, in lower
/// case, so that --max-iter, --maxIter and --max_iter are one.
[[nodiscard]] inline std::string canonical_flag(std::string_view name) {
  std::string canonical;
  for (const char letter : name) {
    if (letter == '-' || letter == '_') continue;
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    canonical += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return canonical;
}

/// Finds a flag by any of its long spellings, never by a part of one; null
/// where there is none.
[[nodiscard]] inline const OptionInfo* find_option(std::string_view name) {
  const std::string canonical = canonical_flag(name);
  const auto found = std::find_if(
      kOptionTable.begin(), kOptionTable.end(), [&](const OptionInfo& option) {
        return canonical_flag(option.name) == canonical;
      });
  return found == kOptionTable.end() ? nullptr : &*found;
}

/// Finds a flag by its letter; null where there is none.
[[nodiscard]] inline const OptionInfo* find_option(char letter) {
  const auto found = std::find_if(
      kOptionTable.begin(), kOptionTable.end(),
      [&](const OptionInfo& option) { return option.letter == letter; });
  return found == kOptionTable.end() || letter == 0 ? nullptr : &*found;
}

}  // namespace mlp::cli
