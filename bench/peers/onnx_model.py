# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a problem's network as an ONNX model, single precision.

    onnx_model.py FOLDER LAYERS

The input is "features", the output "raw": the scores before the softmax.
"""
import pathlib
import sys

from protocol import Problem


def make_model(problem):
    """Gemm and Sigmoid for each hidden layer, Gemm for the last."""
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants, name = [], [], "features"
    layers = list(problem.layers())
    for k, (matrix, biases) in enumerate(layers):
        is_last = k == len(layers) - 1
        affine = "raw" if is_last else f"affine{k}"
        constants += [numpy_helper.from_array(matrix.copy(), f"w{k}"),
                      numpy_helper.from_array(biases.copy(), f"b{k}")]
        nodes.append(helper.make_node("Gemm", [name, f"w{k}", f"b{k}"], [affine]))
        if not is_last:
            name = f"hidden{k}"
            nodes.append(helper.make_node("Sigmoid", [affine], [name]))

    def value(value_name, size):
        return helper.make_tensor_value_info(
            value_name, TensorProto.FLOAT, ["rows", size])

    graph = helper.make_graph(
        nodes, "mlp", [value("features", problem.sizes[0])],
        [value("raw", problem.sizes[-1])], constants)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


def main():
    import onnx

    folder, layers = sys.argv[1:3]
    model = make_model(Problem(folder, layers, "f32"))
    onnx.checker.check_model(model)
    onnx.save(model, pathlib.Path(folder) / "model.onnx")


if __name__ == "__main__":
    main()
