// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// The native methods of io.mlp.spark.Native, over the C interface.
#include <jni.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mlp/c_api.h"

namespace {

/// A Java exception is pending.
struct JavaError {};

void throw_java(JNIEnv* env, const char* name, const std::string& sentence) {
  if (env->ExceptionCheck() != JNI_FALSE) return;
  if (jclass type = env->FindClass(name)) {
    env->ThrowNew(type, sentence.c_str());
  }
}

[[noreturn]] void refuse(JNIEnv* env, const std::string& sentence) {
  throw_java(env, "java/lang/IllegalArgumentException", sentence);
  throw JavaError();
}

/// Throws the last error of the library, unless the status is MLP_OK.
void check(JNIEnv* env, mlp_status status) {
  if (status == MLP_OK) return;
  const bool is_of_caller = status == MLP_PARAM_ERROR ||
                            status == MLP_DATA_ERROR ||
                            status == MLP_MODEL_ERROR;
  throw_java(env,
             is_of_caller ? "java/lang/IllegalArgumentException"
                          : "java/lang/IllegalStateException",
             mlp_last_error());
  throw JavaError();
}

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
  }
  return Result();
}

const mlp_model* model_of(JNIEnv* env, jlong address) {
  if (address == 0) refuse(env, "the model is closed; load it again");
  return reinterpret_cast<const mlp_model*>(address);
}

/// The numbers of a Java array, copied; empty for null.
std::vector<double> numbers_of(JNIEnv* env, jdoubleArray array) {
  if (array == nullptr) return {};
  std::vector<double> numbers(
      static_cast<std::size_t>(env->GetArrayLength(array)));
  env->GetDoubleArrayRegion(array, 0, static_cast<jsize>(numbers.size()),
                            numbers.data());
  if (env->ExceptionCheck() != JNI_FALSE) throw JavaError();
  return numbers;
}

std::string text_of(JNIEnv* env, jobject text) {
  if (text == nullptr) refuse(env, "a hyper-parameter is null");
  auto* const string = static_cast<jstring>(text);
  const char* const letters = env->GetStringUTFChars(string, nullptr);
  if (letters == nullptr) throw JavaError();
  std::string copy(letters);
  env->ReleaseStringUTFChars(string, letters);
  return copy;
}

/// Memory for the numbers of a Java array, which each thread keeps. Arrays are copied
/// and not pinned: a pinned array delays the garbage collection of the whole JVM.
class Buffer {
 public:
  /// \return null for null
  double* resize(JNIEnv* env, jdoubleArray array) {
    if (array == nullptr) return nullptr;
    numbers_.resize(static_cast<std::size_t>(env->GetArrayLength(array)));
    return numbers_.data();
  }

  double* read(JNIEnv* env, jdoubleArray array) {
    double* const numbers = resize(env, array);
    env->GetDoubleArrayRegion(array, 0, static_cast<jsize>(numbers_.size()),
                              numbers);
    return numbers;
  }

  void write(JNIEnv* env, jdoubleArray array) const {
    if (array == nullptr) return;
    env->SetDoubleArrayRegion(array, 0, static_cast<jsize>(numbers_.size()),
                              numbers_.data());
  }

 private:
  std::vector<double> numbers_;
};

void require_length(JNIEnv* env, jdoubleArray array, std::int64_t expected,
                    const char* name) {
  if (array == nullptr || env->GetArrayLength(array) == expected) return;
  refuse(env, std::string(name) + " must have " + std::to_string(expected) +
                  " numbers; got " +
                  std::to_string(env->GetArrayLength(array)));
}

/// Releases an object of the C interface.
template <typename Object, void (*kFree)(Object*)>
struct Owner {
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { kFree(object); }

  Object* object = nullptr;
};

jlong fit_model(JNIEnv* env, jobjectArray names, jobjectArray values,
                jdoubleArray features, jdoubleArray labels,
                jdoubleArray weights, jlongArray partition_sizes,
                jint threads) {
  Owner<mlp_params, mlp_params_free> params;
  check(env, mlp_params_new(&params.object));
  for (jsize i = 0; i < env->GetArrayLength(names); ++i) {
    const std::string name = text_of(env, env->GetObjectArrayElement(names, i));
    const std::string value =
        text_of(env, env->GetObjectArrayElement(values, i));
    check(env, mlp_params_set(params.object, name.c_str(), value.c_str()));
  }
  const std::vector<double> x = numbers_of(env, features);
  const std::vector<double> y = numbers_of(env, labels);
  const std::vector<double> w = numbers_of(env, weights);
  std::vector<jlong> sizes;
  if (partition_sizes != nullptr) {
    sizes.resize(
        static_cast<std::size_t>(env->GetArrayLength(partition_sizes)));
    env->GetLongArrayRegion(partition_sizes, 0,
                            static_cast<jsize>(sizes.size()), sizes.data());
  }
  const std::vector<std::int64_t> partitions(sizes.begin(), sizes.end());
  if (!w.empty() && w.size() != y.size()) {
    refuse(env, "there must be a weight for each of the " +
                    std::to_string(y.size()) + " rows; got " +
                    std::to_string(w.size()));
  }
  mlp_fit_options options;
  mlp_fit_options_init(&options);
  options.num_threads = threads;
  options.weights = weights == nullptr ? nullptr : w.data();
  options.partition_sizes = partitions.empty() ? nullptr : partitions.data();
  options.num_partitions = static_cast<std::int64_t>(partitions.size());
  const std::size_t num_features = y.empty() ? 0 : x.size() / y.size();
  if (num_features * y.size() != x.size()) {
    refuse(env, "every row must have as many features");
  }
  mlp_model* model = nullptr;
  check(env,
        mlp_fit(params.object, x.data(), y.data(),
                static_cast<std::int64_t>(y.size()),
                static_cast<std::int64_t>(num_features), &options, &model));
  return reinterpret_cast<jlong>(model);
}

}  // namespace

extern "C" {

JNIEXPORT jstring JNICALL Java_io_mlp_spark_Native_version(JNIEnv* env,
                                                           jclass) {
  return env->NewStringUTF(mlp_version());
}

JNIEXPORT jlong JNICALL Java_io_mlp_spark_Native_fromJson(JNIEnv* env, jclass,
                                                          jbyteArray utf8) {
  return guarded(env, [&] {
    if (utf8 == nullptr) refuse(env, "the text of the model is null");
    std::string text(static_cast<std::size_t>(env->GetArrayLength(utf8)), '\0');
    env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(text.size()),
                            reinterpret_cast<jbyte*>(text.data()));
    mlp_model* model = nullptr;
    check(env, mlp_model_from_json(text.data(), text.size(), &model));
    return reinterpret_cast<jlong>(model);
  });
}

JNIEXPORT jbyteArray JNICALL Java_io_mlp_spark_Native_toJson(JNIEnv* env,
                                                             jclass,
                                                             jlong address) {
  return guarded(env, [&]() -> jbyteArray {
    char* text = nullptr;
    check(env, mlp_model_to_json(model_of(env, address), &text));
    const std::string copy(text);
    mlp_text_free(text);
    if (copy.size() > std::numeric_limits<jsize>::max()) {
      refuse(env, "the text of the model is longer than an array of Java");
    }
    const auto size = static_cast<jsize>(copy.size());
    jbyteArray bytes = env->NewByteArray(size);
    if (bytes == nullptr) throw JavaError();
    env->SetByteArrayRegion(bytes, 0, size,
                            reinterpret_cast<const jbyte*>(copy.data()));
    return bytes;
  });
}

JNIEXPORT void JNICALL Java_io_mlp_spark_Native_free(JNIEnv*, jclass,
                                                     jlong address) {
  mlp_model_free(reinterpret_cast<mlp_model*>(address));
}

JNIEXPORT jint JNICALL Java_io_mlp_spark_Native_numFeatures(JNIEnv* env, jclass,
                                                            jlong address) {
  return guarded(env, [&] {
    return static_cast<jint>(mlp_model_num_features(model_of(env, address)));
  });
}

JNIEXPORT jint JNICALL Java_io_mlp_spark_Native_numOutputs(JNIEnv* env, jclass,
                                                           jlong address) {
  return guarded(env, [&] {
    return static_cast<jint>(mlp_model_num_outputs(model_of(env, address)));
  });
}

JNIEXPORT jboolean JNICALL Java_io_mlp_spark_Native_isRegressor(JNIEnv* env,
                                                                jclass,
                                                                jlong address) {
  return guarded(env, [&] {
    return static_cast<jboolean>(
        mlp_model_is_regressor(model_of(env, address)));
  });
}

JNIEXPORT void JNICALL Java_io_mlp_spark_Native_score(
    JNIEnv* env, jclass, jlong address, jdoubleArray features, jint rows,
    jdoubleArray prediction, jdoubleArray raw, jdoubleArray probability) {
  guarded(env, [&] {
    const mlp_model* const model = model_of(env, address);
    const std::int64_t num_outputs = mlp_model_num_outputs(model);
    if (features == nullptr || rows < 0) refuse(env, "there are no features");
    require_length(env, features, rows * mlp_model_num_features(model),
                   "features");
    require_length(env, prediction, rows, "predictions");
    require_length(env, raw, rows * num_outputs, "raw predictions");
    require_length(env, probability, rows * num_outputs, "probabilities");
    thread_local Buffer x, predictions, outputs, probabilities;
    const double* const numbers = x.read(env, features);
    double* const p = predictions.resize(env, prediction);
    double* const z = outputs.resize(env, raw);
    double* const q = probabilities.resize(env, probability);
    check(env, mlp_model_score(model, numbers, rows, 1, p, z, q));
    predictions.write(env, prediction);
    outputs.write(env, raw);
    probabilities.write(env, probability);
  });
}

JNIEXPORT jlong JNICALL Java_io_mlp_spark_Native_fit(
    JNIEnv* env, jclass, jobjectArray names, jobjectArray values,
    jdoubleArray features, jdoubleArray labels, jdoubleArray weights,
    jlongArray partition_sizes, jint threads) {
  return guarded(env, [&] {
    return fit_model(env, names, values, features, labels, weights,
                     partition_sizes, threads);
  });
}

}  // extern "C"
