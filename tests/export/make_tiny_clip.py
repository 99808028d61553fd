#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes tests/data/bundles/tiny-clip: a CLIP of 1 MB with random weights, and what PyTorch makes of some inputs.

    scripts/setup.sh --export && .deps/export/bin/python tests/export/make_tiny_clip.py

Run by hand; the tests need only its output. The architecture is ViT-B/32's at a fraction of its width, with CLIP's whole
vocabulary. expected.json has PyTorch's unit embeddings of the two test pictures of models/README.md and of some texts.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import open_clip
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BUNDLE = os.path.join(ROOT, "tests", "data", "bundles", "tiny-clip")
sys.path.insert(0, os.path.join(ROOT, "models"))
from make_bundle import sha256, test_picture, write_manifest  # noqa: E402

CONFIG = {
    "model_cfg": {
        "embed_dim": 16, "quick_gelu": True,
        "vision_cfg": {"image_size": 32, "layers": 2, "width": 16, "head_width": 8, "patch_size": 8},
        "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 8, "heads": 2, "layers": 2},
    },
    "preprocess_cfg": {"mean": open_clip.OPENAI_DATASET_MEAN, "std": open_clip.OPENAI_DATASET_STD},
}
TEXTS = ["a photo of a cat", "a photo of a dog", "", "Zwei Räder, 自転車, 🚲!", "a street at night " * 40, "cat"]


def write_model(directory):
    """A model as open_clip keeps them, its token table rounded to fp16."""
    with open(os.path.join(directory, "open_clip_config.json"), "w", encoding="utf-8") as file:
        json.dump(CONFIG, file)
    torch.manual_seed(4)
    model = open_clip.create_model("local-dir:" + directory)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.ndim > 1 or "embedding" in name:
                value.mul_(4)  # small networks begin too tame: every text would get nearly the same embedding
        model.token_embedding.weight.copy_(model.token_embedding.weight.half().float())
        model.logit_scale.fill_(np.log(20))
    torch.save(model.state_dict(), os.path.join(directory, "open_clip_pytorch_model.bin"))
    return model.eval()


def halve_token_table(path):
    """Stores the token table as fp16: half the file, and not one number changed."""
    model = onnx.load(path)
    table = max(model.graph.initializer, key=lambda tensor: np.prod(tensor.dims))
    values = onnx.numpy_helper.to_array(table)
    halves = values.astype(np.float16)
    assert (halves.astype(np.float32) == values).all()
    table.CopyFrom(onnx.numpy_helper.from_array(halves, table.name))
    index, gather = next((i, node) for i, node in enumerate(model.graph.node) if table.name in node.input)
    floats = gather.output[0]
    gather.output[0] = floats + "_fp16"
    model.graph.node.insert(index + 1, onnx.helper.make_node("Cast", [gather.output[0]], [floats], to=onnx.TensorProto.FLOAT))
    onnx.checker.check_model(model)
    onnx.save(model, path)


def unit(rows):
    rows = rows.double()
    return [[round(float(v), 7) for v in row] for row in rows / rows.norm(dim=1, keepdim=True)]


def main():
    with tempfile.TemporaryDirectory() as scratch:
        model = write_model(scratch)
        subprocess.run([sys.executable, os.path.join(ROOT, "models", "export_clip.py"), BUNDLE, "--open-clip", "local-dir:" + scratch,
                        "--licence", "LGPL-2.1-or-later", "--description", "Random weights: it recognises nothing."], check=True)
    halve_token_table(os.path.join(BUNDLE, "textual.onnx"))
    with open(os.path.join(BUNDLE, "bundle.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    manifest["sha256"]["textual.onnx"] = sha256(os.path.join(BUNDLE, "textual.onnx"))
    write_manifest(BUNDLE, manifest)

    tokenizer = open_clip.SimpleTokenizer()
    size, mean, std = manifest["image"]["size"], manifest["image"]["mean"], manifest["image"]["std"]
    with torch.no_grad():
        images = unit(model.encode_image(torch.from_numpy(np.stack([test_picture(number, size, mean, std) for number in (0, 1)]))))
        ids = tokenizer(TEXTS)
        texts = unit(model.encode_text(ids))
    expected = {"images": [{"picture": number, "embedding": row} for number, row in enumerate(images)],
                "texts": [{"text": text, "ids": [int(v) for v in row[: int(row.argmax()) + 1]], "embedding": embedding}
                          for text, row, embedding in zip(TEXTS, ids, texts)]}
    lines = {key: ",\n".join("    " + json.dumps(entry, ensure_ascii=False) for entry in entries) for key, entries in expected.items()}
    with open(os.path.join(BUNDLE, "expected.json"), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f'  "{key}": [\n{text}\n  ]' for key, text in lines.items()) + "\n}\n")


if __name__ == "__main__":
    main()
