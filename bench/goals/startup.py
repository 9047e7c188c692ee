# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""E1 to E4: what a whole run of the program costs, what it maps, and loading.

The floor is a program that says hello, linked as mlp is: the C library is
dynamic, the C++ library static. Both are started in turn by a small process, by
the wall clock.
"""
import re
import subprocess
import time

from goals.evaluation import DEEP
from measure import pairs
from measure.bench import BENCH
from measure.report import MET, NOT_MET, RAN, Row, ratio_row, time_text

MAX_RSS_BYTES = 6e6
ALLOWED_MAPS = re.compile(
    r"/dev/.*|\[.*|/usr/lib/locale/.*"
    r"|.*/(lib[cm]\.so\.6|ld-linux[\w-]*\.so\.\d)")
IRIS_ROW = "sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n"


def add_start(bench, goal, what, command, bound):
    """A command against hello-world; returns its samples."""
    with bench.guarded(goal, what), \
            bench.worker("start_up", *command, seconds=0.02) as ours, \
            bench.worker("start_up", bench.program("mlp_hello_world"),
                         seconds=0.02) as floor:
        measured = bench.measure(ours, floor)
        row = ratio_row(goal, what, bound, measured, "wall")
        # Here the floor is the peer, and the goal how far we are above it.
        row.values = [1.0 / value for value in row.values]
        row.is_least = False
        bench.add(row)
        return measured
    return []


def train_iris(bench):
    """Trains Iris into the run's folder; returns the model's path."""
    model = bench.folder / "iris.json"
    if not model.exists():
        subprocess.run(train_command(bench, model), check=True,
                       capture_output=True)
    return model


def train_command(bench, model):
    """From the shell to a saved model."""
    return [bench.program("mlp"), "train", BENCH.parent / "data" / "iris.csv",
            "--layers", "4,5,4,3",
            "--seed", "1234", "-o", model]


def write_row(bench):
    """One Iris row in a file."""
    path = bench.folder / "row.csv"
    path.write_text(IRIS_ROW, encoding="utf-8")
    return path


def has_program(bench, goal):
    """Whether the build has the command line."""
    if bench.program("mlp").exists():
        return True
    bench.skip(goal, "the program mlp", "this build has no program")
    return False


def run_e1(bench):
    """--help and --version."""
    if not has_program(bench, "E1"):
        return
    for flag in ("--help", "--version"):
        add_start(bench, "E1", f"mlp {flag} against hello-world",
                  [bench.program("mlp"), flag], 1.3)


def run_e2(bench):
    """Predicting one row: time and memory."""
    if not has_program(bench, "E2"):
        return
    command = [bench.program("mlp"), "predict", train_iris(bench),
               write_row(bench)]
    measured = add_start(bench, "E2", "mlp predict, one Iris row, "
                         "against hello-world", command, 2.0)
    if not measured:
        return
    row = Row("E2", "its memory, max RSS", MAX_RSS_BYTES / 1e6, False, " MB",
              num_pairs=len(measured))
    row.values = [p.ours["max_rss_bytes"] / 1e6 for p in measured]
    row.peer = f"{measured[-1].peer['max_rss_bytes'] / 1e6:.1f} MB"
    bench.add(row)
    add_train(bench)


def add_train(bench):
    """From the shell to a saved model: milliseconds above hello-world."""
    what = "mlp train, Iris to saved model, above hello-world"
    command = train_command(bench, bench.folder / "again.json")
    with bench.guarded("E2", what), \
            bench.worker("start_up", *command) as ours, \
            bench.worker("start_up", bench.program("mlp_hello_world")) as floor:
        measured = bench.measure(ours, floor)
        kept = pairs.quiet(measured, "wall")
        row = Row("E2", what, 10.0, False, " ms", num_pairs=len(measured))
        row.values = [1e3 * (pairs.seconds(p.ours, "wall")
                             - pairs.seconds(p.peer, "wall")) for p in kept]
        row.ours = time_text(pairs.percentile(
            [pairs.seconds(p.ours, "wall") for p in measured], 0.5))
        bench.add(row)


def mapped_files(bench):
    """The files that mlp predict maps while it waits for its input."""
    process = subprocess.Popen(
        [bench.program("mlp"), "predict", train_iris(bench), "-"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.2)
        with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
            names = {fields[5].strip() for line in maps
                     if len(fields := line.split(maxsplit=5)) == 6}
    finally:
        process.stdin.close()
        process.wait()
    own = str(bench.program("mlp").resolve())
    return sorted(name for name in names
                  if name != own and not ALLOWED_MAPS.fullmatch(name))


def run_e3(bench):
    """Nothing but the program itself and the C library is mapped."""
    if not has_program(bench, "E3"):
        return
    files = mapped_files(bench)
    row = Row("E3", "files mapped by mlp predict but itself and the C library",
              0, False,
              verdict=NOT_MET if files else MET, values=[len(files)],
              why=", ".join(files))
    if bench.is_short:
        row.verdict = RAN
    bench.add(row)


def run_e4(bench):
    """Loading and saving a model of 12 million weights, against reading it."""
    layers = "100,50,10" if bench.is_short else DEEP
    for encoding, bound in (("base64", 6.0), ("decimal", 12.0)):
        for work in ("load", "save"):
            add_model_file(bench, layers, encoding, work, bound)


def add_model_file(bench, layers, encoding, work, bound):
    """Loading or saving, over reading the bytes of the file alone."""
    what = f"12 million weights, {encoding}: {work} over read of the bytes"
    paths = [bench.folder / f"{encoding}_{side}.json" for side in (work, "read")]
    with bench.guarded("E4", what), \
            bench.worker("model_file", layers, paths[0], encoding, work) as ours, \
            bench.worker("model_file", layers, paths[1], encoding, "read") as bytes_alone:
        measured = bench.measure(ours, bytes_alone)
        row = ratio_row("E4", what, bound, measured, "wall")
        row.values = [1.0 / value for value in row.values]
        row.is_least = False
        bench.add(row)
        memory = Row("E4",
                     f"12 million weights, {encoding}: memory of {work}", 2.5,
                     False, "x", num_pairs=len(measured))
        memory.values = [p.ours["max_rss_bytes"] / paths[0].stat().st_size
                         for p in measured]
        if bench.is_short:
            memory.verdict = RAN
        bench.add(memory)
    for path in paths:
        path.unlink(missing_ok=True)
