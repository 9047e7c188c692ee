# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The paths of outputs, with the cases that the program runs, and writers that are killed."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from mlp import Model, ModelError, ParamError, ResourceError
from mlp._files import new_folder, write_file
from mlp.convert import convert, exit_code
from mlp.formats import read_onnx, read_spark, write_onnx, write_spark

from conftest import ROOT
from formats.networks import random_model

sys.path.insert(0, str(ROOT / "tests" / "outputs"))

from output_cases import Case, Outcome, Place, file_size_limit, load_cases

OLD = random_model((4, 5, 3), label_names=("a", "b", "c"))
NEW = random_model((4, 6, 3), label_names=("a", "b", "c"))
# A library that records the calls that put files on the disk, and kills at one of them.
ORDER_SOURCE = ROOT / "tests" / "faults" / "order_on_disk.cpp"
WRITE_SPARK = (
    "import sys; from mlp import Model; from mlp.formats import write_spark; "
    "write_spark(Model.load(sys.argv[1]), sys.argv[2], overwrite=True)"
)

Writer = Callable[[Place], None]


def convert_to(to: str) -> Writer:
    return lambda place: convert(str(place.input), place.path, to=to, overwrite=True) and None


FILE_WRITERS: dict[str, Writer] = {
    "Model.save": lambda place: NEW.save(place.path),
    "write_onnx": lambda place: write_onnx(NEW, place.path),
    "convert to json": convert_to("json"),
    "convert to onnx": convert_to("onnx"),
}
FOLDER_WRITERS: dict[str, Writer] = {
    "write_spark": lambda place: write_spark(NEW, place.path, overwrite=True),
    "convert to spark": convert_to("spark"),
}


def is_model(content: bytes) -> bool:
    return content == NEW.to_json().encode()


def is_onnx(content: bytes) -> bool:
    """ONNX graphs of one model have the same bytes."""
    return content.startswith(b"\x08") and content.endswith(NEW_ONNX_END)


@pytest.fixture(scope="module", autouse=True)
def onnx_end(tmp_path_factory: pytest.TempPathFactory) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("onnx") / "model"
    write_onnx(NEW, path)
    globals()["NEW_ONNX_END"] = path.read_bytes()[-100:]


def run(writer: Writer, place: Place, limit: int | None) -> Outcome:
    try:
        with place.reader(), file_size_limit(limit):
            writer(place)
    except Exception as error:
        return Outcome(exit_code(error), str(error))
    return Outcome(0)


def check(name: str, writer: Writer, case: Case, folder: pathlib.Path) -> None:
    if case.has_input and not name.startswith("convert"):
        pytest.skip("this function has no input")
    if case.needs == "user" and os.geteuid() == 0:
        pytest.skip("a superuser may write to the folder")
    if case.reads == "stdout" and case.outcome["exit"] == 0:
        pytest.skip("standard output needs a process of its own")
    place = Place(case, folder, NEW.to_json().encode())

    outcome = run(writer, place, case.limit)

    place.check(outcome, ("-o", "IN"), is_onnx if "onnx" in name else is_model)


@pytest.mark.parametrize("case", load_cases("file"), ids=lambda case: case.name)
@pytest.mark.parametrize("name", FILE_WRITERS)
def test_a_file_is_written_as_the_program_writes_it(
    name: str, case: Case, tmp_path: pathlib.Path
) -> None:
    check(name, FILE_WRITERS[name], case, tmp_path)


@pytest.mark.parametrize("case", load_cases("folder"), ids=lambda case: case.name)
@pytest.mark.parametrize("name", FOLDER_WRITERS)
def test_a_folder_is_written_or_refused(name: str, case: Case, tmp_path: pathlib.Path) -> None:
    check(name, FOLDER_WRITERS[name], case, tmp_path)

    if case.outcome["exit"] == 0:
        written = tmp_path / case.outcome["written"]
        assert read_spark(written).layers == NEW.layers


@pytest.mark.parametrize("to", ["json", "onnx"])
def test_the_command_writes_to_standard_output(to: str, tmp_path: pathlib.Path) -> None:
    NEW.save(tmp_path / "in.json")
    command = [sys.executable, "-m", "mlp", "convert", "in.json", "--to", to, "-o", "/dev/stdout"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)

    assert is_model(done.stdout) if to == "json" else is_onnx(done.stdout)


def test_a_folder_that_is_replaced_keeps_its_mode(tmp_path: pathlib.Path) -> None:
    write_spark(OLD, tmp_path / "model")
    (tmp_path / "model").chmod(0o700)

    write_spark(NEW, tmp_path / "model", overwrite=True)

    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o700
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize(
    ("source", "target", "sentence"),
    [
        ("model", "model", "-o: '{target}' is the same folder as IN '{source}'"),
        ("model", "model/", "-o: '{target}' is the same folder as IN '{source}'"),
        ("model/in.json", "model", "-o: '{target}' is a folder with IN '{source}'"),
        ("model", "model/stages/x", "-o: '{target}' is in the folder IN '{source}'"),
    ],
)
def test_a_folder_that_is_read_is_not_replaced(
    source: str, target: str, sentence: str, tmp_path: pathlib.Path
) -> None:
    write_spark(OLD, tmp_path / "model")
    OLD.save(tmp_path / "model" / "in.json")
    source, target = f"{tmp_path}/{source}", f"{tmp_path}/{target}"

    with pytest.raises(ParamError) as caught:
        convert(source, target, to="spark", overwrite=True)

    assert str(caught.value) == (
        sentence.format(source=source, target=target)
        + ", which would be overwritten; name another folder"
    )
    assert read_spark(tmp_path / "model").layers == OLD.layers


def test_a_file_in_a_folder_that_is_read_is_not_written(tmp_path: pathlib.Path) -> None:
    write_spark(OLD, tmp_path / "model")

    with pytest.raises(ParamError, match="name another file"):
        convert(str(tmp_path / "model"), str(tmp_path / "model" / "m.json"))

    assert not (tmp_path / "model" / "m.json").exists()


def test_a_file_of_bytes_is_replaced(tmp_path: pathlib.Path) -> None:
    write_file(tmp_path / "file", b"old")
    write_file(tmp_path / "file", b"a\0b")

    assert (tmp_path / "file").read_bytes() == b"a\0b"
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_stays_if_its_writer_fails(tmp_path: pathlib.Path) -> None:
    with new_folder(tmp_path / "model", overwrite=False, marker="") as write:
        write("data/old", b"old")

    with pytest.raises(RuntimeError, match="half"), new_folder(
        tmp_path / "model", overwrite=True, marker="data"
    ) as write:
        write("data/new", b"new")
        raise RuntimeError("half")

    assert [path.name for path in tmp_path.rglob("*")] == ["model", "data", "old"]


def test_a_folder_that_exists_needs_the_permission(tmp_path: pathlib.Path) -> None:
    write_spark(OLD, tmp_path / "model")

    with pytest.raises(ModelError) as caught:
        write_spark(NEW, tmp_path / "model")

    assert str(caught.value) == (
        f"{tmp_path}/model: exists; choose another folder, or allow to overwrite it"
    )


@pytest.fixture(scope="module")
def order_library(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    library = str(tmp_path_factory.mktemp("order") / "order.so")
    command = [compiler, "-std=c++20", "-shared", "-fPIC", str(ORDER_SOURCE), "-o", library]
    subprocess.run(command, check=True)
    return library


def run_recorded(
    code: str, arguments: list[str], library: str, **order: object
) -> subprocess.CompletedProcess[bytes]:
    """Runs Python with the library; order are its variables."""
    settings = {f"ORDER_{name.upper()}": str(value) for name, value in order.items()}
    environment = {
        **os.environ, **settings, "LD_PRELOAD": library, "PYTHONDONTWRITEBYTECODE": "1"
    }
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True,
        check=False,
    )


def recorded_calls(code: str, arguments: list[str], library: str, log: pathlib.Path) -> list[str]:
    done = run_recorded(code, arguments, library, log=log)
    assert done.returncode == 0, done.stderr
    return [
        " ".join("NEW" if word.startswith(".mlp-") else word for word in line.split(" "))
        for line in log.read_text().splitlines()
    ]


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: pathlib.Path, order_library: str
) -> None:
    OLD.save(tmp_path / "in.json")
    for suffix in ("json", "onnx"):
        target = str(tmp_path / f"out.{suffix}")
        code = "import sys; from mlp.convert import convert; convert(*sys.argv[1:])"
        log = tmp_path / f"log-{suffix}"

        calls = recorded_calls(code, [str(tmp_path / "in.json"), target], order_library, log)

        assert calls == ["fsync file NEW", f"rename NEW out.{suffix}", "fsync folder"]


def test_a_folder_is_on_the_disk_before_it_has_its_name(
    tmp_path: pathlib.Path, order_library: str
) -> None:
    NEW.save(tmp_path / "in.json")
    arguments = [str(tmp_path / "in.json"), str(tmp_path / "model")]

    first = recorded_calls(WRITE_SPARK, arguments, order_library, tmp_path / "log-1")
    second = recorded_calls(WRITE_SPARK, arguments, order_library, tmp_path / "log-2")

    files = [path for path in (tmp_path / "model").rglob("*") if path.is_file()]
    folders = [path for path in (tmp_path / "model").rglob("*") if path.is_dir()]
    for calls, call in ((first, "rename NEW model"), (second, "exchange NEW model")):
        assert [line for line in calls if line.startswith("fsync file")] == calls[: len(files)]
        assert calls[len(files) :] == ["fsync folder"] * (len(folders) + 1) + [
            call, "fsync folder"
        ]


def test_a_killed_writer_leaves_a_whole_folder_and_the_next_one_cleans_up(
    tmp_path: pathlib.Path, order_library: str
) -> None:
    NEW.save(tmp_path / "in.json")
    place = tmp_path / "place"
    place.mkdir()
    arguments = [str(tmp_path / "in.json"), str(place / "model")]
    write_spark(OLD, place / "model")
    calls = recorded_calls(WRITE_SPARK, arguments, order_library, tmp_path / "log")
    exchange = calls.index("exchange NEW model") + 1

    layers = []
    for call in (1, len(calls) // 2, exchange, len(calls)):
        for when in ("before", "after"):
            write_spark(OLD, place / "model", overwrite=True)
            done = run_recorded(
                WRITE_SPARK, arguments, order_library, kill_at=call, kill_when=when
            )
            assert done.returncode == -signal.SIGKILL
            layers.append(read_spark(place / "model").layers)
            assert len(os.listdir(place)) == 2

            # A process looks once for what others left, so a new one writes next.
            code = "import sys, mlp; mlp.Model.load(sys.argv[1]).save(sys.argv[2])"
            command = [sys.executable, "-c", code, arguments[0], str(place / "other.json")]
            subprocess.run(command, check=True)

            assert sorted(os.listdir(place)) == ["model", "other.json"]
            (place / "other.json").unlink()

    assert layers == [OLD.layers] * 5 + [NEW.layers] * 3


def test_paths_have_no_null_character(tmp_path: pathlib.Path) -> None:
    import mlp.data
    from mlp.convert import read_model

    name = f"{tmp_path}/a\0b"
    calls: list[Callable[[], object]] = [
        lambda: Model.load(name),
        lambda: NEW.save(name),
        lambda: write_onnx(NEW, name),
        lambda: read_onnx(name),
        lambda: write_spark(NEW, name),
        lambda: read_spark(name),
        lambda: convert(name, str(tmp_path / "m.json")),
        lambda: convert(str(tmp_path / "m.json"), name, to="json"),
        lambda: read_model(name),
        lambda: mlp.data.read_csv(name),
        lambda: mlp.data.read_libsvm(name),
        lambda: mlp.data.read_npy(name),
        lambda: mlp.data.read_npy(__file__, labels=name),
        lambda: mlp.data.read_idx(name),
        lambda: mlp.data.read_parquet(name),
    ]
    for call in calls:
        with pytest.raises(ParamError) as caught:
            call()
        assert str(caught.value) == f"a path must not have a null character; got {name!r}"
    assert os.listdir(tmp_path) == []


def test_names_need_not_be_utf_8(tmp_path: pathlib.Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    NEW.save(name)
    write_onnx(NEW, name + ".onnx")
    write_spark(NEW, name + ".spark")

    with pytest.raises(ResourceError) as caught:
        NEW.save(name + "/m.json")

    os.rename(name + ".spark", tmp_path / "model")  # pyarrow reads no such name
    assert Model.load(name) == NEW
    assert read_spark(tmp_path / "model").layers == NEW.layers
    assert len(os.listdir(tmp_path)) == 3
    assert str(caught.value) == f"{name}/m.json: cannot be written: Not a directory"


def test_a_device_without_an_end_is_no_model(tmp_path: pathlib.Path) -> None:
    for read in (Model.load, lambda path: convert(path, str(tmp_path / "m.json"))):
        with pytest.raises(ModelError) as caught:
            read("/dev/zero")
        assert str(caught.value) == (
            "/dev/zero:1:1: the file is not a model; expected '{', got byte 0x00"
        )
    with pytest.raises(ModelError, match="must be a regular file of ONNX"):
        read_onnx("/dev/zero")


def test_a_model_is_read_from_a_pipe(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    command = ["sh", "-c", 'cat > "$0"', str(tmp_path / "pipe")]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        with contextlib.closing(writer.stdin) as stream:
            stream.write(NEW.to_json().encode())
        convert(str(tmp_path / "pipe"), str(tmp_path / "m.json"))

    assert json.loads((tmp_path / "m.json").read_text())["layers"] == NEW.layers
