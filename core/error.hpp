// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The errors that the library throws: one type for each kind of cause.

#include <cstddef>
#include <stdexcept>
#include <string>

namespace mlp {

/// Base of everything this library throws on purpose. The text is one sentence:
/// what was wrong; expected X, got Y; what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A hyper-parameter or an argument is outside its valid interval.
class ParamError : public Error {
 public:
  explicit ParamError(const std::string& sentence) : Error(sentence) {}

  /// \param parameter  its name, with which the text starts
  /// \param rule       the rest of the sentence: "must be ...; got ..."
  ParamError(const std::string& parameter, const std::string& rule)
      : Error(parameter + ' ' + rule), parameter_(parameter) {}

  /// The parameter's name, or an empty text if the error is about none.
  [[nodiscard]] const std::string& parameter() const { return parameter_; }

  /// Returns the same error with a text before its sentence.
  [[nodiscard]] ParamError with_prefix(const std::string& prefix) const {
    ParamError error(prefix + what());
    error.parameter_ = parameter_;
    return error;
  }

 private:
  std::string parameter_;
};

/// Two shapes that must be equal differ.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A place in a text file; 0 means that the part is not known.
struct FilePosition {
  std::size_t line = 0;    ///< 1-based
  std::size_t column = 0;  ///< 1-based: a byte of the line
};

/// Input data that cannot be used. The text starts with file:line:column.
class DataError : public Error {
 public:
  explicit DataError(const std::string& sentence) : Error(sentence) {}

  DataError(const std::string& file, const std::string& sentence)
      : DataError(file, FilePosition{}, sentence) {}

  DataError(const std::string& file, FilePosition position,
            const std::string& sentence)
      : Error(prefix(file, position) + sentence),
        file_(file),
        position_(position) {}

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] FilePosition position() const { return position_; }

  /// Returns the text without the place.
  [[nodiscard]] std::string sentence() const {
    return std::string(what()).substr(prefix(file_, position_).size());
  }

 private:
  /// For data in memory, which have no file.
  static std::string prefix(const std::string& file, FilePosition position) {
    if (file.empty()) return "";
    std::string text = file + ':';
    if (position.line != 0) text += std::to_string(position.line) + ':';
    if (position.column != 0) text += std::to_string(position.column) + ':';
    return text + ' ';
  }

  std::string file_;
  FilePosition position_;
};

/// A model or checkpoint file that cannot be used. The text starts with the
/// file, then names the place: line and column for syntax, JSON path for
/// meaning.
class ModelError : public Error {
 public:
  ModelError(const std::string& file, const std::string& sentence)
      : Error(file + ": " + sentence), file_(file) {}

  ModelError(const std::string& file, const std::string& json_path,
             const std::string& sentence)
      : Error(file + ": " + json_path + ": " + sentence),
        file_(file),
        json_path_(json_path) {}

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::string& json_path() const { return json_path_; }

 private:
  std::string file_;
  std::string json_path_;
};

/// A resource of the machine is missing: memory, disk space, a file handle.
class ResourceError : public Error {
 public:
  using Error::Error;

  ResourceError(const std::string& file, const std::string& sentence)
      : Error(file + ": " + sentence) {}
};

/// A compute device is missing or failed.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A rank was lost, sent wrong data or cannot be reached.
class CommunicationError : public Error {
 public:
  explicit CommunicationError(const std::string& sentence) : Error(sentence) {}

  /// \param rank  that caused the error
  CommunicationError(int rank, const std::string& sentence)
      : Error("rank " + std::to_string(rank) + ": " + sentence), rank_(rank) {}

  /// The rank that caused the error, or -1 if it is not known.
  [[nodiscard]] int rank() const { return rank_; }

  /// Returns the same error with a remark in brackets after its sentence.
  [[nodiscard]] CommunicationError with_context(const std::string& text) const {
    CommunicationError error(std::string(what()) + " (" + text + ')');
    error.rank_ = rank_;
    return error;
  }

 private:
  int rank_ = -1;
};

namespace detail {

#ifdef MLP_IN_PYTHON_PACKAGE
inline constexpr bool kIsPythonPackage = true;
#else
inline constexpr bool kIsPythonPackage = false;
#endif

/// Says that a part is not there, and how to get it.
///
/// \param packages    that the part needs; empty if they are not known
/// \param is_package  pip installed this library, which a user did not configure
[[nodiscard]] inline std::string describe_not_compiled(
    const std::string& part, const std::string& cmake_option,
    const std::string& packages, bool is_package) {
  const std::string install =
      packages.empty() ? ""
                       : "install " + packages + (is_package ? " and " : ", ");
  if (is_package) {
    return part + " is not part of this Python package; " + install +
           "build the package from its source code, with pip install -C "
           "cmake.define." +
           cmake_option + "=ON FOLDER";
  }
  return part + " is not part of this build; " + install + "configure with -D" +
         cmake_option + "=ON" + (packages.empty() ? "" : " and build again");
}

}  // namespace detail

/// An optional part is not in this build. The text names the CMake option that
/// adds it, and the packages that it needs, if the caller knows them.
class NotCompiled : public Error {
 public:
  /// \param packages  for example "Debian's libgloo-dev"
  NotCompiled(const std::string& part, const std::string& cmake_option,
              const std::string& packages = "")
      : Error(detail::describe_not_compiled(part, cmake_option, packages,
                                            detail::kIsPythonPackage)) {}
};

}  // namespace mlp
