// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <jni.h>

#include <exception>
#include <string>

#include "mlp/c_api.h"

/// Errors of the native methods: statuses and exceptions become Java exceptions.
namespace mlp::jvm {

/// A Java exception is pending.
struct JavaError {};

/// Makes a Java string of UTF-8, which ThrowNew() and NewStringUTF() do not take.
///
/// \throws JavaError
[[nodiscard]] jstring java_text(JNIEnv* env, const char* utf8);

/// Makes a Java exception pending, unless one is.
void throw_java(JNIEnv* env, const char* name, const char* sentence) noexcept;

/// \throws JavaError an IllegalArgumentException
[[noreturn]] void refuse(JNIEnv* env, const std::string& sentence);

/// \throws JavaError the last error of the library, unless the status is MLP_OK
void check(JNIEnv* env, mlp_status status);

/// Runs a function whose errors become Java exceptions.
template <typename Function>
auto guarded(JNIEnv* env, Function&& function) noexcept
    -> decltype(function()) {
  using Result = decltype(function());
  try {
    return function();
  } catch (const JavaError&) {
  } catch (const std::exception& error) {
    throw_java(env, "java/lang/IllegalStateException", error.what());
  } catch (...) {
    throw_java(env, "java/lang/IllegalStateException", "an unknown exception");
  }
  return Result();
}

}  // namespace mlp::jvm
