#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the predictions for a device against formulas."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "cuda"))

import device_roofline as model  # noqa: E402


def product_flops(works):
    return sum(work.flops for work in works if work.is_product)


class DeviceRoofline(unittest.TestCase):
    def test_counts_the_operations_of_the_dense_formula(self):
        for layers in (model.MNIST, model.DEEP):
            products = [a * b for a, b in zip(layers, layers[1:])]
            flops = 2 * model.NUM_ROWS * (3 * sum(products) - products[0])

            for precision in model.PRECISIONS:
                works = model.evaluation(layers, model.NUM_ROWS, precision)
                self.assertEqual(product_flops(works), flops)

    def test_counts_the_same_operations_in_blocks_of_bytes(self):
        works = model.evaluation(model.DEEP, model.NUM_MANY_ROWS, "tf32", True)
        few = model.evaluation(model.DEEP, model.NUM_ROWS, "tf32")

        self.assertEqual(product_flops(works), 135 * product_flops(few))

    def test_blocks_cover_all_rows_and_fit_into_their_memory(self):
        for precision in model.PRECISIONS:
            sizes = model.block_sizes(model.DEEP, model.NUM_MANY_ROWS, precision)

            self.assertEqual(sum(sizes), model.NUM_MANY_ROWS)
            self.assertTrue(all(size % model.BLOCK_UNIT == 0
                                for size in sizes[:-1]))
            self.assertLessEqual(max(sizes), model.MOST_ROWS)

    def test_takes_the_larger_of_two_times(self):
        seconds = model.LAUNCH_SECONDS

        self.assertAlmostEqual(
            model.Work("copy", 0, 4.3e12).seconds("f64"), 1.0 + seconds)
        self.assertAlmostEqual(
            model.Work("product", 400e12, 1, True).seconds("tf32"), 1.0 + seconds)

    def test_counts_the_bytes_of_a_product(self):
        work = model.product("W x", 100, 60000, 784, "bf16")

        self.assertEqual(work.num_bytes,
                         2 * (100 * 784 + 784 * 60000) + 4 * 100 * 60000)

    def test_the_products_alone_take_less_than_the_evaluation(self):
        for precision in model.PRECISIONS:
            works = model.evaluation(model.DEEP, model.NUM_ROWS, precision)

            self.assertLess(
                model.product_seconds(model.DEEP, model.NUM_ROWS, precision),
                model.total_seconds(works, precision))


if __name__ == "__main__":
    unittest.main()
