// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_options.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/unlinked_file.hpp"
#include "../../datasets/csv/csv_quotes.hpp"
#include "../../datasets/csv/csv_scanner.hpp"
#include "../flags/param_flags.hpp"

namespace mlp::cli {

namespace {

std::optional<char> parse_delimiter(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 8> kDelimiters = {
      {{",", ','},
       {";", ';'},
       {"|", '|'},
       {"space", ' '},
       {" ", ' '},
       {"tab", '\t'},
       {"\\t", '\t'},
       {"\t", '\t'}}};
  for (const auto& [name, delimiter] : kDelimiters) {
    if (text == name) return delimiter;
  }
  return std::nullopt;
}

std::vector<std::string> read_columns(const FlagReader& flags, FlagName name) {
  return flags
      .parsed(name, parse_columns,
              "names or 0-based indices of columns, separated by commas; a "
              "name with a comma is in double quotes")
      .value_or(std::vector<std::string>());
}

}  // namespace

std::optional<std::vector<std::string>> parse_columns(
    std::string_view text) try {
  datasets::CsvScanner scanner(text, ',', "");
  if (!scanner.next_record()) return std::nullopt;
  std::vector<std::string> columns;
  do {
    columns.push_back(scanner.read_field().value());
    if (columns.back().empty()) return std::nullopt;
  } while (!scanner.record_ended());
  if (scanner.next_record()) return std::nullopt;
  return columns;
} catch (const DataError&) {
  return std::nullopt;
}

std::string join_columns(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    if (name.find_first_of(",\"\r\n") == name.npos) {
      list += name;
    } else {
      datasets::append_in_double_quotes(list, name);
    }
  }
  return list;
}

datasets::CsvOptions read_csv_flags(const FlagReader& flags) {
  datasets::CsvOptions options;
  options.header =
      flags.choice("header", kHeaderNames, datasets::HeaderRule::kAuto);
  options.delimiter =
      flags.parsed("delimiter", parse_delimiter, "',', ';', '|', tab or space")
          .value_or('\0');
  options.decimal = flags.choice("decimal", kDecimalNames, '.');
  if (auto texts = flags.parsed("na", parse_columns,
                                "texts, separated by commas; one with a comma "
                                "is in double quotes")) {
    options.missing_texts = datasets::MissingTexts(std::move(*texts));
  }
  options.features = read_columns(flags, "features");
  options.ignored = read_columns(flags, "ignore");
  options.kept = read_columns(flags, "keep");
  return options;
}

std::optional<datasets::OneHotRule> parse_one_hot(std::string_view text) {
  const auto names = parse_columns(text);
  if (!names) return std::nullopt;
  datasets::OneHotRule rule;
  for (const std::string& name : *names) {
    if (name == "auto") {
      rule.is_auto = true;
    } else {
      rule.columns.push_back(name);
    }
  }
  return rule;
}

void read_encoding_flags(const FlagReader& flags, datasets::CsvOptions& csv) {
  csv.missing = flags.choice("missing", datasets::kMissingRuleNames,
                             datasets::MissingRule::kRefuse);
  csv.one_hot =
      flags
          .parsed("one-hot", parse_one_hot,
                  "auto for all columns of texts, or names or 0-based indices "
                  "of columns, separated by commas; a name with a comma is in "
                  "double quotes")
          .value_or(datasets::OneHotRule());
  csv.unknown =
      flags.choice("unknown", datasets::kUnknownRuleNames, csv.unknown);
}

void use_preset_encoding(const FlagReader& flags, datasets::CsvOptions& csv) {
  csv.use_preset(flags.has("one-hot"), flags.has("missing"),
                 flags.has("unknown"));
}

double read_scale(const FlagReader& flags) {
  return flags.number("scale", above(0), 1.0);
}

namespace {

/// Refuses a folder in which no file saves memory.
void check_cache(const std::string& folder) try {
  UnlinkedFile(folder).require_disk();
} catch (const ResourceError& error) {
  throw ParamError(std::string("--cache-dir: ") + error.what());
}

}  // namespace

datasets::StoreRule read_store(const FlagReader& flags,
                               const std::string& output) {
  const auto bytes = flags.parsed("memory", parse_bytes, kBytesRule);
  std::string folder = flags.text("cache-dir");
  if (!folder.empty()) check_cache(folder);
  std::error_code error;
  const bool is_device = std::filesystem::exists(output, error) &&
                         !std::filesystem::is_regular_file(output, error);
  const std::size_t slash = is_device ? output.npos : output.rfind('/');
  if (folder.empty()) {
    folder = slash == output.npos ? "." : output.substr(0, slash + 1);
  }
  return {std::move(folder), static_cast<double>(bytes.value_or(0))};
}

void read_data_flags(DataOptions& options, const CommandLine& line) {
  const FlagReader flags(line);
  options.data = line.data();
  options.label = flags.text("label");
  options.label_kind = flags.choice("label-kind", datasets::kLabelKindNames,
                                    datasets::LabelKind::kAuto);
  options.has_task = flags.has("task");
  options.labels_file = flags.text("labels");
  options.csv = read_csv_flags(flags);
  options.weight = flags.text("weight-col");
  read_encoding_flags(flags, options.csv);
  flags.refuse_both("label", "labels");
}

void read_targets(DataOptions& options) {
  if (options.params.task != Task::kRegression) return;
  auto columns = parse_columns(options.label);
  if (!columns) return;
  if (columns->size() == 1) {
    options.label = columns->front();
    return;
  }
  options.targets = std::move(*columns);
  options.label.clear();
}

DataOptions read_data_options(const CommandLine& line) {
  DataOptions options;
  read_data_flags(options, line);
  set_params(options.params, line);
  read_targets(options);
  validate_flags(options.params, options.num_targets());
  if (line.has("label-kind") && options.params.task == Task::kRegression) {
    throw ParamError("--label-kind: " + std::string(kLabelKindNeed));
  }
  return options;
}

}  // namespace mlp::cli
