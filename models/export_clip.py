#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a model bundle for gst-bcp from a CLIP or a SigLIP in PyTorch: both towers as ONNX, checked against PyTorch.

    export_clip.py OUT_DIR --openai ViT-B/32 --checkpoint ViT-B-32.pt
    export_clip.py OUT_DIR --checkpoint fine-tuned.pt --licence MIT
    export_clip.py OUT_DIR --open-clip ViT-B-32 --pretrained laion2b_s34b_b79k --licence MIT --variant fp16

The weights are one of
    --openai NAME --checkpoint FILE     an OpenAI checkpoint, which must have the published sha256 (checkpoints.txt)
    --checkpoint FILE                   any file with OpenAI's key names: TorchScript archive, state dict or training
                                        checkpoint; sizes are read off the weights, the activation is QuickGELU
    --open-clip NAME --pretrained TAG   a model of open_clip, by its name and tag; or a weights file instead of the tag;
                                        NAME may be hf-hub:ORG/MODEL or local-dir:DIRECTORY, which need no --pretrained

Needs torch, open_clip, onnx and onnxruntime: scripts/setup.sh --export puts them into .deps/export.
"""
import argparse
import contextlib
import inspect
import io
import logging
import os
import shutil
import sys
import tempfile
import warnings


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT_DIR", help="the bundle's directory; a bundle of that name is replaced")
    parser.add_argument("--openai", metavar="NAME", help="RN50, RN101, ViT-B/32 or ViT-B/16: checks that the checkpoint has the published sha256")
    parser.add_argument("--checkpoint", metavar="FILE", help="weights under OpenAI's key names")
    parser.add_argument("--open-clip", metavar="NAME", help="architecture, as open_clip names it")
    parser.add_argument("--pretrained", metavar="TAG_OR_FILE", help="weights for --open-clip: a tag of open_clip, or a file")
    parser.add_argument("--variant", action="append", default=[], choices=["fp16", "int8"], help="also write OUT_DIR-fp16 or OUT_DIR-int8; may be repeated")
    parser.add_argument("--name", help="name of the model (default: the directory's name)")
    parser.add_argument("--licence", help="licence of the weights, such as MIT or Apache-2.0 (OpenAI's: MIT)")
    parser.add_argument("--description", default="", help="description of the model, one sentence")
    parser.add_argument("--with-vocabulary", action="store_true", help="copy CLIP's vocabulary into the bundle (default: use the plugin's, which is the same)")
    parser.add_argument("--external-data", action="store_true", help="store the weights in separate files; always done for towers over 2 GB")
    options = parser.parse_args()
    if bool(options.open_clip) == bool(options.openai or options.checkpoint):
        parser.error("give --openai, --checkpoint or --open-clip")
    return options


# Before the imports: they take seconds, and --help must work without the packages.
arguments = parse_arguments() if __name__ == "__main__" else None

try:
    import onnx
    import onnxruntime
    import open_clip
    import torch
except ImportError as missing:
    sys.exit(f"export_clip.py needs the Python package {missing.name}: run scripts/setup.sh --export, then this script "
             "with .deps/export/bin/python; or pip install torch open_clip_torch onnx onnxruntime")

from clip_weights import first_line, load_open_clip, load_openai, published, say, tokenizer_json  # noqa: E402: they need the packages above
from make_bundle import SELF_TEST_NUMBERS, Fault, np, sha256, test_picture, write_manifest  # noqa: E402
from onnx_variants import VARIANTS, save_onnx  # noqa: E402

OPSET = 17
TOLERANCE = 1e-4
SELF_TEST_TEXT = "a photo of a cat"
TEXTS = [SELF_TEST_TEXT, "", "Zwei Räder, 自転車, 🚲!", "a street at night " * 40, "a diagram", "traffic light, 3 lamps"]


def square(size):
    sides = (size, size) if isinstance(size, int) else tuple(size)
    if sides[0] != sides[1]:
        raise Fault(f"the model takes pictures of {sides[1]} x {sides[0]}: gst-bcp needs square ones")
    return sides[0]


class ImageTower(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixel_values):
        return self.model.encode_image(pixel_values)


class TextTower(torch.nn.Module):
    """Reads as many ids as it is given, where the architecture allows it: most of a short text is padding, which attention
    that looks back only never sees, and without it a label takes a fraction of the time."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.any_length = (isinstance(model, open_clip.model.CLIP) and getattr(model, "attn_mask", None) is not None
                           and model.text_pool_type in ("argmax", "eos"))

    def forward(self, input_ids):
        model = self.model
        if not self.any_length:
            return model.encode_text(input_ids)
        length = input_ids.shape[1]
        x = model.token_embedding(input_ids) + model.positional_embedding[:length]
        x = model.ln_final(model.transformer(x, attn_mask=model.attn_mask[:length, :length]))
        x = open_clip.transformer.text_global_pool(x, input_ids, model.text_pool_type, eos_token_id=getattr(model, "text_eos_id", None))
        projection = model.text_projection
        if projection is None:
            return x
        return projection(x) if isinstance(projection, torch.nn.Linear) else x @ projection


def put_sequence_first(model):
    """Lets the transformers work on [sequence, batch, width], which computes the same. Otherwise torch 2 transposes before
    each attention, and on such a tower in fp16 ONNX Runtime 1.24 to 1.31 crash (its issue 28392)."""
    for stack in model.modules():
        if isinstance(stack, open_clip.transformer.Transformer) and all(isinstance(block.attn, torch.nn.MultiheadAttention) for block in stack.resblocks):
            stack.batch_first = False
            for block in stack.resblocks:
                block.attn.batch_first = False


def trace(tower, example, names, width):
    """The tower as an ONNX model with a dynamic batch, and a dynamic length where it reads any."""
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # the tracer warns about every shape; the comparison below checks the result
        path = os.path.join(scratch, "tower.onnx")
        torch.onnx.export(tower, (example,), path, opset_version=OPSET, input_names=[names[0]], output_names=[names[1]],
                          dynamic_axes={names[0]: {0: "batch", 1: "length"} if getattr(tower, "any_length", False) else {0: "batch"},
                                        names[1]: {0: "batch"}}, **options)
        model = onnx.load(path)
    dimensions = model.graph.output[0].type.tensor_type.shape.dim
    dimensions[1].dim_value = width  # the tracer loses it in the gather at the end token
    return model


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # errors are reported below
    threads = os.environ.get("OMP_NUM_THREADS", "")
    options.intra_op_num_threads = int(threads) if threads.isdigit() else 0
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library has no common base for its exceptions
        raise Fault(f"ONNX Runtime cannot load {path}: {first_line(error)}")


def run_each(tower, inputs):
    """Embeddings of the inputs one by one, then of the first three at once: [n + 3, width]."""
    name = tower.get_inputs()[0].name
    batches = [*(inputs[i : i + 1] for i in range(len(inputs))), inputs[:3]]
    try:
        return np.concatenate([tower.run(None, {name: batch})[0] for batch in batches])
    except Exception as error:
        raise Fault(f"ONNX Runtime cannot run the tower with input {name} ({first_line(error)}): PyTorch does not export this architecture correctly")


def unit(rows):
    rows = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    if not np.isfinite(lengths).all() or lengths.min() < 1e-3:
        raise Fault("an embedding is zero or not finite: the weights are damaged, or too large for the number format of this variant")
    return rows / lengths


def pictures(size, mean, std):
    """The two test pictures of models/README.md, noise, and soft shapes of several sizes: [6, 3, size, size]."""
    random = np.random.default_rng(1)
    mean, std = (np.asarray(v, dtype=np.float32).reshape(3, 1, 1) for v in (mean, std))
    made = [random.random((3, size, size))]
    for cells in (2, 4, 8):
        coarse = random.random((3, cells, cells))
        made.append(np.kron(coarse, np.ones((1, -(-size // cells), -(-size // cells))))[:, :size, :size])
    return np.stack([test_picture(0, size, mean, std), test_picture(1, size, mean, std)] + [((p - mean) / std).astype(np.float32) for p in made])


def check_against_torch(what, path, inputs, expected):
    """The embeddings of ONNX Runtime, which must equal PyTorch's."""
    found = run_each(session(path), inputs)
    expected = np.concatenate([expected, expected[:3]])
    # Of the length of an embedding, where that is more than 1: only its direction is used.
    error = np.abs(found - expected) / np.maximum(1, np.linalg.norm(expected, axis=1, keepdims=True))
    if not error.max() <= TOLERANCE:
        raise Fault(f"the {what} tower in ONNX Runtime differs from PyTorch by {error.max():.1e}, more than {TOLERANCE:.0e}: "
                    f"this torch ({torch.__version__}) does not export it correctly, try another")
    say(f"{what} tower: equals PyTorch's within {error.max():.1e} ({len(inputs)} inputs, batches of 1 and 3)")
    return found


def check_lengths(path, texts, expected):
    """Texts without their padding must get the embeddings they have with it."""
    tower = session(path)
    for ids, row in zip(texts, expected):
        end = int(ids.argmax()) + 1
        found = run_each(tower, ids[None, :end])[0]
        if not np.abs(found - row).max() <= TOLERANCE * max(1, np.linalg.norm(row)):
            raise Fault(f"the text tower in ONNX Runtime gives a text of {end} ids another embedding without its padding: "
                        f"this torch ({torch.__version__}) does not export it correctly, try another")


def drift(exact, found):
    """Cosines between the embeddings of two towers for the same inputs: (lowest, mean)."""
    cosines = (unit(exact) * unit(found)).sum(axis=1)
    return round(float(cosines.min()), 6), round(float(cosines.mean()), 6)


def numbers(row):
    return [round(float(v), 6) for v in row[:SELF_TEST_NUMBERS]]


def place(finished, out):
    """Gives the finished directory its name; an existing bundle is moved to the scratch directory, which is removed."""
    if os.path.isdir(out):
        os.rename(out, finished + ".old")
    os.rename(finished, out)


def check_target(out):
    if os.path.exists(out) and not (os.path.isdir(out) and (os.path.exists(os.path.join(out, "bundle.json")) or not os.listdir(out))):
        raise Fault(f"{out} exists and is not a bundle: remove it, or choose another name")


def make_variant(kind, fp32, manifest, inputs, exact, out, apart):
    """Writes the fp32 bundle's towers in another precision, and how much that changes the embeddings."""
    with tempfile.TemporaryDirectory(prefix="." + os.path.basename(out) + ".", dir=os.path.dirname(out)) as scratch:
        work = os.path.join(scratch, "bundle")
        shutil.copytree(fp32, work, ignore=shutil.ignore_patterns("*.onnx", "*.onnx.data", "bundle.json"))
        files, measured, found = os.listdir(work), {}, {}
        for what, name in (("image", "visual.onnx"), ("text", "textual.onnx")):
            path = os.path.join(work, name)
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                files += VARIANTS[kind](os.path.join(fp32, name), path, apart)
            found[what] = run_each(session(path), inputs[what])
            low, mean = drift(exact[what], found[what])
            measured[what + "_cosine"] = {"lowest": low, "mean": mean}
        own = dict(manifest, name=f"{manifest['name']}-{kind}")
        own["variant"] = {"of": manifest["name"], "precision": kind, **measured}
        own["sha256"] = {name: sha256(os.path.join(work, name)) for name in sorted(files)}
        own["self_test"] = dict(manifest["self_test"], embedding=numbers(unit(found["image"])[0]), text_embedding=numbers(unit(found["text"])[0]))
        write_manifest(work, own)
        place(work, out)
    say(f"{out}: {megabytes(out)}; cosine with fp32: " + ", ".join(
        f"{what} {measured[what + '_cosine']['lowest']:.6f} at least, {measured[what + '_cosine']['mean']:.6f} on average" for what in inputs))


def ways(settings):
    """How pictures are resized, if it differs from CLIP."""
    found = {}
    if settings.get("interpolation") == "bilinear":  # "random" is for training
        found["filter"] = "bilinear"
    if settings.get("resize_mode") == "squash":
        found["resize"] = "squash"
    return found


def scoring(model):
    found = {"logit_scale": round(float(model.logit_scale.exp()), 6)}
    if getattr(model, "logit_bias", None) is not None:
        found.update(scoring="sigmoid", logit_bias=round(float(model.logit_bias), 6))
    return found


def write_pieces(tokenizer, path, ids):
    """Writes tokenizer.json; it must give the texts the ids that open_clip gives them."""
    pieces = tokenizer_json(tokenizer)
    for text, wanted in zip(TEXTS, ids.tolist()):
        found = pieces.encode(text).ids
        end = len(wanted)
        while end > len(found) and wanted[end - 1] == tokenizer.tokenizer.pad_token_id:
            end -= 1
        if len(found) <= len(wanted) and found != wanted[:end]:
            raise Fault(f"the tokenizer as tokenizer.json gives {text!r} the ids {found}, but open_clip {wanted[:end]}: it cannot be exported")
    pieces.save(path)
    return pieces


def megabytes(directory):
    return f"{sum(entry.stat().st_size for entry in os.scandir(directory)) / 1e6:.1f} MB"


def export(options):
    out = os.path.abspath(options.out)
    targets = {kind: f"{out}-{kind}" for kind in dict.fromkeys(options.variant)}
    for target in [out, *targets.values()]:
        check_target(target)
    licence = options.licence
    if options.openai:
        name, file_name, wanted = published(options.openai)
        checkpoint = options.checkpoint or file_name
        if not os.path.isfile(checkpoint):
            raise Fault(f"there is no file {checkpoint}: gst-bcp model get openai:{name} --no-export downloads it, or give its path with --checkpoint")
        if sha256(checkpoint) != wanted:
            raise Fault(f"{checkpoint} has the sha256 {sha256(checkpoint)}, OpenAI's {name} has {wanted}: download it again, "
                        "or leave out --openai if it is your own model")
        licence = licence or "MIT"
    if not licence:
        raise Fault("--licence is required for weights that are not OpenAI's: give the licence of the weights, such as MIT")
    if options.open_clip:
        model, tokenizer, settings = load_open_clip(options.open_clip, options.pretrained)
    else:
        model, tokenizer, settings = load_openai(checkpoint if options.openai else options.checkpoint)
    model = model.float().eval()
    mean, std = settings["mean"], settings["std"]

    size = square(model.visual.image_size)
    inputs = {"image": pictures(size, mean, std), "text": tokenizer(TEXTS).numpy()}
    towers = {"image": ImageTower(model).eval(), "text": TextTower(model).eval()}
    names = {"image": ("visual.onnx", "pixel_values", "image_embeds"), "text": ("textual.onnx", "input_ids", "text_embeds")}
    with torch.no_grad():
        expected = {"image": model.encode_image(torch.from_numpy(inputs["image"])).numpy(),
                    "text": model.encode_text(torch.from_numpy(inputs["text"])).numpy()}
    width = expected["text"].shape[1]
    put_sequence_first(model)

    os.makedirs(os.path.dirname(out), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="." + os.path.basename(out) + ".", dir=os.path.dirname(out)) as scratch:
        work = os.path.join(scratch, "bundle")
        os.mkdir(work)
        files, exact = [], {}
        for what, tower in towers.items():
            file_name, *tensors = names[what]
            # Two at a time: the comparison detects a batch size that the tracer made constant.
            graph = trace(tower, torch.from_numpy(inputs[what][:2]), tensors, width)
            files += save_onnx(graph, os.path.join(work, file_name), options.external_data)
            del graph
            exact[what] = check_against_torch(what, os.path.join(work, file_name), inputs[what], expected[what])
        if towers["text"].any_length:
            check_lengths(os.path.join(work, "textual.onnx"), inputs["text"], expected["text"])
        if np.abs(unit(exact["image"])[0] - unit(exact["image"])[1]).max() < 1e-3:
            raise Fault("two different pictures get the same embedding: these weights are not those of a trained model")

        textual = {"file": "textual.onnx", "ids": "input_ids", "output": "text_embeds", "context_length": int(inputs["text"].shape[1])}
        if not isinstance(tokenizer, open_clip.SimpleTokenizer):
            pieces = write_pieces(tokenizer, os.path.join(work, "tokenizer.json"), inputs["text"])
            textual.update({"vocabulary": "tokenizer.json", "padding": int(tokenizer.tokenizer.pad_token_id), "pad_to_length": True})
            files.append("tokenizer.json")
            tokens = pieces.encode(SELF_TEST_TEXT).ids
        else:
            tokens = [tokenizer.sot_token_id, *tokenizer.encode(SELF_TEST_TEXT), tokenizer.eot_token_id]
        if options.with_vocabulary and "vocabulary" not in textual:
            vocabulary = open_clip.tokenizer.default_bpe()
            textual["vocabulary"] = os.path.basename(vocabulary)
            shutil.copyfile(vocabulary, os.path.join(work, textual["vocabulary"]))
            files.append(textual["vocabulary"])
        manifest = {
            "format": 1, "name": options.name or os.path.basename(out), "licence": licence,
            **({"description": options.description} if options.description else {}),
            "image": {"size": size, "mean": [round(float(v), 8) for v in mean], "std": [round(float(v), 8) for v in std], **ways(settings)},
            **scoring(model), "embedding_size": int(width),
            "visual": {"file": "visual.onnx", "input": "pixel_values", "output": "image_embeds"}, "textual": textual,
            "sha256": {name: sha256(os.path.join(work, name)) for name in sorted(files)},
            "self_test": {"embedding": numbers(unit(exact["image"])[0]), "text": SELF_TEST_TEXT,
                          "tokens": tokens,
                          "text_embedding": numbers(unit(exact["text"])[0])},
        }
        write_manifest(work, manifest)
        place(work, out)
    say(f"{out}: {size} x {size}, {width} numbers, scale {manifest['logit_scale']:g}, {megabytes(out)}")
    for kind, target in targets.items():
        make_variant(kind, out, manifest, inputs, exact, target, options.external_data)


def main(options):
    logging.disable(logging.ERROR)  # open_clip's errors also come as exceptions
    try:
        export(options)
    except (Fault, OSError) as fault:
        sys.exit(f"export_clip.py: {fault}")
    except KeyboardInterrupt:
        sys.exit("export_clip.py: interrupted; nothing was changed")


if __name__ == "__main__":
    main(arguments)
