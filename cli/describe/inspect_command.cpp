// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/number_text.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/csv/column_error.hpp"
#include "../../datasets/quantile_encoder.hpp"
#include "../../mlp/model_file/model_document.hpp"
#include "../../mlp/model_json.hpp"
#include "../../mlp/params/numeric_encoding.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/metric_text.hpp"
#include "../data/class_labels.hpp"
#include "../data/column_advice.hpp"
#include "../data/data_file.hpp"
#include "../data/data_notes.hpp"
#include "../data/data_options.hpp"
#include "data_report.hpp"
#include "suggested_command.hpp"

namespace mlp::cli {

namespace {

/// Returns true if the name ends in .json or the file begins with '{'.
bool is_model_file(const std::string& path) {
  constexpr std::string_view kEnding = ".json";
  if (path == "-") return false;
  const bool has_ending = path.size() > kEnding.size() &&
                          path.substr(path.size() - kEnding.size()) == kEnding;
  if (has_ending) return true;
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  char bytes[64];
  // pread() fails on a pipe and so takes no bytes from it.
  const ssize_t count = ::pread(descriptor, bytes, sizeof bytes, 0);
  ::close(descriptor);
  if (count <= 0) return false;
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

/// The largest number of names listed; further names are counted.
constexpr std::size_t kMaxTexts = 10;

/// Joins texts of a file on one line, with control characters escaped.
std::string join(const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < std::min(texts.size(), kMaxTexts); ++i) {
    if (i != 0) line += ", ";
    line += texts[i];
  }
  if (texts.size() > kMaxTexts) {
    line += " and " + std::to_string(texts.size() - kMaxTexts) + " more";
  }
  return printable(line);
}

std::string format_params(const Params& params) {
  std::string line;
  for (const ParamInfo& info : kParamTable) {
    if (!is_written(info, params)) continue;
    if (!line.empty()) line += ", ";
    line += std::string(info.name) + ' ' + info.format(params);
  }
  return line;
}

/// Describes the settings of the network that Spark does not have.
std::string describe_network(const Topology& topology) {
  if (topology.is_spark()) return "";
  Params params;
  take_network(topology, params);
  std::string line;
  for (const ParamInfo& info : kParamTable) {
    const bool is_network = info.name == "task" || info.name == "activation" ||
                            info.name == "residual" ||
                            info.name == "batchNorm" || info.name == "dropout";
    if (!is_network || info.format(params) == info.format(Params{})) continue;
    if (!line.empty()) line += ", ";
    line += std::string(info.name) + ' ' + info.format(params);
  }
  return "network      " + line + '\n';
}

/// Returns "2 categories", or "2 categories and others".
std::string count_categories(const datasets::InputColumn& column) {
  const bool has_other = column.extra == datasets::ExtraFeature::kOther;
  return std::to_string(column.categories.size()) + " categories" +
         (has_other ? " and others" : "");
}

/// Says what happens to a missing value of a column.
std::string describe_missing(const datasets::InputColumn& column,
                             double value) {
  if (column.kind == datasets::ColumnKind::kNumber) {
    const bool is_marked = column.extra == datasets::ExtraFeature::kMissing;
    return "a missing value is replaced by " + six_digits(value) +
           (is_marked ? ", and a feature says so" : "");
  }
  const auto at = static_cast<std::size_t>(value);
  if (at == column.categories.size()) return "a missing value is one of these";
  const std::string& text = column.categories[at];
  return text.empty() ? "a missing value is one of them"
                      : "a missing value is replaced by " + text;
}

/// Describes the columns that are not simply numbers, one in a line.
std::string describe_columns(
    const std::vector<datasets::InputColumn>& columns) {
  std::string lines;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const datasets::InputColumn& column = columns[i];
    const bool is_category = column.kind == datasets::ColumnKind::kCategory;
    std::string detail;
    if (is_category) detail = count_categories(column);
    if (column.missing_value) {
      detail += std::string(detail.empty() ? "" : "; ") +
                describe_missing(column, *column.missing_value);
    }
    if (detail.empty()) continue;
    const std::string name =
        column.name.empty() ? std::to_string(i) : column.name;
    lines += lines.empty() ? "columns      " : "             ";
    lines += join({name + " (" + detail + ')'}) + '\n';
  }
  return lines;
}

/// Describes the encoding of numbers: how many features have bins.
std::string describe_encoder(const datasets::QuantileEncoder& encoder) {
  const auto num_encoded = static_cast<Index>(
      std::count_if(encoder.edges().begin(), encoder.edges().end(),
                    [](const auto& edges) { return !edges.empty(); }));
  return "encoding     " +
         format_numeric_encoding(NumericEncoding{encoder.num_bins()}) + "; " +
         std::to_string(num_encoded) + " of " +
         std::to_string(encoder.num_features()) + " features have bins, " +
         std::to_string(encoder.num_values() - encoder.num_features()) +
         " in all\n";
}

/// Describes how folds chose the model. Encoding and penalty are among the params.
std::string describe_selection(const SelectionReport& selection,
                               bool is_regressor) {
  std::string text =
      "chosen       by " + std::to_string(selection.num_folds) + " folds; " +
      (selection.num_networks == 1
           ? std::string("1 network")
           : std::to_string(selection.num_networks) +
                 " networks in one, of which the training line is the first");
  if (!is_regressor) {
    text += ", temperature " + format_double(selection.temperature);
  }
  text += '\n';
  const UnseenScores& unseen = selection.unseen;
  if (unseen.num_instances == 0) return text;
  text += "unseen rows  " + std::to_string(unseen.num_instances) + "; ";
  if (is_regressor) {
    text += "R2 " + six_digits(1.0 - unseen.loss);
  } else {
    text += "accuracy " + six_digits(unseen.accuracy) + ", log-loss " +
            six_digits(unseen.loss) + ", calibration error " +
            six_digits(unseen.calibration_error);
  }
  if (unseen.coverage) {
    text += ", coverage " + six_digits(unseen.coverage->share) +
            (is_regressor ? ", mean width " : ", mean size ") +
            six_digits(unseen.coverage->mean_size);
  }
  return text + '\n';
}

/// Describes the prediction intervals or sets of a model; "" if it has neither.
std::string describe_region(const Model& model) {
  if (const auto& set = model.prediction_set()) {
    return "set          for " + format_double(set->coverage) +
           ": classes with a probability of at least " +
           six_digits(set->least_probability) + '\n';
  }
  const auto& interval = model.prediction_interval();
  if (!interval) return "";
  std::string ranges;
  for (Index i = 0; i < interval->lower.size(); ++i) {
    ranges += (i == 0 ? "" : "; ") + six_digits(interval->lower[i]) + " to " +
              six_digits(interval->upper[i]);
  }
  return "interval     for " + format_double(interval->coverage) +
         ": the prediction plus " + ranges + '\n';
}

/// Describes the label column, which has an index if the file had no header.
std::string describe_label(const Model& model) {
  const datasets::KnownLabel label = model.known_label();
  return label.name.empty() ? "column " + std::to_string(label.column)
                            : join({label.name});
}

/// Describes a model file as JSON: the document without the weights.
///
/// Counts and the result of the self-test are added.
///
/// \param text  the content of the file, already validated
std::string format_model_json(std::string_view text,
                              const ModelDocument& document,
                              const SelfTestReport& check) {
  const Model& model = document.model;
  auto json = nlohmann::ordered_json::parse(text);
  json["weights"].erase("data");
  json["counts"] = {
      {"features", model.num_features()},
      {model.is_regressor() ? "labels" : "classes", model.num_classes()},
      {"layers", model.topology().num_layers()},
      {"weights", model.topology().num_weights()},
      {"selfTest", document.self_test.size()}};
  json["check"] = {{"passed", check.is_passed()},
                   {"difference", check.difference}};
  return json.dump(2) + '\n';
}

/// Describes a model file as text.
std::string format_model_text(const ModelDocument& document) {
  const Model& model = document.model;
  const optim::Summary& summary = document.summary;
  const auto& reason = optim::text_of(summary.convergence_reason);
  std::string text = "model        " + document.identity.uid + " by " +
                     join({document.identity.producer}) + '\n';
  text += "layers       " + format_list(model.layers()) + ", " +
          std::to_string(model.topology().num_weights()) + " weights\n";
  text += describe_network(model.topology());
  if (!model.feature_names().empty()) {
    text += "features     " + join(model.feature_names()) + '\n';
  }
  if (!model.label_column().empty()) {
    text += "label        " + describe_label(model) + '\n';
  }
  if (!model.input_columns().empty()) {
    text += describe_columns(model.input_columns());
  }
  if (model.input_rules().unknown == datasets::UnknownRule::kIgnore) {
    text += "unknown      categories are ignored\n";
  } else if (model.input_rules().unknown == datasets::UnknownRule::kOther) {
    text += "unknown      categories share a feature with rare ones\n";
  }
  if (!model.label_names().empty()) {
    text += (model.is_regressor() ? "labels       " : "classes      ") +
            join(model.label_names()) + '\n';
  }
  if (!model.thresholds().empty()) {
    text += "thresholds   " + format_list(model.thresholds()) + '\n';
  }
  if (model.encoder()) text += describe_encoder(*model.encoder());
  if (model.scaler()) text += "input        is scaled by the model\n";
  text += "params       " + printable(format_params(document.params)) + '\n';
  text += "training     " + std::to_string(summary.total_iterations()) +
          " iterations on " + std::to_string(document.num_instances) +
          " instances" +
          (document.precision == Precision::kFloat64
               ? std::string()
               : std::string(" in ") + precision_name(document.precision)) +
          "; " + std::string(reason.sentence) + '\n';
  if (!summary.objective_history.empty()) {
    const auto best = static_cast<std::size_t>(summary.best_iteration());
    text +=
        "objective    " + six_digits(summary.objective_history[best]) + '\n';
  }
  if (document.selection) {
    text += describe_selection(*document.selection, model.is_regressor());
  }
  text += describe_region(model);
  return text;
}

int inspect_model(const std::string& path, const CommandLine& line,
                  const GlobalOptions& options) {
  for (const GivenOption& given : line.options) {
    const bool reads_data = !given.option->is_about_printing() &&
                            (given.option->commands & kTrain) != 0;
    if (!reads_data) continue;
    throw ParamError(given.option->flag() + ": needs a data file; '" + path +
                     "' is a model");
  }
  const std::string text = read_file<ModelError>(path);
  const ModelDocument document = from_json(text, path);
  const SelfTestReport check = verify_self_test(document);
  const bool is_failed = line.has("verify") && !check.is_passed();
  if (options.is_json) {
    write_output(format_model_json(text, document, check));
  } else if (!is_failed) {
    write_output(format_model_text(document));
    if (line.has("verify")) {
      write_output("verified     " + std::to_string(check.num_instances) +
                   " predictions match the stored ones\n");
    }
  }
  if (is_failed) throw ModelError(path, check.difference);
  return kSuccess;
}

/// Says how to train, as the end of a report.
std::string format_command(const std::optional<std::string>& command) {
  return command ? "train with:  " + *command + '\n' : "";
}

/// Reads the data; describes the columns if some are no numbers, which train makes
/// features of.
///
/// \return nothing if the columns are described
std::optional<datasets::LoadedData> read_or_describe(
    SuggestedCommand& command, const std::string& path, const CommandLine& line,
    const GlobalOptions& options) {
  DataOptions train = read_data_options(line);
  // Without layers, train reads texts, and decides so about the header.
  train.csv.one_hot.has_dictionaries =
      !line.has("one-hot") && train.params.layers.empty();
  try {
    return read_data_file(train, options);
  } catch (const datasets::ColumnError& error) {
    if (error.survey() == nullptr || path == "-") throw;
    if (!error.survey()->is_of_table) {
      train.csv.header = error.survey()->has_header ? datasets::HeaderRule::kYes
                                                    : datasets::HeaderRule::kNo;
    }
    if (!options.is_json) {
      command.learn(error);
      write_output(format_survey(*error.survey()) + '\n' +
                   format_command(command.find()));
    }
    // It is noted already.
    const auto& label = error.survey()->chosen_label;
    if (label && !label->name.empty()) train.label = label->name;
  }
  use_preset_encoding(FlagReader(line), train.csv);
  datasets::LoadedData loaded = read_data_file(train, options);
  if (options.is_json) return loaded;
  if (loaded.dataset.has_labels()) {
    const DataTotals totals = totals_of(loaded.dataset, train.params.task);
    static_cast<void>(
        index_labels(loaded.dataset, totals, train, options.console));
  }
  return std::nullopt;
}

int inspect_data(const std::string& path, const CommandLine& line,
                 const GlobalOptions& options) {
  if (line.has("verify")) {
    throw ParamError("--verify: needs a model; '" + path + "' is a data file");
  }
  const DataOptions train = read_data_options(line);
  SuggestedCommand command(line, train, options);
  std::optional<datasets::LoadedData> read =
      read_or_describe(command, path, line, options);
  if (!read) return kSuccess;
  datasets::LoadedData& loaded = *read;
  command.take(loaded);
  DataReport report;
  report.chosen_label = std::move(loaded.chosen_label);
  report.feature_columns = std::move(loaded.feature_columns);
  report.delimiter = loaded.delimiter;
  report.has_header = loaded.has_header;
  report.missing = std::move(loaded.missing.of_features);
  report.has_texts = !loaded.dataset.label_texts.empty();
  report.is_regression = train.params.task == Task::kRegression;
  report.data = std::move(loaded.dataset);
  if (report.data.has_labels()) {
    const DataTotals totals = totals_of(report.data, train.params.task);
    try {
      report.classes =
          index_labels(report.data, totals, train, options.console);
    } catch (const DataError&) {
      command.refuse_labels();
      if (!options.is_json) write_output(format_command(command.find()));
      throw;
    }
  }
  report.command = command.find();
  write_output(options.is_json ? format_data_json(report)
                               : format_data_text(report) + '\n' +
                                     format_command(report.command));
  return kSuccess;
}

}  // namespace

int run_inspect(const CommandLine& line, const GlobalOptions& options) {
  for (const std::string& path : line.arguments) {
    if (!is_model_file(path)) continue;
    if (line.arguments.size() == 1) return inspect_model(path, line, options);
    throw ParamError("inspect: '" + path +
                     "' is a model; give it alone, or data files only");
  }
  return inspect_data(line.arguments.front(), line, options);
}

}  // namespace mlp::cli
