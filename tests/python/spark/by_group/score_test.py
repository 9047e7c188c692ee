# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that the models of their groups score."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronRegressor,
    fit_groups,
    score_groups,
)

from spark.by_group.fit_test import make_estimator, make_stores  # noqa: E402

# Probabilities of Spark's model and of the library.
ROUNDING = 1e-12


@pytest.fixture(scope="module")
def models(session: Any) -> Any:
    """The models of the stores a and null, and an error for b."""
    stores = make_stores(session).selectExpr("features", "store", "IF(store = 'b', 7, label) AS label")
    return fit_groups(stores, "store", make_estimator()).cache()


def test_each_row_has_the_outputs_of_the_model_of_its_group(session: Any, models: Any) -> None:
    stores = make_stores(session)
    scored = score_groups(
        stores, "store", models, probabilityCol="probability", rawPredictionCol="raw",
        num_partitions=1,
    )

    assert scored.columns == [*stores.columns, "raw", "probability", "prediction"]
    rows = {row.row: row for row in scored.collect()}
    assert len(rows) == 150
    for model in models.where("model IS NOT NULL").collect():
        network = MultilayerPerceptronClassificationModel(mlp.Model.from_json(model.model))
        expected = network.transform(stores.where(f"store <=> {'NULL' if model.store is None else repr(model.store)}"))
        for row in expected.collect():
            found = rows[row.row]
            assert found.prediction == row.prediction
            np.testing.assert_allclose(found.probability, row.probability, atol=ROUNDING)
            np.testing.assert_allclose(found.raw, row.rawPrediction, rtol=1e-9)


def test_zeros_of_both_signs_are_one_group(session: Any) -> None:
    stores = make_stores(session).selectExpr("features", "label", "0D AS store").limit(40)
    models = fit_groups(stores, "store", make_estimator())
    signs = stores.selectExpr("features", "IF(label = 0, -0D, 0D) * 1D AS store")

    assert score_groups(signs, "store", models).where("prediction IS NULL").count() == 0


def test_refuses_groups_of_other_types(session: Any, models: Any) -> None:
    stores = make_stores(session).selectExpr("features", "int(row) AS store")

    with pytest.raises(mlp.ParamError, match="group column store must .* got int and string"):
        score_groups(stores, "store", models)


def test_a_column_in_another_case_is_replaced(session: Any, models: Any) -> None:
    stores = make_stores(session).selectExpr("features", "'x' AS Prediction", "store")

    scored = score_groups(stores, "store", models)

    assert [(field.name, field.dataType.typeName()) for field in scored.schema][1:] == [
        ("prediction", "double"), ("store", "string")
    ]


def test_features_that_are_nan_score_as_in_transform(session: Any, models: Any) -> None:
    stores = make_stores(session).limit(2).selectExpr("'a' AS store", "array_repeat(double('NaN'), 4) AS features")

    row = score_groups(
        stores, "store", models, probabilityCol="probability", rawPredictionCol="raw"
    ).first()

    assert np.isnan(row.probability).all() and np.isnan(row.raw).all()
    assert row.prediction == 0.0


def test_predictions_of_regressors_may_be_nan(session: Any) -> None:
    stores = make_stores(session)
    found = fit_groups(stores, "store", MultilayerPerceptronRegressor(layers=[4, 1], seed=1))
    rows = stores.selectExpr(
        "IF(row < 100, store, 'new') AS store", "row",
        "IF(row < 50, array_repeat(double('NaN'), 4), null) AS features",
    )

    scored = score_groups(rows.where("row >= 49 AND row < 52"), "store", found)

    assert [str(row.prediction) for row in scored.orderBy("row").collect()] == ["nan", "None", "None"]


def test_a_group_without_a_model_gets_null(session: Any, models: Any) -> None:
    stores = make_stores(session).selectExpr("*", "IF(row < 40, store, 'new') AS other")
    stores = stores.drop("store").withColumnRenamed("other", "store")

    scored = score_groups(stores, "store", models, probabilityCol="p")
    rows = scored.selectExpr("store", "prediction IS NULL AS a", "p IS NULL AS b").distinct().collect()

    assert sorted(map(tuple, rows)) == [("a", False, False), ("b", True, True), ("new", True, True)]


def test_batches_may_end_anywhere(session: Any, models: Any) -> None:
    stores = make_stores(session)
    expected = sorted(map(str, score_groups(stores, "store", models).collect()))
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    try:
        found = sorted(map(str, score_groups(stores, "store", models, num_partitions=1).collect()))
    finally:
        session.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")

    assert found == expected


def test_other_columns_stay_in_spark(session: Any, models: Any) -> None:
    stores = make_stores(session).selectExpr(
        "*", "1 AS twice", "2 AS twice", "interval 2 months AS months"
    )

    scored = score_groups(stores, "store", models)

    assert scored.count() == 150
    assert scored.where("store = 'a'").agg({"prediction": "count"}).first()[0] == 20


def test_null_features_get_null(session: Any, models: Any) -> None:
    stores = make_stores(session).selectExpr("IF(row < 3, NULL, features) AS features", "store", "row")

    scored = score_groups(stores, "store", models).where("store = 'a' AND prediction IS NULL")

    assert sorted(row.row for row in scored.collect()) == [0, 1, 2]


def test_regressors_predict_numbers(session: Any) -> None:
    stores = make_stores(session)
    estimator = MultilayerPerceptronRegressor(layers=[4, 1], seed=1)
    found = fit_groups(stores, "store", estimator).cache()

    error = score_groups(stores, "store", found).selectExpr("avg(pow(prediction - label, 2))")

    expected = found.selectExpr("sum(metrics.meanSquaredError * metrics.numRows) / 150")
    assert error.first()[0] == pytest.approx(expected.first()[0])


@pytest.mark.parametrize("batch_rows", ["1", "10000"])
def test_refuses_two_models_of_one_group(session: Any, models: Any, batch_rows: str) -> None:
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", batch_rows)
    try:
        with pytest.raises(Exception, match="one row for each group; got several for"):
            score_groups(make_stores(session), "store", models.union(models)).collect()
    finally:
        session.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_refuses_to_give_no_output(session: Any, models: Any) -> None:
    with pytest.raises(mlp.ParamError, match="needs the name of an output"):
        score_groups(make_stores(session), "store", models, predictionCol="")
