# SPDX-License-Identifier: LGPL-2.1-or-later
"""A repository as people publish them, with towers that really run: make_repository.py DIRECTORY LAYOUTS [KIND]

LAYOUTS is tests/data/layouts. KIND: hugging-face (default; image tower of 1 MB, in fp32, fp16 and quantised), immich,
external (weights in a file of their own), weights (no ONNX file).
"""
import json
import pathlib
import shutil
import sys

DIRECTORY, LAYOUTS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
KIND = sys.argv[3] if len(sys.argv) > 3 else "hugging-face"
CLIP = {"architectures": ["CLIPModel"], "model_type": "clip", "projection_dim": 512,
        "text_config": {"model_type": "clip_text_model", "max_position_embeddings": 77, "vocab_size": 49408},
        "vision_config": {"model_type": "clip_vision_model", "image_size": 224, "patch_size": 32}}
OPEN_CLIP = {"embed_dim": 512, "vision_cfg": {"image_size": 224, "layers": 12, "width": 768, "patch_size": 32},
             "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 512, "heads": 8, "layers": 12}}
MEAN, STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]


def write(path, content):
    (DIRECTORY / path).parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        (DIRECTORY / path).write_bytes(content)
    else:
        (DIRECTORY / path).write_text(content if isinstance(content, str) else json.dumps(content, indent=2))


def tower(path, name):
    (DIRECTORY / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(LAYOUTS / name, DIRECTORY / path)


def make_larger(path, length):
    """Appends a doc_string (field 6 of ONNX's ModelProto): the file is as valid as before, and takes a while to download."""
    size, rest = b"", length
    while rest > 127:
        size += bytes([rest & 127 | 128])
        rest >>= 7
    with open(DIRECTORY / path, "ab") as file:
        file.write(b"\x32" + size + bytes([rest]) + bytes(ord("a") + i % 26 for i in range(length)))


if KIND == "immich":
    tower("visual/model.onnx", "immich_visual.onnx")
    tower("textual/model.onnx", "immich_textual.onnx")
    write("visual/model.armnn", b"not for us")
    write("config.json", OPEN_CLIP)
    write("visual/preprocess_cfg.json", {"size": [224, 224], "mode": "RGB", "mean": MEAN, "std": STD,
                                         "interpolation": "bicubic", "resize_mode": "shortest", "fill_color": 0})
elif KIND == "weights":
    write("config.json", CLIP)
    write("model.safetensors", bytes(5000))
else:
    for ending in ("", "_fp16", "_quantized"):
        tower(f"onnx/vision_model{ending}.onnx", f"vision_model{ending}.onnx")
        tower(f"onnx/text_model{ending}.onnx", f"text_model{ending}.onnx")
    if KIND == "external":
        tower("onnx/vision_model.onnx", "external.onnx")
        tower("onnx/vision_model.onnx_data", "vision_model.onnx_data")
    else:
        make_larger("onnx/vision_model.onnx", 1000000)
    write("config.json", CLIP)
    write("preprocessor_config.json", {"do_resize": True, "do_center_crop": True, "do_normalize": True, "do_rescale": True,
                                       "crop_size": {"height": 224, "width": 224}, "size": {"shortest_edge": 224},
                                       "resample": 3, "image_mean": MEAN, "image_std": STD})
    write("pytorch_model.bin", bytes(5000))
    write("README.md", "---\nlicense: mit\n---\nA model that tests get.\n")
    write("LICENSE", "MIT License\n")
write(".gitattributes", "*.onnx filter=lfs\n")
