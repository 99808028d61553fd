#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""SigLIP, SigLIP 2 and MobileCLIP with random weights, from their own libraries, and what these make of some inputs.

    families.py make [DIR]                         writes each family of tests/data/families, or to another directory
    families.py open-clip FAMILY DIR               writes a model as open_clip keeps them, for export_clip.py
    families.py compare SOURCE MODEL GST_BCP       compares what gst-bcp makes of MODEL with SOURCE: a directory of the first kind
                                                   (its expected.json) or of the second (open_clip itself)

    scripts/setup.sh --export && .deps/export/bin/python tests/export/families.py make

Each directory is laid out as such models are published. expected.json has the unit embeddings and the logits of three of the
pictures of tests/data/pillow/generate.py and of TEXTS, through the library's own processor and tokenizer, in PyTorch.
The architectures are the published ones at a fraction of their width; the tokenizers are those of tests/data/tokenizer.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import open_clip
import torch
import transformers

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
FAMILIES = os.path.join(DATA, "families")
sys.path.insert(0, os.path.join(DATA, "pillow"))
from generate import picture  # noqa: E402

TEXTS = ["a photo of a cat", "A photo of a dog.", "traffic light", "two bicycles, side by side!", "STREET AT NIGHT", "", " cat ",
         "ein Fahrrad vor dem Haus", "straße", "un café très noir", "собака на улице", "Привет, МИР", "γάτα", "犬と猫", "人人生而自由",
         "고양이 사진", "قطة على السرير", "नमस्ते दुनिया", "🚲 and ①②③", "a very long sentence about a street " * 12]
PICTURES = range(3, 6)
TOLERANCE = 1e-4


def enliven(model, factor, seed):
    """Small networks begin too tame: every input would get nearly the same embedding. Too lively, they would make much of one level
    of a byte, by which a bilinear resize may differ from Pillow's (tests/core/image_filter_test.cpp)."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "logit" in name:
                continue
            if value.ndim > 1:
                value.copy_(torch.randn(value.shape, generator=generator) * factor / value.shape[-1] ** 0.5)
            elif name.endswith("bias"):
                value.copy_(torch.randn(value.shape, generator=generator) * 0.1)
    return model.eval()


class Output(torch.nn.Module):
    """A method of a model as a module of its own."""

    def __init__(self, model, run):
        super().__init__()
        self.model, self.run = model, run

    def forward(self, *inputs):
        return self.run(self.model, *inputs)


def save(module, path, inputs, outputs):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    axes = {name: {0: "batch_size"} for name in [*inputs, *outputs]}
    torch.onnx.export(module, tuple(inputs.values()), path, input_names=list(inputs), output_names=outputs, dynamic_axes=axes,
                      opset_version=17, do_constant_folding=True)


def write_json(directory, name, value):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.write("\n")


def unit(rows):
    rows = np.asarray(rows, np.float64)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def write_expected(directory, images, texts, logits, **more):
    rounded = {name: np.round(values, 7).tolist() for name, values in
               {"images": unit(images), "texts": unit(texts), "logits": logits.astype(np.float64)}.items()}
    with open(os.path.join(directory, "expected.json"), "w", encoding="utf-8") as file:
        lines = [f'"strings": {json.dumps(TEXTS, ensure_ascii=False)}']
        lines += [f'"{name}": {json.dumps(value)}' for name, value in {**rounded, **more}.items()]
        file.write("{" + ",\n ".join(lines) + "}\n")


def siglip_model(words, seed):
    torch.manual_seed(seed)
    common = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.SiglipConfig(
        text_config={**common, "vocab_size": words, "max_position_embeddings": 64, "bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 1},
        vision_config={**common, "image_size": 32, "patch_size": 8})
    model = transformers.SiglipModel(config)
    enliven(model.text_model, 2.5, seed)
    enliven(model.vision_model, 1, seed)
    model.eval()
    model.vision_model.embeddings.patch_embedding.padding = (0, 0)  # what "valid" means; torch 1.13 cannot export the word
    with torch.no_grad():
        model.logit_scale.fill_(3.4)  # of checkpoints: about 4.7
        model.logit_bias.fill_(-6.5)  # about -13
    return model


def make_siglip(directory, tokenizer_file, resample, pad, one_file, seed):
    """As Transformers.js has it: two towers, or both in one file."""
    os.makedirs(directory, exist_ok=True)
    tokenizer_path = os.path.join(DATA, "tokenizer", tokenizer_file)
    shutil.copyfile(tokenizer_path, os.path.join(directory, "tokenizer.json"))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=tokenizer_path, pad_token=pad, model_max_length=64)
    model = siglip_model(len(tokenizer), seed)
    processor = transformers.SiglipImageProcessor(size={"height": 32, "width": 32}, resample=resample)
    write_json(directory, "config.json", {
        "architectures": ["SiglipModel"], "model_type": "siglip",
        "text_config": {"model_type": "siglip_text_model", "vocab_size": len(tokenizer), "max_position_embeddings": 64},
        "vision_config": {"model_type": "siglip_vision_model", "image_size": 32, "patch_size": 8}})
    write_json(directory, "preprocessor_config.json", json.loads(processor.to_json_string()))
    write_json(directory, "tokenizer_config.json", {"pad_token": pad, "model_max_length": 64})

    pixels = processor([picture(n) for n in PICTURES], return_tensors="pt")["pixel_values"]
    ids = tokenizer(TEXTS, padding="max_length", max_length=64, truncation=True, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        found = model(input_ids=ids, pixel_values=pixels)
    if one_file:
        class Both(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = model

            def forward(self, input_ids, pixel_values):
                result = self.inner(input_ids=input_ids, pixel_values=pixel_values)
                return result.logits_per_image, result.logits_per_text, result.text_embeds, result.image_embeds

        save(Both(), os.path.join(directory, "onnx", "model.onnx"), {"input_ids": ids[:2], "pixel_values": pixels[:2]},
             ["logits_per_image", "logits_per_text", "text_embeds", "image_embeds"])
    else:
        def pooled(tower, *inputs):
            result = tower(*inputs)
            return result.last_hidden_state, result.pooler_output

        names = ["last_hidden_state", "pooler_output"]
        save(Output(model.vision_model, pooled), os.path.join(directory, "onnx", "vision_model.onnx"), {"pixel_values": pixels[:2]}, names)
        save(Output(model.text_model, pooled), os.path.join(directory, "onnx", "text_model.onnx"), {"input_ids": ids[:2]}, names)
        write_json(directory, "presence.json", {"logit_scale": float(model.logit_scale.exp()), "logit_bias": float(model.logit_bias)})
    write_expected(directory, found.image_embeds.numpy(), found.text_embeds.numpy(), found.logits_per_image.detach().numpy(),
                   logit_scale=float(model.logit_scale.exp()), logit_bias=float(model.logit_bias))


def write_vocabulary(directory):
    """CLIP's own merges, the first of them: every word can be written, with more tokens. Returns open_clip's tokenizer."""
    with gzip.open(open_clip.tokenizer.default_bpe(), "rt", encoding="utf-8") as file:
        merges = file.read().split("\n")[:301]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "merges.txt.gz")
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.write("\n".join(merges))
        tokenizer = open_clip.SimpleTokenizer(bpe_path=path, context_length=77)
    with open(os.path.join(directory, "merges.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(["#version: 0.2", *merges[1:]]) + "\n")
    with open(os.path.join(directory, "vocab.json"), "w", encoding="utf-8") as file:
        json.dump({token.replace("<start_of_text>", "<|startoftext|>").replace("<end_of_text>", "<|endoftext|>"): number
                   for token, number in tokenizer.encoder.items()}, file, ensure_ascii=False)
    return tokenizer


def make_open_clip(directory, vision, preprocess, seed):
    """As open_clip's models are exported: two towers, its configuration, a vocabulary."""
    torch.manual_seed(seed)
    os.makedirs(directory, exist_ok=True)
    tokenizer = write_vocabulary(directory)
    config = {"model_cfg": {"embed_dim": 16, "custom_text": True, "vision_cfg": vision,
                            "text_cfg": {"context_length": 77, "vocab_size": tokenizer.vocab_size, "width": 16, "heads": 2, "layers": 2, "no_causal_mask": True}},
              "preprocess_cfg": preprocess}
    write_json(directory, "open_clip_config.json", config)
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(os.path.join(directory, "open_clip_config.json"), scratch)
        model, _, prepare = open_clip.create_model_and_transforms("local-dir:" + scratch, load_weights=False)
    enliven(model, 1.5, seed)
    with torch.no_grad():
        model.logit_scale.fill_(np.log(40))
    pixels, ids = torch.stack([prepare(picture(n)) for n in PICTURES]), tokenizer(TEXTS)
    with torch.no_grad():
        images, texts, scale = model.encode_image(pixels), model.encode_text(ids), float(model.logit_scale.exp())
    torch.backends.mha.set_fastpath_enabled(False) if hasattr(torch.backends, "mha") else None
    save(Output(model, lambda m, x: m.encode_image(x)), os.path.join(directory, "visual.onnx"), {"input": pixels[:2]}, ["output"])
    save(Output(model, lambda m, x: m.encode_text(x)), os.path.join(directory, "textual.onnx"), {"input": ids[:2]}, ["output"])
    write_json(directory, "presence.json", {"logit_scale": scale})
    write_expected(directory, images.numpy(), texts.numpy(), scale * unit(images.numpy()) @ unit(texts.numpy()).T, logit_scale=scale, logit_bias=0)


MAKERS = {
    "siglip": lambda d: make_siglip(d, "unigram_siglip.json", 3, "</s>", False, 11),
    "siglip2": lambda d: make_siglip(d, "bpe_siglip2_lowercase.json", 2, "<pad>", True, 12),
    "mobileclip": lambda d: make_open_clip(
        d, {"image_size": 32, "layers": 2, "width": 16, "head_width": 8, "patch_size": 8},
        {"size": [32, 32], "mode": "RGB", "mean": [0, 0, 0], "std": [1, 1, 1], "interpolation": "bilinear", "resize_mode": "shortest", "fill_color": 0}, 13),
}


SMALL_TEXT = {"context_length": 77, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 2}
CLIP_PICTURES = {"mean": list(open_clip.OPENAI_DATASET_MEAN), "std": list(open_clip.OPENAI_DATASET_STD)}
# The image towers of the published models, or the smallest of their class, beside a small text tower.
OPEN_CLIP = {
    "mobileclip2": {"model_cfg": {"embed_dim": 512, "custom_text": True,
                                  "vision_cfg": {"timm_model_name": "fastvit_mci0", "timm_pool": "avg", "timm_proj": None, "image_size": 256},
                                  "text_cfg": {**SMALL_TEXT, "no_causal_mask": True}},
                    "preprocess_cfg": {"mean": [0, 0, 0], "std": [1, 1, 1], "interpolation": "bilinear", "resize_mode": "shortest"}},
    "eva02": {"model_cfg": {"embed_dim": 32, "custom_text": True,
                            "vision_cfg": {"timm_model_name": "eva02_tiny_patch14_224", "timm_pool": "token", "timm_proj": "linear", "image_size": 224},
                            "text_cfg": SMALL_TEXT},
              "preprocess_cfg": {**CLIP_PICTURES, "interpolation": "bicubic", "resize_mode": "shortest"}},
    "dfn": {"model_cfg": {"embed_dim": 16, "quick_gelu": True, "text_cfg": SMALL_TEXT,
                          "vision_cfg": {"image_size": 42, "layers": 2, "width": 16, "head_width": 8, "patch_size": 14}},
            "preprocess_cfg": {**CLIP_PICTURES, "interpolation": "bicubic", "resize_mode": "squash"}},
    "metaclip": {"model_cfg": {"embed_dim": 16, "quick_gelu": True, "text_cfg": SMALL_TEXT,
                               "vision_cfg": {"image_size": 32, "layers": 2, "width": 16, "head_width": 8, "patch_size": 8}},
                 "preprocess_cfg": {**CLIP_PICTURES, "interpolation": "bicubic", "resize_mode": "shortest"}},
    "siglip": {"model_cfg": {"embed_dim": 192, "init_logit_bias": -10, "custom_text": True,
                             "vision_cfg": {"timm_model_name": "vit_tiny_patch16_224", "timm_pool": "map", "timm_proj": "none", "image_size": 224},
                             "text_cfg": {"context_length": 64, "vocab_size": 700, "hf_tokenizer_name": "siglip", "tokenizer_kwargs": {"clean": "canonicalize"},
                                          "width": 16, "heads": 2, "layers": 2, "no_causal_mask": True, "proj_bias": True, "pool_type": "last",
                                          "norm_kwargs": {"eps": 1e-6}, "act_kwargs": {"approximate": "tanh"}}},
               "preprocess_cfg": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "interpolation": "bicubic", "resize_mode": "squash"}},
}


def settle(model, size):
    """Convolutions keep the weights they begin with; what they add must be seen, and their statistics must be of pictures."""
    norms = [module for module in model.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    with torch.no_grad():
        for name, value in model.visual.named_parameters():
            if name.endswith("gamma"):
                value.fill_(0.5)
        for norm in norms:
            norm.momentum = None  # average, so that one pass sets the statistics
        if norms:
            pixels = [np.asarray(picture(n).resize((size, size)), np.float32) / 255 for n in PICTURES]
            model.train().encode_image(torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2))
    model.eval()


def write_open_clip(family, directory):
    torch.manual_seed(20)
    write_json(directory, "open_clip_config.json", OPEN_CLIP[family])
    if family == "siglip":
        shutil.copyfile(os.path.join(DATA, "tokenizer", "unigram_siglip.json"), os.path.join(directory, "tokenizer.json"))
        write_json(directory, "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "</s>", "eos_token": "</s>",
                                                        "unk_token": "<unk>", "model_max_length": 64})
    model = open_clip.create_model("local-dir:" + directory, load_weights=False)
    enliven(model.text if hasattr(model, "text") else model.transformer, 1.5, 21)
    settle(model, OPEN_CLIP[family]["model_cfg"]["vision_cfg"]["image_size"])
    with torch.no_grad():
        model.logit_scale.fill_(3.5)
        if getattr(model, "logit_bias", None) is not None:
            model.logit_bias.fill_(-4)
    torch.save(model.state_dict(), os.path.join(directory, "open_clip_pytorch_model.bin"))


def expected_of(source):
    path = os.path.join(source, "expected.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    model, _, prepare = open_clip.create_model_and_transforms("local-dir:" + source)
    tokenizer = open_clip.get_tokenizer("local-dir:" + source)
    model.eval()
    with torch.no_grad():
        images = unit(model.encode_image(torch.stack([prepare(picture(n)) for n in PICTURES])).numpy())
        texts = unit(model.encode_text(tokenizer(TEXTS)).numpy())
    bias = getattr(model, "logit_bias", None)
    scale, bias = float(model.logit_scale.exp()), float(bias) if bias is not None else 0
    return {"images": images, "texts": texts, "logits": scale * images @ texts.T + bias, "logit_scale": scale, "logit_bias": bias}


def compare(source, model, program):
    expected = expected_of(source)
    with tempfile.TemporaryDirectory() as scratch:
        def embed(*what):
            out = os.path.join(scratch, "out.npy")
            subprocess.run([program, "model", "embed", *what, out, "--model", model], check=True, stdout=subprocess.DEVNULL)
            return np.load(out).astype(np.float64)

        images = []
        for number in PICTURES:
            path = os.path.join(scratch, "picture.png")
            picture(number).save(path)
            images.append(embed(path))
        texts = np.stack([embed("--text", text) for text in TEXTS])
        checked = subprocess.run([program, "model", "check", model, "--json"], check=True, capture_output=True, text=True)
    found = json.loads(checked.stdout)
    logits = found["logit_scale"] * np.stack(images) @ texts.T + found.get("logit_bias", 0)
    for what, values, unit_of in (("images", np.stack(images), 1), ("texts", texts, 1), ("logits", logits, found["logit_scale"])):
        error = np.abs(values - np.asarray(expected[what])).max() / unit_of
        print(f"{what}: within {error:.1e}")
        if not error <= TOLERANCE:
            sys.exit(f"families.py: the {what} of {model} differ from those of {source} by {error}")


def make(target=FAMILIES):
    for name, maker in MAKERS.items():
        directory = os.path.join(target, name)
        shutil.rmtree(directory, ignore_errors=True)
        maker(directory)


if __name__ == "__main__":
    commands = {"make": make, "open-clip": write_open_clip, "compare": compare}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
