# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""One evaluation by jax: value_and_grad, compiled once."""
from protocol import read_arguments, serve


def main():
    problem, precision, _ = read_arguments()
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", precision == "f64")
    # Left alone, products of single precision may be rounded further.
    jax.config.update("jax_default_matmul_precision", "highest")
    features = jnp.asarray(problem.features)
    labels = jnp.asarray(problem.labels)
    instance_weights = jnp.asarray(problem.instance_weights)
    layers = [(jnp.asarray(w), jnp.asarray(b)) for w, b in problem.layers()]

    def objective(parameters, x, y, row_weights):
        for w, b in parameters[:-1]:
            x = jax.nn.sigmoid(x @ w + b)
        w, b = parameters[-1]
        scores = jax.nn.log_softmax(x @ w + b)
        chosen = jnp.take_along_axis(scores, y[:, None], axis=1)[:, 0]
        return -jnp.sum(row_weights * chosen)

    evaluate = jax.jit(jax.value_and_grad(objective))

    def work():
        result = evaluate(layers, features, labels, instance_weights)
        return jax.block_until_ready(result)

    def describe(result):
        value, gradient = result
        square = sum(float(jnp.sum(jnp.square(part.astype(features.dtype))))
                     for part in jax.tree.leaves(gradient))
        return {"loss": float(value), "gradient_norm": square**0.5}

    serve(work, describe)


if __name__ == "__main__":
    main()
