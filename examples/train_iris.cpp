// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Trains on a CSV file, prints the accuracy, saves the model and loads it
// again. The commands `mlp train` and `mlp evaluate` do the same.

#include <cstdio>
#include <string>

#include "../datasets/csv/csv.hpp"
#include "../datasets/label_index.hpp"
#include "../mlp/mlp.hpp"
#include "../mlp/model_json.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: train_iris IRIS.csv MODEL.json\n");
    return 2;
  }
  try {
    mlp::datasets::Dataset data = mlp::datasets::read_csv_file(argv[1]).dataset;
    const auto classes = mlp::datasets::LabelIndex::fit(data.label_texts);
    data.labels = classes.apply(data);

    mlp::Params params;
    params.layers = {4, 5, 4, 3};
    params.seed = 1234;
    mlp::FitResult fit = mlp::Classifier(params).fit(data);
    fit.model.set_feature_names(data.feature_names);
    fit.model.set_label_column(data.label_name);
    fit.model.set_label_names(classes.names);

    mlp::save_model(argv[2], mlp::make_model_document(fit.model, params,
                                                      fit.summary, data));
    const mlp::Model model = mlp::load_model(argv[2]).model;
    std::printf("%d iterations, accuracy %.4f\n",
                static_cast<int>(fit.summary.total_iterations()),
                mlp::evaluate(model, data).accuracy());
    const mlp::Vector prediction = model.predict(data.features.col(0));
    std::printf(
        "the first flower is a %s\n",
        model.class_name(static_cast<mlp::Index>(prediction[0])).c_str());
  } catch (const mlp::Error& error) {
    std::fprintf(stderr, "train_iris: %s\n", error.what());
    return 1;
  }
}
