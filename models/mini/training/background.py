# SPDX-License-Identifier: LGPL-2.1-or-later
"""background-words.txt: the everyday words that ImageNet's classes and VOC's point at first, so that a picture of nearly anything has a rival for a label that is not there."""
import os
import numpy as np
import space, heads


def choose(tower, A, top=1):
    ev = space.everyday(); t = tower(ev)[:, :space.D]
    rank = np.argsort(-(A @ t.T), axis=1)
    votes = np.bincount(rank[:, :top].ravel(), minlength=len(ev))
    keep = {ev[i] for i in np.where(votes > 0)[0]} | {w for w in heads.HUMAN if w in ev} | {"man", "woman", "people", "tv", "television", "houseplant"} & set(ev)
    return [w for w in ev if w in keep]
