#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what the reference tokenizers make of some 12,000 texts: *.json.gz beside this file.

Run by hand, with Python 3.11 (its Unicode is version 14, as the project promises):

    pip install ftfy==6.3.1 numpy regex tokenizers==0.23.3
    pip install --no-deps open_clip_torch==3.3.0
    python tests/data/tokenizer/generate.py

torch is not needed: of open_clip only the file with the tokenizer is run, and a stand-in takes torch's place.
"""
import gzip
import importlib.util
import json
import pathlib
import sys
import types
import unicodedata

import ftfy

import strings

HERE = pathlib.Path(__file__).resolve().parent
VOCABULARY = HERE.parents[2] / "src/tokenize/vocabulary/bpe_simple_vocab_16e6.txt.gz"
LENGTH = 77

assert unicodedata.unidata_version == "14.0.0", "use a Python whose Unicode is version 14"


class Anything(types.ModuleType):
    """Stands in for torch, of which the tokenizer's code only wants names."""
    def __getattr__(self, name):
        return object


def open_clip_tokenizer():
    sys.modules["torch"] = Anything("torch")
    folder = importlib.util.find_spec("open_clip").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("clip_tokenizer", folder + "/tokenizer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Left out: the repair of mojibake, and HTML's character references, which the project reads as plain text.
    module.ftfy = types.SimpleNamespace(fix_text=lambda text: ftfy.fix_text(text, fix_encoding=False, unescape_html=False))
    module.html = types.SimpleNamespace(unescape=lambda text: text)
    tokenizer = module.SimpleTokenizer(str(VOCABULARY))

    def ids(text):
        tokens = [tokenizer.sot_token_id] + tokenizer.encode(text) + [tokenizer.eot_token_id]
        tokenizer.cache = {t: t for t in ("<start_of_text>", "<end_of_text>")}
        return tokens if len(tokens) <= LENGTH else tokens[:LENGTH - 1] + tokens[-1:]

    return ids, tokenizer


def fast_tokenizer(tokenizer, variant):
    """CLIP's tokenizer.json as Hugging Face has it, filled in from the same vocabulary."""
    import tokenizers
    shape = json.loads((HERE / variant).read_text())
    names = {"<start_of_text>": "<|startoftext|>", "<end_of_text>": "<|endoftext|>"}
    shape["model"]["vocab"] = {names.get(token, token): i for token, i in tokenizer.encoder.items()}
    shape["model"]["merges"] = [" ".join(pair) for pair in tokenizer.bpe_ranks]
    fast = tokenizers.Tokenizer.from_str(json.dumps(shape))
    fast.enable_truncation(LENGTH)
    fast.no_padding()
    return lambda text: fast.encode(text).ids


def digest(ids, texts):
    """FNV-1a over all ids, so that every code point can be checked without storing what it becomes."""
    value = 0xCBF29CE484222325
    for text in texts:
        for token in ids(text):
            for byte in token.to_bytes(4, "little"):
                value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def same_in_old_tables(text):
    """Hugging Face composes with tables of Unicode 9. Marks that are newer it may leave in another order."""
    from tokenizers.normalizers import NFC
    return NFC().normalize_str(text) == unicodedata.normalize("NFC", text)


def write(name, ids, cases, ranges):
    data = {"cases": [], "code_points": []}
    for case in cases:
        entry = dict(case)
        data["cases"].append(entry | {"ids": ids(strings.text_of(case))})
    for first, last in ranges:
        texts = (text for c in range(first, last + 1) for text in strings.around(chr(c)))
        data["code_points"].append([first, last, digest(ids, texts)])
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0)
    (HERE / name).write_bytes(packed)
    print(name, len(data["cases"]), "texts,", sum(b - a + 1 for a, b in ranges), "code points,", len(packed), "bytes")


def main():
    clip, tokenizer = open_clip_tokenizer()
    cases = list(strings.cases())
    ranges = list(strings.assigned_ranges())
    write("open_clip.json.gz", clip, cases, ranges)
    fast = [case for case in cases if same_in_old_tables(strings.text_of(case))]
    write("tokenizers_openai.json.gz", fast_tokenizer(tokenizer, "tokenizer_openai.json"), fast[::2], ranges)
    write("tokenizers_newer.json.gz", fast_tokenizer(tokenizer, "tokenizer_newer.json"), fast[1::6], [])


main()
