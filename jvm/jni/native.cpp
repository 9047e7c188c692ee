// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// The native methods of io.mlp.spark.Native, over the C interface.
#include <jni.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "java_error.hpp"
#include "mlp/c_api.h"

using mlp::jvm::check;
using mlp::jvm::guarded;
using mlp::jvm::java_text;
using mlp::jvm::JavaError;
using mlp::jvm::refuse;

namespace {

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

/// The UTF-8 of a Java string, which GetStringUTFChars() does not give.
std::string text_of(JNIEnv* env, jobject text) {
  if (env->ExceptionCheck() != JNI_FALSE) throw JavaError();
  if (text == nullptr) refuse(env, "a hyper-parameter is null");
  jmethodID get_bytes = env->GetMethodID(env->GetObjectClass(text), "getBytes",
                                         "(Ljava/lang/String;)[B");
  if (get_bytes == nullptr) throw JavaError();
  auto* const bytes = static_cast<jbyteArray>(
      env->CallObjectMethod(text, get_bytes, java_text(env, "UTF-8")));
  if (env->ExceptionCheck() != JNI_FALSE) throw JavaError();
  std::string copy(static_cast<std::size_t>(env->GetArrayLength(bytes)), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(copy.size()),
                          reinterpret_cast<jbyte*>(copy.data()));
  if (copy.find('\0') != std::string::npos) {
    refuse(env, "a hyper-parameter has a null character");
  }
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

/// The arrays of Java that a training reads.
struct TrainingArrays {
  jobjectArray names;
  jobjectArray values;
  jdoubleArray features;
  jdoubleArray labels;
  jdoubleArray weights;        // or null
  jlongArray partition_sizes;  // or null
};

void set_params(JNIEnv* env, mlp_params* params, jobjectArray names,
                jobjectArray values) {
  if (names == nullptr || values == nullptr) {
    refuse(env, "the hyper-parameters must not be null");
  }
  constexpr jint kMostReferences = 16;  // of one hyper-parameter
  for (jsize i = 0; i < env->GetArrayLength(names); ++i) {
    if (env->PushLocalFrame(kMostReferences) != 0) throw JavaError();
    const std::string name = text_of(env, env->GetObjectArrayElement(names, i));
    const std::string value =
        text_of(env, env->GetObjectArrayElement(values, i));
    check(env, mlp_params_set(params, name.c_str(), value.c_str()));
    env->PopLocalFrame(nullptr);
  }
}

/// The numbers of a Java array, copied; empty for null.
std::vector<std::int64_t> sizes_of(JNIEnv* env, jlongArray array) {
  if (array == nullptr) return {};
  std::vector<jlong> sizes(
      static_cast<std::size_t>(env->GetArrayLength(array)));
  env->GetLongArrayRegion(array, 0, static_cast<jsize>(sizes.size()),
                          sizes.data());
  if (env->ExceptionCheck() != JNI_FALSE) throw JavaError();
  return {sizes.begin(), sizes.end()};
}

jlong fit_model(JNIEnv* env, const TrainingArrays& arrays,
                jboolean keeps_diverged, jint threads) {
  Owner<mlp_params, mlp_params_free> params;
  check(env, mlp_params_new(&params.object));
  set_params(env, params.object, arrays.names, arrays.values);
  if (arrays.features == nullptr || arrays.labels == nullptr) {
    refuse(env, "the features and the labels must not be null");
  }
  const std::vector<double> x = numbers_of(env, arrays.features);
  const std::vector<double> y = numbers_of(env, arrays.labels);
  const std::vector<double> w = numbers_of(env, arrays.weights);
  const std::vector<std::int64_t> partitions =
      sizes_of(env, arrays.partition_sizes);
  if (arrays.weights != nullptr && w.size() != y.size()) {
    refuse(env, "there must be a weight for each of the " +
                    std::to_string(y.size()) + " rows; got " +
                    std::to_string(w.size()));
  }
  mlp_fit_options options;
  check(env, mlp_fit_options_init(&options));
  options.num_threads = threads;
  options.weights = w.empty() ? nullptr : w.data();
  options.partition_sizes = partitions.empty() ? nullptr : partitions.data();
  options.num_partitions = static_cast<std::int64_t>(partitions.size());
  options.keeps_diverged = keeps_diverged == JNI_FALSE ? 0 : 1;
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

JNIEXPORT jobjectArray JNICALL
Java_io_mlp_spark_Native_warnings(JNIEnv* env, jclass, jlong address) {
  return guarded(env, [&]() -> jobjectArray {
    const mlp_model* const model = model_of(env, address);
    const std::int64_t count = mlp_model_num_warnings(model);
    jclass type = env->FindClass("java/lang/String");
    if (type == nullptr) throw JavaError();
    jobjectArray texts =
        env->NewObjectArray(static_cast<jsize>(count), type, nullptr);
    if (texts == nullptr) throw JavaError();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string text = std::string(mlp_model_warning_code(model, i)) +
                               ": " + mlp_model_warning(model, i);
      env->SetObjectArrayElement(texts, static_cast<jsize>(i),
                                 java_text(env, text.c_str()));
    }
    return texts;
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
    jlongArray partition_sizes, jboolean keeps_diverged, jint threads) {
  return guarded(env, [&] {
    return fit_model(
        env, {names, values, features, labels, weights, partition_sizes},
        keeps_diverged, threads);
  });
}

}  // extern "C"
