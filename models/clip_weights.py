# SPDX-License-Identifier: LGPL-2.1-or-later
"""CLIP models in PyTorch, from OpenAI's checkpoints and from open_clip, for export_clip.py."""
import os
import re
import string
import zipfile

import open_clip
import torch
from open_clip.model import build_model_from_openai_state_dict

from make_bundle import Fault

HERE = os.path.dirname(os.path.abspath(__file__))


def say(text):
    print(text, flush=True)


def first_line(error):
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:300]


def canonical(name):
    """ViT-B/32, clip-vit-b32, vit_b_32, openai/clip-vit-base-patch32: all the same model."""
    name = re.sub(r"[^a-z0-9]|\.pt$", "", name.lower())
    return re.sub(r"openai|clip", "", name).replace("basepatch", "b").replace("resnet", "rn")


def published(name):
    """The line of checkpoints.txt for an OpenAI model: (name, file, sha256)."""
    with open(os.path.join(HERE, "checkpoints.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    for known, file_name, _, checksum in rows:
        if canonical(name) == canonical(known):
            return known, file_name, checksum
    raise Fault(f"--openai {name} is unknown: choose one of {', '.join(row[0] for row in rows)}, or leave out --openai")


def is_torchscript(path):
    """TorchScript archives contain their code and constants.pkl; files of torch.save contain neither."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())


def read_state_dict(path):
    """The weights of a TorchScript archive, a state dict or a training checkpoint, under OpenAI's key names."""
    if not os.path.isfile(path):
        raise Fault(f"there is no file {path}")
    try:
        if is_torchscript(path):
            weights = torch.jit.load(path, map_location="cpu").state_dict()
        elif path.endswith(".safetensors"):
            from safetensors.torch import load_file

            weights = load_file(path)
        else:
            weights = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises any exception of its unpickler
        raise Fault(f"{path} does not contain PyTorch weights ({first_line(error)}): give a TorchScript archive or a state dict")
    if isinstance(weights, dict) and isinstance(weights.get("state_dict"), dict):
        weights = weights["state_dict"]
    if not isinstance(weights, dict) or not weights:
        raise Fault(f"{path} contains no state dict: save model.state_dict()")
    weights = {name.removeprefix("module."): value for name, value in weights.items()}
    weights.pop("attn_mask", None)  # a constant that tracing turns into a weight
    return weights


def load_openai(path):
    weights = read_state_dict(path)
    try:
        model = build_model_from_openai_state_dict(weights, cast_dtype=None)
    except (KeyError, RuntimeError, AssertionError, ZeroDivisionError) as error:
        raise Fault(f"{path} does not have the key names of OpenAI's CLIP ({first_line(error)}): "
                    "give its architecture by --open-clip NAME --pretrained FILE")
    settings = {"mean": open_clip.OPENAI_DATASET_MEAN, "std": open_clip.OPENAI_DATASET_STD}
    return model, open_clip.SimpleTokenizer(context_length=model.context_length), settings


def tokenizer_json(tokenizer):
    """The tokenizer of a SigLIP as one of Hugging Face's `tokenizers`, with the cleaning that open_clip does before it."""
    from tokenizers import Regex, Tokenizer, normalizers

    backend = getattr(tokenizer.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise Fault(f"the tokenizer {type(tokenizer.tokenizer).__name__} has no tokenizer.json: only fast tokenizers can be exported")
    made = Tokenizer.from_str(backend.to_str())
    made.no_padding()
    made.no_truncation()
    clean = getattr(tokenizer.clean_fn, "__name__", "")
    spaces = [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    if "canonicalize" in clean:
        punctuation = "[" + re.escape(string.punctuation.replace("_", "")) + "]"
        before = [normalizers.Replace("_", " "), normalizers.Replace(Regex(punctuation), ""), normalizers.Lowercase(), *spaces]
    elif "lower" in clean:
        before = [*spaces, normalizers.Lowercase()]
    else:
        before = spaces
    made.normalizer = normalizers.Sequence(before + ([made.normalizer] if made.normalizer else []))
    return made


def load_open_clip(name, pretrained):
    if ":" not in name and name not in open_clip.list_models():
        alike = [known for known in open_clip.list_models() if canonical(known).startswith(canonical(name)[:5])]
        raise Fault(f"open_clip {open_clip.__version__} has no model {name}: it has {', '.join(alike[:8] or open_clip.list_models()[:8])} and others")
    tags = [] if ":" in name else open_clip.list_pretrained_tags_by_model(name)
    if ":" not in name and pretrained not in tags and not os.path.isfile(pretrained or ""):
        raise Fault(f"--open-clip {name} needs --pretrained with a weights file or a tag; {pretrained or 'nothing'} is neither: "
                    f"its tags are {', '.join(tags) or 'none'}")
    text = (open_clip.get_model_config(name) or {} if ":" not in name else {}).get("text_cfg", {})
    if text.get("hf_model_name") or (text.get("hf_tokenizer_name") and "siglip" not in text["hf_tokenizer_name"].lower()):
        raise Fault(f"{name} has its own tokenizer: only models with CLIP's or SigLIP's tokenizer can be exported")
    try:
        tokenizer = open_clip.get_tokenizer(name)
        model = open_clip.create_model(name, pretrained=pretrained, require_pretrained=True)
    except Exception as error:  # open_clip, timm and huggingface_hub have no common exception
        raise Fault(f"open_clip cannot load {name}{f' with {pretrained}' if pretrained else ''}: {first_line(error)}")
    own = not isinstance(tokenizer, open_clip.SimpleTokenizer)
    if own and (getattr(model, "logit_bias", None) is None or not hasattr(tokenizer, "clean_fn")):
        raise Fault(f"{name} has its own tokenizer ({type(tokenizer).__name__}): only models with CLIP's or SigLIP's tokenizer can be exported")
    settings = open_clip.get_model_preprocess_cfg(model)
    if settings.get("resize_mode", "shortest") not in ("shortest", "squash"):
        raise Fault(f"{name} was trained with resize mode {settings['resize_mode']}: gst-bcp supports only shortest and squash")
    return model, tokenizer, settings
