#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what bench/tables/ computes and stores, on tables made up by hand."""
import argparse
import io
import math
import pathlib
import pickle
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "tables"))

import compare  # noqa: E402
import frame_to_csv  # noqa: E402
import measure  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import scores  # noqa: E402
import tables  # noqa: E402

ROUNDING = 12  # digits: the sums below have at most four terms
TABLE = tables.Table("small", tables.CLASSIFICATION,
                     [[str(i), "red", "ab"[i % 5 == 0]] for i in range(20)])


def record(seed, log_loss, **members):
    return {"table": "small", "peer": "quick", "version": "1", "seed": seed,
            "accuracy": 0.5, "logLoss": log_loss, "calibration": 0.1, "cpuSeconds": 2.0,
            **members}


def found_table(name="small", **losses):
    return report.Found(name, tables.CLASSIFICATION, 20, {
        peer: [record(seed, loss) for seed, loss in enumerate(values, 1)]
        for peer, values in losses.items()})


class ConstantPeer:
    """Predicts the same probabilities for all rows."""

    def version(self):
        return "1"

    def load(self):
        pass

    def train(self, table, _train_rows, test_rows, _seed):
        return [[0.75, 0.25] for _ in test_rows], {"cpuSeconds": 0.5}


class Scores(unittest.TestCase):
    def test_measure_classes_by_hand(self):
        found = scores.of_classes([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]], ["x", "y"],
                                  ["x", "y", "y"])

        self.assertAlmostEqual(found["accuracy"], 2 / 3, ROUNDING)
        self.assertAlmostEqual(found["logLoss"], -math.log(0.9 * 0.6 * 0.3) / 3, ROUNDING)
        self.assertAlmostEqual(found["calibration"], (0.1 + 0.4 + 0.7) / 3, ROUNDING)

    def test_average_the_calibration_within_a_bin(self):
        self.assertAlmostEqual(scores.calibration_error([0.95, 0.97], [True, False]),
                               0.46, ROUNDING)

    def test_keep_the_loss_of_an_impossible_class_finite(self):
        found = scores.of_classes([[1.0, 0.0]], ["x", "y"], ["y"])

        self.assertAlmostEqual(found["logLoss"], 52 * math.log(2), ROUNDING)

    def test_measure_numbers_by_hand(self):
        found = scores.of_numbers([1.0, 2.0, 5.0], [1.0, 3.0, 5.0])

        self.assertAlmostEqual(found["rmse"], math.sqrt(1 / 3), ROUNDING)
        self.assertAlmostEqual(found["r2"], 1 - 1 / 8, ROUNDING)


class Split(unittest.TestCase):
    def test_keeps_the_share_of_each_class_and_depends_on_the_seed_only(self):
        train, test = tables.split(TABLE, 1)

        self.assertEqual([sum(row[-1] == label for row in train) for label in "ab"],
                         [11, 3])
        self.assertCountEqual(train + test, TABLE.rows)
        self.assertEqual((train, test), tables.split(TABLE, 1))
        self.assertNotEqual(train, tables.split(TABLE, 2)[0])

    def test_tells_numbers_from_categories(self):
        self.assertEqual(TABLE.number_columns, [True, False])


class Measurements(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "results.jsonl"
        self.arguments = argparse.Namespace(seeds=2, cpu_limit=10, stored=False)

    def measured(self):
        return compare.measured(results.Results(self.path), TABLE, "quick", ConstantPeer(),
                                self.arguments)

    def test_are_scored_and_not_repeated(self):
        first = self.measured()

        lines = self.path.read_text(encoding="utf-8").splitlines()
        self.assertEqual(self.measured(), first)
        self.assertEqual(self.path.read_text(encoding="utf-8").splitlines(), lines)
        self.assertEqual([each["seed"] for each in first], [1, 2])
        self.assertAlmostEqual(first[0]["accuracy"], 5 / 6, ROUNDING)

    def test_go_on_after_an_interruption(self):
        results.Results(self.path).add(record(1, 0.3))

        found = self.measured()

        self.assertEqual(found[0]["logLoss"], 0.3)
        self.assertEqual(len(self.path.read_text(encoding="utf-8").splitlines()), 2)

    def test_of_other_seeds_are_not_tried_after_one_that_was_out_of_time(self):
        stored = results.Results(self.path)
        stored.add(record(1, 0.3, failed=measure.OUT_OF_TIME, cpuLimit=10))
        key = {"table": "small", "peer": "quick", "version": "1", "seed": 2}

        self.assertEqual(stored.get(key, 10)["failed"], measure.OUT_OF_TIME)
        self.assertIsNone(stored.get(key, 11))
        self.assertIsNone(stored.get({**key, "version": "2"}, 10))

    def test_name_what_failed(self):
        def fails():
            raise ValueError("no rows")

        self.assertEqual(measure.in_process(fails, 10), {"failed": "ValueError: no rows"})

    def test_end_at_the_limit_of_processor_time(self):
        def never_ends():
            while True:
                pass

        self.assertEqual(measure.in_process(never_ends, 1),
                         {"failed": measure.OUT_OF_TIME})


class Report(unittest.TestCase):
    def test_shares_the_rank_of_equal_values(self):
        self.assertEqual(report.ranks([0.2, 0.1, 0.2]), [2.5, 1, 2.5])
        self.assertEqual(report.mean_ranks([[1, 2], [2, 1], [1, 3]]), [4 / 3, 5 / 3])

    def test_calls_behind_what_exceeds_two_standard_errors(self):
        self.assertTrue(report.is_behind([0.5, 0.6, 0.7], [0.4, 0.5, 0.6 - 1e-3]))
        self.assertFalse(report.is_behind([0.5, 0.6, 0.7], [0.4, 0.6, 0.7]))

    def test_shows_each_table_and_the_best_of_it(self):
        found = [found_table(quick=[0.2, 0.4], forest=[0.5, 0.5])]

        lines = report.lines_of(found, tables.CLASSIFICATION)

        self.assertIn("| small | 20 | **0.500 / 0.300** | 0.500 / 0.500 |", lines)
        self.assertIn("| forest | 0.500 | 1.50 | 0.500 | 2.00 | 4.0 |  |", lines)

    def test_leaves_a_table_without_a_result_out_of_the_means(self):
        found = [found_table(quick=[0.2], forest=[0.5]),
                 found_table("other", quick=[0.4], forest=[0.5])]
        found[1].records["forest"] = [{"failed": measure.OUT_OF_TIME}]

        lines = report.lines_of(found, tables.CLASSIFICATION)

        self.assertIn("- forest has no result on other: out of time", lines)
        self.assertIn("| quick | 0.500 | 1.50 | 0.200 | 1.00 | 2.0 |  |", lines)


class Unpickler(unittest.TestCase):
    def test_refuses_what_no_frame_needs(self):
        pickled = pickle.dumps(print)

        with self.assertRaisesRegex(pickle.UnpicklingError,
                                    "the pickle names builtins.print; expected"):
            frame_to_csv.Unpickler(io.BytesIO(pickled)).load()


if __name__ == "__main__":
    unittest.main()
