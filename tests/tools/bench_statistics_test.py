#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks how the benchmarks decide, on samples made up by hand."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import goals  # noqa: E402
import growth_plot  # noqa: E402
import links  # noqa: E402
import scaling  # noqa: E402
from goals.distributed import allowed_excess  # noqa: E402
from goals.evaluation import evaluation_flops  # noqa: E402
from measure import machine, pairs, report  # noqa: E402
from measure.report import ratio_row, time_row  # noqa: E402


def sample(seconds, repeats=1, **values):
    return {"wall": seconds, "cpu": seconds, "repeats": repeats, **values}


def pair(ours, peer, before=100.0, after=100.0):
    canaries = [{"cpu_flops": rate, "wall_flops": rate}
                for rate in (before, after)]
    return pairs.Pair(ours, peer, *canaries)


class QuietPairs(unittest.TestCase):
    def test_keeps_pairs_whose_canaries_held_still(self):
        kept = pairs.quiet([pair(sample(1), sample(2), 100, 96)], "cpu")
        self.assertEqual(len(kept), 1)

    def test_drops_a_pair_whose_canaries_moved_by_more_than_5_percent(self):
        kept = pairs.quiet([pair(sample(1), sample(2), 100, 94)], "cpu")
        self.assertEqual(kept, [])

    def test_drops_a_pair_more_than_10_percent_under_the_best(self):
        good, slow = pair(sample(1), sample(2)), pair(sample(1), sample(2), 89, 89)
        self.assertEqual(pairs.quiet([good, slow], "cpu"), [good])


class Percentiles(unittest.TestCase):
    def test_interpolates_between_neighbours(self):
        self.assertEqual(pairs.percentile([4.0, 1.0, 2.0, 3.0], 0.5), 2.5)

    def test_returns_the_ends(self):
        self.assertEqual(pairs.percentile([3.0, 1.0], 0.0), 1.0)
        self.assertEqual(pairs.percentile([3.0, 1.0], 1.0), 3.0)


class Agreement(unittest.TestCase):
    def test_accepts_what_rounds_alike(self):
        self.assertIsNone(pairs.disagreement(
            {"loss": 1.0}, {"loss": 1.0 + 1e-12}, "f64"))

    def test_refuses_another_loss_by_precision(self):
        ours, peer = {"loss": 1.0}, {"loss": 1.00001}
        self.assertIsNone(pairs.disagreement(ours, peer, "f32"))
        self.assertEqual(pairs.disagreement(ours, peer, "f64"),
                         "loss differs: 1.0 and 1.00001")

    def test_refuses_a_figure_that_is_no_number(self):
        self.assertIsNotNone(pairs.disagreement(
            {"loss": None}, {"loss": 1.0}, "f64"))

    def test_names_the_entry_where_histories_part(self):
        why = pairs.disagreement({"history": [2.0, 1.0]},
                                 {"history": [2.0, 1.5]}, "f64")
        self.assertEqual(why, "entry 1 of the history differs: 1.0 and 1.5")


class Verdicts(unittest.TestCase):
    def row(self, values, num_pairs, bound=2.0, is_least=True):
        return report.Row("X", "x", bound, is_least, values=values,
                          num_pairs=num_pairs).judge(False)

    def test_meets_a_least_by_the_lower_quarter(self):
        self.assertEqual(self.row([2.0, 2.1, 2.2, 9.0], 4).verdict, report.MET)

    def test_misses_a_least_though_the_median_meets_it(self):
        row = self.row([1.0, 1.0, 3.0, 3.0, 3.0], 5)
        self.assertEqual(row.verdict, report.NOT_MET)

    def test_meets_a_most_by_the_upper_quarter(self):
        row = self.row([1.0, 1.0, 1.0, 9.0], 4, 3.5, False)
        self.assertEqual(row.verdict, report.MET)

    def test_gives_no_number_where_more_than_half_were_dropped(self):
        row = self.row([5.0], 3)
        self.assertEqual(row.verdict, report.NOISY)
        self.assertEqual(row.why, "1 of 3 pairs were quiet")


class Rows(unittest.TestCase):
    def test_divides_by_repeats_and_by_pieces_of_work(self):
        measured = [pair(sample(2.0, 4), sample(9.0, 1, evaluations=3))]
        row = ratio_row("X", "x", 1.0, measured, "cpu",
                        lambda s: s.get("evaluations", 1.0))
        self.assertEqual(row.values, [6.0])

    def test_gives_our_own_time_in_the_unit_of_the_goal(self):
        measured = [pair(sample(6e-6, 2, evaluations=3), None)]
        row = time_row("X", "x", 4.0, " us", measured,
                       lambda s: s["evaluations"])
        self.assertAlmostEqual(row.values[0], 1.0)
        self.assertEqual(row.ours, "1 us")

    def test_counts_the_flops_of_one_evaluation(self):
        # 2 * 10 * (3 * (4 * 5 + 5 * 3) - 4 * 5)
        self.assertEqual(evaluation_flops("4,5,3", 10), 1700)


class Sums(unittest.TestCase):
    def test_allows_3_percent_or_20_microseconds_whichever_is_more(self):
        self.assertAlmostEqual(allowed_excess(1030e-6, 1000e-6), 1.0)
        self.assertAlmostEqual(allowed_excess(30e-6, 10e-6), 1.0)

    def test_sends_all_bytes_once_between_two_and_nearly_twice_among_many(self):
        self.assertEqual(links.ring_bytes(1000, 2), 1000)
        self.assertEqual(links.ring_bytes(1000, 100), 1980)


class Predictions(unittest.TestCase):
    network = scaling.Network("x", "4,5,3", 900, 900)  # 43 weights, 344 bytes
    cable = scaling.Cable(bytes_per_second=344.0, latency_seconds=0.25)

    def test_adds_the_share_of_the_rows_the_bytes_and_two_latencies(self):
        # 900 / 2 / 150 rows + 344 / 344 bytes + 2 steps of a quarter
        self.assertEqual(scaling.evaluation_seconds(
            self.cable, self.network, 150.0, 2), 3.0 + 1.0 + 0.5)

    def test_sends_nothing_for_one_worker(self):
        self.assertEqual(scaling.evaluation_seconds(
            self.cable, self.network, 150.0, 1), 6.0)

    def test_hides_a_sum_behind_two_thirds_of_a_step(self):
        after, during = scaling.step_seconds(
            self.cable, self.network, 100.0, 150, 2, "float64")
        self.assertEqual((after, during), (1.5 + 1.5, 1.5 + 0.5))

    def test_finds_the_rows_whose_evaluation_takes_as_long_as_the_sum(self):
        self.assertEqual(scaling.even_rows(self.cable, self.network, 100.0, 2),
                         150.0)


class SavedResults(unittest.TestCase):
    machine = {"cpu": "a processor", "kind": "kind"}

    def test_keeps_goals_that_were_not_measured_again(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            report.save([report.Row("A1", "old"), report.Row("C1", "kept")],
                        self.machine, folder)
            path = report.save([report.Row("A1", "new")], self.machine, folder)
            rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        self.assertEqual([row["what"] for row in rows], ["new", "kept"])

    def test_orders_every_goal_that_can_be_run(self):
        self.assertEqual(list(goals.GOALS), report.GOAL_ORDER)


class BlasCores(unittest.TestCase):
    def test_corrects_a_core_without_the_widest_vectors(self):
        wide = {"vectors": "AVX-512"}
        self.assertEqual(machine.suitable_blas_core("Prescott", wide),
                         "SKYLAKEX")
        self.assertIsNone(machine.suitable_blas_core("SkylakeX", wide))

    def test_leaves_a_core_that_fits_alone(self):
        self.assertIsNone(
            machine.suitable_blas_core("Haswell", {"vectors": "AVX2"}))


class GrowthPlot(unittest.TestCase):
    def test_sorts_the_points_of_each_network_and_number_of_threads(self):
        def row(layers, threads, instances, seconds):
            return {"data": {"kind": "growth", "layers": layers,
                             "threads": threads, "instances": instances,
                             "seconds": seconds}}

        found = growth_plot.curves([
            row("4,3", 1, 10_000, 3e-8), row("4,3", 1, 1_000, 2e-8),
            row("4,3", 2, 1_000, 1e-8), {"data": {"kind": "evaluation"}}])

        self.assertEqual(list(found), [("4,3", 1), ("4,3", 2)])
        self.assertEqual([count for count, _ in found["4,3", 1]],
                         [1_000, 10_000])
        self.assertAlmostEqual(found["4,3", 2][0][1], 10.0)


if __name__ == "__main__":
    unittest.main()
