// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

/// Errors about the values of a column of a CSV file.
namespace mlp::datasets {

struct CsvSurvey;

/// A column has values that cannot be used: texts or missing values.
class ColumnError : public DataError {
 public:
  /// \param column  0-based index
  ColumnError(const std::string& file, FilePosition position, Index column,
              const std::string& sentence)
      : DataError(file, position, sentence), column_(column) {}

  [[nodiscard]] Index column() const { return column_; }

  /// What the columns of the file have; null until the reader has looked.
  [[nodiscard]] const CsvSurvey* survey() const { return survey_.get(); }
  void set_survey(std::shared_ptr<const CsvSurvey> survey) {
    survey_ = std::move(survey);
  }

  /// Returns the same error with a text after its sentence.
  [[nodiscard]] ColumnError with_advice(const std::string& text) const {
    return changed(position(), column_, sentence() + text);
  }

  /// Returns the same error for another column and place.
  [[nodiscard]] ColumnError at(FilePosition position, Index column) const {
    return changed(position, column, sentence());
  }

 private:
  [[nodiscard]] ColumnError changed(FilePosition position, Index column,
                                    const std::string& sentence) const {
    ColumnError error(file(), position, column, sentence);
    error.survey_ = survey_;
    return error;
  }

  Index column_;
  std::shared_ptr<const CsvSurvey> survey_;
};

}  // namespace mlp::datasets
