# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The commands that are run with failing calls, and the files they need."""

import dataclasses
import gzip
import random
import struct
import subprocess

MODEL = ["--layers", "4,3,3", "--seed", "7"]
TRAIN = ["train", "iris.csv", *MODEL]
STEPS = ["--max-iter", "4"]
BATCHES = ["--solver", "adam", "--batch-size", "8", *STEPS]
# A rank may notice that another one failed before that one can say why.
LOST_RANK = frozenset({7})
EVERY_STEP = ["--checkpoint-every", "1"]
GOOD = ("allocate", "open", "read", "close", "stat")
WRITTEN = (*GOOD, "write", "sync", "rename")


@dataclasses.dataclass
class Scenario:
    """One command; the folder has the files that it reads."""
    name: str
    words: list
    outputs: tuple = ()  # the files that it writes; an old one is replaced
    kinds: tuple = GOOD  # of calls that it makes, so that each is tested
    stdin: str = ""
    checkpoint: str = ""
    ranks: tuple = (-1,)  # the processes in which calls fail
    deadline_seconds: float = 20
    # Exit codes that are possible besides those of the fault.
    other_codes: frozenset = frozenset()
    most_points: int = 100  # of those asked for; fewer if a run takes long


def training(name, words, **options):
    """A training that replaces an old model."""
    options = {"kinds": WRITTEN, **options}
    for usual in ["--threads", "1"], ["-o", "model.json"]:
        words = words if usual[0] in words else [*words, *usual]
    return Scenario(name, [*TRAIN, *words],
                    ("model.json", *options.pop("others", ())), **options)


def saving(name, words, checkpoint):
    """A training that saves its state in a file after each step."""
    return training(name, [*words, "--checkpoint", checkpoint, *EVERY_STEP],
                    others=(checkpoint, checkpoint + ".previous"),
                    checkpoint=checkpoint)


def on_threads(data, layers):
    """Commands that start threads, because the file is large. The files are not
    in the folder that is compared after each run."""
    kinds = (*WRITTEN, "thread")
    words = ["train", f"../{data}", "--layers", layers, "--label", "0",
             "--threads", "3", "-o", "model.json"]
    name = f" on threads with {data}"
    most = 100 if data == "long.csv" else 2
    return [
        Scenario("train" + name, [*words, *STEPS], ("model.json",), kinds,
                 most_points=most),
        Scenario("train on mini-batches" + name, [*words, *BATCHES],
                 ("model.json",), kinds, most_points=most),
        Scenario("predict" + name, [
            "predict", f"../{data}.json", f"../{data}", "--label", "0",
            "--threads", "3"],
                 kinds=GOOD if data == "long.csv" else (*GOOD, "thread"),
                 most_points=most)]


def in_file(*files):
    """Trainings whose features are in a file, on a disk. A copy of it for mini-batches is left
    out if it cannot be written."""
    words = ["--layers", "540,4,3", "--label", "0", "--threads", "1", "-o",
             "model.json", "--memory", "1MB", "--cache-dir", "/var/tmp"]
    return [Scenario(f"{name} with features of {file} in a file",
                     ["train", f"../{file}", *words, *steps], ("model.json",),
                     WRITTEN, other_codes=frozenset({0, 2, 6}), most_points=3)
            for file in files
            for name, steps in (("l-bfgs", STEPS), ("adam", BATCHES))]


def all_scenarios():
    """The commands, in the order in which they run."""
    return [
        training("train", STEPS),
        *on_threads("long.csv", "4,3,3"),
        *on_threads("wide.csv", "540,4,3"),
        training("train a new file", [*STEPS, "-o", "new.json"],
                 others=("new.json",)),
        training("train to standard output", [*STEPS, "-o", "-"],
                 kinds=(*GOOD, "write")),
        training("train on mini-batches", BATCHES),
        training("train with everything", [
            *STEPS, "--split", "0.6,0.4", "--validation", "iris.csv",
            "--standardize", "--initial-weights", "trained.json", "--json"]),
        *in_file("wide.csv", "wide.csv.gz"),
        training("warm start", [*STEPS, "--warm-start", "trained.json"]),
        saving("checkpoint", [*STEPS, "--force"], "state"),
        saving("first checkpoint", STEPS, "new"),
        saving("checkpoint of mini-batches", BATCHES, "new"),
        saving("resume", [*STEPS, "--resume"], "state"),
        training("ranks by threads", [*STEPS, "--ranks", "3", "--timeline",
                                      "timeline"],
                 kinds=(*WRITTEN, "thread"), others=("timeline",),
                 other_codes=LOST_RANK),
        Scenario("predict to a file", ["predict", "trained.json", "iris.csv",
                                       "-o", "scores.csv", "--threads", "1"],
                 ("scores.csv",), WRITTEN),
        Scenario("predict", ["predict", "trained.json", "iris.csv", "--output",
                             "prediction,probability,rawPrediction"]),
        Scenario("predict standard input", ["predict", "trained.json", "-"],
                 stdin="iris.csv"),
        Scenario("evaluate", ["evaluate", "trained.json", "iris.csv"]),
        Scenario("featurize", ["featurize", "trained.json", "iris.csv",
                               "--layer", "1", "-o", "scores.csv"],
                 ("scores.csv",), WRITTEN),
        Scenario("inspect a model", ["inspect", "trained.json", "--verify"]),
        Scenario("inspect data", ["inspect", "iris.csv", "--json"]),
        Scenario("libsvm", ["inspect", "iris.libsvm"]),
        Scenario("npy", ["inspect", "iris.npy"]),
        Scenario("gzip", ["inspect", "iris.csv.gz"]),
        Scenario("idx", ["train", "pixels.idx3-ubyte", "--labels",
                         "pixels.idx1-ubyte", "--layers", "4,3", *STEPS]),
        Scenario("help", ["train", "--help"], kinds=("allocate", "write")),
    ]


def rank_scenarios():
    """Commands whose ranks are processes."""
    return [
        training("ranks by gloo", [*STEPS, "--ranks", "2", "--transport",
                                   "gloo", "--rank-timeout", "5"],
                 ranks=(-1, 0, 1), kinds=("allocate", "open", "fork"),
                 other_codes=LOST_RANK | {6}, deadline_seconds=60),
    ]


def iris_rows(data):
    """Thirty rows of Iris, ten of each class."""
    lines = (data / "iris.csv").read_text().splitlines()
    return lines[0], lines[1::5]


def write_formats(folder, rows):
    """Writes the rows in other formats than CSV."""
    features = [[float(x) for x in row.split(",")[:4]] for row in rows]
    (folder / "iris.libsvm").write_text("".join(
        f"{i // 10} " + " ".join(f"{j}:{x}" for j, x in enumerate(row, 1))
        + "\n" for i, row in enumerate(features)))
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (30, 4), }"
    header += b" " * (117 - len(header)) + b"\n"
    (folder / "iris.npy").write_bytes(
        b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header
        + b"".join(struct.pack("<4d", *row) for row in features))
    (folder / "iris.csv.gz").write_bytes(
        gzip.compress((folder / "iris.csv").read_bytes(), mtime=0))
    (folder / "pixels.idx3-ubyte").write_bytes(
        struct.pack(">IIII", 0x803, 30, 2, 2)
        + bytes(int(x * 10) for row in features for x in row))
    (folder / "pixels.idx1-ubyte").write_bytes(
        struct.pack(">II", 0x801, 30) + bytes(i // 10 for i in range(30)))


def write_numbers(file, num_rows, num_features):
    """Writes random numbers after a label."""
    source = random.Random(1)
    file.write_text("".join(
        f"{i % 3}," + ",".join(f"{source.random():.4f}"
                               for _ in range(num_features)) + "\n"
        for i in range(num_rows)))


def run(program, folder, words):
    """Runs a command that must succeed."""
    subprocess.run([program, *words], cwd=folder, check=True,
                   capture_output=True)


def write_files(program, data, folder):
    """Makes the folder in which all commands run."""
    header, rows = iris_rows(data)
    (folder / "iris.csv").write_text("\n".join([header, *rows, ""]))
    write_formats(folder, rows)
    write_numbers(folder.parent / "long.csv", 3000, 4)
    write_numbers(folder.parent / "wide.csv", 600, 540)
    (folder.parent / "wide.csv.gz").write_bytes(
        gzip.compress((folder.parent / "wide.csv").read_bytes(), mtime=0))
    for name, layers in ("long.csv", "4,3,3"), ("wide.csv", "540,4,3"):
        run(program, folder, ["train", f"../{name}", "--layers", layers,
                              "--label", "0", "--max-iter", "1",
                              "-o", f"../{name}.json"])
    for name, steps in ("trained.json", "3"), ("model.json", "2"):
        words = [*TRAIN, "--max-iter", steps, "-o", name]
        if name == "model.json":
            words += ["--checkpoint", "state", *EVERY_STEP]
        run(program, folder, words)
    (folder / "scores.csv").write_text("old\n")
    (folder / "timeline").write_text("old\n")
