#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges an exported bundle by PyTorch itself; what it finds wrong ends it with a sentence.

    judge.py towers SOURCE BUNDLE           names, types and shapes of the towers; their embeddings against PyTorch's
    judge.py variant BUNDLE VARIANT LEAST   the cosines a variant claims, and that they are LEAST or more
    judge.py element SOURCE BUNDLE LINE     a line of bcppublish for a plain frame of the colour below, against PyTorch

SOURCE is a checkpoint of OpenAI's form, or NAME=FILE for an open_clip architecture. Both are loaded by open_clip's own
loaders, which export_clip.py does not use, and compared on other inputs than those it compares.
"""
import hashlib
import json
import os
import sys

import numpy as np
import onnx
import onnxruntime
import open_clip
import torch

COLOUR = (200, 60, 20)
TOLERANCE = 1e-4


def load(source):
    name, found, file = source.partition("=")
    if found:
        return open_clip.create_model(name, pretrained=file).eval()
    return open_clip.load_openai_model(source, precision="fp32", device="cpu").eval()


def read_manifest(bundle):
    with open(os.path.join(bundle, "bundle.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    for name, sum_ in manifest["sha256"].items():
        with open(os.path.join(bundle, name), "rb") as file:
            assert hashlib.sha256(file.read()).hexdigest() == sum_, f"{name} does not have the sum in bundle.json"
    return manifest


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def check_shape(path, width, wanted):
    """One input, one output, both with a dynamic batch; fp32 weights, opset 17."""
    model = onnx.load(path)
    kinds = {onnx.TensorProto.FLOAT: "float", onnx.TensorProto.INT64: "int64"}
    described = [(t.name, kinds.get(t.type.tensor_type.elem_type), [d.dim_param or d.dim_value for d in t.type.tensor_type.shape.dim])
                 for t in (*model.graph.input, *model.graph.output)]
    assert described == [wanted, (described[1][0], "float", ["batch", width])], f"{path} has {described}"
    assert described[1][0] in ("image_embeds", "text_embeds"), described
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 17)], model.opset_import
    assert not any(t.data_type == onnx.TensorProto.FLOAT16 for t in model.graph.initializer), f"{path} is not fp32"


def towers(source, bundle):
    manifest, model = read_manifest(bundle), load(source)
    size, width = manifest["image"]["size"], manifest["embedding_size"]
    visual, textual = (os.path.join(bundle, manifest[key]["file"]) for key in ("visual", "textual"))
    check_shape(visual, width, ("pixel_values", "float", ["batch", 3, size, size]))
    check_shape(textual, width, ("input_ids", "int64", ["batch", "length"]))
    assert abs(manifest["logit_scale"] - float(model.logit_scale.exp())) < 1e-3, manifest["logit_scale"]

    pictures = np.random.default_rng(7).normal(size=(3, 3, size, size)).astype(np.float32)
    ids = open_clip.tokenize(["a dog", "two birds on a wire", "x " * 100]).numpy()
    with torch.no_grad():
        expected = {"image": model.encode_image(torch.from_numpy(pictures)).numpy(), "text": model.encode_text(torch.from_numpy(ids)).numpy()}
        first = unit(model.encode_text(open_clip.tokenize([manifest["self_test"]["text"]])).numpy())[0]
    for what, path, inputs in (("image", visual, pictures), ("text", textual, ids)):
        run = session(path)
        name = run.get_inputs()[0].name
        together = run.run(None, {name: inputs})[0]
        apart = np.concatenate([run.run(None, {name: inputs[i : i + 1]})[0] for i in range(3)])
        for found in (together, apart):
            error = np.abs(unit(found) - unit(expected[what])).max()
            assert error < TOLERANCE, f"{what}: {error} from PyTorch's"
        print(f"{what}: unit embeddings within {error:.1e} of PyTorch's, raw ones within {np.abs(together - expected[what]).max():.1e}")
    assert np.abs(np.array(manifest["self_test"]["text_embedding"]) - first[:32]).max() < TOLERANCE, "self_test.text_embedding is another"
    assert manifest["self_test"]["tokens"] == [49406, 320, 1125, 539, 320, 2368, 49407], manifest["self_test"]["tokens"]


def variant(bundle, smaller, least):
    """The bundle's own claim, checked on other inputs."""
    claim, manifest = read_manifest(smaller)["variant"], read_manifest(bundle)
    size = manifest["image"]["size"]
    coarse = np.random.default_rng(8).random((4, 3, 7, 7)).astype(np.float32) * 4 - 2
    inputs = {"image": np.kron(coarse, np.ones((1, 1, size // 7, size // 7), np.float32)), "text": open_clip.tokenize(["a cow", "rain", "an empty street", "7"]).numpy()}
    for what, key in (("image", "visual"), ("text", "textual")):
        both = []
        for directory in (bundle, smaller):
            run = session(os.path.join(directory, manifest[key]["file"]))
            both.append(unit(run.run(None, {run.get_inputs()[0].name: inputs[what]})[0]))
        lowest = float((both[0] * both[1]).sum(axis=1).min())
        print(f"{claim['precision']}, {what}: cosine with fp32 {lowest:.6f} at least; claimed {claim[what + '_cosine']['lowest']:.6f}")
        assert min(lowest, claim[what + "_cosine"]["lowest"]) >= float(least), f"{smaller}: {what} drifts too far"


def element(source, bundle, line):
    """What the element scored must be PyTorch's, up to what is common to all labels."""
    manifest, model, result = read_manifest(bundle), load(source), json.loads(line)
    scores = {entry["label"]: entry["zero_shot"] for entry in result["labels"]}
    assert len(scores) == 3, line
    size = manifest["image"]["size"]
    mean, std = (np.array(manifest["image"][key], np.float32) for key in ("mean", "std"))
    plain = np.tile(((np.array(COLOUR, np.float32) / 255 - mean) / std).reshape(1, 3, 1, 1), (1, 1, size, size)).astype(np.float32)
    with torch.no_grad():
        image = unit(model.encode_image(torch.from_numpy(plain)).numpy())
        texts = unit(model.encode_text(open_clip.tokenize([f"a photo of a {label}" for label in scores])).numpy())
    expected = (manifest["logit_scale"] * image @ texts.T)[0]
    found = np.array(list(scores.values()))
    error = np.abs((found - found.mean()) - (expected - expected.mean())).max()
    print(f"element: logits within {error:.1e} of PyTorch's, which span {np.ptp(expected):.2f}")
    assert error < manifest["logit_scale"] * 2 * TOLERANCE, f"the element's {scores} are not PyTorch's {expected}"


if __name__ == "__main__":
    commands = {"towers": towers, "variant": variant, "element": element}
    if len(sys.argv) < 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    try:
        commands[sys.argv[1]](*sys.argv[2:])
    except AssertionError as wrong:
        sys.exit(f"judge.py: {wrong}")
