# SPDX-License-Identifier: LGPL-2.1-or-later
"""How close textual.onnx is to its teacher, on phrases; templates; neighbours."""
import sys, json, os, time
import numpy as np
from text_onnx import Tower
from text_tower import TEMPLATES, HELD_TEMPLATES, hash_
from pictures import WORK
import space
path = sys.argv[1]
tw = Tower(path)
mu, M = np.load(os.path.join(WORK, "mu.npy")), space.text_map(space.vocabulary())
p = json.load(open(os.path.join(WORK, "phrases.json"))); prio = json.load(open(os.path.join(WORK, "prio.json")))
import glob
unit = lambda a: a / np.linalg.norm(a, axis=1, keepdims=True)
idx = {}
for f in glob.glob(os.path.join(WORK, "emb_p??????.npy")):
    i = int(f[-10:-4]); idx[i] = np.load(f, mmap_mode="r")
def teacher(w_i): return np.array([idx[i // 5000 * 5000][i % 5000] for i in w_i], np.float32)
at = {w: i for i, w in enumerate(p)}
rnd = np.random.RandomState(1)
every = [w for w in space.everyday()]
def report(tag, texts, ref=None):
    ref = ref or texts
    e = space.embed(ref) if not all(t in at for t in ref) else unit(teacher([at[t] for t in ref]) - mu)
    a = tw(texts)[:, :M.shape[0]]; b = unit(e @ M.T); c = (a * b).sum(1)
    print(f"{tag:44s} n {len(texts):5d} mean cosine {c.mean():.4f}  5% {np.quantile(c, .05):.3f}", flush=True)
    return c
t0 = time.time(); report("everyday words", every); print(f"   {len(every)/(time.time()-t0):.0f} texts/s one thread")
for name, lo, hi in (("WordNet/frequent words", 1, 1), ("phrases, compounds, glosses", 2, 2), ("rare words", 3, 3), ("very rare lemmas", 4, 5)):
    s = [w for w in p if lo <= prio[w] <= hi]; s = [s[i] for i in rnd.permutation(len(s))[:1500]]
    c = report(name, s)
    if lo == 1: print("   worst", [s[i] for i in np.argsort(c)[:12]])
w = [every[i] for i in rnd.permutation(len(every))[:400]]
for f in TEMPLATES[:2] + HELD_TEMPLATES: report(f"'{f}' against the bare word", [f.format(x) for x in w], w)
ev = tw(every)
for q in ["dog", "a photo of a bus", "lorry", "smartphone", "guitar", "beach", "computer", "peacock", "steering wheel", "sofa", "plane", "bike", "tv", "fire engine", "wedding"]:
    s = (tw([q]) @ ev.T)[0]; o = np.argsort(-s)[:7]
    print(f"  {q}: " + ", ".join(f"{every[i]} {s[i]:.2f}" for i in o))
