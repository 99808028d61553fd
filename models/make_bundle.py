#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a model bundle for gst-bcp from an image tower and the text embeddings that belong to it.

    make_bundle.py OUT_DIR --visual vision_model.onnx --text-bank text.npz --name my-clip --licence MIT \\
        --size 224 --mean 0.48145466 0.4578275 0.40821073 --std 0.26862954 0.26130258 0.27577711 --scale 100

The text embeddings are one of
    FILE.npz            arrays "embeddings" [labels, numbers] and "labels" (strings)
    FILE.npy            an array [labels, numbers]; the names come from --labels, one per line
    FILE.safetensors    tensor "embeddings" and the metadata key "labels": copied unchanged

Needs Python 3.9 and numpy. If onnxruntime is installed too, the tower is run on the test picture of
models/README.md, and its embedding is stored in the bundle: then every start detects a damaged or wrongly described
tower. models/README.md describes the format.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import struct
import sys

try:
    import numpy as np
except ImportError:
    sys.exit("make_bundle.py needs numpy: apt install python3-numpy, or pip install numpy")

SELF_TEST_NUMBERS = 32


class Fault(Exception):
    """An error, as a sentence for the user."""


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + length])
        entry = header["embeddings"]
        labels = json.loads(header["__metadata__"]["labels"])
        kinds = {"F32": np.float32, "F16": np.float16}
        if entry["dtype"] not in kinds:
            raise Fault(f"{path}: embeddings are stored as {entry['dtype']}; store them as F32 or F16")
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + length + begin : 8 + length + end], kinds[entry["dtype"]])
        return values.reshape(entry["shape"]).astype(np.float32), labels
    except (KeyError, ValueError, TypeError, struct.error) as error:
        raise Fault(f'{path} is not a text bank: it needs a tensor "embeddings" and metadata "labels" ({error!r})')


def write_safetensors(path, embeddings, labels):
    data = np.ascontiguousarray(embeddings, dtype="<f4").tobytes()
    header = {
        "__metadata__": {"labels": json.dumps(labels, ensure_ascii=False)},
        "embeddings": {"dtype": "F32", "shape": list(embeddings.shape), "data_offsets": [0, len(data)]},
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the format aligns its arrays
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_labels(path):
    with open(path, encoding="utf-8-sig") as file:
        return [line for line in file.read().splitlines() if line.strip() and not line.lstrip().startswith("#")]


def read_bank(path, labels_path):
    if path.endswith(".safetensors"):
        embeddings, labels = read_safetensors(path)
    elif path.endswith(".npz"):
        arrays = np.load(path)
        if "embeddings" not in arrays or "labels" not in arrays:
            raise Fault(f'{path} has the arrays {", ".join(arrays)}; it needs "embeddings" and "labels"')
        embeddings, labels = arrays["embeddings"], [str(name) for name in arrays["labels"]]
    elif path.endswith(".npy"):
        if not labels_path:
            raise Fault(f"{path} contains no names: give them with --labels FILE, one per line")
        embeddings, labels = np.load(path), read_labels(labels_path)
    else:
        raise Fault(f"{path}: give a .npz, .npy or .safetensors file")

    embeddings = np.asarray(embeddings, dtype=np.float32)
    labels = [re.sub(r"\s+", " ", name).strip() for name in labels]
    if embeddings.ndim != 2 or 0 in embeddings.shape:
        raise Fault(f"{path}: embeddings must be [labels, numbers]; they are {list(embeddings.shape)}")
    if len(labels) != len(embeddings):
        raise Fault(f"{path} has {len(embeddings)} embeddings but {len(labels)} labels")
    if "" in labels:
        raise Fault(f"{path}: label {labels.index('') + 1} is empty")
    twice = sorted({name for name in labels if labels.count(name) > 1}) if len(set(labels)) < len(labels) else []
    if twice:
        raise Fault(f'{path}: labels given twice: {", ".join(twice)}')
    lengths = np.linalg.norm(embeddings, axis=1)
    bad = [name for name, length in zip(labels, lengths) if not np.isfinite(length) or length < 1e-6]
    if bad:
        raise Fault(f'{path}: embeddings that are zero or not finite: {", ".join(bad)}')
    return embeddings / lengths[:, None], labels


def test_picture(number, size, mean, std):
    """The picture the self-test uses: models/README.md. Normalised, channels first."""
    x, y = np.meshgrid(np.arange(size), np.arange(size))
    right, down = x * 255 // (size - 1), y * 255 // (size - 1)
    board = (x * 8 // size + y * 8 // size) % 2 * 255
    rgb = np.stack([right, down, board] if number == 0 else [board, 255 - right, 255 - down])
    mean, std = (np.asarray(v, dtype=np.float32).astype(np.float64).reshape(3, 1, 1) for v in (mean, std))
    return ((rgb / 255.0 - mean) / std).astype(np.float32)


def run_self_test(options, width):
    """The unit embedding of test picture 0, or None if onnxruntime is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    try:
        session = onnxruntime.InferenceSession(options.visual, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library has no common base for its exceptions
        raise Fault(f"{options.visual} cannot be loaded: {error}")
    inputs = [t for t in session.get_inputs() if options.input in (None, t.name) and t.type == "tensor(float)" and len(t.shape) == 4]
    outputs = [t for t in session.get_outputs() if options.output in (None, t.name) and t.type == "tensor(float)"
               and len(t.shape) == 2 and (not isinstance(t.shape[1], int) or t.shape[1] == width)]
    for kind, found, there in (("input", inputs, session.get_inputs()), ("output", outputs, session.get_outputs())):
        names = ", ".join(f"{t.name} {t.type} {t.shape}" for t in there)
        shape = "[batch, 3, size, size]" if kind == "input" else f"[batch, {width}]"
        if not found:
            raise Fault(f"{options.visual} has no {kind} that is tensor(float) {shape}; it has {names}")
        if len(found) > 1:
            raise Fault(f"{options.visual} has several {kind}s of that kind ({names}): choose one with --{kind}")
    embeddings = []
    for number in (0, 1):
        picture = test_picture(number, options.size, options.mean, options.std)
        try:
            raw = session.run([outputs[0].name], {inputs[0].name: picture[None]})[0][0].astype(np.float64)
        except Exception as error:
            raise Fault(f"{options.visual} cannot run on a picture of {options.size} x {options.size}: {error}")
        length = np.linalg.norm(raw)
        if raw.shape != (width,):
            raise Fault(f"{options.visual} gives {raw.shape[0]} numbers but the text embeddings have {width}: "
                        "both must come from the same model")
        if not np.isfinite(length) or length < 1e-3:
            raise Fault(f"{options.visual} gives an embedding of length {length} for a test picture: export it again")
        embeddings.append(raw / length)
    if np.linalg.norm(embeddings[0] - embeddings[1]) < 1e-3:
        raise Fault(f"{options.visual} gives two different pictures the same embedding: export it again")
    return embeddings[0]


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def write_manifest(directory, manifest):
    """Writes bundle.json atomically."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    text = re.sub(r"\[\s+([^\]]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)  # lists on a line
    temporary = os.path.join(directory, "bundle.json.tmp")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(temporary, os.path.join(directory, "bundle.json"))


def make(options):
    embeddings, labels = read_bank(options.text_bank, options.labels)
    width = embeddings.shape[1]
    if options.size < 2 or options.scale <= 0 or min(options.std) <= 0:
        raise Fault("--size must be 2 or more, --scale and --std above 0")
    unit = None if options.self_test == "no" else run_self_test(options, width)
    if unit is None and options.self_test == "yes":
        raise Fault("--self-test yes needs onnxruntime: pip install onnxruntime")

    for path in [options.visual, *options.data]:
        if not os.path.isfile(path):
            raise Fault(f"there is no file {path}")
    os.makedirs(options.out, exist_ok=True)
    visual, bank = "visual.onnx", "text_bank.safetensors"
    files = [visual, bank]
    copies = [(options.visual, visual)] + [(path, os.path.basename(path)) for path in options.data]
    if options.text_bank.endswith(".safetensors"):
        copies.append((options.text_bank, bank))
    else:
        write_safetensors(os.path.join(options.out, bank), embeddings, labels)
    for source, name in copies:
        target = os.path.join(options.out, name)
        if not (os.path.exists(target) and os.path.samefile(source, target)):
            shutil.copyfile(source, target)
        if name not in files:
            files.append(name)

    manifest = {"format": 1, "name": options.name, "licence": options.licence}
    if options.description:
        manifest["description"] = options.description
    manifest["image"] = {"size": options.size, "mean": options.mean, "std": options.std, "crop": options.crop}
    for key in ("filter", "resize"):
        if getattr(options, key):
            manifest["image"][key] = getattr(options, key)
    manifest["logit_scale"] = options.scale
    if options.bias is not None:
        manifest.update(scoring="sigmoid", logit_bias=options.bias)
    manifest["embedding_size"] = width
    manifest["visual"] = {"file": visual}
    for key in ("input", "output"):
        if getattr(options, key):
            manifest["visual"][key] = getattr(options, key)
    manifest["text_bank"] = {"file": bank}
    manifest["sha256"] = {name: sha256(os.path.join(options.out, name)) for name in files}
    if unit is not None:
        manifest["self_test"] = {"embedding": [round(float(v), 6) for v in unit[:SELF_TEST_NUMBERS]]}
    write_manifest(options.out, manifest)
    tested = "self-tested" if unit is not None else "not self-tested: install onnxruntime, or let the first start test it"
    print(f"{options.out}: {len(labels)} labels, {width} numbers, {tested}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT_DIR", help="the bundle's directory; created if missing, replaced if it exists")
    parser.add_argument("--visual", required=True, metavar="FILE", help="image tower: float [batch, 3, size, size] -> float [batch, numbers]")
    parser.add_argument("--data", nargs="*", default=[], metavar="FILE", help="weight files of the tower, with the file names that the tower refers to")
    parser.add_argument("--text-bank", required=True, metavar="FILE", help=".npz, .npy or .safetensors, see above")
    parser.add_argument("--labels", metavar="FILE", help="names for a .npy, one per line")
    parser.add_argument("--name", required=True, help="name of the model")
    parser.add_argument("--licence", required=True, help="licence of the weights, such as MIT or Apache-2.0")
    parser.add_argument("--description", default="", help="description of the model, one sentence")
    parser.add_argument("--size", type=int, required=True, help="side of the input in pixels")
    parser.add_argument("--mean", type=float, nargs=3, required=True, metavar=("R", "G", "B"), help="subtracted from values of 0 to 1")
    parser.add_argument("--std", type=float, nargs=3, required=True, metavar=("R", "G", "B"), help="divisor after subtracting the mean")
    parser.add_argument("--crop", choices=("clip", "rounded"), default="clip", help="how the longer side becomes whole pixels. clip: truncated, as torchvision does; rounded: rounded (default: clip)")
    parser.add_argument("--scale", type=float, required=True, help="exp(logit_scale) of the model; 100 for OpenAI's CLIP")
    parser.add_argument("--bias", type=float, help="logit_bias of a SigLIP, which scores with a sigmoid (default: the model is a CLIP)")
    parser.add_argument("--filter", choices=("bicubic", "bilinear"), help="filter for resizing pictures (default: bicubic)")
    parser.add_argument("--resize", choices=("shortest", "squash"), help="shortest: resize the shorter side and use the middle square; squash: resize the whole picture to a square (default: shortest)")
    parser.add_argument("--input", help="name of the tower's input, if it has several")
    parser.add_argument("--output", help="name of the tower's output, if it has several")
    parser.add_argument("--self-test", choices=("auto", "yes", "no"), default="auto", help="run the tower on the test picture; auto: if onnxruntime is installed (default: auto)")
    try:
        make(parser.parse_args())
    except (Fault, OSError) as fault:
        sys.exit(f"make_bundle.py: {fault}")


if __name__ == "__main__":
    main()
