// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <string_view>

#include "../../core/error.hpp"
#include "../../mlp/result/diverged_error.hpp"
#include "bindings.hpp"

namespace mlp::python {

namespace {

namespace nb = nanobind;

/// Raises an exception of mlp/errors.py with the sentence of an error.
void raise(const char* type, const std::exception& error) {
  const nb::object exception = nb::module_::import_("mlp.errors").attr(type);
  // The name of a file need not be UTF-8.
  const std::string_view sentence = error.what();
  const auto text = nb::steal(PyUnicode_DecodeUTF8(
      sentence.data(), static_cast<Py_ssize_t>(sentence.size()),
      "surrogateescape"));
  PyErr_SetObject(exception.ptr(), text.ptr());
}

/// Raises an exception that has the objective of each iteration.
void raise_diverged(const DivergedError& error) {
  const nb::object type =
      nb::module_::import_("mlp.errors").attr("DivergedError");
  const nb::object exception = type(error.what());
  exception.attr("objective_history") =
      nb::cast(error.result().summary.objective_history);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

/// Raises ParamError with the name of the hyper-parameter.
void raise_param_error(const ParamError& error) {
  const nb::object type = nb::module_::import_("mlp.errors").attr("ParamError");
  const nb::object exception = type(error.what(), error.parameter());
  PyErr_SetObject(type.ptr(), exception.ptr());
}

/// Raises the exception for the error that is handled; other exceptions go on to
/// the translators of nanobind.
void translate(const std::exception_ptr& handled, void* /*unused*/) {
  try {
    std::rethrow_exception(handled);
  } catch (const ParamError& error) {
    raise_param_error(error);
  } catch (const ShapeError& error) {
    raise("ShapeError", error);
  } catch (const DataError& error) {
    raise("DataError", error);
  } catch (const ModelError& error) {
    raise("ModelError", error);
  } catch (const DivergedError& error) {
    raise_diverged(error);
  } catch (const ResourceError& error) {
    raise("ResourceError", error);
  } catch (const DeviceError& error) {
    raise("DeviceError", error);
  } catch (const CommunicationError& error) {
    raise("CommunicationError", error);
  } catch (const NotCompiled& error) {
    raise("NotCompiled", error);
  } catch (const Error& error) {
    raise("MLPError", error);
  }
}

}  // namespace

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace mlp::python
