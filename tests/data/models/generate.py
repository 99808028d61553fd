#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the toy models in this folder and the toy bundles in ../bundles. Run by hand; the tests need only its output.

    pip install onnx onnxruntime numpy
    tests/data/models/generate.py

A toy tower takes a picture of 32 x 32, averages each quarter of each channel (12 numbers) and projects them to 8. It
sees colour and rough position, so different pictures get different embeddings, and it weighs less than 1 kB.
"""
import os
import subprocess
import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLES = os.path.join(HERE, "..", "bundles")
MAKE_BUNDLE = os.path.join(HERE, "..", "..", "..", "models", "make_bundle.py")
SIZE, WIDTH = 32, 8
F = TensorProto.FLOAT
PROJECTION = np.random.default_rng(7).normal(size=(12, WIDTH)).astype(np.float32)


def constant(name, value, kind=np.float32):
    return numpy_helper.from_array(np.asarray(value, dtype=kind), name)


def features(source, out):
    """[N, 3, 32, 32] -> [N, 12]"""
    return [
        helper.make_node("AveragePool", [source], ["pooled"], kernel_shape=[SIZE // 2] * 2, strides=[SIZE // 2] * 2),
        helper.make_node("Flatten", ["pooled"], [out], axis=1),
    ]


def save(name, nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "toy", inputs, outputs, list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="gst-bcp tests")
    model.ir_version = 8
    checker.check_model(model)
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(model.SerializeToString())


def tensor(name, *shape, kind=F):
    return helper.make_tensor_value_info(name, kind, shape)


def tower(name, batch="batch", extra=(), image="pixel_values", embedding="image_embeds", extra_outputs=(), constants=()):
    """The sound tower, and small departures from it: `extra` nodes work from "features" and "projected"."""
    nodes = features(image, "features") + [helper.make_node("MatMul", ["features", "projection"], ["projected"])]
    nodes += list(extra) or [helper.make_node("Identity", ["projected"], [embedding])]
    save(name, nodes, [tensor(image, batch, 3, SIZE, SIZE)], [tensor(embedding, batch, WIDTH), *extra_outputs],
         [constant("projection", PROJECTION), *constants])


def make_models():
    tower("toy.onnx")
    tower("fixed_batch.onnx", batch=1)
    tower("batch_of_four.onnx", batch=4)
    tower("odd_names.onnx", image="x.1", embedding="3047")
    tower("two_outputs.onnx", extra=[helper.make_node("Identity", ["projected"], ["image_embeds"]),
                                     helper.make_node("Neg", ["projected"], ["other"])],
          extra_outputs=[tensor("other", "batch", WIDTH)])
    tower("nan.onnx", extra=[helper.make_node("Div", ["projected", "zero"], ["inf"]),
                             helper.make_node("Sub", ["inf", "inf"], ["image_embeds"])], constants=[constant("zero", 0)])
    tower("constant.onnx", extra=[helper.make_node("Mul", ["projected", "zero"], ["nothing"]),
                                  helper.make_node("Add", ["nothing", "one"], ["image_embeds"])],
          constants=[constant("zero", 0), constant("one", 1)])
    tower("zero.onnx", extra=[helper.make_node("Mul", ["projected", "zero"], ["image_embeds"])],
          constants=[constant("zero", 0)])
    # Finite on the test pictures (means of a quarter up to 0.75), NaN when one is brighter than 0.95 in any channel:
    # a model that fails while it runs. Pixels are 0 to 1 here (mean 0, std 1).
    tower("nan_when_bright.onnx", extra=[
        helper.make_node("Sub", ["limit", "features"], ["room"]),
        helper.make_node("Sqrt", ["room"], ["root"]),
        helper.make_node("ReduceSum", ["root", "axis"], ["sum"], keepdims=1),
        helper.make_node("Mul", ["sum", "tiny"], ["poison"]),
        helper.make_node("Add", ["projected", "poison"], ["image_embeds"]),
    ], constants=[constant("limit", 0.95), constant("axis", [1], np.int64), constant("tiny", 1e-6)])

    picture, width = tensor("pixel_values", "batch", 3, SIZE, SIZE), tensor("image_embeds", "batch", WIDTH)
    save("rank_three.onnx", [helper.make_node("ReduceMean", ["pixel_values"], ["image_embeds"], axes=[3], keepdims=0)],
         [picture], [tensor("image_embeds", "batch", 3, SIZE)])
    save("other_width.onnx", features("pixel_values", "image_embeds"), [picture], [tensor("image_embeds", "batch", 12)])
    # Only a run shows how wide its output is (the end of the slice is computed), and it is not what the bundle promises.
    save("undeclared_width.onnx", features("pixel_values", "features") + [
        helper.make_node("ReduceMean", ["pixel_values"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "twelve"], ["width"]),
        helper.make_node("Cast", ["width"], ["end"], to=TensorProto.INT64),
        helper.make_node("Slice", ["features", "start", "end", "axis"], ["image_embeds"])],
        [picture], [tensor("image_embeds", "batch", "width_")],
        [constant("zero", 0), constant("twelve", [12]), constant("start", [0], np.int64), constant("axis", [1], np.int64)])
    save("integer_input.onnx", [helper.make_node("Cast", ["pixel_values"], ["floats"], to=F), *features("floats", "f"),
                                helper.make_node("MatMul", ["f", "projection"], ["image_embeds"])],
         [tensor("pixel_values", "batch", 3, SIZE, SIZE, kind=TensorProto.INT64)], [width],
         [constant("projection", PROJECTION)])
    save("half_input.onnx", [helper.make_node("Cast", ["pixel_values"], ["floats"], to=F), *features("floats", "f"),
                             helper.make_node("MatMul", ["f", "projection"], ["image_embeds"])],
         [tensor("pixel_values", "batch", 3, SIZE, SIZE, kind=TensorProto.FLOAT16)], [width],
         [constant("projection", PROJECTION)])
    save("two_inputs.onnx", features("pixel_values", "f") + [
        helper.make_node("MatMul", ["f", "projection"], ["projected"]),
        helper.make_node("Mul", ["projected", "strength"], ["image_embeds"])],
        [picture, tensor("strength", 1)], [width], [constant("projection", PROJECTION)])
    with open(os.path.join(HERE, "toy.onnx"), "rb") as whole, open(os.path.join(HERE, "truncated.onnx"), "wb") as cut:
        cut.write(whole.read()[:700])


# A label's text embedding is what the tower makes of a picture of that colour, so the right name of a plain frame is
# known.
COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0), "cyan": (0, 1, 1),
           "magenta": (1, 0, 1)}


def make_bundles():
    embeddings = []
    for colour in COLOURS.values():
        embeddings.append(np.repeat(np.asarray(colour, np.float32), 4) @ PROJECTION)
    bank = os.path.join(HERE, "toy.npz")
    np.savez(bank, embeddings=np.stack(embeddings), labels=np.array(list(COLOURS)))
    sound = {"toy": "toy", "toy-fixed": "fixed_batch", "toy-odd-names": "odd_names", "toy-nan-when-bright": "nan_when_bright"}
    for name, model in sound.items():
        subprocess.run([sys.executable, MAKE_BUNDLE, os.path.join(BUNDLES, name), "--visual",
                        os.path.join(HERE, model + ".onnx"), "--text-bank", bank, "--name", name,
                        "--licence", "LGPL-2.1-or-later", "--description", "Names the colour of a plain picture.",
                        "--size", str(SIZE), "--mean", "0", "0", "0", "--std", "1", "1", "1", "--scale", "20",
                        "--self-test", "yes"], check=True)
    os.remove(bank)


if __name__ == "__main__":
    make_models()
    make_bundles()
