# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shared space, before any picture: where ImageNet's 1,000 classes lie among words, learnt from WordNet and the teacher alone.

t(w) = unit(M e(w)), e = the teacher's centred vector, M 384 -> 256 (main directions, a quarter whitened).   class c = row A[c].
A is fitted so that softmax(100 cos) over some 3,400 words gives class c its own names, its hypernyms' names
(everyday ones most) and a quarter of the weight to what the text tower finds near.
"""
import os, json
import numpy as np, torch, torch.nn.functional as F
from wordfreq import zipf_frequency
from words import wordnet, imagenet, closure
from teacher import Teacher
from pictures import WORK

D = 256
HERE = os.path.dirname(os.path.abspath(__file__))


def everyday():
    lines = [l for l in open(os.path.join(HERE, "lists", "everyday.txt")).read().split("\n") if l and l[0] != "#"]
    return list(dict.fromkeys(w for l in lines for w in l.split(";")))


_cache = {}
def embed(texts):
    """Teacher's centred unit vectors, kept on disk between runs."""
    path = os.path.join(WORK, "words_cache.npz")
    if not _cache and os.path.exists(path):
        z = np.load(path, allow_pickle=True)
        _cache.update(zip(z["w"].tolist(), z["e"]))
    miss = [t for t in dict.fromkeys(texts) if t not in _cache]
    if miss:
        _cache.update(zip(miss, Teacher("all-minilm-l6-v2-q", threads=2)(miss)))
        np.savez(path, w=np.array(list(_cache), object), e=np.array(list(_cache.values()), np.float32))
    mu = np.load(os.path.join(WORK, "mu.npy"))
    e = np.array([_cache[t] for t in texts], np.float32) - mu
    return e / np.linalg.norm(e, axis=1, keepdims=True)


def graph(words):
    """ImageNet class x word: WordNet's weight, leaning to everyday words."""
    at = {w: i for i, w in enumerate(words)}
    g = np.zeros((1000, len(words)), np.float32)
    for c, ws in enumerate(closure()):
        for w, x in ws.items():
            if w in at:
                g[c, at[w]] = x * np.clip((zipf_frequency(w, "en") - 1) / 3, 0.05, 1)
    return g


def class_texts():
    syn, _ = wordnet()
    return [[w.lower() for w in syn[c].words[:3]] + [", ".join(syn[c].words[:2]).lower() + ": " + syn[c].gloss.split(";")[0]] for c in imagenet()]


def text_map(words):
    """M: the teacher's main 256 directions over the vocabulary, a quarter whitened (hub words stand out less)."""
    _, s, v = np.linalg.svd(embed(words), full_matrices=False)
    return (v[:D] * (s[:D, None] / s[0]) ** -0.25).astype(np.float32)


def fit(words, tower, steps=200, lr=3e-3, semantic=0.25, keep=None):
    """Place the 1,000 classes: rows A such that softmax(100 cos) over the words gives WordNet's names and, for a quarter, what the tower finds near.

    keep: mask of the words used (the others are held out, to see whether it carries over). Returns A and the class x word goal.
    """
    t = torch.tensor(tower(words)[:, :D])
    ct = class_texts()
    flat = tower([x for c in ct for x in c])[:, :D]
    n = np.cumsum([0] + [len(c) for c in ct])
    c0 = torch.tensor(np.array([flat[n[i]:n[i + 1] - 1].mean(0) + flat[n[i + 1] - 1] for i in range(1000)]))
    c0 = F.normalize(c0, dim=1)
    near = (c0 @ t.T * 25).softmax(1).numpy()
    g = graph(words)
    goal = (1 - semantic) * g / np.maximum(g.sum(1, keepdims=True), 1e-6) + semantic * near
    k = np.ones(len(words), bool) if keep is None else keep
    y = torch.tensor(goal[:, k] / goal[:, k].sum(1, keepdims=True)); tk = t[torch.tensor(k)]
    A = (0.25 * c0).requires_grad_()
    opt = torch.optim.Adam([A], lr=lr)
    for i in range(steps):
        logits = 100 * (A / (A.square().sum(1, keepdim=True) + 1).sqrt()) @ tk.T
        loss = -(y * logits.log_softmax(1)).sum(1).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    return A.detach().numpy(), goal.astype(np.float32), c0.numpy(), t.numpy()


def vocabulary():
    w = {w for c in closure() for w in c if zipf_frequency(w, "en") >= 1.5}
    return sorted(w | set(everyday()))


def ap(score, y):
    y = y[np.argsort(-score, kind="stable")]
    return float((np.cumsum(y) / np.arange(1, len(y) + 1) * y).sum() / y.sum())


