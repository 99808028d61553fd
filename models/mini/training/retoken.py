# SPDX-License-Identifier: LGPL-2.1-or-later
"""CLIP's byte pairs read by the sentence encoder: every CLIP token is spelt in the encoder's own WordPieces, inside the graph."""
import glob, json, os
import numpy as np
from clip_bpe import Bpe, START, END
from teacher import TEACH

K = 4


def wordpiece():
    v = json.load(open(glob.glob(f"{TEACH}/*/all-minilm-l6-v2-tokenizer.json")[0]))["model"]["vocab"]
    return v


def split(text, vocab, inner):
    """Greedy longest match, as WordPiece does; inner: the text continues a word."""
    out, i = [], 0
    while i < len(text):
        for j in range(len(text), i, -1):
            s = ("##" if (inner or i > 0) else "") + text[i:j]
            if s in vocab:
                out.append(vocab[s]); i = j
                break
        else:
            return None
    return out


def plain(symbol, bpe):
    """The characters of a CLIP symbol, accents removed as the encoder's own tokenizer does; None for half a character."""
    import unicodedata
    back = {v: k for k, v in bpe.byte.items()}
    try:
        s = bytes(back[c] for c in symbol).decode("utf-8")
    except (UnicodeDecodeError, KeyError):
        return None
    return "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn")


def tables(bpe=None):
    """pieces[2, 49408, K] (0: none) at a word's start and inside it; inner[49408]: the token does not end a word; kind[49408]."""
    bpe, vocab = bpe or Bpe(), wordpiece()
    n = len(bpe.symbols)
    pieces, inner = np.zeros((2, n, K), np.int16), np.zeros(n, np.int8)
    lost = 0
    for i, s in enumerate(bpe.symbols[:-2]):
        final = s.endswith("</w>")
        text = plain(s[:-4] if final else s, bpe)
        inner[i] = not final
        for cont in (0, 1):
            p = split(text, vocab, cont) if text else None
            if p is None and text and not text.isalnum():        # a run of punctuation: mark by mark
                p = [vocab.get(c) for c in text]
                p = p if all(p) else None
            if p is None: lost += 1; p = [vocab["[UNK]"]] if text else []
            pieces[cont, i, :min(K, len(p))] = p[:K]
    pieces[:, START, 0], pieces[:, END, 0] = vocab["[CLS]"], vocab["[SEP]"]
    kind = np.zeros(n, np.int8)                          # 1 photo-like, 2 "of", 3 article or full stop, 4 start/end
    for w in "photo photos picture pictures image photograph video frame snapshot drawing painting rendering sketch close-up itap".split():
        t = bpe(w)[1:-1]
        if len(t) == 1: kind[t[0]] = 1
    kind[bpe("of")[1]] = 2
    for w in ("a", "an", "the", "."): kind[bpe(w)[1]] = 3
    kind[[START, END]] = 4
    return pieces, inner, kind, lost


def read(ids, pieces, inner, kind):
    """What the graph does, in plain Python, for one row of ids: the encoder's WordPieces."""
    ids = list(ids[:list(ids).index(END) + 1])
    k = [kind[i] for i in ids]
    last = max([j for j in range(1, len(ids)) if k[j] == 2 and k[j - 1] == 1], default=0)
    keep = [k[j] == 4 or (j > last and k[j] != 3) for j in range(len(ids))]
    if not any(a and k[j] != 4 for j, a in enumerate(keep)): keep = [True] * len(ids)
    out = []
    for j, i in enumerate(ids):
        if keep[j]: out += [int(p) for p in pieces[int(j > 0 and inner[ids[j - 1]]), i] if p]
    return out


if __name__ == "__main__":
    from tokenizers import Tokenizer
    bpe = Bpe(); pieces, inner, kind, lost = tables(bpe)
    print("unspellable", lost, "rows used", len(np.unique(pieces)), "cut at K", (pieces[..., -1] > 0).sum(), "kind", np.bincount(kind))
    tok = Tokenizer.from_file(glob.glob(f"{TEACH}/*/all-minilm-l6-v2-tokenizer.json")[0]); tok.no_padding()
    p = json.load(open(os.path.join(os.environ.get("MINI_WORK","work"),"phrases.json"))); prio = json.load(open(os.path.join(os.environ.get("MINI_WORK","work"),"prio.json")))
    from space import everyday
    for name, texts in (("everyday", everyday()), ("all", p[::40]), ("prio<=1", [w for w in p if prio[w] <= 1][::10])):
        same = [read(bpe(t), pieces, inner, kind) == tok.encode(t).ids for t in texts]
        print(name, len(texts), "spelt exactly as the encoder does", np.mean(same), [t for t, s in zip(texts, same) if not s][:14])
    print(read(bpe("a photo of a cat"), pieces, inner, kind), tok.encode("cat").ids, read(bpe("a"), pieces, inner, kind))
