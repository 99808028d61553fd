#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the ONNX files in this folder. Run by hand; the tests need only its output.

    pip install onnx onnxruntime numpy
    tests/data/onnx/generate.py
"""
import os

import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE, WIDTH, CONTEXT, WORDS = 32, 8, 7, 20
F, I = TensorProto.FLOAT, TensorProto.INT64
RANDOM = np.random.default_rng(11)


def constant(name, value, kind=np.float32):
    return numpy_helper.from_array(np.asarray(value, dtype=kind), name)


def tensor(name, *shape, kind=F):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, graph, functions=(), opsets=(), run=None):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), *opsets],
                              producer_name="gst-bcp tests", functions=list(functions))
    model.ir_version = 8
    checker.check_model(model)
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(model.SerializeToString())
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    session.run(None, run)


def two_towers():
    """Both towers in one file, as Hugging Face exports a whole CLIP; the mask counts, and so does the temperature."""
    nodes = [
        helper.make_node("AveragePool", ["pixel_values"], ["pooled"], kernel_shape=[SIZE // 2] * 2,
                         strides=[SIZE // 2] * 2),
        helper.make_node("Flatten", ["pooled"], ["features"], axis=1),
        helper.make_node("MatMul", ["features", "visual.projection"], ["image_embeds"]),
        helper.make_node("Identity", ["token_table"], ["table"]),
        helper.make_node("Cast", ["input_ids"], ["ids32"], to=TensorProto.INT32),
        helper.make_node("Gather", ["table", "ids32"], ["words"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=F),
        helper.make_node("Unsqueeze", ["mask", "last"], ["mask3"]),
        helper.make_node("Mul", ["words", "mask3"], ["kept_words"]),
        helper.make_node("ReduceSum", ["kept_words", "middle"], ["text_embeds"], keepdims=0),
        helper.make_node("Transpose", ["text_embeds"], ["text_embeds_t"]),
        helper.make_node("MatMul", ["image_embeds", "text_embeds_t"], ["cosines"]),
        helper.make_node("Exp", ["logit_scale"], ["scale"]),
        helper.make_node("Mul", ["cosines", "scale"], ["logits_per_image"]),
        helper.make_node("Transpose", ["logits_per_image"], ["logits_per_text"]),
    ]
    inputs = [tensor("input_ids", "text_batch", "length", kind=I), tensor("pixel_values", "image_batch", 3, SIZE, SIZE),
              tensor("attention_mask", "text_batch", "length", kind=I)]
    outputs = [tensor("logits_per_image", "image_batch", "text_batch"), tensor("logits_per_text", "text_batch",
               "image_batch"), tensor("text_embeds", "text_batch", WIDTH), tensor("image_embeds", "image_batch", WIDTH)]
    weights = [constant("visual.projection", RANDOM.normal(size=(12, WIDTH))),
               constant("token_table", RANDOM.normal(size=(WORDS, WIDTH))), constant("logit_scale", np.log(50)),
               constant("last", [2], np.int64), constant("middle", [1], np.int64)]
    ids = np.zeros((2, CONTEXT), np.int64)
    save("two_towers.onnx", helper.make_graph(nodes, "clip", inputs, outputs, weights),
         run={"input_ids": ids, "attention_mask": ids, "pixel_values": np.zeros((1, 3, SIZE, SIZE), np.float32)})


def nested():
    """Everything that makes it hard to tell what an output depends on: branches that use names of the graph around
    them, one inside the other; a function; weights that are listed as inputs too; a sparse one; inputs left out."""
    inner_then = helper.make_graph([helper.make_node("Mul", ["x", "deep"], ["t2"])], "t2", [], [tensor("t2", None)])
    inner_else = helper.make_graph([helper.make_node("Identity", ["x"], ["e2"])], "e2", [], [tensor("e2", None)])
    then = helper.make_graph([
        helper.make_node("Add", ["x", "shift"], ["local"]),
        helper.make_node("If", ["yes"], ["inner"], then_branch=inner_then, else_branch=inner_else),
        helper.make_node("Add", ["local", "inner"], ["t"])], "then", [], [tensor("t", None)])
    other = helper.make_graph([helper.make_node("Identity", ["from_elsewhere"], ["e"])], "else", [], [tensor("e", None)])
    double = helper.make_function("tests", "Double", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
                                  [helper.make_opsetid("", 17)])
    nodes = [
        helper.make_node("Neg", ["x"], ["from_elsewhere"]),
        helper.make_node("Abs", ["x"], ["unused"]),
        helper.make_node("If", ["yes"], ["branched"], then_branch=then, else_branch=other),
        helper.make_node("Double", ["branched"], ["doubled"], domain="tests"),
        helper.make_node("Clip", ["doubled", "", "most"], ["first"]),
        helper.make_node("Add", ["y", "sparse"], ["second"]),
    ]
    sparse = helper.make_sparse_tensor(constant("sparse", [2.0, 3.0]), constant("", [0, 2], np.int64), [4])
    graph = helper.make_graph(nodes, "nested", [tensor("x", 4), tensor("y", 4), tensor("deep", 4)],
                              [tensor("first", 4), tensor("second", 4), tensor("unused", 4)],
                              [constant("deep", [1, 2, 3, 4]), constant("shift", [1, 1, 1, 1]),
                               constant("yes", True, np.bool_), constant("most", 100)],
                              sparse_initializer=[sparse])
    save("nested.onnx", graph, [double], [helper.make_opsetid("tests", 1)],
         run={"x": np.ones(4, np.float32), "y": np.ones(4, np.float32)})


def external():
    """Weights in a file beside it: 12 x 8 floats behind 16 bytes of something else."""
    weight = RANDOM.normal(size=(12, WIDTH)).astype(np.float32)
    stored = TensorProto(name="weight", data_type=F, dims=[12, WIDTH], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "external.data"), ("offset", "16"), ("length", str(weight.nbytes))):
        stored.external_data.add(key=key, value=value)
    with open(os.path.join(HERE, "external.data"), "wb") as file:
        file.write(bytes(16) + weight.tobytes())
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "weight"], ["y"])], "external", [tensor("x", "n", 12)],
                              [tensor("y", "n", WIDTH)], [stored])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="gst-bcp tests")
    model.ir_version = 8
    path = os.path.join(HERE, "external.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": np.ones((2, 12), np.float32)})


if __name__ == "__main__":
    two_towers()
    nested()
    external()
