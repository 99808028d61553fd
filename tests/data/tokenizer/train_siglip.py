#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains small vocabularies of SigLIP's and SigLIP 2's kinds (unigram*.json, bpe*.json beside this file), and writes the
ids that Hugging Face's `tokenizers` gives to some texts: tokenizers_siglip.json.gz.

Run by hand:

    pip install protobuf sentencepiece==0.2.3 tokenizers==0.23.3
    python tests/data/tokenizer/train_siglip.py

The layouts are those of the published files. SigLIP: a Unigram of SentencePiece's, cleaned as SiglipTokenizer does it
(lower case, no punctuation, single spaces), then by SentencePiece's own table. SigLIP 2: Gemma's BPE with byte fallback,
whose tokenizer.json does or does not lower the case, depending on the version of `transformers` that wrote it.
"""
import gzip
import io
import json
import pathlib
import random
import re
import string
import tempfile
import unicodedata

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

import strings

HERE = pathlib.Path(__file__).resolve().parent
LENGTH = 64

CORPUS = strings.ARTICLES + [template.replace("{}", word.replace("-", " ")) for word in strings.WORDS
                             for template in strings.TEMPLATES[:4]]

# Beside a sample of strings.py: tokens as they are written, spaces, forms that the table replaces.
TEXTS = ["", " ", "   ", "\t\n", "a photo of a cat", " a photo of a cat", "a photo of a cat ", "a  photo   of a\u3000cat",
         "A PHOTO of a Cat!", "This is a photo of a traffic light.", "</s>", "cat</s>dog", "cat </s>  dog", "</s> </s>cat",
         "<unk> cat", "cat <unk>dog", "<UNK>", "<pad>", "<eos>", "<bos>cat<eos>", "<mask> a <table>b</table>", "<Table>",
         "▁", "▁▁", "a▁b", "▁▁▁▁ cat", "\n", "\n\n\n", "cat\r\ndog", "<0x41>", "``quoted''", "<start_of_turn>user", "ＣＡＴ",
         "ﬁne ﬂower", "ﬁ\u0301ne", "e\u0301 é", "o\u0308\u0301", "①②③ ½ ™", "㎏ ㍿ ﷺ", "ｶﾞｷﾞ がぎ", "한글 한글 ㈜",
         "a\u00adb\u200bc\u200dd\ufeffe", "\x00\x01\x7f\x1e", "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪", "नमस्ते दुनिया", "สวัสดีชาวโลก", "שלום עולם",
         "مرحبا بالعالم", "Привет, МИР", "ΟΔΥΣΣΕΥΣ Σ", "İSTANBUL ıIiİ", "straße STRASSE ẞ", "犬と猫、鳥。", "人人生而自由", "한국어 텍스트",
         "x" * 300, "cat " * 100, "猫" * 100, "don't stop-it (now) [ok] {yes} a/b\\c ~`@#$%^&*_+=|<>?:;\",.", "ǅ ǆ Ǆ", "\u0600a \u0600\u0301"]


def rules():
    """A table of SentencePiece's form, small enough to be kept here: the published ones have 300 kB."""
    ranges = [(0xA0, 0x180), (0x2000, 0x2070), (0x2100, 0x2140), (0x2460, 0x2474), (0x3000, 0x3001), (0x3380, 0x33A0),
              (0xFB00, 0xFB07), (0xFE00, 0xFE10), (0xFF01, 0xFFA0)]
    table = {c: unicodedata.normalize("NFKC", chr(c)) for first, last in ranges for c in range(first, last)}
    table |= {c: " " for c in (0x9, 0xA, 0xC, 0xD, 0x200B, 0x200E, 0x2028, 0xFEFF, 0xFFFD)}
    table |= {c: "" for c in (*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x200D, 0xAD)}
    lines = [f"{c:X}\t{' '.join(f'{ord(d):X}' for d in to)}" for c, to in sorted(table.items()) if to != chr(c)]
    for letter in "aeiou":
        for mark in "\u0300\u0301\u0308":
            lines.append(f"{ord(letter):X} {ord(mark):X}\t{ord(unicodedata.normalize('NFC', letter + mark)):X}")
    return "\n".join(lines) + "\n"


def train(**options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=model, hard_vocab_limit=False, num_threads=1,
        minloglevel=2, **options)
    proto = model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    return proto


def save(name, tokenizer, change=None):
    root = json.loads(tokenizer.to_str())
    if change:
        change(root)
    (HERE / name).write_text(json.dumps(root, ensure_ascii=False, separators=(",", ":")) + "\n")
    return name


def unigram():
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.write(rules())
        table.flush()
        proto = train(model_type="unigram", vocab_size=700, character_coverage=0.995, pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
                      normalization_rule_tsv=table.name)
    pieces = [(piece.piece, piece.score) for piece in proto.pieces]
    charsmap = proto.normalizer_spec.precompiled_charsmap

    def base(byte_fallback=False, extra=()):
        tokenizer = Tokenizer(models.Unigram(pieces + list(extra), proto.trainer_spec.unk_id, byte_fallback))
        tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                                 special_tokens=[("</s>", 1)])
        tokenizer.add_special_tokens([AddedToken(t, lstrip=True, rstrip=True, normalized=False) for t in ("</s>", "<unk>")])
        return tokenizer

    siglip = base()
    siglip.normalizer = normalizers.Sequence([
        normalizers.Lowercase(), normalizers.Replace(Regex("[" + re.escape(string.punctuation) + "]"), ""),
        normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip(), normalizers.Precompiled(charsmap),
        normalizers.Replace(Regex(" {2,}"), " ")])
    siglip.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always")

    def old_metaspace(root):
        root["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}

    yield save("unigram_siglip.json", siglip, old_metaspace)

    # What other files of the kind have: words split first, bytes for what is unknown, padding, no cleaning of its own.
    other = base(byte_fallback=True, extra=[(f"<0x{byte:02X}>", -20.0) for byte in range(256)])
    other.normalizer = normalizers.Sequence([
        normalizers.NFKC(), normalizers.Strip(left=False, right=True), normalizers.Replace("``", '"'),
        normalizers.Replace(Regex(" {2,}"), "▁")])
    other.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace("▁")])
    other.enable_padding(length=LENGTH, pad_id=0, pad_token="<pad>")
    yield save("unigram_bytes.json", other)

    first = base()
    first.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.NFC()])
    first.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="first", split=False)
    yield save("unigram_first.json", first)


def merges_of(vocabulary):
    """As `transformers` finds the merges of a SentencePiece BPE: every pair of pieces that makes a piece."""
    merges = []
    for piece, rank in vocabulary.items():
        local = [(piece[:i], piece[i:]) for i in range(1, len(piece)) if piece[:i] in vocabulary and piece[i:] in vocabulary]
        local.sort(key=lambda pair: (vocabulary[pair[0]], vocabulary[pair[1]]))
        merges += [(left, right, rank) for left, right in local]
    return [(left, right) for left, right, rank in sorted(merges, key=lambda merge: merge[2])]


def bpe():
    proto = train(model_type="bpe", vocab_size=1600, character_coverage=0.98, byte_fallback=True, split_digits=True,
                  normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False,
                  allow_whitespace_only_pieces=True, pad_id=0, eos_id=1, bos_id=2, unk_id=3,
                  pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>",
                  user_defined_symbols=["<mask>", "<start_of_turn>", "\n", "▁▁", "▁▁▁", "<table>"])
    vocabulary = {piece.piece: i for i, piece in enumerate(proto.pieces)}
    plain = {piece.piece: i for i, piece in enumerate(proto.pieces) if piece.type in (1, 4)}  # normal, user defined

    def base(**options):
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges_of(plain), unk_token="<unk>", fuse_unk=True, **options))
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>"]
        tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in specials])
        tokenizer.add_tokens([AddedToken(t, normalized=False) for t in ("▁▁", "▁▁▁", "<table>")])
        tokenizer.post_processor = processors.TemplateProcessing(single="$A <eos>", pair="$A <eos> $B <eos>",
                                                                 special_tokens=[("<eos>", 1)])
        return tokenizer

    yield save("bpe_siglip2.json", base(byte_fallback=True))  # as published: in the case that was typed

    lower = base(byte_fallback=True)
    lower.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(" ", "▁")])
    yield save("bpe_siglip2_lowercase.json", lower)

    # No bytes, a start, whole words first, no pre-tokenizer, merges written as strings.
    other = base(byte_fallback=False, ignore_merges=True)
    other.pre_tokenizer = None
    other.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    other.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[("<bos>", 2)])

    def as_strings(root):
        root["model"]["merges"] = [" ".join(merge) for merge in root["model"]["merges"]]

    yield save("bpe_unknown.json", other, as_strings)


def cases():
    def same_in_old_tables(text):  # `tokenizers` composes with tables of Unicode 9
        return normalizers.NFKC().normalize_str(text) == unicodedata.normalize("NFKC", text)

    good = [case for case in strings.cases() if "repeat" not in case and same_in_old_tables(strings.text_of(case))]
    sample = random.Random(7).sample(good, 900)
    return [{"text": text} for text in TEXTS] + sample + [{"latin1": "cat \xff\xc3 dog"}, {"latin1": "\xf0\x9f\x98"}]


def main():
    texts = cases()
    data = {"cases": texts, "ids": {}}
    for name in [*unigram(), *bpe()]:
        tokenizer = Tokenizer.from_file(str(HERE / name))
        tokenizer.no_padding()
        tokenizer.enable_truncation(LENGTH)
        data["ids"][name] = [tokenizer.encode(strings.text_of(case)).ids for case in texts]
        print(name, (HERE / name).stat().st_size, "bytes,", len(texts), "texts")
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0)
    (HERE / "tokenizers_siglip.json.gz").write_bytes(packed)
    print("tokenizers_siglip.json.gz", len(packed), "bytes")


if __name__ == "__main__":
    main()
