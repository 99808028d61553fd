#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the toy models in this folder and the toy bundles in ../bundles. Run by hand; the tests need only its output.

    pip install onnx onnxruntime numpy
    tests/data/models/generate.py

A toy tower takes a picture of 32 x 32, averages each quarter of each channel (12 numbers) and projects them to 8. It
sees colour and rough position, so different pictures get different embeddings, and it weighs less than 1 kB.
"""
import hashlib
import json
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


def save(name, nodes, inputs, outputs, constants=(), functions=(), check=True):
    graph = helper.make_graph(nodes, "toy", inputs, outputs, list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="gst-bcp tests")
    model.ir_version = 8
    model.functions.extend(functions)
    if functions:
        model.opset_import.append(helper.make_opsetid("toy", 1))
    if check:
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
    make_shapes(picture)
    make_runaways(picture, width)
    make_functions(picture, width)
    with open(os.path.join(HERE, "toy.onnx"), "rb") as whole, open(os.path.join(HERE, "truncated.onnx"), "wb") as cut:
        cut.write(whole.read()[:700])


def project(nodes, out="image_embeds"):
    return [*features("pixel_values", "features"), helper.make_node("MatMul", ["features", "projection"], ["projected"]), *nodes]


def make_shapes(picture):
    """Sound towers that give their embedding in other ways than most."""
    projection = constant("projection", PROJECTION)
    save("two_odd_outputs.onnx", project([helper.make_node("Identity", ["projected"], ["3047"]),
                                          helper.make_node("Neg", ["projected"], ["3048"])]),
         [picture], [tensor("3047", "batch", WIDTH), tensor("3048", "batch", WIDTH)], [projection])
    save("one_vector.onnx", project([helper.make_node("Unsqueeze", ["projected", "one"], ["image_embeds"])]),
         [picture], [tensor("image_embeds", "batch", 1, WIDTH)], [projection, constant("one", [1], np.int64)])
    # The first of its vectors is the embedding, as a class token is; how many there are, only a run shows.
    save("class_token.onnx", project([helper.make_node("Unsqueeze", ["projected", "one"], ["first"]),
                                      helper.make_node("Neg", ["first"], ["second"]),
                                      helper.make_node("Concat", ["first", "second", "second"], ["tokens"], axis=1)]),
         [picture], [tensor("tokens", "batch", "number", "width")], [projection, constant("one", [1], np.int64)])
    # What Hugging Face exports without the projection: refused by name, whatever its width.
    save("pooler_output.onnx", project([helper.make_node("Identity", ["projected"], ["pooler_output"]),
                                        helper.make_node("Unsqueeze", ["projected", "one"], ["last_hidden_state"])]),
         [picture], [tensor("last_hidden_state", "batch", 1, WIDTH), tensor("pooler_output", "batch", WIDTH)],
         [projection, constant("one", [1], np.int64)])
    # Every picture of a batch gets what the first one has: what tracing with a batch of one can do.
    save("first_of_batch.onnx", project([helper.make_node("Gather", ["projected", "none"], ["first"], axis=0),
                                         helper.make_node("Mul", ["projected", "zero"], ["nothing"]),
                                         helper.make_node("Add", ["first", "nothing"], ["image_embeds"])]),
         [picture], [tensor("image_embeds", "batch", WIDTH)], [projection, constant("none", [0], np.int64), constant("zero", 0)])
    # Two outputs, so that the tower is cut out, and weights in a file of their own.
    with open(os.path.join(HERE, "outside.onnx_data"), "wb") as file:
        file.write(PROJECTION.tobytes())
    outside = TensorProto(name="projection", data_type=F, dims=PROJECTION.shape, data_location=TensorProto.EXTERNAL)
    outside.external_data.add(key="location", value="outside.onnx_data")
    save("outside.onnx", project([helper.make_node("Identity", ["projected"], ["image_embeds"]),
                                  helper.make_node("Unsqueeze", ["projected", "one"], ["last_hidden_state"])]),
         [picture], [tensor("last_hidden_state", "batch", 1, WIDTH), tensor("image_embeds", "batch", WIDTH)],
         [outside, constant("one", [1], np.int64)], check=False)
    half = TensorProto.FLOAT16
    save("half.onnx", [*features("pixel_values", "features"), helper.make_node("MatMul", ["features", "projection"], ["image_embeds"])],
         [tensor("pixel_values", "batch", 3, SIZE, SIZE, kind=half)], [tensor("image_embeds", "batch", WIDTH, kind=half)],
         [constant("projection", PROJECTION, np.float16)])


def loop(body_nodes, trips, start, out):
    """A Loop whose state begins as `start` and is "state_in" -> "state_out" in the body."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["again_in"], ["again_out"]), *body_nodes], "body",
        [helper.make_tensor_value_info("trip", TensorProto.INT64, []), helper.make_tensor_value_info("again_in", TensorProto.BOOL, []),
         helper.make_tensor_value_info("state_in", F, None)],
        [helper.make_tensor_value_info("again_out", TensorProto.BOOL, []), helper.make_tensor_value_info("state_out", F, None)])
    return helper.make_node("Loop", [trips, "yes", start], [out], body=body)


def make_runaways(picture, width):
    """Models no machine could finish: each adds 0 times the result of endless work to a sound embedding."""
    shared = [constant("projection", PROJECTION), constant("yes", True, np.bool_), constant("zero", 0), constant("one", [1.0])]
    ending = [helper.make_node("ReduceMean", ["endless"], ["mean"], keepdims=0), helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
              helper.make_node("Add", ["projected", "nothing"], ["image_embeds"])]
    add = helper.make_node("Add", ["state_in", "state_in"], ["state_out"])
    double = helper.make_node("Concat", ["state_in", "state_in"], ["state_out"], axis=0)
    never = np.iinfo(np.int64).max
    save("loops_for_ever.onnx", project([loop([add], "never", "one", "endless"), *ending]), [picture], [width],
         [*shared, constant("never", never, np.int64)])
    save("grows_for_ever.onnx", project([loop([double], "never", "one", "endless"), *ending]), [picture], [width],
         [*shared, constant("never", never, np.int64)])
    # Constant from end to end, so a runtime that computes constants in advance meets it before the first run.
    chain = [helper.make_node("Concat", [f"c{i}", f"c{i}"], [f"c{i + 1}"], axis=0) for i in range(45)]
    save("constant_for_ever.onnx", project([helper.make_node("Identity", ["one"], ["c0"]), *chain,
                                            helper.make_node("Identity", ["c45"], ["endless"]), *ending]), [picture], [width], shared)


def make_functions(picture, width):
    """Twenty functions, each of which calls the one before it twice: a million nodes in two kilobytes."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("toy", 1)]
    functions = [helper.make_function("toy", "F0", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], opsets)]
    for i in range(1, 21):
        functions.append(helper.make_function("toy", f"F{i}", ["x"], ["y"], [
            helper.make_node(f"F{i - 1}", ["x"], ["z"], domain="toy"), helper.make_node(f"F{i - 1}", ["z"], ["y"], domain="toy")], opsets))
    save("functions_for_ever.onnx", project([helper.make_node("F20", ["projected"], ["image_embeds"], domain="toy")]), [picture], [width],
         [constant("projection", PROJECTION)], functions)


# Ids of words in CLIP's vocabulary that are one token each.
WORDS = {"red": 736, "green": 1901, "blue": 1746, "yellow": 4481, "magenta": 38091}
START = 49406


def words(name, slow=0, fault=""):
    """A text tower that knows these words: a text gets the embedding of the colours in it, and a little of every other
    token. `slow`: so many products of matrices come first, about 0.7 ms each on one core. `fault`: "batch" gives every text of
    a batch what the first has, "padding" counts padding among the tokens."""
    vectors = np.stack([np.repeat(np.asarray(COLOURS[word], np.float32), 4) @ PROJECTION for word in WORDS])
    frequencies = np.random.default_rng(11).uniform(0.1, 3, size=WIDTH)
    nodes = [
        helper.make_node("Unsqueeze", ["input_ids", "last"], ["each"]),
        helper.make_node("Equal", ["each", "known"], ["equal"]),
        helper.make_node("Cast", ["equal"], ["hits"], to=F),
        helper.make_node("ReduceMax", ["hits"], ["present"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["present", "vectors"], ["colours"]),
        helper.make_node("Cast", ["each"], ["numbers"], to=F),
        helper.make_node("Mul", ["numbers", "frequencies"], ["angles"]),
        helper.make_node("Cos" if fault == "padding" else "Sin", ["angles"], ["waves"]),
        helper.make_node("Less", ["each", "start"], ["ordinary"]),
        helper.make_node("Greater", ["each", "least"], ["something"]),
        helper.make_node("And", ["ordinary", "something"], ["counts"]),
        helper.make_node("Cast", ["counts"], ["weights"], to=F),
        helper.make_node("Mul", ["waves", "weights"], ["weighed"]),
        helper.make_node("ReduceSum", ["weighed", "first"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["sum", "little"], ["rest"]),
        helper.make_node("Add", ["colours", "rest"], ["quick" if slow or fault == "batch" else "text_embeds"]),
    ]
    if fault == "batch":
        nodes += [helper.make_node("Gather", ["quick", "nothing"], ["row"], axis=0), helper.make_node("Sub", ["quick", "quick"], ["none"]),
                  helper.make_node("Add", ["row", "none"], ["text_embeds"])]
    constants = [constant("last", [-1], np.int64), constant("known", list(WORDS.values()), np.int64), constant("vectors", vectors),
                 constant("frequencies", frequencies), constant("start", [START], np.int64), constant("nothing", [0], np.int64),
                 constant("least", [-1 if fault == "padding" else 0], np.int64),
                 constant("first", [1], np.int64), constant("little", 0.02)]
    if slow:
        nodes += [helper.make_node("RandomUniform", [], ["matrix"], shape=[256, 256], low=0.0, high=0.0078, seed=1.0),
                  loop([helper.make_node("MatMul", ["state_in", "state_in"], ["product"]),
                        helper.make_node("Clip", ["product", "", "one"], ["state_out"])], "times", "matrix", "slowly"),
                  helper.make_node("ReduceMean", ["slowly"], ["mean"], keepdims=0),
                  helper.make_node("Mul", ["mean", "zero"], ["none"]), helper.make_node("Add", ["quick", "none"], ["text_embeds"])]
        constants += [constant("times", slow, np.int64), constant("yes", True, np.bool_), constant("one", 1.0), constant("zero", 0)]
    save(name, nodes, [tensor("input_ids", "batch", "length", kind=TensorProto.INT64)], [tensor("text_embeds", "batch", WIDTH)], constants)


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
    for name, model in {"toy-words": "words", "toy-slow-words": "slow_words"}.items():
        make_text_bundle(name, model)


def make_text_bundle(name, model):
    directory = os.path.join(BUNDLES, name)
    os.makedirs(directory, exist_ok=True)
    sums = {}
    for source, target in {"toy": "visual.onnx", model: "textual.onnx"}.items():
        with open(os.path.join(HERE, source + ".onnx"), "rb") as file:
            data = file.read()
        with open(os.path.join(directory, target), "wb") as file:
            file.write(data)
        sums[target] = hashlib.sha256(data).hexdigest()
    manifest = {"format": 1, "name": name, "licence": "LGPL-2.1-or-later", "description": "Knows the words for five colours.",
                "image": {"size": SIZE, "mean": [0, 0, 0], "std": [1, 1, 1]}, "logit_scale": 20, "embedding_size": WIDTH,
                "visual": {"file": "visual.onnx"}, "textual": {"file": "textual.onnx"}, "sha256": sums}
    with open(os.path.join(directory, "bundle.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    make_models()
    words("words.onnx")
    words("slow_words.onnx", slow=100)
    words("words_first_of_batch.onnx", fault="batch")
    words("words_with_padding.onnx", fault="padding")
    make_bundles()
