// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// The native methods of io.mlp.spark.Native, over the C interface. They allocate
/// nothing themselves, and so throw no exceptions of C++.
#include <jni.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>

#include "mlp/c_api.h"

namespace {

/// The bytes of an array of Java, which are released at the end.
class Bytes {
 public:
  Bytes(JNIEnv* env, jbyteArray array)
      : env_(env),
        array_(array),
        bytes_(env->GetByteArrayElements(array, nullptr)) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (bytes_ == nullptr) return;
    env_->ReleaseByteArrayElements(array_, bytes_, JNI_ABORT);
  }

  /// \return null if an OutOfMemoryError is pending
  const char* begin() const { return reinterpret_cast<const char*>(bytes_); }
  const char* end() const { return begin() + env_->GetArrayLength(array_); }

 private:
  JNIEnv* env_;
  jbyteArray array_;
  jbyte* bytes_;
};

/// Makes an array of Java; null if an exception is pending.
jbyteArray bytes_of(JNIEnv* env, const char* utf8) {
  constexpr std::size_t kMost = std::numeric_limits<jsize>::max();
  const auto size = static_cast<jsize>(std::min(std::strlen(utf8), kMost));
  jbyteArray bytes = env->NewByteArray(size);
  if (bytes == nullptr) return nullptr;
  env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(utf8));
  return bytes;
}

/// Returns whether a call failed; its exception of Java is pending then.
bool failed(JNIEnv* env, jclass native, mlp_status status) {
  if (status == MLP_OK) return false;
  jbyteArray sentence = bytes_of(env, mlp_last_error());
  jmethodID raise = env->GetStaticMethodID(native, "raise", "(I[B)V");
  if (sentence != nullptr && raise != nullptr) {
    env->CallStaticVoidMethod(native, raise, jint{status}, sentence);
  }
  return true;
}

/// The memory of a direct buffer, or null.
double* numbers_of(JNIEnv* env, jobject buffer) {
  if (buffer == nullptr) return nullptr;
  return static_cast<double*>(env->GetDirectBufferAddress(buffer));
}

const double* numbers_at(jlong address) {
  return reinterpret_cast<const double*>(address);
}

/// Sets hyper-parameters of names and values, each with a null character behind it.
mlp_status set_params(mlp_params* params, const Bytes& texts) {
  mlp_status status = MLP_OK;
  for (const char* name = texts.begin();
       status == MLP_OK && name != texts.end();) {
    const char* const value = name + std::strlen(name) + 1;
    status = mlp_params_set(params, name, value);
    name = value + std::strlen(value) + 1;
  }
  return status;
}

/// Makes hyper-parameters of names and values.
///
/// \param[out] params  NULL, or to be released, also if this fails
mlp_status make_params(const Bytes& texts, mlp_params** params) {
  const mlp_status status = mlp_params_new(params);
  return status == MLP_OK ? set_params(*params, texts) : status;
}

/// Writes a text into an array of Java.
///
/// \return false if an exception is pending
bool write(JNIEnv* env, jobjectArray texts, jsize index, const char* utf8) {
  jbyteArray bytes = bytes_of(env, utf8);
  if (bytes == nullptr) return false;
  env->SetObjectArrayElement(texts, index, bytes);
  env->DeleteLocalRef(bytes);
  return true;
}

/// The text of a model, then the code and the sentence of each warning of its training;
/// null if an exception is pending.
jobjectArray texts_of(JNIEnv* env, jclass native, const mlp_model* model) {
  const auto num_warnings = static_cast<jsize>(mlp_model_num_warnings(model));
  jclass type = env->FindClass("[B");
  if (type == nullptr) return nullptr;
  jobjectArray texts = env->NewObjectArray(1 + 2 * num_warnings, type, nullptr);
  char* json = nullptr;
  if (texts == nullptr ||
      failed(env, native, mlp_model_to_json(model, &json))) {
    return nullptr;
  }
  bool is_written = write(env, texts, 0, json);
  mlp_text_free(json);
  for (jsize i = 0; is_written && i < num_warnings; ++i) {
    is_written =
        write(env, texts, 2 * i + 1, mlp_model_warning_code(model, i)) &&
        write(env, texts, 2 * i + 2, mlp_model_warning(model, i));
  }
  return is_written ? texts : nullptr;
}

}  // namespace

extern "C" {

JNIEXPORT jlongArray JNICALL
Java_io_mlp_spark_Native_fromJson(JNIEnv* env, jclass native, jbyteArray utf8) {
  const Bytes text(env, utf8);
  if (text.begin() == nullptr) return nullptr;
  mlp_model* model = nullptr;
  const auto size = static_cast<std::size_t>(text.end() - text.begin());
  if (failed(env, native, mlp_model_from_json(text.begin(), size, &model))) {
    return nullptr;
  }
  const jlong facts[] = {
      reinterpret_cast<jlong>(model), mlp_model_num_features(model),
      mlp_model_num_outputs(model), mlp_model_is_regressor(model)};
  jlongArray array = env->NewLongArray(std::size(facts));
  if (array == nullptr) {
    mlp_model_free(model);
    return nullptr;
  }
  env->SetLongArrayRegion(array, 0, std::size(facts), facts);
  return array;
}

JNIEXPORT jintArray JNICALL Java_io_mlp_spark_Native_layers(JNIEnv* env, jclass,
                                                            jlong address) {
  const auto* const model = reinterpret_cast<const mlp_model*>(address);
  // A text that fits into an array of Java has no more, and no larger ones.
  const auto count = static_cast<jsize>(mlp_model_num_sizes(model));
  jintArray sizes = env->NewIntArray(count);
  for (jsize i = 0; sizes != nullptr && i < count; ++i) {
    const auto size = static_cast<jint>(mlp_model_size(model, i));
    env->SetIntArrayRegion(sizes, i, 1, &size);
  }
  return sizes;
}

JNIEXPORT jdoubleArray JNICALL
Java_io_mlp_spark_Native_thresholds(JNIEnv* env, jclass, jlong address) {
  int64_t size = 0;
  const double* const thresholds =
      mlp_model_thresholds(reinterpret_cast<const mlp_model*>(address), &size);
  const auto count = static_cast<jsize>(size);
  jdoubleArray array = env->NewDoubleArray(count);
  if (array != nullptr) env->SetDoubleArrayRegion(array, 0, count, thresholds);
  return array;
}

JNIEXPORT jdoubleArray JNICALL Java_io_mlp_spark_Native_sparkWeights(
    JNIEnv* env, jclass native, jlong address) {
  const auto* const model = reinterpret_cast<const mlp_model*>(address);
  const auto size = static_cast<jsize>(mlp_model_num_spark_weights(model));
  if (size < 0) {
    failed(env, native, MLP_MODEL_ERROR);
    return nullptr;
  }
  jdoubleArray weights = env->NewDoubleArray(size);
  if (weights == nullptr) return nullptr;
  jdouble* const numbers = env->GetDoubleArrayElements(weights, nullptr);
  if (numbers == nullptr) return nullptr;
  const mlp_status status = mlp_model_spark_weights(model, size, numbers);
  env->ReleaseDoubleArrayElements(weights, numbers, 0);
  return failed(env, native, status) ? nullptr : weights;
}

JNIEXPORT jbyteArray JNICALL Java_io_mlp_spark_Native_fromWeights(
    JNIEnv* env, jclass native, jbyteArray params_of_spark,
    jdoubleArray weights) {
  const Bytes texts(env, params_of_spark);
  if (texts.begin() == nullptr) return nullptr;
  jdouble* const numbers = env->GetDoubleArrayElements(weights, nullptr);
  if (numbers == nullptr) return nullptr;
  mlp_params* params = nullptr;
  mlp_model* model = nullptr;
  char* json = nullptr;
  mlp_status status = make_params(texts, &params);
  if (status == MLP_OK) {
    status = mlp_model_from_weights(params, numbers,
                                    env->GetArrayLength(weights), &model);
  }
  if (status == MLP_OK) status = mlp_model_to_json(model, &json);
  env->ReleaseDoubleArrayElements(weights, numbers, JNI_ABORT);
  jbyteArray text = failed(env, native, status) ? nullptr : bytes_of(env, json);
  mlp_text_free(json);
  mlp_model_free(model);
  mlp_params_free(params);
  return text;
}

JNIEXPORT void JNICALL Java_io_mlp_spark_Native_free(JNIEnv*, jclass,
                                                     jlong model) {
  mlp_model_free(reinterpret_cast<mlp_model*>(model));
}

JNIEXPORT void JNICALL Java_io_mlp_spark_Native_score(
    JNIEnv* env, jclass native, jlong model, jobject features, jint rows,
    jobject prediction, jobject raw, jobject probability) {
  failed(env, native,
         mlp_model_score(reinterpret_cast<const mlp_model*>(model),
                         numbers_of(env, features), rows, 1,
                         numbers_of(env, prediction), numbers_of(env, raw),
                         numbers_of(env, probability)));
}

JNIEXPORT jlong JNICALL Java_io_mlp_spark_Native_resize(JNIEnv*, jclass,
                                                        jlong address,
                                                        jlong bytes) {
  void* const memory = reinterpret_cast<void*>(address);
  if (bytes != 0) {
    return reinterpret_cast<jlong>(
        std::realloc(memory, static_cast<std::size_t>(bytes)));
  }
  std::free(memory);
  return 0;
}

JNIEXPORT jobject JNICALL Java_io_mlp_spark_Native_bufferAt(JNIEnv* env, jclass,
                                                            jlong address,
                                                            jint bytes) {
  return env->NewDirectByteBuffer(reinterpret_cast<void*>(address), bytes);
}

JNIEXPORT jobjectArray JNICALL Java_io_mlp_spark_Native_fit(
    JNIEnv* env, jclass native, jbyteArray params_of_spark, jlong features,
    jlong labels, jlong weights, jint num_features, jlongArray partition_sizes,
    jlong num_rows, jint threads) {
  const Bytes texts(env, params_of_spark);
  if (texts.begin() == nullptr) return nullptr;
  jlong* const sizes = env->GetLongArrayElements(partition_sizes, nullptr);
  if (sizes == nullptr) return nullptr;
  mlp_fit_options options;
  mlp_params* params = nullptr;
  mlp_model* model = nullptr;
  mlp_status status = mlp_fit_options_init(&options);
  options.num_threads = threads;
  options.weights = numbers_at(weights);
  options.partition_sizes = sizes;
  options.num_partitions = env->GetArrayLength(partition_sizes);
  if (status == MLP_OK) status = make_params(texts, &params);
  if (status == MLP_OK) {
    status = mlp_fit(params, numbers_at(features), numbers_at(labels), num_rows,
                     num_features, &options, &model);
  }
  env->ReleaseLongArrayElements(partition_sizes, sizes, JNI_ABORT);
  jobjectArray result =
      failed(env, native, status) ? nullptr : texts_of(env, native, model);
  mlp_params_free(params);
  mlp_model_free(model);
  return result;
}

}  // extern "C"
