#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains and predicts from Parquet and Arrow files, as from a CSV file of the same rows.

Usage: parquet_test.py MLP SITE_PACKAGES
    SITE_PACKAGES   the folder that has pyarrow
"""

import csv
import datetime
import decimal
import json
import pathlib
import random
import sys
import unittest

from program_case import ProgramCase

DATA = pathlib.Path(__file__).parents[3] / "data"
GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "spark-4.0"
TRAIN = ("--layers", "4,5,3", "--max-iter", "30", "--seed", "1")
QUICK = ("--effort", "quick", "--max-iter", "20")


def read_iris():
    """The columns of Iris: numbers, and texts for the label."""
    with open(DATA / "iris.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, map(list, zip(*rows))))
    return {name: values if name == "species" else [float(value) for value in values]
            for name, values in columns.items()}


def make_columns(num_rows=200):
    """Columns of several types, some of whose values are missing."""
    source = random.Random(5)
    sizes = [None if i % 17 == 3 else round(source.gauss(40, 9), 2) for i in range(num_rows)]
    colours = [None if i % 23 == 5 else source.choice(("red", "blue", "light, blue"))
               for i in range(num_rows)]
    return {
        "size": sizes,
        "count": [source.randrange(100) for _ in range(num_rows)],
        "colour": colours,
        "is_new": [source.random() < 0.5 for _ in range(num_rows)],
        "label": ["yes" if (size or 40) > 40 else "no" for size in sizes],
    }


def write_csv(path, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values()):
            writer.writerow(["" if value is None else value for value in row])


class ParquetTest(ProgramCase):
    def write(self, name, table):
        path = self.folder / name
        if name.endswith(".parquet"):
            parquet.write_table(table, path, row_group_size=64)
        else:
            compression = "lz4" if name.endswith(".feather") else None
            options = ipc.IpcWriteOptions(compression=compression)
            with ipc.new_file(path, table.schema, options=options) as writer:
                writer.write_table(table, max_chunksize=64)
        return path

    def test_iris_gives_the_model_of_its_csv_file(self):
        table = pyarrow.table(read_iris())
        expected = self.train(DATA / "iris.csv", *TRAIN)
        for name in ("iris.parquet", "iris.feather", "iris.arrow"):
            with self.subTest(name):
                model = self.train(self.write(name, table), *TRAIN)
                self.assertEqual(model["weights"], expected["weights"])
                self.assertEqual(model["labels"], expected["labels"])

    def test_a_table_without_flags_gives_the_model_of_its_csv_file(self):
        columns = make_columns()
        write_csv(self.folder / "table.csv", columns)
        expected = self.train(self.folder / "table.csv", *QUICK)
        model = self.train(self.write("table.parquet", pyarrow.table(columns)), *QUICK)
        for key in ("input", "labels", "layers", "weights"):
            self.assertEqual(model.get(key), expected.get(key), key)

    def test_parts_of_a_folder_are_read_as_one(self):
        table = pyarrow.table(make_columns())
        expected = self.train(self.write("table.parquet", table), *QUICK)
        parts = self.folder / "parts"
        parts.mkdir()
        (parts / "_SUCCESS").write_text("")
        for number, first in enumerate(range(0, 200, 80)):
            parquet.write_table(table.slice(first, 80), parts / f"part-{number}.parquet")
        self.assertEqual(self.train(parts, *QUICK)["weights"], expected["weights"])

    def test_a_dictionary_is_a_column_of_categories(self):
        columns = make_columns()
        columns["count"] = pyarrow.array([str(count % 3) for count in columns["count"]]
                                         ).dictionary_encode()
        model = self.train(self.write("table.parquet", pyarrow.table(columns)), *QUICK)
        count = model["input"]["columns"][1]
        self.assertEqual(count["name"], "count")
        self.assertEqual(count["categories"], ["0", "1", "2"])

    def test_columns_of_numbers_give_the_model_of_their_csv_file(self):
        source = random.Random(7)
        columns = {"label": [source.randrange(3) for _ in range(200)]}
        for name in ("float64", "float32", "int64", "int32"):
            values = [label + source.randrange(-64, 64) / 32 for label in columns["label"]]
            columns[name] = values if name.startswith("float") else list(map(round, values))
            columns[f"{name}_or_none"] = [None if source.random() < 0.2 else value
                                          for value in columns[name]]
        columns["none_in_group"] = [None if i < 64 else i for i in range(200)]
        columns["never_none"] = [source.random() for _ in range(200)]
        types = {name: name.removesuffix("_or_none") for name in columns}
        types |= {"label": "int64", "none_in_group": "int64", "never_none": "float64"}
        schema = pyarrow.schema([pyarrow.field(name, kind, nullable=name != "never_none")
                                 for name, kind in types.items()])
        write_csv(self.folder / "table.csv", columns)
        expected = self.train(self.folder / "table.csv", "--label", "label", *QUICK)
        path = self.write("table.parquet", pyarrow.table(columns, schema))
        for threads in "1", "2":
            model = self.train(path, "--label", "label", "--threads", threads, *QUICK)
            for key in ("input", "labels", "weights"):
                self.assertEqual(model.get(key), expected.get(key), key)
        self.check_damage(path, 100)

    def test_rows_of_several_batches_and_pages_are_read_in_order(self):
        source = random.Random(3)
        x = [source.random() for _ in range(70000)]
        columns = {
            "x": x,
            "z": [None if source.random() < 0.3 else round(1000 * one) for one in x],
            "label": [int(one + source.random() > 1) for one in x],
        }
        flags = ("--label", "label", "--missing", "mean", "--layers", "2,3,2", "--max-iter", "5")
        write_csv(self.folder / "table.csv", columns)
        expected = self.train(self.folder / "table.csv", *flags)
        table = pyarrow.table(columns)
        path = self.folder / "table.parquet"
        with pyarrow.parquet.ParquetWriter(path, table.schema, data_page_size=4096) as writer:
            writer.write_table(table.slice(0, 0))
            writer.write_table(table.slice(0, 69000), row_group_size=69000)
            writer.write_table(table.slice(69000))
        for threads in "1", "2":
            self.assertEqual(self.train(path, *flags, "--threads", threads)["weights"],
                             expected["weights"])

    def test_predictions_are_those_of_the_csv_file(self):
        columns = make_columns()
        write_csv(self.folder / "table.csv", columns)
        path = self.write("table.parquet", pyarrow.table(columns))
        self.train(path, *QUICK)
        model = self.folder / "model.json"
        expected = self.call("predict", model, self.folder / "table.csv", "--keep", "count,label")
        self.assertEqual(self.call("predict", model, path, "--keep", "count,label"), expected)
        self.assertIn("accuracy", self.call("evaluate", model, path))

    def test_dates_and_timestamps_can_be_kept(self):
        columns = read_iris()
        first = datetime.datetime(2026, 11, 28, 23, 59, 30, 250000)
        times = [first + datetime.timedelta(seconds=i) for i in range(150)]
        columns |= {"day": [time.date() for time in times], "time": times}
        columns["time"][3] = None
        for name in ("iris.parquet", "iris.feather"):
            with self.subTest(name):
                path = self.write(name, pyarrow.table(columns))
                self.train(path, *TRAIN, "--ignore", "day,time")
                model = self.folder / "model.json"
                rows = self.call("predict", model, path, "--keep", "day,time").splitlines()
                self.assertEqual(rows[1][:38], "2026-11-28,2026-11-28 23:59:30.250000,")
                self.assertEqual(rows[4][:14], '2026-11-28,"",')
                self.assertEqual(rows[31][:10], "2026-11-29")

    def test_inspect_and_train_take_dictionaries_of_numbers_for_categories(self):
        columns = make_columns()
        codes = [count % 3 for count in columns.pop("count")]
        columns = {"code": pyarrow.array(codes).dictionary_encode(),
                   "size": [size or 1.0 for size in columns["size"]],
                   "label": columns["label"]}
        path = self.write("table.arrow", pyarrow.table(columns))
        model = self.train(path, *QUICK)
        self.assertEqual(model["input"]["columns"][0]["categories"], ["0", "1", "2"])
        (line,) = (line for line in self.call("inspect", path).splitlines()
                   if line.startswith("code "))
        self.assertEqual(line.split()[1], "category")

    def test_truth_values_are_labels_of_a_model_of_0_and_1(self):
        columns = make_columns()
        numbers = [int(label == "yes") for label in columns["label"]]
        columns = {"size": [size or 40.0 for size in columns["size"]], "label": numbers}
        write_csv(self.folder / "table.csv", columns)
        columns["label"] = [label == 1 for label in numbers]
        path = self.write("table.parquet", pyarrow.table(columns))
        write_csv(self.folder / "texts.csv",
                  columns | {"label": [str(label).lower() for label in columns["label"]]})
        model = self.folder / "model.json"
        files = (self.folder / "table.csv", path, self.folder / "texts.csv")
        for trained in files:
            self.train(trained, *QUICK)
            self.assertEqual(len({self.call("evaluate", model, file).splitlines()[0]
                                  for file in files}), 1, trained)

    def test_partitions_of_files_give_the_history_of_spark(self):
        golden = json.loads((GOLDEN / "parts.json").read_text(encoding="utf-8"))
        params = golden["params"]
        flags = ("--partitions", "files", "--label", "label", "--preset", "spark",
                 "--layers", ",".join(map(str, params["layers"])), "--seed", params["seed"],
                 "--block-size", params["blockSize"], "--max-iter", params["maxIter"])
        model = self.train(GOLDEN / "parts", *flags)
        history = model["training"]["objectiveHistory"]
        expected = golden["objectiveHistory"]
        self.assertEqual(len(history), len(expected))
        for ours, theirs in zip(history[:20], expected):
            self.assertLess(abs(ours - theirs), 1e-12 * abs(theirs))
        one = self.train(GOLDEN / "parts", "--partitions", "1", *flags[2:])
        self.assertNotEqual(one["training"]["objectiveHistory"][:20], history[:20])

    def test_inspect_shows_what_the_csv_file_has(self):
        columns = make_columns()
        write_csv(self.folder / "table.csv", columns)
        path = self.write("table.parquet", pyarrow.table(columns))

        def shown(file):
            text = self.call("inspect", file)
            return [line.replace(".parquet", ".csv") for line in text.splitlines()
                    if not line.startswith("format")]

        self.assertEqual(shown(path), shown(self.folder / "table.csv"))

    def test_an_index_counts_a_vector_as_one_column(self):
        source = random.Random(9)
        names = ("type", "size", "indices", "values")
        types = (pyarrow.int8(), pyarrow.int32(), pyarrow.list_(pyarrow.int32()),
                 pyarrow.list_(pyarrow.float64()))
        vectors = [[source.random(), source.random()] for _ in range(60)]
        columns = {"a": [source.random() for _ in range(60)],
                   "v": [str(vector) for vector in vectors],
                   "b": [source.random() for _ in range(60)]}
        columns["label"] = [int(a + b > 1) for a, b in zip(columns["a"], columns["b"])]
        write_csv(self.folder / "table.csv", columns)
        columns["v"] = pyarrow.array([dict(zip(names, (1, None, None, vector)))
                                      for vector in vectors],
                                     pyarrow.struct(list(zip(names, types))))
        path = self.write("table.parquet", pyarrow.table(columns))
        for index, expected in (("1", ["a", "b"]), ("2", ["a", "v_0", "v_1"])):
            for file in (self.folder / "table.csv", path):
                model = self.train(file, "--ignore", index, *QUICK)
                self.assertEqual(model["input"]["featureNames"], expected, file)
        for file in (self.folder / "table.csv", path):
            self.assertIn("label   column 3 ('label')", self.call("inspect", file))

    def test_inspect_names_what_cannot_be_read(self):
        columns = read_iris()
        columns |= {"day": [datetime.date(2026, 1, 1 + i % 28) for i in range(150)],
                    "list": [[1]] * 149 + [None]}
        path = self.write("iris.parquet", pyarrow.table(columns))
        text = self.run_mlp("inspect", path, "--label", "species").stdout
        self.assertRegex(text, r"5 day +dates +0 +feature")
        self.assertRegex(text, r"6 list +lists +1 +feature")
        self.assertIn("--ignore day,list ", text)

    def test_decimals_of_any_size_are_numbers(self):
        columns = read_iris()
        expected = self.train(self.write("iris.parquet", pyarrow.table(columns)), *TRAIN)
        columns["sepal_width"] = pyarrow.array(
            [decimal.Decimal(str(value)) for value in columns["sepal_width"]],
            pyarrow.decimal256(50, 2))
        model = self.train(self.write("iris.parquet", pyarrow.table(columns)), *TRAIN)
        self.assertEqual(model["weights"], expected["weights"])

    def test_advice_is_about_the_format(self):
        columns = {"c": [f"{i},5" for i in range(60)], "x": [i * i % 7 for i in range(60)],
                   "label": [i % 2 for i in range(60)]}
        path = self.write("table.parquet", pyarrow.table(columns))
        result = self.run_mlp("train", path, "--layers", "2,2")
        self.assertIn("write 0.5", result.stderr)
        self.assertNotIn("--decimal", result.stderr)
        self.assertIn("--ignore c ", self.run_mlp("inspect", path).stdout)

    def test_errors_name_the_file_and_the_row(self):
        columns = read_iris()
        columns["sepal_width"][6] = None
        path = self.write("iris.parquet", pyarrow.table(columns))
        result = self.run_mlp("train", path, *TRAIN, "-o", self.folder / "model.json")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("iris.parquet:7: expected a number in column 'sepal_width', got no value; "
                      "fill in the missing value or remove the row; or add ", result.stderr)
        self.assertFalse((self.folder / "model.json").exists())
        result = self.run_mlp("train", path, "--write-split", self.folder / "part")
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_a_broken_file_is_refused_or_read_right(self):
        path = self.write("iris.parquet", pyarrow.table(read_iris()))
        self.train(path, *TRAIN)
        self.check_damage(path, 250)
        self.check_damage(self.write("iris.arrow", pyarrow.table(read_iris())), 250)

    def check_damage(self, path, count):
        """Predicts from a file of which bytes are wrong, or the end is missing."""
        model = self.folder / "model.json"
        right = path.read_bytes()
        broken = self.folder / f"broken{path.suffix}"
        num_rows = len(self.run_mlp("predict", model, path).stdout.splitlines())
        source = random.Random(1)
        for number in range(count):
            data = bytearray(right)
            place = source.randrange(len(data))
            if number % 5 == 0:
                del data[place:]
            else:
                data[place] ^= 1 << source.randrange(8)
            broken.write_bytes(data)
            result = self.run_mlp("predict", model, broken)
            self.assertIn(result.returncode, (0, 3, 6), f"{number}: {result.stderr}")
            if result.returncode == 0:
                self.assertEqual(len(result.stdout.splitlines()), num_rows, number)


if __name__ == "__main__":
    ParquetTest.program = sys.argv[1]
    sys.path.insert(0, sys.argv[2])
    import pyarrow
    from pyarrow import ipc, parquet

    unittest.main(argv=sys.argv[:1])
