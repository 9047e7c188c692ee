// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/names.hpp"
#include "../../../datasets/arrow/arrow_fields.hpp"
#include "../../../datasets/arrow/arrow_interface.hpp"
#include "../../../datasets/arrow/arrow_opener.hpp"
#include "../../../datasets/arrow/arrow_reader.hpp"
#include "../../../datasets/arrow/arrow_stream.hpp"
#include "../../../datasets/column_encoder.hpp"
#include "../../../datasets/csv/csv_dialect.hpp"
#include "../../../datasets/csv/csv_table.hpp"
#include "../../../datasets/label_numbers.hpp"
#include "../../../datasets/load/data_files.hpp"
#include "../../../datasets/load/load.hpp"
#include "../../../datasets/missing_values.hpp"
#include "../../../datasets/reading/known_columns.hpp"
#include "../../../datasets/reading/limits.hpp"
#include "../bindings.hpp"
#include "arrays.hpp"

namespace mlp::python {

namespace {

/// How a file is read, and the columns of the table that it is read like.
struct ReadOptions {
  datasets::LoadOptions load;

  void set_missing(const std::string& name) {
    const auto rule = find_named(datasets::kMissingRuleNames, name);
    if (!rule) {
      throw ParamError("missing",
                       "must be " +
                           join_choices(kNamesOf<datasets::kMissingRuleNames>) +
                           "; got '" + name + "'");
    }
    load.csv.missing = *rule;
  }

  void set_header(bool has_header) {
    load.csv.header =
        has_header ? datasets::HeaderRule::kYes : datasets::HeaderRule::kNo;
  }

  void set_delimiter(const std::string& text) {
    if (text.size() != 1) {
      throw ParamError("delimiter",
                       "must be one character; got '" + text + "'");
    }
    load.csv.delimiter = text.front();
  }

  /// Opens Parquet and Arrow files by a function of a path, whether it is a Parquet file,
  /// and the indices of columns. It returns the capsule of a stream and the number of
  /// rows.
  void set_arrow_opener(nb::callable function) {
    // Copies of the options are made and destroyed without the lock of Python.
    const std::shared_ptr<nb::callable> open(
        new nb::callable(std::move(function)), [](nb::callable* owned) {
          const nb::gil_scoped_acquire acquire;
          delete owned;
        });
    load.open_arrow =
        [open](const datasets::ArrowOpening& from) -> datasets::OpenedArrow {
      const nb::gil_scoped_acquire acquire;
      const auto [capsule, num_rows] = nb::cast<std::pair<nb::capsule, Index>>(
          (*open)(from.path, from.is_parquet, from.columns));
      auto* const lent =
          static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
      return {std::make_shared<datasets::ArrowStream>(*lent, from.path),
              num_rows};
    };
  }

  void set_decimal(const std::string& text) {
    if (text.size() != 1) {
      throw ParamError("decimal", "must be '.' or ','; got '" + text + "'");
    }
    load.csv.decimal = text.front();
  }
};

/// What a reader returns: arrays that own the numbers.
struct Table {
  nb::object features;  ///< [instances x features]
  nb::object labels;    ///< [instances], or None
  nb::object weights;   ///< [instances], or None
  bool are_classes;     ///< the labels are numbers that can be classes
  std::vector<std::string> label_texts;
  std::vector<std::string> long_labels;
  std::vector<std::string> feature_names;
  std::string label_name;
  std::vector<datasets::InputColumn> columns;
  std::optional<datasets::KnownLabel> label;
  datasets::MissingTexts missing_texts;
  std::vector<std::string> warnings;  ///< as datasets::warn_of_missing()
};

nb::object array_or_none(Vector vector) {
  return vector.size() == 0 ? nb::none() : to_array(std::move(vector));
}

/// Replaces missing values and encodes categories, by the columns of the options
/// if they have any.
std::vector<datasets::InputColumn> encode(datasets::Dataset& data,
                                          const datasets::CsvOptions& options) {
  std::vector<datasets::InputColumn> columns =
      options.columns.empty() ? data.columns : options.columns;
  if (options.columns.empty() && !data.columns.empty()) {
    if (options.missing == datasets::MissingRule::kMean) {
      datasets::fit_missing_values(data, columns);
    }
    datasets::encode(data, columns);
  }
  return columns;
}

/// Reads labels again, as texts, if they are integers that float64 rounds: these may
/// be classes, and two of them may be one number. A pipe is not read again.
///
/// \returns [instances], or nothing
std::vector<std::string> read_long_labels(const std::vector<std::string>& paths,
                                          const ReadOptions& options,
                                          const datasets::LoadedData& loaded) {
  const Vector& labels = loaded.dataset.labels;
  const auto is_integer = [](double number) {
    return number == std::floor(number);
  };
  const bool is_rounded = !datasets::are_class_numbers(labels) &&
                          std::all_of(labels.begin(), labels.end(), is_integer);
  if (!is_rounded || !loaded.chosen_label) return {};
  for (const std::string& file : datasets::find_data_files(paths).paths) {
    if (!std::filesystem::is_regular_file(file)) return {};
  }
  datasets::LoadOptions as_texts = options.load;
  as_texts.csv.label_as_text = true;
  return datasets::load(paths, as_texts).dataset.label_texts;
}

/// Warns of the missing values of files.
std::vector<std::string> warn_of_missing(const datasets::LoadedData& loaded,
                                         const datasets::CsvOptions& csv) {
  std::vector<std::string> warnings = datasets::warn_of_missing(
      loaded.missing, csv.missing, !csv.columns.empty());
  for (std::string& warning : warnings) {
    warning.insert(0, loaded.dataset.source + ": ");
  }
  if (!loaded.left_out_folders.empty()) {
    warnings.push_back(datasets::describe_left_out_folders(loaded));
  }
  return warnings;
}

/// Makes arrays of what was read.
Table make_table(datasets::LoadedData loaded,
                 std::vector<std::string> long_labels,
                 const ReadOptions& options) {
  std::vector<datasets::InputColumn> columns;
  std::optional<datasets::KnownLabel> label;
  if (const auto& chosen = loaded.chosen_label) {
    label = datasets::KnownLabel{chosen->name, chosen->column};
  }
  {
    const nb::gil_scoped_release release;
    columns = encode(loaded.dataset, options.load.csv);
  }
  std::vector<std::string> warnings = warn_of_missing(loaded, options.load.csv);
  datasets::Dataset& data = loaded.dataset;
  const bool are_classes = datasets::are_class_numbers(data.labels);
  return {to_array(std::move(data.features)),
          array_or_none(std::move(data.labels)),
          array_or_none(std::move(data.weights)),
          are_classes,
          std::move(data.label_texts),
          std::move(long_labels),
          std::move(data.feature_names),
          std::move(data.label_name),
          std::move(columns),
          std::move(label),
          options.load.csv.missing_texts,
          std::move(warnings)};
}

Table read(const std::vector<std::string>& paths, const ReadOptions& options) {
  datasets::LoadedData loaded;
  std::vector<std::string> long_labels;
  {
    const nb::gil_scoped_release release;
    loaded = datasets::load(paths, options.load);
    long_labels = read_long_labels(paths, options, loaded);
  }
  return make_table(std::move(loaded), std::move(long_labels), options);
}

/// Reads an Arrow stream.
///
/// \param capsule  what __arrow_c_stream__() returns
/// \param name     of the data for messages
Table read_stream(const nb::capsule& capsule, const std::string& name,
                  const ReadOptions& options) {
  auto* const lent =
      static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
  datasets::LoadedData loaded;
  {
    const nb::gil_scoped_release release;
    const auto stream = std::make_shared<datasets::ArrowStream>(*lent, name);
    const std::vector<datasets::ArrowFile> files{
        {name, [&](const std::vector<Index>&) { return stream; }, -1}};
    datasets::CsvTable& table = loaded;
    table = datasets::detail::ArrowReader(files, name, options.load.csv).read();
    if (!options.load.csv.columns.empty()) {
      datasets::encode(table.dataset, options.load.csv.columns);
    }
  }
  return make_table(std::move(loaded), {}, options);
}

void bind_label_options(nb::class_<ReadOptions>& options) {
  const auto label = [](ReadOptions& o, const std::string& name) {
    o.load.csv.label = name;
  };
  const auto rule = [](ReadOptions& o, bool is_required) {
    o.load.csv.label_rule = is_required ? datasets::LabelRule::kRequired
                                        : datasets::LabelRule::kOptional;
  };
  const auto no_label = [](ReadOptions& o) {
    o.load.csv.label_rule = datasets::LabelRule::kAbsent;
  };
  options.def("set_label", label)
      .def("require_label", rule)
      .def("set_no_label", no_label)
      .def("set_label_as_text",
           [](ReadOptions& o) { o.load.csv.label_as_text = true; });
}

void bind_options(nb::module_& module) {
  nb::class_<ReadOptions> options(module, "ReadOptions");
  bind_label_options(options);
  options.def(nb::init<>())
      .def("set_weight",
           [](ReadOptions& o, const std::string& name) {
             o.load.csv.weight = name;
           })
      .def("set_features",
           [](ReadOptions& o, std::vector<std::string> names) {
             o.load.csv.features = std::move(names);
           })
      .def("set_ignored",
           [](ReadOptions& o, std::vector<std::string> names) {
             o.load.csv.ignored = std::move(names);
           })
      .def("set_one_hot",
           [](ReadOptions& o, bool is_auto, std::vector<std::string> names) {
             o.load.csv.one_hot = {is_auto, std::move(names)};
           })
      .def("set_like",
           [](ReadOptions& o, const Table& table) {
             o.load.csv.use_columns(table.columns);
             o.load.csv.known_label = table.label;
             o.load.csv.missing_texts = table.missing_texts;
           })
      .def("set_num_features",
           [](ReadOptions& o, Index number) {
             o.load.csv.num_features = number;
           })
      .def("set_labels_file",
           [](ReadOptions& o, const std::string& path) {
             o.load.labels_file = path;
           })
      .def("set_scale",
           [](ReadOptions& o, double scale) { o.load.scale = scale; })
      .def("set_threads", [](ReadOptions& o,
                             int threads) { o.load.csv.num_threads = threads; })
      .def("set_missing", &ReadOptions::set_missing)
      .def("set_header", &ReadOptions::set_header)
      .def("set_delimiter", &ReadOptions::set_delimiter)
      .def("set_arrow_opener", &ReadOptions::set_arrow_opener)
      .def("set_decimal", &ReadOptions::set_decimal)
      .def("set_missing_texts", [](ReadOptions& o,
                                   std::vector<std::string> texts) {
        o.load.csv.missing_texts = datasets::MissingTexts(std::move(texts));
      });
}

}  // namespace

void bind_tables(nb::module_& module) {
  bind_options(module);
  nb::class_<Table>(module, "Table")
      .def_ro("features", &Table::features)
      .def_ro("labels", &Table::labels)
      .def_ro("weights", &Table::weights)
      .def_ro("are_classes", &Table::are_classes)
      .def_ro("label_texts", &Table::label_texts)
      .def_ro("long_labels", &Table::long_labels)
      .def_ro("feature_names", &Table::feature_names)
      .def_ro("label_name", &Table::label_name)
      .def_ro("warnings", &Table::warnings)
      .def_prop_ro("has_columns",
                   [](const Table& table) { return !table.columns.empty(); });
  module.def("read", &read, nb::arg("paths"), nb::arg("options"),
             "Reads data files of any format as one.");
  module.def("read_stream", &read_stream, nb::arg("capsule"), nb::arg("name"),
             nb::arg("options"), "Reads an Arrow stream.");
  module.def("max_inflated_bytes", &datasets::max_inflated_bytes,
             nb::arg("compressed_bytes"),
             "Returns the maximum size of the contents of a compressed file.");
}

}  // namespace mlp::python
