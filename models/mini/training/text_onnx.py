# SPDX-License-Identifier: LGPL-2.1-or-later
"""textual.onnx: CLIP's token ids in, the sentence encoder's (MiniLM) vector in the shared space out. Written node by node.

1. ids after the first end token are dropped; so is everything up to "photo of" (any of a dozen such words), and articles.
2. each word is spelt in WordPieces: by a hash table when CLIP needs several tokens for a known word, else token by token.
3. MiniLM's six layers (weights int8 per column, arithmetic float32), mean over the pieces, centred, mapped to 256, unit, 128 zeros.
"""
import glob, json, os, sys
import numpy as np, onnx
from onnx import helper as h, numpy_helper as nh, TensorProto as T
from clip_bpe import Bpe, START, END
from teacher import TEACH
import retoken

BUCKETS, CHECK, K2 = 1 << 18, 2147483647, 6
MULT = [1, 1000003, 715827883, 961748927]         # a word key is sum (id+1) MULT: below 2^63, nothing wraps


# British words the encoder hardly knows, read as the word it knows
ALIAS = dict(p.split("=") for p in "lorry=truck aeroplane=airplane motorbike=motorcycle tyre=tire kerb=curb pram=stroller pushchair=stroller nappy=diaper courgette=zucchini aubergine=eggplant telly=television dustbin=trash dustcart=garbage kitty=cat pyjamas=pajamas jewellery=jewelry doughnut=donut yoghurt=yogurt grey=gray colour=color harbour=harbor theatre=theater plough=plow moustache=mustache spanner=wrench budgie=parakeet wardrobe=closet ladybird=ladybug caravan=camper jumper=sweater cooker=stove".split())


class Graph:
    """A few lines to write ONNX like arithmetic."""
    def __init__(self): self.nodes, self.inits, self.n = [], [], 0
    def const(self, a, dtype=None, name=None):
        a = np.asarray(a, dtype); self.n += 1; name = name or f"c{self.n}"
        self.inits.append(nh.from_array(a, name)); return name
    def __getattr__(self, op):
        def add(*inputs, **attr):
            self.n += 1; out = attr.pop("out", f"{op}_{self.n}")
            self.nodes.append(h.make_node(op, list(inputs), [out] if isinstance(out, str) else out, **attr)); return out if isinstance(out, str) else out[0]
        return add


def four_bits(x):
    """x [..., 32] -> 0..15 and the scale that fits the rounded values best."""
    s = np.abs(x).max(-1, keepdims=True) / 7.0 + 1e-8
    for _ in range(4):
        q = np.clip(np.round(x / s), -8, 7)
        s = (x * q).sum(-1, keepdims=True) / np.maximum((q * q).sum(-1, keepdims=True), 1e-6)
        s = np.where(np.abs(s) < 1e-8, 1e-8, s)
    return (np.clip(np.round(x / s), -8, 7) + 8).astype(np.uint8), s


def word_key(ids):
    """A word's key: its tokens in order, as one number."""
    return sum((i + 1) * m for i, m in zip(ids, MULT))


def word_table(words, bpe, vocab, pieces, inner, kind):
    """Words that CLIP writes in 2 to 4 tokens and that would be misspelt token by token: bucket -> (key, pieces)."""
    rows = {}
    for w in words:
        if not w.isalpha(): continue
        if len(rows) >= 65000: break
        ids = bpe(w)[1:-1]
        if not 2 <= len(ids) <= 4: continue
        right = retoken.split(ALIAS.get(w, w), vocab, False)
        if right is None or len(right) > K2: continue
        if retoken.read([START] + ids + [END], pieces, inner, kind)[1:-1] == right: continue
        rows.setdefault((word_key(ids) % BUCKETS), (word_key(ids), right))       # the first (commonest) word keeps a shared bucket
    keys, spelt = np.zeros(len(rows) + 1, np.int32), np.zeros((len(rows) + 1, K2), np.int16)
    bucket = np.zeros(BUCKETS, np.uint16)
    for n, (b, (key, right)) in enumerate(rows.items(), 1):
        bucket[b], keys[n] = n, key % CHECK; spelt[n, :len(right)] = right
    return bucket, keys, spelt


def build(M, mu, words, path, look=128, bits=4, ffn=8, att=8, maxrows=65536):
    g = Graph(); bpe, vocab = Bpe(), retoken.wordpiece()
    pieces, inner, kind, _ = retoken.tables(bpe)
    for w, other in ALIAS.items():
        if len(bpe(w)) == 3:
            s = retoken.split(other, vocab, False); pieces[0, bpe(w)[1]] = 0; pieces[0, bpe(w)[1], :len(s)] = s
    bucket, keys, spelt = word_table(words, bpe, vocab, pieces, inner, kind)
    assert len(keys) < maxrows
    wide = pieces
    src = onnx.load(glob.glob(f"{TEACH}/*/all-minilm-l6-v2.onnx")[0])
    init = {i.name: nh.to_array(i) for i in src.graph.initializer}
    weight = {n.name: init[n.input[1]] for n in src.graph.node if n.op_type == "MatMul" and n.input[1] in init}
    table = init["embeddings.word_embeddings.weight"]
    used = np.unique(np.concatenate([[0], wide.ravel(), spelt.ravel()]))
    new = np.zeros(len(table), np.int16); new[used] = np.arange(len(used)); table = table[used]
    wide, spelt = new[wide], new[spelt]
    i64 = lambda a: g.const(a, np.int64)
    f32 = lambda a: g.const(a, np.float32)
    one, zero = i64(1), i64(0)
    as_int = lambda x: g.Cast(x, to=T.INT64)
    def shift(x, by):                                   # by > 0: the value that many places before; < 0: after; 0 beyond the edge
        L = g.Slice(g.Shape(x), i64([1]), i64([2]))
        if by > 0: return g.Slice(g.Pad(x, i64([0, by, 0, 0]), zero), i64([0]), L, i64([1]))
        return g.Slice(g.Pad(x, i64([0, 0, 0, -by]), zero), i64([-by]), g.Add(L, i64([-by])), i64([1]))
    ids = "input_ids"
    end = as_int(g.Equal(ids, i64(END)))
    valid = as_int(g.Equal(g.CumSum(end, i64(1), exclusive=1), zero))
    what = g.Mul(as_int(g.Gather(g.const(kind), ids)), valid)
    tail = g.Mul(as_int(g.Gather(g.const(inner), ids)), valid)                  # 1: the word goes on
    of = g.Mul(as_int(g.Equal(what, i64(2))), as_int(g.Equal(shift(what, 1), one)))
    before = g.CumSum(of, i64(1), reverse=1)                                    # > 0: at or before "photo of"
    edge = as_int(g.Equal(what, i64(4)))
    word = g.Mul(g.Mul(as_int(g.Equal(before, zero)), g.Sub(one, as_int(g.Equal(what, i64(3))))), g.Mul(valid, g.Sub(one, edge)))
    some = as_int(g.Greater(g.ReduceSum(word, i64([1]), keepdims=1), zero))
    keep = g.Add(g.Mul(some, g.Add(word, edge)), g.Mul(g.Sub(one, some), valid))
    # whole words: the key of the word that starts here
    first = g.Sub(one, shift(tail, 1))
    idp = g.Add(ids, one)
    key = idp; going = tail
    for k in (1, 2, 3):
        key = g.Add(key, g.Mul(g.Mul(going, shift(idp, -k)), i64(MULT[k])))
        going = g.Mul(going, shift(tail, -k))
    key = g.Mul(key, g.Sub(one, going))                                         # still going on after four: not in the table
    row = as_int(g.Gather(g.const(bucket), g.Mod(key, i64(BUCKETS))))
    hit = g.Mul(g.Mul(as_int(g.Equal(as_int(g.Gather(g.const(keys), row)), g.Mod(key, i64(CHECK)))), g.Mul(first, tail)), as_int(g.Greater(row, zero)))
    covered = hit
    for _ in range(3): covered = g.Max(covered, g.Mul(shift(covered, 1), shift(tail, 1)))
    skip = g.Sub(covered, hit)
    cont = shift(tail, 1)
    spell = as_int(g.Gather(g.const(wide.reshape(-1, retoken.K)), g.Add(ids, g.Mul(cont, i64(len(kind))))))
    whole = as_int(g.Gather(g.const(spelt), g.Mul(row, hit)))
    ax = i64([2]); h3 = g.Unsqueeze(hit, ax)
    spell = g.Pad(spell, i64([0, 0, 0, 0, 0, K2 - retoken.K]), zero)
    p = g.Add(g.Mul(h3, whole), g.Mul(g.Sub(one, h3), spell))
    p = g.Mul(p, g.Unsqueeze(g.Mul(keep, g.Sub(one, skip)), ax))
    p = g.Reshape(p, i64([0, -1]))
    # close the gaps
    m = as_int(g.Greater(p, zero))
    count = g.ReduceMax(g.ReduceSum(m, i64([1]), keepdims=0), keepdims=1)
    place = g.Range(zero, g.Squeeze(g.Slice(g.Shape(p), i64([1]), i64([2])), i64([0])), one)
    score = g.Sub(g.Mul(m, i64(1 << 20)), place)
    g.nodes.append(h.make_node("TopK", [score, count], ["_best", "order"], axis=1, largest=1, sorted=1))
    p, m = g.GatherElements(p, "order", axis=1), g.GatherElements(m, "order", axis=1)
    mf = g.Cast(m, to=T.FLOAT)
    # the pieces' vectors: four bits a number, a scale for 32 of them
    if bits == 4:
        q, sc = four_bits(table.reshape(len(table), 12, 32))
        q = q.reshape(len(table), 384)
        packed = q[:, :192] * 16 + q[:, 192:]
        x = g.Cast(g.Gather(g.const(packed), p), to=T.FLOAT)
        hi = g.Floor(g.Mul(x, f32(1 / 16))); lo = g.Sub(x, g.Mul(hi, f32(16)))
        x = g.Sub(g.Concat(hi, lo, axis=2), f32(8))
        x = g.Reshape(x, i64([0, 0, 12, 32]))
        x = g.Mul(x, g.Unsqueeze(g.Cast(g.Gather(g.const(sc[..., 0].astype(np.float16)), p), to=T.FLOAT), i64([3])))
        x = g.Reshape(x, i64([0, 0, 384]))
    else:
        sc = np.abs(table).max(1, keepdims=True) / 127
        x = g.Mul(g.Cast(g.Gather(g.const(np.round(table / sc).astype(np.int8)), p), to=T.FLOAT), g.Gather(f32(sc), p))
    N = g.Slice(g.Shape(p), i64([1]), i64([2]))
    pos = init["embeddings.position_embeddings.weight"][:256] + init["embeddings.token_type_embeddings.weight"][0]
    x = g.Add(x, g.Cast(g.Slice(g.const(pos.astype(np.float16)), i64([0]), N, i64([0])), to=T.FLOAT))
    norm = lambda x, n: g.LayerNormalization(x, f32(init[n + ".weight"]), f32(init[n + ".bias"]), axis=-1, epsilon=1e-12)
    def dense(x, w, b, bits=8):
        if bits == 4:                                   # two numbers a byte, a scale for 32 rows of a column; unfolded when the model is loaded
            q, s = four_bits(w.T.reshape(w.shape[1], -1, 32))
            q = q.reshape(w.shape[1], -1); half = q.shape[1] // 2
            u = g.Cast(g.const(q[:, :half] * 16 + q[:, half:]), to=T.FLOAT)
            hi = g.Floor(g.Mul(u, f32(1 / 16))); u = g.Concat(hi, g.Sub(u, g.Mul(hi, f32(16))), axis=1)
            u = g.Mul(g.Reshape(g.Sub(u, f32(8)), i64([w.shape[1], -1, 32])), g.Cast(g.const(s.astype(np.float16)), to=T.FLOAT))
            wf = g.Transpose(g.Reshape(u, i64([w.shape[1], -1])), perm=[1, 0])
        else:
            s = np.abs(w).max(0) / 127 + 1e-12
            wf = g.Mul(g.Cast(g.const(np.round(w / s).astype(np.int8)), to=T.FLOAT), f32(s))
        return g.Add(g.MatMul(x, wf), f32(b))
    x = norm(x, "embeddings.LayerNorm")
    mask = g.Unsqueeze(g.Mul(g.Sub(mf, f32(1)), f32(1e4)), i64([1, 2]))
    for l in range(6):
        a, e = f"/encoder/layer.{l}/", f"encoder.layer.{l}."
        w = np.concatenate([weight[a + f"attention/self/{n}/MatMul"] for n in ("query", "key", "value")], 1)
        b = np.concatenate([init[e + f"attention.self.{n}.bias"] for n in ("query", "key", "value")])
        w[:, :384] /= 32 ** .5; b = b.copy(); b[:384] /= 32 ** .5
        qkv = g.Transpose(g.Reshape(dense(x, w, b, att), i64([0, 0, 3, 12, 32])), perm=[2, 0, 3, 1, 4])
        q, k, v = (g.Gather(qkv, i64(j), axis=0) for j in range(3))
        att = g.Softmax(g.Add(g.MatMul(q, g.Transpose(k, perm=[0, 1, 3, 2])), mask), axis=-1)
        y = g.Reshape(g.Transpose(g.MatMul(att, v), perm=[0, 2, 1, 3]), i64([0, 0, 384]))
        x = norm(g.Add(x, dense(y, weight[a + "attention/output/dense/MatMul"], init[e + "attention.output.dense.bias"], att)), e + "attention.output.LayerNorm")
        y = dense(x, weight[a + "intermediate/dense/MatMul"], init[e + "intermediate.dense.bias"], ffn)
        y = g.Mul(g.Mul(y, f32(.5)), g.Add(g.Erf(g.Mul(y, f32(2 ** -.5))), f32(1)))
        x = norm(g.Add(x, dense(y, weight[a + "output/dense/MatMul"], init[e + "output.dense.bias"], ffn)), e + "output.LayerNorm")
    unit = lambda x: g.Div(x, g.ReduceL2(x, axes=[1], keepdims=1))
    m3 = g.Unsqueeze(mf, i64([2]))
    x = g.Div(g.ReduceSum(g.Mul(x, m3), i64([1]), keepdims=0), g.ReduceSum(m3, i64([1]), keepdims=0))
    x = unit(g.MatMul(g.Sub(unit(x), f32(mu)), f32(M.T)))
    g.Pad(x, i64([0, 0, 0, look]), f32(0), out="text_embeds")
    graph = h.make_graph(g.nodes, "mini_textual", [h.make_tensor_value_info("input_ids", T.INT64, ["batch", "length"])],
                         [h.make_tensor_value_info("text_embeds", T.FLOAT, ["batch", len(M) + look])], g.inits)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8, producer_name="mini")
    onnx.checker.check_model(model); onnx.save(model, path)
    print(f"{path} {os.path.getsize(path)/1e6:.1f} MB, {len(table)} word pieces, {len(keys)-1} whole words in the table", flush=True)


class Tower:
    def __init__(self, path, threads=1):
        import onnxruntime as ort
        o = ort.SessionOptions(); o.intra_op_num_threads = threads
        o.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.s, self.bpe = ort.InferenceSession(path, o, providers=["CPUExecutionProvider"]), Bpe()
    def __call__(self, texts, batch=64):
        order = np.argsort([len(t) for t in texts], kind="stable"); out = None
        for i in range(0, len(texts), batch):
            idx = order[i:i + batch]
            v = self.s.run(None, {"input_ids": self.bpe.batch([texts[j] for j in idx])})[0]
            if out is None: out = np.zeros((len(texts), v.shape[1]), np.float32)
            out[idx] = v
        return out


def common_words(n=30000):
    """The words whose spelling is kept whole: those of the lists, then English words by frequency, then WordNet's."""
    import space
    from words import wordnet
    from wordfreq import zipf_frequency, top_n_list
    _, senses = wordnet()
    from phrases import plural
    split = lambda ts: [x for t in ts for x in t.replace("-", " ").split()]
    freq = lambda x: -zipf_frequency(x, "en")
    nouns = sorted(set(split(senses)), key=lambda x: (freq(x), x))
    w = list(ALIAS) + split(space.vocabulary()) + top_n_list("en", 60000) + [x for x in nouns if freq(x) < -1.8]
    w += [plural(x) for x in nouns if freq(x) < -2.2] + top_n_list("en", 200000) + nouns
    return [x for x in dict.fromkeys(w) if x.isalpha() and x.isascii()]


if __name__ == "__main__":
    import time
    WORK = os.environ.get("MINI_WORK", "work")
    z, mu = np.load(os.path.join(WORK, "space_teacher.npz")), np.load(os.path.join(WORK, "mu.npy"))
    out = sys.argv[1]
    kw = dict(a.split("=") for a in sys.argv[2:])
    build(z["M"], mu, common_words(), out, **{k: int(v) for k, v in kw.items()})
