#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes checkpoints with random weights in the form of OpenAI's: make_checkpoint.py FILE ARCHITECTURE [FORM]

ARCHITECTURE is an open_clip name: RN50, RN101, ViT-B-32, ViT-B-16. FORM is
    jit          a TorchScript archive with the methods encode_image and encode_text, weights partly fp16, and the
                 numbers input_resolution, context_length and vocab_size among the weights: what OpenAI publishes
    state-dict   the same weights as torch.save(model.state_dict())
    training     a checkpoint of a training run: {"state_dict": …}, keys beginning with "module."
    open-clip    fp32 weights as open_clip saves them
"""
import sys
import warnings

import open_clip
import torch
from open_clip.model import convert_weights_to_fp16

LOGIT_SCALE = 4.6052  # exp of it is what OpenAI's models have: 100


def random_model(architecture):
    """OpenAI's architecture: its own key names, QuickGELU. The numbers inside stay in range as in a trained one."""
    torch.manual_seed(sum(map(ord, architecture)))
    model = open_clip.create_model(architecture, force_quick_gelu=True)
    with torch.no_grad():
        model.logit_scale.fill_(LOGIT_SCALE)
        norms = [module for module in model.modules() if isinstance(module, torch.nn.BatchNorm2d)]
        for module in norms:
            torch.nn.init.uniform_(module.weight, 0.2, 0.6)  # open_clip begins with 0 in places, which hides faults
            torch.nn.init.normal_(module.bias, std=0.1)
            module.momentum = None  # average, so that one pass sets the statistics
        if norms:
            model.train().encode_image(pictures(resolution(model)))
    return model.eval()


def pictures(size):
    """Random shapes from coarse to fine: statistics taken from plain noise would be far from those of any picture."""
    coarse = [torch.rand(2, 3, cells, cells) for cells in (2, 3, 5, 8, 16, 64)]
    return torch.cat([torch.nn.functional.interpolate(picture, size=size) for picture in coarse]) * 4 - 2


def resolution(model):
    size = model.visual.image_size
    return size if isinstance(size, int) else size[0]


def openai_numbers(model):
    sizes = {"input_resolution": resolution(model), "context_length": model.context_length, "vocab_size": model.vocab_size}
    return {name: torch.tensor(value) for name, value in sizes.items()}


def save_jit(model, path):
    mask = model.attn_mask
    del model.attn_mask
    model.attn_mask = mask  # a constant of the archive, as in OpenAI's, where open_clip has a buffer
    for name, value in openai_numbers(model).items():
        if hasattr(model, name):
            delattr(model, name)
        model.register_buffer(name, value)
    picture = torch.zeros(1, 3, int(model.input_resolution), int(model.input_resolution))
    text = torch.zeros(1, int(model.context_length), dtype=torch.int64)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace_module(model, {"encode_image": picture, "encode_text": text}, check_trace=False)
        convert_weights_to_fp16(model)  # the archive shares the weights with the model
        for name, value in model.state_dict().items():
            owner = traced
            *parents, leaf = name.split(".")
            for parent in parents:
                owner = getattr(owner, parent)
            getattr(owner, leaf).data = value
    torch.jit.save(traced, path)


def main(path, architecture, form="jit"):
    model = random_model(architecture)
    if form == "jit":
        save_jit(model, path)
    elif form == "open-clip":
        torch.save(model.state_dict(), path)
    else:
        convert_weights_to_fp16(model)
        weights = model.state_dict()
        torch.save(weights if form == "state-dict" else {"epoch": 1, "state_dict": {"module." + k: v for k, v in weights.items()}}, path)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
