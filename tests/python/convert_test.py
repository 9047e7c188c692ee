# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The command python -m mlp convert."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import mlp
import numpy as np
import pytest
from mlp import Model
from mlp.convert import convert, main, read_model

from formats.networks import GOLDEN, TOLERANCE, random_model, random_rows

pytest.importorskip("onnx")
pytest.importorskip("pyarrow")

MODEL = random_model((4, 5, 3), label_names=("a", "b", "c"))


@pytest.fixture
def source(tmp_path: pathlib.Path) -> str:
    MODEL.save(tmp_path / "source.json")
    return str(tmp_path / "source.json")


def test_prints_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])

    assert end.value.code == 0
    assert capsys.readouterr().out == f"mlp {mlp.__version__}\n"


@pytest.mark.parametrize(
    ("name", "to"),
    [("m.json", "json"), ("m.onnx", "onnx"), ("m.spark", "spark"), ("m", "spark"), ("m/", "spark")],
)
def test_the_suffix_tells_the_format(
    name: str, to: str, source: str, tmp_path: pathlib.Path
) -> None:
    target = f"{tmp_path}/{name}"

    assert convert(source, target) == to

    probabilities = read_model(target).predict_proba(random_rows(4))
    assert abs(probabilities - MODEL.predict_proba(random_rows(4))).max() <= TOLERANCE
    assert read_model(target).labels == MODEL.labels


def test_to_overrules_the_suffix(source: str, tmp_path: pathlib.Path) -> None:
    assert convert(source, str(tmp_path / "m.model"), to="onnx") == "onnx"
    assert (tmp_path / "m.model").read_bytes()[:1] == b"\x08"


@pytest.mark.parametrize(
    "name", ["spark-2.4/mlp-2.4.4.model", "spark-pipeline/iris.model", "onnx/onnxmltools_spark.onnx"]
)
def test_the_content_of_the_input_tells_its_format(name: str, tmp_path: pathlib.Path) -> None:
    assert main(["convert", str(GOLDEN / name), "-o", str(tmp_path / "m.json")]) == 0
    assert Model.load(tmp_path / "m.json").layers[0] == 4


def test_a_model_file_keeps_its_bytes(source: str, tmp_path: pathlib.Path) -> None:
    convert(source, str(tmp_path / "copy.json"))

    assert (tmp_path / "copy.json").read_bytes() == pathlib.Path(source).read_bytes()


def test_names_the_flag_that_trains_a_model_for_the_format(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(tmp_path / "relu.json")
    random_model((4, 5, 3), activations=("relu",)).save(source)

    assert main(["convert", source, "-o", str(tmp_path / "spark"), "--to", "spark"]) == 4

    assert capsys.readouterr().err == (
        "mlp: error: model: Spark's MultilayerPerceptronClassificationModel cannot express "
        "this model: its hidden layers have the activation relu; train with activation sigmoid, "
        "or score the model file in Spark with mlp.spark or the jar; mlp train --for spark "
        "trains such a model\n"
    )
    assert not (tmp_path / "spark").exists()


def test_names_no_flag_if_the_labels_are_numbers(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(tmp_path / "numbers.json")
    X = np.arange(12.0).reshape(6, 2)
    mlp.MLPRegressor(seed=1, max_iter=2).fit(X, X[:, 0]).model_.save(source)

    assert main(["convert", source, "-o", str(tmp_path / "spark"), "--to", "spark"]) == 4

    told = capsys.readouterr().err
    assert "score the model file in Spark with mlp.spark or the jar" in told
    assert "--for" not in told


def test_says_what_it_wrote(
    source: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", source, "-o", str(tmp_path / "m.onnx")]) == 0

    output = capsys.readouterr()
    assert (output.out, output.err) == ("", f"wrote {tmp_path}/m.onnx, format onnx\n")


def run(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Returns the exit code and the error message of a command that fails."""
    code = main(["convert", *arguments])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(("name", "format_name"), [("m.onnx", "ONNX"), ("m.spark", "Spark")])
def test_sets_are_left_out_with_a_note(
    name: str, format_name: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = str(tmp_path / "source.json"), str(tmp_path / name)
    random_model((4, 5, 3), prediction_set=(0.9, 0.25)).save(source)

    assert main(["convert", source, "-o", target]) == 0

    note = f"mlp: note: {format_name} has no prediction sets; those of the model are left out\n"
    assert capsys.readouterr().err.startswith(note)
    assert read_model(target).coverage is None


def test_a_folder_is_replaced_only_with_overwrite(
    source: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "spark")
    convert(source, target)

    code, message = run([source, "-o", target], capsys)

    assert (code, message) == (
        2, f"mlp: error: -o: {target} exists; add --overwrite to replace it\n"
    )
    assert main(["convert", source, "-o", target, "--overwrite"]) == 0


def test_an_unknown_suffix_needs_the_format(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, message = run([source, "-o", "m.pb"], capsys)

    assert code == 2
    assert message.startswith("mlp: error: --to: is needed, since m.pb does not tell the format")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be opened: No such file or directory"),
        (b"{}", "member"),
        (b"", "is no ONNX graph"),
        (b"a,b\n1,2\n", "is no ONNX graph"),
    ],
)
def test_a_file_that_is_no_model_gives_exit_code_4(
    content: bytes | None, sentence: str, tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if content is not None:
        (tmp_path / "in").write_bytes(content)

    code, message = run([str(tmp_path / "in"), "-o", str(tmp_path / "m.json")], capsys)

    assert code == 4
    assert sentence in message
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize("name", ["m.json", "m.onnx", "m.spark"])
def test_a_folder_that_is_missing_gives_exit_code_6(
    name: str, source: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "missing" / name)

    code, message = run([source, "-o", target], capsys)

    assert code == 6
    assert message == f"mlp: error: {target}: cannot be written: No such file or directory\n"


def test_a_model_that_the_format_cannot_express_gives_exit_code_4(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random_model((4, 5, 3), activations=("relu",)).save(tmp_path / "relu.json")

    code, message = run([str(tmp_path / "relu.json"), "-o", str(tmp_path / "m.spark")], capsys)

    assert code == 4
    assert "its hidden layers have the activation relu" in message


def test_a_missing_library_gives_exit_code_7(
    source: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    code, message = run([source, "-o", str(tmp_path / "m.spark")], capsys)

    assert code == 7
    assert "python -m pip install 'spark-mlp[arrow]'" in message


def test_runs_as_a_module(source: str, tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-m", "mlp", "convert", source, "-o", str(tmp_path / "m.onnx")]

    done = subprocess.run(command, capture_output=True, text=True, check=False)
    unknown = subprocess.run([*command, "--too"], capture_output=True, text=True, check=False)

    assert (done.returncode, unknown.returncode) == (0, 2)
    assert "--too" in unknown.stderr
    assert np.isfinite(read_model(tmp_path / "m.onnx").weights).all()
