// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../datasets/csv/column_error.hpp"
#include "../../datasets/csv/column_survey.hpp"
#include "../../datasets/load/load.hpp"
#include "../data/data_options.hpp"
#include "../flags/command_line.hpp"
#include "../flags/global_options.hpp"

namespace mlp::cli {

/// Looks for a command that trains on a data file, as a user types it in a shell.
///
/// The command has the flags of the command line and the flags that the file needs: the
/// label, its task, the columns to leave out and to encode, and what to do with missing
/// values. It starts from a reading with the flags of the command line: take() if the
/// file was read, learn() if a column could not be read.
class SuggestedCommand {
 public:
  /// \param line     of inspect; must outlive this object
  /// \param options  the same, read
  SuggestedCommand(const CommandLine& line, DataOptions options,
                   const GlobalOptions& global);

  /// Takes data that were read with the flags so far.
  void take(const datasets::LoadedData& loaded);

  /// Takes that the labels of these data cannot be used with the flags so far.
  void refuse_labels();

  /// Takes that a column of the file cannot be read with the flags so far.
  ///
  /// \pre  the error has a survey
  void learn(const datasets::ColumnError& error);

  /// Returns the command.
  ///
  /// \return nothing if no flags were found with which the file can be read
  /// \cost   none if the flags so far suffice; otherwise reads the file once for each
  ///         decision
  [[nodiscard]] std::optional<std::string> find();

 private:
  /// The result of the last reading.
  enum class State {
    kSuffice,  ///< the file can be read with them
    kChanged,  ///< they must be tried
    kFailed    ///< nothing helps
  };

  [[nodiscard]] State examine(const datasets::LoadedData& loaded);
  [[nodiscard]] State try_flags();
  [[nodiscard]] State choose_other_label();
  [[nodiscard]] State change_label();
  [[nodiscard]] State learn(const datasets::CsvSurvey& survey, Index column);
  [[nodiscard]] State drop_rows();

  void keep_header(bool has_header);
  bool ignore_first_column(const datasets::CsvGuesses& guesses);
  bool ignore_identifiers(const datasets::Dataset& data);
  [[nodiscard]] bool has_label_of_rows(const datasets::Dataset& data) const;
  [[nodiscard]] bool is_ignored(const std::string& column) const;
  bool leave_out(const std::string& column);

  void choose_flags(const datasets::CsvSurvey& survey);
  void choose_decimal(const datasets::CsvSurvey& survey);
  void keep_labelled(const datasets::CsvSurvey& survey);
  void set_missing_texts(const std::vector<std::string>& texts);

  [[nodiscard]] std::string header_flag() const;
  [[nodiscard]] std::string chosen_flags() const;
  [[nodiscard]] std::string fitting_layers(const std::string& given) const;
  [[nodiscard]] std::string text() const;

  const CommandLine& line_;
  DataOptions options_;
  GlobalOptions global_;
  State state_ = State::kFailed;

  /// Other columns that may be the label.
  std::vector<std::string> other_labels_;

  /// The first decision about the header.
  std::optional<bool> has_header_;
  datasets::HeaderRule given_header_;

  Index num_features_ = 0;  ///< of the last reading, with one for each category
  bool has_learned_ = false;  ///< flags are chosen for all columns
  bool has_ignored_identifiers_ = false;
  bool are_labels_numbers_ = false;  ///< of the last reading
  bool lacks_labels_ = false;
};

}  // namespace mlp::cli
