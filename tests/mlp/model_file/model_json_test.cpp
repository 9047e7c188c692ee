// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/json_text.hpp"
#include "../../../core/sha256.hpp"
#include "../../../core/version.hpp"
#include "../../../mlp/model_file/base64.hpp"
#include "../../../mlp/model_file/model_checksum.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

namespace mlp::tests {

namespace {

const std::string kFull = to_json(full_document());

/// The lines that its checksum covers.
const std::string kLines(checksummed_bytes(kFull).value());

std::string refusal(const std::string& text) {
  return test::thrown_message<ModelError>(
      [&] { return from_json(text, "m.json"); });
}

/// What the reader says to the full document after one replacement, its hash
/// made right again.
std::string refusal(const std::string& old, const std::string& by) {
  return refusal(resigned(replaced(kFull, old, by)));
}

std::string encode_base64(const Vector& numbers) {
  std::string text;
  append_base64(text, numbers);
  return text;
}

bool is_bitwise_equal(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.array() == b.array() && a.array().isFinite()).all() &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::signbit(x) == std::signbit(y);
         });
}

}  // namespace

TEST_SUITE("mlp/model_file/model_json") {
  TEST_CASE("reads back everything that was written") {
    const ModelDocument document = full_document();

    const ModelDocument read = from_json(kFull, "m.json");

    CHECK(read.model.topology() == document.model.topology());
    CHECK(is_bitwise_equal(read.model.weights(), document.model.weights()));
    CHECK(read.model.thresholds() == document.model.thresholds());
    CHECK(read.model.feature_names() == document.model.feature_names());
    CHECK(read.model.label_column() == "kind \"x\"");
    CHECK(read.model.label_names() == document.model.label_names());
    CHECK(read.model.scaler()->mean == document.model.scaler()->mean);
    CHECK(read.model.scaler()->standard_deviation ==
          document.model.scaler()->standard_deviation);
    CHECK(read.params.layers == document.params.layers);
    CHECK(read.params.thresholds == document.params.thresholds);
    CHECK(read.params.max_iter == 20);
    CHECK(read.params.seed == 1234);
    CHECK(read.summary.objective_history == document.summary.objective_history);
    CHECK(read.summary.evaluations == 4);
    CHECK(read.summary.convergence_reason ==
          optim::ConvergenceReason::kMaxIter);
    CHECK(read.num_instances == 1);
    CHECK(verify_self_test(read).num_instances == 1);
  }

  TEST_CASE("gives a document that writes the same text") {
    const std::string plain = to_json(plain_document());

    CHECK(to_json(from_json(kFull, "m")) == kFull);
    CHECK(to_json(from_json(plain, "m")) == plain);
  }

  TEST_CASE("keeps the validation losses, also those that are not finite") {
    ModelDocument document = full_document();
    const std::size_t num_entries = document.summary.objective_history.size();
    document.summary.validation_history.assign(num_entries - 1, 0.5);
    document.summary.validation_history.push_back(
        -std::numeric_limits<double>::infinity());

    const ModelDocument read = from_json(to_json(document), "m");

    CHECK(read.summary.validation_history ==
          document.summary.validation_history);
    CHECK(kFull.find("validationHistory") == kFull.npos);
  }

  TEST_CASE("keeps the precision of the training where it is not float64") {
    ModelDocument document = full_document();
    CHECK(kFull.find("precision") == kFull.npos);
    CHECK(from_json(kFull, "m.json").precision == Precision::kFloat64);
    document.precision = Precision::kFloat32;

    const std::string text = to_json(document);

    CHECK(text.find("\"precision\":\"float32\"") != text.npos);
    CHECK(from_json(text, "m.json").precision == Precision::kFloat32);
    CHECK(to_json(from_json(text, "m.json")) == text);
  }

  TEST_CASE("keeps what the file said about itself") {
    const ModelDocument read = from_json(kFull, "m.json");

    CHECK(read.identity.producer == "mlp " + std::string(kVersion));
    CHECK(read.identity.uid == model_uid(kLines));
    CHECK(read.identity.sha256 == sha256_hex(kLines));
  }

  TEST_CASE("reads the same weights from decimals and from base64") {
    using Limits = std::numeric_limits<double>;
    ModelDocument document = plain_document();
    Vector weights = document.model.weights();
    weights.head(7) << -0.0, 0.0, Limits::denorm_min(), Limits::max(),
        Limits::lowest(), Limits::min(), 1.0 / 3.0;
    document.model = Model(document.model.topology(), weights);

    for (const auto encoding :
         {WeightsEncoding::kDecimal, WeightsEncoding::kBase64}) {
      const ModelDocument read =
          from_json(to_json(document, encoding), "m.json");
      CHECK(is_bitwise_equal(read.model.weights(), weights));
    }
  }

  TEST_CASE("reads members in any order and with any white space") {
    std::string text = replaced(kFull, "  \"layers\": [2,2,3],\n", "");
    text = replaced(text, "{\n  \"format\"",
                    "\r\n\t{ \"layers\" :\t[ 2 ,2, 3 ] ,\"format\"");

    CHECK(refusal(resigned(text)) == "");
  }

  TEST_CASE("refuses a file that was changed after it was written") {
    const std::string changed =
        replaced(kFull, "\"seed\":1234", "\"seed\":1235");
    const std::string old_hash = sha256_hex(kLines);
    const std::string new_hash =
        from_json(resigned(changed), "m.json").identity.sha256;

    CHECK(refusal(changed) ==
          "m.json: $.sha256: the file was changed after it was written, or an "
          "older build wrote it; it states " +
              old_hash + ", its bytes have " + new_hash +
              ": use the original file, neither edited nor re-indented, or "
              "train or convert the model again");
    for (const char* layers : {"[2, 2,3]", "[2,2,3 ]"}) {
      CHECK(refusal(replaced(kFull, "[2,2,3]", layers))
                .starts_with("m.json: $.sha256: the file was changed "));
    }
  }

  TEST_CASE("refuses a file whose last lines were laid out anew") {
    const std::pair<std::string, std::string> ends[] = {
        {"\"\n}\n", "\"\n}"},
        {"\"\n}\n", "\"\n}\n\n"},
        {"\"\n}\n", "\"}"},
        {"\"\n}\n", "\"\r\n}\r\n"},
        {"  \"sha256\"", "    \"sha256\""},
        {",\n  \"sha256\"", ",\"sha256\""}};
    for (const auto& [old, by] : ends) {
      const std::string text = replaced(kFull, old, by);
      const std::string end = json_string(text.substr(text.size() - 16));
      CHECK(refusal(text) ==
            "m.json: $.sha256: the file was changed after it was written; "
            "expected its last lines to be \"sha256\", indented by two spaces, "
            "and }, got " +
                end +
                ": use the original file, neither edited nor "
                "re-indented");
    }
  }

  TEST_CASE("refuses a byte order mark and zero bytes") {
    CHECK(refusal("\xEF\xBB\xBF" + kFull) ==
          "m.json:1:1: the JSON text starts with a byte order mark; expected "
          "'{': save the file as UTF-8 without it");
    CHECK(refusal(kFull + '\0') ==
          "m.json:18:1: the JSON text is malformed at byte 0x00; write the "
          "file again");
  }

  TEST_CASE("refuses bytes after the document") {
    CHECK(
        refusal(kFull + "{}") ==
        "m.json:18:1: the JSON text is malformed at '{'; write the file again");
  }

  TEST_CASE("refuses files of another kind") {
    CHECK(refusal("\"mlp-model\"", "\"xgboost\"") ==
          "m.json: $.format: must be \"mlp-model\"; got \"xgboost\": the file "
          "is not a model of mlp");
    CHECK(refusal("\"formatVersion\": 1", "\"formatVersion\": 3") ==
          "m.json: $.formatVersion: must be 1 or 2 for a model without "
          "input.numericEncoding and without extra features of columns; got 3");
    CHECK(refusal("\"formatVersion\": 1", "\"formatVersion\": 4") ==
          "m.json: $.formatVersion: must be 1 to 3; got 4: use the version of "
          "mlp that wrote the file, or a newer one");
    CHECK(refusal("\"sigmoid\"", "\"relu\"") ==
          "m.json: $.activation: must be \"sigmoid\"; got \"relu\": version 1 "
          "supports no other activation");
    CHECK(refusal("\"spark-flat\"", "\"rows\"") ==
          "m.json: $.weights.layout: must be \"spark-flat\"; got \"rows\"");
    CHECK(refusal("ClassificationModel\"", "Model\"") ==
          "m.json: $.sparkClass: must be \"org.apache.spark.ml.classification."
          "MultilayerPerceptronClassificationModel\"; got "
          "\"org.apache.spark.ml.classification.Multi\"...");
  }

  TEST_CASE("reads back what version 2 says of networks and trainings") {
    const ModelDocument document = network_document();
    const std::string text = to_json(document);

    const ModelDocument read = from_json(text, "m.json");

    CHECK(read.model.topology() == document.model.topology());
    CHECK(read.model.statistics() == document.model.statistics());
    for (const ParamInfo& info : kParamTable) {
      if (!is_written(info, document.params)) continue;
      CAPTURE(info.name);
      CHECK(info.format(read.params) == info.format(document.params));
    }
    CHECK(to_json(read) == text);
    CHECK(verify_self_test(read).is_passed());
  }

  TEST_CASE("reads back a regressor") {
    const std::string text = to_json(regressor_document());

    const ModelDocument read = from_json(text, "m.json");

    CHECK(read.model.is_regressor());
    CHECK(read.self_test[0].probability.size() == 0);
    CHECK(to_json(read) == text);
    CHECK(verify_self_test(read).is_passed());
  }

  TEST_CASE("refuses in version 1 what Spark does not have") {
    const std::string network =
        replaced(to_json(network_document()), "\"formatVersion\": 2",
                 "\"formatVersion\": 1");
    const std::string regressor =
        replaced(to_json(regressor_document()), "\"formatVersion\": 2",
                 "\"formatVersion\": 1");

    CHECK(refusal(network) ==
          "m.json: $.activation: must be \"sigmoid\"; got \"tanh,leaky-relu\": "
          "version 1 supports no other activation");
    CHECK(refusal(regressor) ==
          "m.json: $.formatVersion: must be 2 for a model that Spark does not "
          "support; got 1");
    CHECK(refusal("\"seed\":1234", "\"seed\":1234,\"momentum\":0.5") ==
          "m.json: $.formatVersion: must be 2 for a model that Spark does not "
          "support; got 1");
  }

  TEST_CASE("refuses names that are malformed") {
    const std::string uid = model_uid(kLines);
    CHECK(refusal(uid, "mlpc_0123456789AB") ==
          "m.json: $.uid: must be \"mlpc_\" and 12 lower-case hexadecimal "
          "digits; got \"mlpc_0123456789AB\"");
    CHECK(refusal("\"mlp 1.0.0\"", "\"\"") ==
          "m.json: $.producer: must name a program and its version; got \"\"");
    CHECK(
        refusal(replaced(kFull, "\"sha256\": \"", "\"sha256\": \"0")) ==
        "m.json: $.sha256: must be 64 lower-case hexadecimal digits; got \"0" +
            sha256_hex(kLines).substr(0, 39) + "\"...");
  }

  TEST_CASE("refuses layers outside of the limits") {
    const auto of = [](const std::string& layers) {
      return refusal("\"layers\": [2,2,3]", "\"layers\": [" + layers + ']');
    };
    std::string many = "2";
    for (int i = 0; i < 257; ++i) many += ",2";

    CHECK(of("2") == "m.json: $.layers: must be 2 to 257 sizes; got 1");
    CHECK(of("") == "m.json: $.layers: must be 2 to 257 sizes; got 0");
    CHECK(of(many) == "m.json: $.layers: must be 2 to 257 sizes; got 258");
    for (const char* size : {"0", "-1", "1048577", "2147483648", "4294967296",
                             "9223372036854775807", "-9223372036854775808"}) {
      CHECK(of("2," + std::string(size) + ",3") ==
            "m.json: $.layers[1]: must be an integer from 1 to 1048576; got " +
                std::string(size));
    }
    CHECK(of("1048576,1048576,3") ==
          "m.json: $.layers: layers [1048576, 1048576, 3] need more than "
          "2147483647 weights, the most supported; use smaller layers");
  }

  TEST_CASE("refuses a weight count that does not fit the layers") {
    CHECK(refusal("\"count\":15", "\"count\":14") ==
          "m.json: $.weights.count: must be 15 for layers [2, 2, 3]; got 14");
    CHECK(refusal("\"layers\": [2,2,3]", "\"layers\": [2,2,4]") ==
          "m.json: $.weights.count: must be 18 for layers [2, 2, 4]; got 15");
    CHECK(refusal("\"data\":[", "\"data\":[1,") ==
          "m.json: $.weights.data: must be 15 numbers, for layers [2, 2, 3]; "
          "got 16");
  }

  TEST_CASE("refuses to believe a count of weights that are not there") {
    const std::string large = replaced(kFull, "[2,2,3]", "[40000,50000,3]");

    CHECK(refusal(replaced(large, "\"count\":15", "\"count\":2000200003")) ==
          "m.json: $.weights.data: must be 2000200003 numbers, for layers "
          "[40000, 50000, 3]; got 15");
  }

  TEST_CASE("refuses data that are not in the stated encoding") {
    CHECK(refusal("\"decimal\"", "\"hex\"") ==
          "m.json: $.weights.encoding: must be \"decimal\" or \"base64\"; got "
          "\"hex\"");
    CHECK(
        refusal("\"decimal\"", "\"base64\"") ==
        "m.json: $.weights.data: must be a string for encoding \"base64\"; got "
        "an array");
  }

  TEST_CASE("refuses base64 that is damaged") {
    const std::string text =
        to_json(plain_document(), WeightsEncoding::kBase64);
    const std::string data = encode_base64(plain_document().model.weights());
    const auto with = [&](const std::string& by) {
      return refusal(resigned(replaced(text, data, by)));
    };

    CHECK(refusal(replaced(text, "\"base64\"", "\"decimal\"")) ==
          "m.json: $.weights.data: must be an array of numbers for encoding "
          "\"decimal\"; got a string");
    CHECK(with("AAAAAAAA8D8=") ==
          "m.json: $.weights.data: must be 15 numbers in base64, for layers "
          "[2, 2, 3]; got 1");
    CHECK(with(std::string(160, '-')) ==
          "m.json: $.weights.data: must be base64 of 15 little-endian float64, "
          "padded, without white space; got \"" +
              std::string(40, '-') + "\"...");
    Vector weights = plain_document().model.weights();
    weights[14] = -std::numeric_limits<double>::infinity();
    CHECK(with(encode_base64(weights)) ==
          "m.json: $.weights.data[14]: must be a finite number; got -Infinity");
  }

  TEST_CASE("refuses a label column without a name and one that is a number") {
    const std::string label = "\"label\":\"kind \\\"x\\\"\"";

    CHECK(refusal(label, "\"label\":\"\"") ==
          "m.json: $.input.label: must name the label column, or be left out; "
          "got \"\"");
    CHECK(refusal(label, "\"label\":3") ==
          "m.json: $.input.label: must be a string; got 3");
  }

  TEST_CASE("refuses a wrong number of names and scales") {
    CHECK(refusal("[\"length\",", "[") ==
          "m.json: $.input.featureNames: must be 2 names, one per feature, for "
          "layers [2, 2, 3]; got 1");
    CHECK(
        refusal("\"mean\":[0.5,", "\"mean\":[") ==
        "m.json: $.input.mean: must be 2 numbers, one per feature, for layers "
        "[2, 2, 3]; got 1");
    CHECK(refusal("\"std\":[2,0]", "\"std\":[2,0,1]") ==
          "m.json: $.input.std: must be 2 numbers, one per feature, for layers "
          "[2, 2, 3]; got 3");
    CHECK(refusal(",\"std\":[2,0]", "") ==
          "m.json: $.input: must have both mean and std, or none; got one of "
          "them");
  }

  TEST_CASE("refuses a wrong number of labels and thresholds") {
    CHECK(refusal("[\"no\",\"yes\"]", "[\"a\",\"b\",\"c\",\"d\"]") ==
          "m.json: $.labels: must be 1 to 3 names for layers [2, 2, 3]; got 4");
    CHECK(refusal("[\"no\",\"yes\"]", "[]") ==
          "m.json: $.labels: must be 1 to 3 names for layers [2, 2, 3]; got 0");
    CHECK(refusal("[0.5,0.25,0.25]", "[0.5,0.25]") ==
          "m.json: $.thresholds: must be 3 numbers, one per class, for layers "
          "[2, 2, 3]; got 2");
    CHECK(refusal("[0.5,0.25,0.25]", "[]") ==
          "m.json: $.thresholds: must be 3 numbers, one per class, for layers "
          "[2, 2, 3]; got 0");
  }

  TEST_CASE("refuses a training that contradicts itself") {
    CHECK(refusal("\"totalIterations\":2", "\"totalIterations\":3") ==
          "m.json: $.training.totalIterations: must be 2, one less than "
          "objectiveHistory has entries; got 3");
    CHECK(
        refusal("\"convergenceReason\":\"maxIter\"",
                "\"convergenceReason\":\"MaxIter\"") ==
        "m.json: $.training.convergenceReason: must be one of none, maxIter, "
        "functionValuesConverged, gradientConverged, lineSearchFailed, "
        "weightsConverged, stoppedByCallback, validationStalled, diverged; got "
        "\"MaxIter\"");
    CHECK(refusal("\"rows\":1", "\"rows\":-1") ==
          "m.json: $.training.rows: must be an integer >= 0; got -1");
  }

  TEST_CASE("refuses a precision of another name") {
    CHECK(refusal("\"rows\":1", "\"rows\":1,\"precision\":\"half\"") ==
          "m.json: $.training.precision: must be float64, float32, tf32 or "
          "bf16; got "
          "\"half\"");
    CHECK(refusal("\"rows\":1", "\"rows\":1,\"precision\":\"float64\"") == "");
  }

  TEST_CASE("refuses values that the writer refuses") {
    CHECK(refusal("\"std\":[2,0]", "\"std\":[2,-1]") ==
          "m.json: $.input.std[1]: must be a number >= 0; got -1");
    CHECK(refusal("\"blockSize\":128", "\"blockSize\":0") ==
          "m.json: $.params.blockSize: must be an integer > 0; got 0");
    CHECK(refusal("{\"features\":[0.5,2]", "{\"features\":[0.5]") ==
          "m.json: $.selfTest[0].features: must be 2 numbers for layers "
          "[2, 2, 3]; got 1");
  }
}

}  // namespace mlp::tests
