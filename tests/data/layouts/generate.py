#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the towers in this folder: the tensor names, types and shapes of real exports, with next to no weights. Run by
hand; the tests need only its output.

    pip install onnx onnxruntime numpy
    tests/data/layouts/generate.py

An image tower averages each quarter of each channel (12 numbers). A text tower turns each id into eight sines of it and
of its position and adds them up to the end token, which has the highest id, or as far as its mask goes. Both are spread
to 512 numbers: by a matrix in the Hugging Face towers, so that their variants differ only in precision, and by sines
in the others, so that they weigh nothing.
"""
import os

import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE, WIDTH, CONTEXT, WORDS, END = 224, 512, 77, 49408, 49407
F, H, I32, I64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32, TensorProto.INT64
RANDOM = np.random.default_rng(5)
IMAGE_MATRIX = RANDOM.integers(-127, 128, size=(12, WIDTH)).astype(np.int8)
TEXT_MATRIX = RANDOM.integers(-127, 128, size=(8, WIDTH)).astype(np.int8)
STEP = np.float32(1 / 64)  # of the matrices


class Tower:
    """A graph in the making. Operators whose form changed with the opset are methods."""

    def __init__(self, opset=17):
        self.opset, self.nodes, self.weights, self.count = opset, [], [], 0

    def constant(self, value, kind=np.float32, name=None):
        name = name or f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype=kind), name))
        return name

    def add(self, op, *inputs, out=None, outputs=1, **attributes):
        self.count += 1
        names = [out] if out else [f"{op}_{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def _axes(self, op, since, value, axes, **attributes):
        if self.opset >= since:
            return self.add(op, value, self.constant(axes, np.int64), **attributes)
        return self.add(op, value, axes=axes, **attributes)

    def unsqueeze(self, value, axes):
        return self._axes("Unsqueeze", 13, value, axes)

    def reduce_sum(self, value, axes):
        return self._axes("ReduceSum", 13, value, axes, keepdims=0)

    def reduce_mean(self, value, axes):
        return self._axes("ReduceMean", 18, value, axes, keepdims=1)

    # [N, 3, S, S] -> [N, 12]
    def picture_features(self, pixels, size=SIZE):
        pooled = self.add("AveragePool", pixels, kernel_shape=[size // 2] * 2, strides=[size // 2] * 2)
        return self.add("Flatten", pooled, axis=1)

    # [N, L] -> [N, L, 8]
    def word_features(self, ids):
        numbers = self.unsqueeze(self.add("Cast", ids, to=F), [2])
        ones = self.add("Add", self.add("Mul", numbers, self.constant(0)), self.constant(1))
        places = self.add("CumSum", ones, self.constant(1, np.int64))
        waves = self.add("Mul", numbers, self.constant(0.37 * 1.9 ** np.arange(8).reshape(1, 1, 8)))
        phases = self.add("Mul", places, self.constant(0.21 * np.arange(8).reshape(1, 1, 8)))
        return self.add("Sin", self.add("Add", waves, phases)), places

    # [N, L] -> [N, 8]: as far as the mask goes, or up to the end token
    def text_features(self, ids, mask=None):
        words, places = self.word_features(ids)
        if mask is None:
            end = self.unsqueeze(self.add("ArgMax", ids, axis=1, keepdims=1), [2])
            last = self.add("Add", self.add("Cast", end, to=F), self.constant(1.5))
            seen = self.add("Cast", self.add("Less", places, last), to=F)
        else:
            seen = self.unsqueeze(self.add("Cast", mask, to=F), [2])
        return self.reduce_sum(self.add("Mul", words, seen), [1])

    # [..., n] -> [..., 512]
    def spread(self, features, count, out):
        each = -(-WIDTH // count)
        waves = self.add("Mul", self.unsqueeze(features, [2]), self.constant(0.5 + 1.3 * np.arange(each).reshape(1, 1, each)))
        flat = self.add("Flatten", self.add("Sin", waves), axis=1)
        return self.add("Slice", flat, self.constant([0], np.int64), self.constant([WIDTH], np.int64),
                        self.constant([1], np.int64), out=out)

    # [N, n] -> [N, 512] by a matrix in one of three precisions
    def project(self, features, matrix, precision, out):
        if precision == "int8":
            quantised, scale, zero = self.add("DynamicQuantizeLinear", features, outputs=3)
            product = self.add("MatMulInteger", quantised, self.constant(matrix, np.int8), zero)
            factor = self.add("Mul", scale, self.constant(STEP))
            return self.add("Mul", self.add("Cast", product, to=F), factor, out=out)
        if precision == "fp16":
            half = self.add("MatMul", self.add("Cast", features, to=H), self.constant(matrix * STEP, np.float16))
            return self.add("Cast", half, to=F, out=out)
        weights = self.add("Mul", self.add("Cast", self.constant(matrix, np.int8), to=F), self.constant(STEP))
        return self.add("MatMul", features, weights, out=out)

    def save(self, name, inputs, outputs):
        graph = helper.make_graph(self.nodes, "tower", inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], producer_name="gst-bcp tests")
        model.ir_version = 6 if self.opset < 13 else 8 if self.opset < 19 else 10
        path = os.path.join(HERE, name)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        checker.check_model(path)
        run(path)


def run(path):
    """Each tower must run, and tell one input from another."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    kinds = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int32)": np.int32, "tensor(int64)": np.int64}
    results = []
    for seed in (1, 2):
        random, feed = np.random.default_rng(seed), {}
        for each in session.get_inputs():
            if len(each.shape) == 4:
                size = [SIZE if isinstance(side, str) else side for side in each.shape[2:]]
                feed[each.name] = random.normal(size=(1, 3, *size)).astype(kinds[each.type])
            elif "mask" in each.name:
                feed[each.name] = np.ones((1, CONTEXT), kinds[each.type])
            else:
                ids = np.zeros((1, CONTEXT), kinds[each.type])
                ids[0, :4] = [END - 1, *random.integers(300, 40000, 2), END]
                feed[each.name] = ids
        results.append(session.run(None, feed))
    for first, second in zip(*results):
        assert np.isfinite(first).all() and not np.allclose(first, second), path


def tensor(name, *shape, kind=F):
    return helper.make_tensor_value_info(name, kind, shape)


PICTURES = tensor("pixel_values", "batch_size", "num_channels", "height", "width")
IDS = tensor("input_ids", "batch_size", "sequence_length", kind=I64)
MASK = tensor("attention_mask", "batch_size", "sequence_length", kind=I64)


def hugging_face():
    for precision, ending in (("fp32", ""), ("fp16", "_fp16"), ("int8", "_quantized")):
        tower = Tower()
        tower.project(tower.picture_features("pixel_values"), IMAGE_MATRIX, precision, "image_embeds")
        tower.save(f"vision_model{ending}.onnx", [PICTURES], [tensor("image_embeds", "batch_size", WIDTH)])
        tower = Tower()
        tower.project(tower.text_features("input_ids"), TEXT_MATRIX, precision, "text_embeds")
        tower.save(f"text_model{ending}.onnx", [IDS], [tensor("text_embeds", "batch_size", WIDTH)])
    tower = Tower()
    tower.project(tower.text_features("input_ids", "attention_mask"), TEXT_MATRIX, "fp32", "text_embeds")
    tower.save("text_model_with_mask.onnx", [IDS, MASK], [tensor("text_embeds", "batch_size", "text_embeds_dim_1")])

    tower = Tower()
    tower.project(tower.picture_features("pixel_values"), IMAGE_MATRIX, "fp32", "image_embeds")
    tower.project(tower.text_features("input_ids", "attention_mask"), TEXT_MATRIX, "fp32", "text_embeds")
    cosines = tower.add("MatMul", "image_embeds", tower.add("Transpose", "text_embeds", perm=[1, 0]))
    scale = tower.add("Exp", tower.constant(np.log(80), name="logit_scale"))
    tower.add("Mul", cosines, scale, out="logits_per_image")
    tower.add("Transpose", "logits_per_image", perm=[1, 0], out="logits_per_text")
    batches = ("image_batch_size", "text_batch_size")
    tower.save("model.onnx",
               [tensor("input_ids", "text_batch_size", "sequence_length", kind=I64),
                tensor("pixel_values", "image_batch_size", "num_channels", "height", "width"),
                tensor("attention_mask", "text_batch_size", "sequence_length", kind=I64)],
               [tensor("logits_per_image", *batches), tensor("logits_per_text", *batches[::-1]),
                tensor("text_embeds", "text_batch_size", WIDTH), tensor("image_embeds", "image_batch_size", WIDTH)])

    # CLIPVisionModel without its projection: what people export by mistake.
    tower = Tower()
    features = tower.picture_features("pixel_values")
    waves = tower.add("Mul", tower.unsqueeze(features, [2]), tower.constant(1 + np.arange(64).reshape(1, 1, 64)))
    tower.add("Flatten", tower.add("Sin", waves), axis=1, out="pooler_output")
    tower.add("Expand", tower.unsqueeze("pooler_output", [1]), tower.constant([1, 50, 1], np.int64), out="last_hidden_state")
    tower.save("unprojected.onnx", [PICTURES], [tensor("last_hidden_state", "batch_size", 50, 768),
                                                tensor("pooler_output", "batch_size", 768)])


def external():
    tower = Tower()
    tower.add("MatMul", tower.picture_features("pixel_values"), "projection", out="image_embeds")
    weight = (IMAGE_MATRIX * STEP).astype(np.float32)
    stored = TensorProto(name="projection", data_type=F, dims=weight.shape, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "vision_model.onnx_data"), ("offset", "0"), ("length", str(weight.nbytes))):
        stored.external_data.add(key=key, value=value)
    with open(os.path.join(HERE, "vision_model.onnx_data"), "wb") as file:
        file.write(weight.tobytes())
    tower.weights.append(stored)
    tower.save("external.onnx", [PICTURES], [tensor("image_embeds", "batch_size", WIDTH)])


def towers_by_others():
    def image(name, source, target, batch, opset=17, kind=F, rank=2, normalise=False, mean=False):
        tower = Tower(opset)
        pixels = source if kind == F else tower.add("Cast", source, to=F)
        features = tower.picture_features(pixels)
        if mean:  # an operator whose axes moved from attribute to input
            features = tower.add("Sub", features, tower.reduce_mean(features, [1]))
        result = tower.spread(features, 12, None if normalise or rank == 3 or kind != F else target)
        if normalise:
            result = tower.add("LpNormalization", result, axis=-1, p=2, out=target)
        if rank == 3:
            axes = [tower.constant([1], np.int64)]
            result = tower.add("Unsqueeze", result, *axes, out=target)
        if kind != F:
            tower.add("Cast", result, to=kind, out=target)
        shape = [batch, WIDTH] if rank == 2 else [batch, 1, WIDTH]
        tower.save(name, [tensor(source, batch, 3, SIZE, SIZE, kind=kind)], [tensor(target, *shape, kind=kind)])

    def text(name, source, target, batch, kind=I32, normalise=False):
        tower = Tower()
        result = tower.spread(tower.text_features(source), 8, None if normalise else target)
        if normalise:
            tower.add("LpNormalization", result, axis=-1, p=2, out=target)
        tower.save(name, [tensor(source, batch, CONTEXT, kind=kind)], [tensor(target, batch, WIDTH)])

    image("immich_visual.onnx", "image", "embedding", 1, normalise=True)
    text("immich_textual.onnx", "text", "embedding", 1, normalise=True)
    image("visual.onnx", "input", "output", "batch_size")
    text("textual.onnx", "input", "output", "batch_size")
    text("textual_int64.onnx", "text", "text_features", "batch", kind=I64)
    image("half.onnx", "pixel_values", "image_embeds", "batch", kind=H)
    image("three_sides.onnx", "x.1", "3047", "batch", rank=3)
    for opset in range(11, 22):
        image(f"opset_{opset}.onnx", "input", "output", "batch", opset=opset, mean=True)

    # Words before they are pooled: whoever runs it takes the one at the end token.
    tower = Tower()
    words, _ = tower.word_features("text")
    sums = tower.add("CumSum", words, tower.constant(1, np.int64))
    waves = tower.add("Mul", tower.unsqueeze(sums, [3]), tower.constant(0.5 + 1.3 * np.arange(64).reshape(1, 1, 1, 64)))
    tower.add("Reshape", tower.add("Sin", waves), tower.constant([0, 0, WIDTH], np.int64), out="1951")
    tower.save("text_three_sides.onnx", [tensor("text", "batch", CONTEXT, kind=I64)],
               [tensor("1951", "batch", CONTEXT, WIDTH)])

    # A table of as many rows as CLIP has words.
    tower = Tower()
    table = tower.add("Cast", tower.constant((np.arange(WORDS) * 7 % 127).reshape(-1, 1), np.int8, "token_embedding.weight"), to=F)
    words = tower.add("Gather", table, "input_ids", axis=0)
    waves = tower.add("Sin", tower.add("Mul", words, tower.constant(0.13 * np.arange(1, 9).reshape(1, 1, 8))))
    tower.spread(tower.reduce_sum(waves, [1]), 8, "text_embeds")
    tower.save("text_with_table.onnx", [IDS], [tensor("text_embeds", "batch_size", WIDTH)])

    tower = Tower()
    features = tower.text_features("input_ids")
    waves = tower.add("Mul", tower.unsqueeze(features, [2]), tower.constant(1 + np.arange(96).reshape(1, 1, 96)))
    tower.add("Flatten", tower.add("Sin", waves), axis=1, out="text_embeds")
    tower.save("text_of_768.onnx", [IDS], [tensor("text_embeds", "batch_size", 768)])


if __name__ == "__main__":
    hugging_face()
    external()
    towers_by_others()
