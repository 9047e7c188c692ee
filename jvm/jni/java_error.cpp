// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "java_error.hpp"

#include <cstring>

namespace mlp::jvm {

namespace {

/// Returns an object that a function of JNI made.
///
/// \throws JavaError if it is null, because an exception is pending
template <typename Object>
Object made(Object object) {
  if (object == nullptr) throw JavaError();
  return object;
}

/// The class of the exception for a status of the library.
const char* exception_of(mlp_status status) {
  switch (status) {
    case MLP_PARAM_ERROR:
    case MLP_DATA_ERROR:
    case MLP_MODEL_ERROR:
      return "java/lang/IllegalArgumentException";
    case MLP_DIVERGED:
      return "io/mlp/spark/DivergedException";
    default:
      return "java/lang/IllegalStateException";
  }
}

}  // namespace

jstring java_text(JNIEnv* env, const char* utf8) {
  const auto size = static_cast<jsize>(std::strlen(utf8));
  jbyteArray bytes = made(env->NewByteArray(size));
  env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(utf8));
  jclass type = made(env->FindClass("java/lang/String"));
  jmethodID make =
      made(env->GetMethodID(type, "<init>", "([BLjava/lang/String;)V"));
  jstring charset = made(env->NewStringUTF("UTF-8"));
  return static_cast<jstring>(made(env->NewObject(type, make, bytes, charset)));
}

void throw_java(JNIEnv* env, const char* name, const char* sentence) noexcept {
  if (env->ExceptionCheck() != JNI_FALSE) return;
  try {
    jclass type = made(env->FindClass(name));
    jmethodID make =
        made(env->GetMethodID(type, "<init>", "(Ljava/lang/String;)V"));
    jobject error = made(env->NewObject(type, make, java_text(env, sentence)));
    env->Throw(static_cast<jthrowable>(error));
  } catch (const JavaError&) {
    // Another exception is pending, such as an OutOfMemoryError.
  }
}

void refuse(JNIEnv* env, const std::string& sentence) {
  throw_java(env, "java/lang/IllegalArgumentException", sentence.c_str());
  throw JavaError();
}

void check(JNIEnv* env, mlp_status status) {
  if (status == MLP_OK) return;
  throw_java(env, exception_of(status), mlp_last_error());
  throw JavaError();
}

}  // namespace mlp::jvm
