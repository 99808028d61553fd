# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text tower: two small transformer blocks over CLIP's byte pairs, taught by the sentence encoder to put every phrase where it puts it."""
import os, sys, json, glob, time, random, math
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from clip_bpe import Bpe, END
from pictures import WORK

TEMPLATES = ["a photo of a {}", "a photo of the {}", "a picture of a {}", "a {}", "the {}", "an image of a {}", "a photo of {}", "{} in the picture", "a close-up photo of a {}", "a bad photo of a {}", "a video of a {}", "a frame showing a {}", "there is a {} in the scene", "a photo of a {}.", "a blurry photo of a {}", "a photo of one {}", "a photo of many {}", "this is a {}", "a cropped photo of the {}", "itap of a {}.", "a good photo of the {}", "a black and white photo of a {}", "a photograph of a {}", "some {}"]
HELD_TEMPLATES = ["a snapshot of a {}", "a photo of my {}", "we can see a {} here", "a low resolution photo of a {}", "an example of a {}"]


class Block(nn.Module):
    def __init__(self, d, heads=4, wide=2):
        super().__init__()
        self.a, self.b, self.heads = nn.LayerNorm(d), nn.LayerNorm(d), heads
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, wide * d), nn.Linear(wide * d, d)

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.qkv(self.a(x)).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        w = (q @ k.transpose(2, 3) * (d // self.heads) ** -0.5 + mask).softmax(-1)
        x = x + self.out((w @ v).transpose(1, 2).reshape(b, n, d))
        return x + self.down(F.gelu(self.up(self.b(x))))


class Text(nn.Module):
    """input_ids -> unit vector in the teacher's centred space. Everything after the first end token is ignored."""
    def __init__(self, table, basis, d=256, blocks=2):
        super().__init__()
        e = table.shape[1]
        self.table = nn.Embedding.from_pretrained(torch.tensor(table), freeze=False)
        self.inp, self.pos = nn.Linear(e, d), nn.Parameter(torch.randn(77, d) * 0.02)
        self.blocks = nn.ModuleList(Block(d) for _ in range(blocks))
        self.norm, self.out = nn.LayerNorm(d), nn.Linear(2 * d, 384)
        self.skip = nn.Linear(e, 384)
        with torch.no_grad():
            self.skip.weight.copy_(torch.tensor(basis.T)); self.skip.bias.zero_()
            self.out.weight.mul_(0.1); self.out.bias.zero_()
            for b in self.blocks: b.out.weight.mul_(0.5); b.down.weight.mul_(0.5)

    def lookup(self, ids):
        return self.table(ids)

    def forward(self, ids):
        end = (ids == END).float()
        before = torch.cumsum(end, 1) - end
        valid = (before == 0).float()
        end = end * valid
        content = valid - end
        content = content / content.sum(1, keepdim=True)
        t = self.lookup(ids)
        x = self.inp(t) + self.pos[:ids.shape[1]]
        mask = ((valid - 1) * 1e4)[:, None, None]
        for b in self.blocks:
            x = b(x, mask)
        x = self.norm(x)
        pooled = torch.cat([(x * end[..., None]).sum(1), (x * content[..., None]).sum(1)], 1)
        y = self.out(pooled) + self.skip((t * content[..., None]).sum(1))
        return y / y.norm(dim=1, keepdim=True)


def teacher_targets():
    p = json.load(open(os.path.join(WORK, "phrases.json")))
    have, e = [], []
    for f in sorted(glob.glob(os.path.join(WORK, "emb_p??????.npy"))):
        a = np.load(f); i = int(f[-10:-4]); a = a[:5000]
        have += p[i:i + len(a)]; e.append(a)
    return have, np.concatenate(e).astype(np.float32)


def main(minutes, out):
    torch.manual_seed(0); rnd = random.Random(0); torch.set_num_threads(2)
    p, e = teacher_targets()
    tok = np.concatenate([np.load(f) for f in sorted(glob.glob(os.path.join(WORK, "emb_t??????.npy")))]).astype(np.float32)
    prio = json.load(open(os.path.join(WORK, "prio.json")))
    mu_file = os.path.join(WORK, "mu.npy")
    if os.path.exists(mu_file): mu = np.load(mu_file)
    else:
        mu = e[[i for i, w in enumerate(p) if prio[w] <= 1]].mean(0); np.save(mu_file, mu)
    unit = lambda a: a / np.linalg.norm(a, axis=1, keepdims=True)
    y = torch.tensor(unit(e - mu))
    # the table starts as the teacher's own view of every byte pair, its 192 main directions
    tc = unit(tok - mu)
    _, s, v = np.linalg.svd(np.concatenate([tc[::3], y.numpy()[::5]]), full_matrices=False)
    basis = v[:192]
    model = Text((tc @ basis.T).astype(np.float32), basis.astype(np.float32))
    bpe = Bpe()
    held = {w for w in p if prio[w] >= 1 and hash_(w) % 100 < 3}
    ids = [bpe(w) for w in p]
    w = np.array([0 if t in held else {0: 6, 1: 4, 2: 1.2, 3: 1, 4: .6, 5: .4}[prio[t]] for t in p])
    w /= w.sum()
    test = [i for i, t in enumerate(p) if t in held][:6000]
    print(len(p), "phrases", len(held), "held out;", sum(q.numel() for q in model.parameters()), "parameters", flush=True)
    frames = [f.split("{}") for f in TEMPLATES]
    frames = [(bpe(a)[1:-1] if a.strip() else [], bpe(b)[1:-1] if b.strip() else []) for a, b in frames]

    def pad(rows):
        n = max(map(len, rows)); a = np.zeros((len(rows), n), np.int64)
        for i, r in enumerate(rows): a[i, :len(r)] = r
        return torch.from_numpy(a)

    def evaluate(texts, idx):
        with torch.no_grad():
            return np.mean([float((model(pad([bpe(t) for t in texts[k:k + 500]])) * y[idx[k:k + 500]]).sum(1).mean()) for k in range(0, len(texts), 500)])
    dense = [q for n, q in model.named_parameters() if not n.startswith("table")]
    opt = torch.optim.AdamW([{"params": dense, "lr": 2e-3, "weight_decay": 0.01}, {"params": [model.table.weight], "lr": 2e-3, "weight_decay": 0}], betas=(.9, .98))
    base = [g["lr"] for g in opt.param_groups]
    t0, step, run = time.time(), 0, 0.0
    pool = []
    while True:
        done = (time.time() - t0) / (60 * minutes)
        if done >= 1: break
        if not pool:                                   # one draw of 32 batches, sorted by length so that little is padding
            draw = np.random.choice(len(p), 384 * 32, p=w)
            rows = []
            for i in draw:
                r = ids[i]
                if rnd.random() < .25 and len(r) <= 8:
                    a, b = rnd.choice(frames); r = r[:1] + a + r[1:-1] + b + r[-1:]
                rows.append((len(r), i, r))
            rows.sort(key=lambda t: t[0])
            pool = [rows[k:k + 384] for k in range(0, len(rows), 384)]
            rnd.shuffle(pool)
        b = pool.pop()
        lr = min(1, step / 60) * (0.5 * (1 + math.cos(math.pi * done)) + 0.01)
        for g, l in zip(opt.param_groups, base): g["lr"] = l * lr
        with torch.autocast("cpu", torch.bfloat16):
            o = model(pad([r for _, _, r in b]))
        t = y[[i for _, i, _ in b]]
        sim = o.float() @ t.T
        cos = sim.diagonal()
        # be close to the teacher, and closer to one's own phrase than to the others of the batch
        loss = (1 - cos).mean() + 0.05 * F.cross_entropy(sim * 20, (t @ t.T * 20).softmax(1))
        opt.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(dense, 1.0)
        opt.step()
        run += float(cos.mean()); step += 1
        if step % 100 == 0:
            print(f"{step} {time.time()-t0:.0f}s cos {run/100:.4f}" + (f" held-out {evaluate([p[i] for i in test[:1000]], test[:1000]):.4f}" if step % 500 == 0 else ""), flush=True); run = 0
        if step % 500 == 0:
            torch.save({"state": model.state_dict(), "basis": basis, "mu": mu}, out)
    torch.save({"state": model.state_dict(), "basis": basis, "mu": mu}, out)
    model.eval()
    print("held-out phrases: cosine to the teacher (centred)", evaluate([p[i] for i in test], test))
    for f in TEMPLATES[:1] + HELD_TEMPLATES:
        k = [i for i in test if p[i].count(" ") <= 1][:1000]
        print(f"  in '{f}'", evaluate([f.format(p[i]) for i in k], k), "bare", evaluate([p[i] for i in k], k))


def hash_(w):
    import zlib
    return zlib.crc32(w.encode())


if __name__ == "__main__":
    main(float(sys.argv[1]), os.path.join(WORK, sys.argv[2]))
