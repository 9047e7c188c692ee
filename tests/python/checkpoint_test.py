# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The checkpoints of trainings in Python."""

from typing import Any

import numpy as np
import pytest

from mlp import _core, errors


def make_settings(max_iter: int) -> Any:
    settings = _core.Settings()
    settings.params = _core.Params()
    for name, text in {"layers": "4,5,3", "seed": "1", "maxIter": str(max_iter)}.items():
        settings.params.set(name, text)
    settings.checkpoint.data = "iris"
    return settings


@pytest.fixture
def instances(iris: tuple[np.ndarray, np.ndarray]) -> Any:
    return _core.Instances(iris[0], iris[1].astype(np.float64))


def write_checkpoint(path: Any, instances: Any) -> None:
    settings = make_settings(20)
    settings.checkpoint.file = str(path)
    settings.checkpoint.seconds = 0.0
    _core.fit(settings, instances)


def test_a_resumed_training_has_the_same_bits(tmp_path, instances) -> None:
    write_checkpoint(tmp_path / "saved", instances)
    settings = make_settings(40)
    expected = _core.fit(settings, instances).model

    settings.checkpoint.resume_file = str(tmp_path / "saved")
    calls = []
    model = _core.fit(settings, instances, on_iteration=lambda *state: calls.append(state[0])).model

    np.testing.assert_array_equal(model.objective_history, expected.objective_history)
    np.testing.assert_array_equal(model.weights, expected.weights)
    assert min(calls) > 10


def test_refuses_the_checkpoint_of_other_data(tmp_path, instances) -> None:
    write_checkpoint(tmp_path / "saved", instances)
    settings = make_settings(40)
    settings.checkpoint.resume_file = str(tmp_path / "saved")
    settings.checkpoint.data = "wine"

    with pytest.raises(errors.ModelError, match="belongs to another training"):
        _core.fit(settings, instances)


def test_refuses_a_checkpoint_that_is_missing(tmp_path, instances) -> None:
    settings = make_settings(40)
    settings.checkpoint.resume_file = str(tmp_path / "saved")

    with pytest.raises(errors.ModelError, match="does not exist; expected a checkpoint"):
        _core.fit(settings, instances)


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_training(tmp_path, instances) -> None:
    settings = make_settings(20)
    settings.checkpoint.file = str(tmp_path / "missing" / "saved")
    settings.checkpoint.seconds = 0.0

    outcome = _core.fit(settings, instances)

    assert outcome.model.total_iterations == 20
    assert "missing" in outcome.checkpoint_failure
