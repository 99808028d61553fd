# SPDX-License-Identifier: LGPL-2.1-or-later
"""CLIP's byte-pair tokenizer, the part this needs: lower case, split, merge by rank."""
import gzip, os, re, functools, html
import numpy as np

VOCAB = os.environ.get("CLIP_BPE", os.path.join(os.path.dirname(__file__), "../../../src/tokenize/vocabulary/bpe_simple_vocab_16e6.txt.gz"))
START, END = 49406, 49407


def byte_symbols():
    """Every byte as one printable character: itself where it prints, else 256 upwards."""
    keep = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b <= 255]
    rest = [b for b in range(256) if b not in keep]
    return {**{b: chr(b) for b in keep}, **{b: chr(256 + n) for n, b in enumerate(rest)}}, keep + rest


class Bpe:
    def __init__(self, path=VOCAB):
        sym, order = byte_symbols()
        merges = [tuple(l.split()) for l in gzip.open(path, "rt", encoding="utf-8").read().split("\n")[1:49152 - 256 - 2 + 1]]
        base = [sym[b] for b in order]
        self.symbols = base + [c + "</w>" for c in base] + ["".join(m) for m in merges] + ["<|startoftext|>", "<|endoftext|>"]
        self.index = {s: i for i, s in enumerate(self.symbols)}
        self.rank = {m: i for i, m in enumerate(merges)}
        self.byte = sym
        self.word = functools.lru_cache(500000)(self._word)

    def _word(self, w):
        parts = [self.byte[b] for b in w.encode("utf-8")]
        parts[-1] += "</w>"
        while len(parts) > 1:
            pairs = [(self.rank.get(p, 1 << 30), i) for i, p in enumerate(zip(parts, parts[1:]))]
            r, i = min(pairs)
            if r == 1 << 30:
                break
            pair, out, j = (parts[i], parts[i + 1]), [], 0
            while j < len(parts):
                if j + 1 < len(parts) and (parts[j], parts[j + 1]) == pair:
                    out.append(parts[j] + parts[j + 1]); j += 2
                else:
                    out.append(parts[j]); j += 1
            parts = out
        return tuple(self.index[p] for p in parts)

    def __call__(self, text, limit=77):
        text = " ".join(html.unescape(text).lower().split())
        ids = [START]
        for w in re.findall(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\s\w]|_)+", text):
            ids += self.word(w)
        return ids[:limit - 1] + [END]

    def batch(self, texts, limit=77):
        rows = [self(t, limit) for t in texts]
        out = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for i, r in enumerate(rows):
            out[i, :len(r)] = r
        return out
