#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a bundle of ViT-B/32's size with random weights, to measure with. It recognises nothing.

    pip install onnx numpy
    tests/bench/make_vit.py OUT_DIR

Same layers, widths and operators as CLIP's image tower (12 layers, width 768, 12 heads, patches of 32, QuickGELU, output
512), so it costs what the real one costs: 350 MB of weights, 4.4 billion multiplications a frame.
"""
import os
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

SIZE, PATCH, WIDTH, HEADS, LAYERS, OUT = 224, 32, 768, 12, 12, 512
TOKENS = (SIZE // PATCH) ** 2 + 1
MAKE_BUNDLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "make_bundle.py")
random = np.random.default_rng(0)
nodes, constants = [], []


def weight(name, *shape, scale=0.02):
    constants.append(numpy_helper.from_array((random.standard_normal(shape) * scale).astype(np.float32), name))
    return name


def constant(name, value, kind):
    constants.append(numpy_helper.from_array(np.asarray(value, dtype=kind), name))
    return name


def node(kind, inputs, **attributes):
    out = f"{kind}_{len(nodes)}"
    nodes.append(helper.make_node(kind, inputs, [out], **attributes))
    return out


def norm(x, name):
    gain = constant(name + ".gain", np.ones(WIDTH), np.float32)
    bias = constant(name + ".bias", np.zeros(WIDTH), np.float32)
    return node("LayerNormalization", [x, gain, bias], epsilon=1e-5)


def linear(x, name, inside, outside):
    return node("Add", [node("MatMul", [x, weight(name + ".weight", inside, outside)]), weight(name + ".bias", outside)])


def heads(x, name, axes):
    return node("Transpose", [node("Reshape", [linear(x, name, WIDTH, WIDTH), "split"])], perm=axes)


def attention(x, name):
    query, key, value = heads(x, name + ".q", [0, 2, 1, 3]), heads(x, name + ".k", [0, 2, 3, 1]), heads(x, name + ".v", [0, 2, 1, 3])
    weights = node("Softmax", [node("Mul", [node("MatMul", [query, key]), "scale"])], axis=-1)
    joined = node("Reshape", [node("Transpose", [node("MatMul", [weights, value])], perm=[0, 2, 1, 3]), "join"])
    return linear(joined, name + ".out", WIDTH, WIDTH)


def mlp(x, name):
    inner = linear(x, name + ".in", WIDTH, 4 * WIDTH)
    gelu = node("Mul", [inner, node("Sigmoid", [node("Mul", [inner, "quick"])])])
    return linear(gelu, name + ".out", 4 * WIDTH, WIDTH)


def tower(path):
    constant("split", [0, TOKENS, HEADS, WIDTH // HEADS], np.int64)
    constant("join", [0, TOKENS, WIDTH], np.int64)
    constant("scale", (WIDTH // HEADS) ** -0.5, np.float32)
    constant("quick", 1.702, np.float32)
    constant("flat", [0, WIDTH, TOKENS - 1], np.int64)
    constant("first", 0, np.int64)
    patches = node("Conv", ["pixel_values", weight("patch", WIDTH, 3, PATCH, PATCH)], strides=[PATCH, PATCH], kernel_shape=[PATCH, PATCH])
    x = node("Transpose", [node("Reshape", [patches, "flat"])], perm=[0, 2, 1])
    # The class token, once a picture: a slice of the batch's own shape keeps the batch dynamic.
    one = node("Mul", [node("ReduceMean", [x], axes=[1], keepdims=1), constant("zero", 0, np.float32)])
    x = node("Concat", [node("Add", [one, weight("class", WIDTH)]), x], axis=1)
    x = norm(node("Add", [x, weight("position", TOKENS, WIDTH)]), "pre")
    for layer in range(LAYERS):
        x = node("Add", [x, attention(norm(x, f"{layer}.norm1"), f"{layer}.attention")])
        x = node("Add", [x, mlp(norm(x, f"{layer}.norm2"), f"{layer}.mlp")])
    x = norm(node("Gather", [x, "first"], axis=1), "post")
    nodes.append(helper.make_node("MatMul", [x, weight("projection", WIDTH, OUT)], ["image_embeds"]))
    graph = helper.make_graph(
        nodes, "vit", [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["batch", 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("image_embeds", TensorProto.FLOAT, ["batch", OUT])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="gst-bcp benchmarks")
    model.ir_version = 8
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def main(out):
    os.makedirs(out, exist_ok=True)
    visual, bank = os.path.join(out, "vit.onnx"), os.path.join(out, "bank.npz")
    tower(visual)
    np.savez(bank, embeddings=random.standard_normal((80, OUT)).astype(np.float32), labels=np.array([f"label {i}" for i in range(80)]))
    subprocess.run([sys.executable, MAKE_BUNDLE, out, "--visual", visual, "--text-bank", bank, "--name", "random ViT-B/32",
                    "--licence", "LGPL-2.1-or-later", "--description", "Random weights, for benchmarks only.",
                    "--size", str(SIZE), "--mean", "0.48145466", "0.4578275", "0.40821073",
                    "--std", "0.26862954", "0.26130258", "0.27577711", "--scale", "100"], check=True)
    os.remove(visual)
    os.remove(bank)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
