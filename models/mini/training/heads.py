# SPDX-License-Identifier: LGPL-2.1-or-later
"""The image side: EfficientNet-Lite's 1,000 class probabilities times the classes' places in the space, plus what VOC trainval adds.

v = p A + sigmoid(U z + b) B + R z        (z: standardised pooled features, p: ImageNet softmax)
logit(w) = 100 <v, t(w)> / sqrt(|v|^2 + 1): the 1 is carried by 128 further coordinates that describe the picture's look,
which no text has. So a picture that resembles nothing known gets a flat softmax, and the cosine of two pictures means something.
"""
import os, re
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from wordfreq import zipf_frequency
from words import wordnet, ancestors, sense_share, TOO_ABSTRACT, imagenet
from pictures import WORK, VOC
import space

HUMAN = "aeroplane;bicycle;bird;boat;bottle;bus;car;cat;chair;cow;dining table;dog;horse;motorbike;person;potted plant;sheep;sofa;train;tv monitor".split(";")
SYNSET = ["airplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "dining table", "dog", "horse", "motorbike", "person", "houseplant", "sheep", "sofa", "train", "television"]
EXTRA = {"person": {"people": .5, "man": .3, "woman": .3, "human": .3, "human being": .1}, "potted plant": {"houseplant": .5, "pot plant": .3, "flowerpot": .3, "plant": .3}, "tv monitor": {"television": .7, "tv": .7, "screen": .4, "monitor": .4}, "cow": {"cattle": .5, "bull": .1, "calf": .1}, "motorbike": {"motorcycle": .7}}


def offset(k):
    syn, senses = wordnet()
    s = senses[SYNSET[k]]
    if HUMAN[k] == "tv monitor": s = [o for o in s if "television receiver" in syn[o].words]
    if HUMAN[k] == "train": s = [o for o in s if "railroad train" in syn[o].words]
    return s[0]


def families(words):
    """VOC class x word: weights of names that are right when the class is there; and the words that only hold when it is (its kinds)."""
    syn, _ = wordnet()
    at = {w: i for i, w in enumerate(words)}
    fam, kinds = np.zeros((20, len(words)), np.float32), np.zeros((20, len(words)), bool)
    for k in range(20):
        o = offset(k)
        names = {HUMAN[k]: 1.0, **EXTRA.get(HUMAN[k], {})}
        for a, d in ancestors(o).items():
            for l in syn[a].words:
                l = l.lower()
                if (l in TOO_ABSTRACT and d > 0) or (l != SYNSET[k] and sense_share(l, a) < .3): continue
                names.setdefault(l, (0.6 if d == 0 else 0.4 * 0.8 ** d) * np.clip((zipf_frequency(l, "en") - 1) / 3, .05, 1))
        if HUMAN[k] == "person": names = {n: x for n, x in names.items() if n in ("person", "people", "man", "woman", "human", "human being", "individual")}
        for n, x in names.items():
            if n in at: fam[k, at[n]] = x
        fam[k] /= fam[k].sum()
        todo, seen = [o], set()
        while todo:
            s = todo.pop()
            if s in seen: continue
            seen.add(s); todo += syn[s].down
        for i, w in enumerate(words):
            if w == HUMAN[k] or w in EXTRA.get(HUMAN[k], {}) : kinds[k, i] = True
            _, senses = wordnet()
            if w in senses and senses[w][0] in seen: kinds[k, i] = True
    return fam, kinds


class Head(nn.Module):
    def __init__(self, w, b, mean, std, A, t_voc, look, concepts=20):
        super().__init__()
        self.fc_w, self.fc_b = nn.Parameter(torch.tensor(w), False), nn.Parameter(torch.tensor(b), False)
        self.mean, self.std = nn.Parameter(torch.tensor(mean), False), nn.Parameter(torch.tensor(std), False)
        self.look = nn.Parameter(torch.tensor(look), False)             # 1280 -> 128, the picture's look
        self.A = nn.Parameter(torch.tensor(A))
        self.U, self.B = nn.Linear(1280, concepts), nn.Parameter(0.25 * torch.tensor(t_voc))
        self.R = nn.Linear(1280, A.shape[1])
        with torch.no_grad():
            self.U.weight.zero_(); self.U.bias.fill_(-2); self.R.weight.zero_(); self.R.bias.zero_()

    def semantic(self, f, drop=0.0, residual=True):
        p = F.linear(f, self.fc_w, self.fc_b).softmax(-1)
        v = p @ self.A
        if residual:
            z = F.dropout((f - self.mean) / self.std, drop, self.training)
            v = v + torch.sigmoid(self.U(z)) @ self.B + self.R(z)
        return v

    def forward(self, f, residual=True):
        v = self.semantic(f, residual=residual)
        a = ((f - self.mean) / self.std) @ self.look
        return torch.cat([v, a / a.norm(dim=-1, keepdim=True)], -1)


def logits(v, t):
    return 100 * (v / (v.square().sum(-1, keepdim=True) + 1).sqrt()) @ t.T


def load(n, views):
    f, y, area, whole, who = [], [], [], [], []
    for v in views:
        z = np.load(os.path.join(WORK, f"{v}_truth.npz"))
        f.append(np.load(os.path.join(WORK, f"feat{n}_{v}.npy"))); y.append(z["y"]); area.append(z["area"]); whole.append(z["whole"]); who.append(z["ids"])
    return [np.concatenate(a) for a in (f, y, area, whole, who)]


def train(n, views, words, t, A, goal_of_class, without=(), ids=None, epochs=24, lr=1e-3, decay=0.5, drop=0.3, forget=1.0, voc=0.5, shrink=5.0, seed=0, verbose=True):
    """without: VOC classes held out entirely (pictures with one are dropped, their words get no label). ids: pictures allowed."""
    torch.manual_seed(seed)
    f, y, area, _, who = load(n, views)
    ok = np.ones(len(f), bool) if ids is None else np.isin(who, list(ids))
    for k in without:
        bad = set(who[y[:, k] != 0]); ok &= ~np.isin(who, list(bad))
    f, y, area = f[ok], y[ok].copy(), area[ok]
    fc = np.load(os.path.join(WORK, f"fc{n}.npz"))
    mean, std = f.mean(0), f.std(0) + 0.05
    zs = (f - mean) / std
    _, s, v = np.linalg.svd(zs[np.random.RandomState(0).permutation(len(zs))[:3000]], full_matrices=False)
    seen = [k for k in range(20) if k not in without]
    fam, kinds = families(words)
    at = [words.index(HUMAN[k]) for k in seen]
    head = Head(fc["w"], fc["b"], mean.astype(np.float32), std.astype(np.float32), A, t[at], v[:128].T.astype(np.float32).copy(), len(seen))
    f_t, t_t, f_z = torch.tensor(f), torch.tensor(t), torch.tensor(zs.astype(np.float32))
    with torch.no_grad():
        p = F.linear(f_t, head.fc_w, head.fc_b).softmax(1).numpy()
    base = p @ goal_of_class                                   # what ImageNet and WordNet say is there
    for k in seen: base[np.ix_(y[:, k] == 0, kinds[k])] = 0        # what the labels deny
    left = base.sum(1, keepdims=True)
    base /= np.maximum(left, 1e-6)
    here = (y[:, seen] == 1) * (0.4 + 0.6 * np.sqrt(np.minimum(area[:, seen], 1)))
    any_ = here.sum(1) > 0
    share = here / np.maximum(here.sum(1, keepdims=True), 1e-6)
    m = np.where(any_, np.clip(0.4 + 0.6 * area[:, seen].sum(1), .4, .85), 0)[:, None]
    goal = ((1 - m) * base + m * (share @ fam[seen])).astype(np.float32)
    goal[(~any_) & (left[:, 0] < .3)] = 0              # nothing known about it: no lesson
    goal_t = torch.tensor(goal)
    short = torch.tensor(np.where(any_[:, None], share, 0).astype(np.float32))
    fast = [head.U.weight, head.U.bias, head.R.weight, head.R.bias]
    opt = torch.optim.AdamW([{"params": fast, "lr": lr, "weight_decay": decay}, {"params": [head.A, head.B], "lr": lr, "weight_decay": 0}])
    steps = epochs * (len(f) // 256); sched = torch.optim.lr_scheduler.OneCycleLR(opt, [lr, lr], total_steps=steps + 1, pct_start=.1)
    A0 = head.A.detach().clone()
    done = 0
    while done < steps:
        for b in torch.randperm(len(f)).split(256):
            if done >= steps: break
            l = logits(head.semantic(f_t[b], drop), t_t)
            loss = -(goal_t[b] * l.log_softmax(1)).sum(1).mean()
            loss = loss + voc * -(short[b] * l[:, at].log_softmax(1)).sum(1).mean() + forget * (head.A - A0).square().sum(1).mean()
            if shrink: loss = loss + shrink * head.R(f_z[b]).square().sum(1).mean()      # the free part stays small on every picture
            opt.zero_grad(); loss.backward(); opt.step(); sched.step(); done += 1
        if verbose: print(f"    {done}/{steps} loss {float(loss):.3f}", flush=True)
    return head.eval()


def evaluate(head, f, truth, t_names, residual=True):
    """mAP by logits and by softmax over the names; per-class AP by softmax."""
    with torch.no_grad():
        l = logits(head.semantic(torch.tensor(f), residual=residual), torch.tensor(t_names)).numpy()
    e = np.exp(l - l.max(1, keepdims=True)); s = e / e.sum(1, keepdims=True)
    def per(x): return np.array([space.ap(x[truth[:, k] >= 0, k], (truth[truth[:, k] >= 0, k] == 1).astype(float)) for k in range(truth.shape[1])])
    return per(l), per(s), l, s
