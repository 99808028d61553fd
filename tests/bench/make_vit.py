#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a bundle of ViT-B/32's size with random weights, for benchmarks. It recognises nothing.

    tests/bench/make_vit.py OUT_DIR        (needs numpy)

Same layers, widths and operators as CLIP's image tower (12 layers, width 768, 12 heads, patches of 32, QuickGELU, output
512), so it costs what the real one costs: 350 MB of weights, 4.4 billion multiplications a frame.
"""
import os
import struct
import subprocess
import sys

import numpy as np

SIZE, PATCH, WIDTH, HEADS, LAYERS, OUT = 224, 32, 768, 12, 12, 512
TOKENS = (SIZE // PATCH) ** 2 + 1
MAKE_BUNDLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "make_bundle.py")
random = np.random.default_rng(0)
nodes, constants = [], []


# ONNX is protocol buffers, and a model of one kind of node needs few of its fields: (number, value) pairs, where a value
# is an integer, a float, text, bytes or a nested message. So the benchmark does not need the onnx package.
def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def message(*fields):
    out = []
    for number, value in fields:
        if isinstance(value, float):
            out += [varint(number << 3 | 5), struct.pack("<f", value)]
        elif isinstance(value, int):
            out += [varint(number << 3), varint(value)]
        else:
            data = value.encode() if isinstance(value, str) else value
            out += [varint(number << 3 | 2), varint(len(data)), data]
    return b"".join(out)


def tensor(name, array):
    kind = {"float32": 1, "int64": 7}[array.dtype.name]
    return message(*((1, side) for side in array.shape), (2, kind), (8, name), (9, array.tobytes()))


def attribute(name, value):
    if isinstance(value, list):
        return message((1, name), *((8, each) for each in value), (20, 7))
    return message((1, name), (2, value), (20, 1)) if isinstance(value, float) else message((1, name), (3, value), (20, 2))


def operation(kind, inputs, output, **attributes):
    nodes.append(message(*((1, each) for each in inputs), (2, output), (4, kind),
                         *((5, attribute(name, value)) for name, value in attributes.items())))
    return output


def declaration(name, *shape):
    sides = [(1, message((2, side) if isinstance(side, str) else (1, side))) for side in shape]
    return message((1, name), (2, message((1, message((1, 1), (2, message(*sides)))))))


def weight(name, *shape, scale=0.02):
    constants.append(tensor(name, (random.standard_normal(shape) * scale).astype(np.float32)))
    return name


def constant(name, value, kind):
    constants.append(tensor(name, np.asarray(value, dtype=kind)))
    return name


def node(kind, inputs, **attributes):
    return operation(kind, inputs, f"{kind}_{len(nodes)}", **attributes)


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
    # The class token, once per picture: a slice of the batch's shape keeps the batch dynamic.
    one = node("Mul", [node("ReduceMean", [x], axes=[1], keepdims=1), constant("zero", 0, np.float32)])
    x = node("Concat", [node("Add", [one, weight("class", WIDTH)]), x], axis=1)
    x = norm(node("Add", [x, weight("position", TOKENS, WIDTH)]), "pre")
    for layer in range(LAYERS):
        x = node("Add", [x, attention(norm(x, f"{layer}.norm1"), f"{layer}.attention")])
        x = node("Add", [x, mlp(norm(x, f"{layer}.norm2"), f"{layer}.mlp")])
    x = norm(node("Gather", [x, "first"], axis=1), "post")
    operation("MatMul", [x, weight("projection", WIDTH, OUT)], "image_embeds")
    graph = message(*((1, each) for each in nodes), (2, "vit"), *((5, each) for each in constants),
                    (11, declaration("pixel_values", "batch", 3, SIZE, SIZE)), (12, declaration("image_embeds", "batch", OUT)))
    model = message((1, 8), (2, "gst-bcp benchmarks"), (7, graph), (8, message((1, ""), (2, 17))))
    with open(path, "wb") as file:
        file.write(model)


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
