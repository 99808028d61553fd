# SPDX-License-Identifier: LGPL-2.1-or-later
"""Before train_mini.py: the phrase list and the teacher's centre mu (mean over ImageNet's names, visible nouns and frequent words).   prepare.py"""
import json, os, random
import numpy as np
import phrases
from pictures import WORK
from teacher import Teacher
from words import VISIBLE, closure, wordnet
from wordfreq import zipf_frequency


def rank(w, named, syn, senses):
    """0 ImageNet's names and hypernyms, 1 visible or frequent words, 2 made-up phrases and glosses, 3 rare, 4 odd phrases, 5 very rare."""
    z, n, known = zipf_frequency(w, "en"), w.count(" "), w in senses
    if w in named: return 0
    if (known and syn[senses[w][0]].lex in VISIBLE and z >= 2.6) or (n == 0 and z >= 3.0): return 1
    if n >= 1 and not known: return 2 + 2 * (z < 2.5)
    return 3 if z >= 2.0 and (n == 0 or known) else 5


if __name__ == "__main__":
    syn, senses = wordnet(); named = {w for c in closure() for w in c}
    p = phrases.build(); r = {w: rank(w, named, syn, senses) for w in p}
    core = [w for w in p if r[w] <= 1]
    mu = Teacher("all-minilm-l6-v2-q", threads=2)(core).mean(0)
    old = os.path.join(WORK, "mu.npy")
    if os.path.exists(old): print(len(core), "words; distance to the mu in use", float(np.linalg.norm(mu - np.load(old))), "of", float(np.linalg.norm(mu)))
    else: np.save(old, mu)
