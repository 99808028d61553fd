# SPDX-License-Identifier: LGPL-2.1-or-later
"""The teacher: a sentence encoder as Maven Central ships it (langchain4j's jars), mean- or first-token pooled, unit rows."""
import os, glob
import numpy as np, onnxruntime as ort
from tokenizers import Tokenizer

TEACH = os.environ.get("MINI_TEACHERS", "teachers")


class Teacher:
    def __init__(self, name="all-minilm-l6-v2", threads=2, prefix="", first=None):
        f = glob.glob(f"{TEACH}/*/{name}.onnx")[0]
        o = ort.SessionOptions()
        o.intra_op_num_threads = threads
        o.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.s = ort.InferenceSession(f, o, providers=["CPUExecutionProvider"])
        self.tok = Tokenizer.from_file(f[:-5] + "-tokenizer.json")
        self.tok.no_padding(); self.tok.enable_truncation(96)
        self.prefix, self.first = prefix, name.startswith("bge") if first is None else first

    def __call__(self, texts, batch=128):
        enc = [e.ids for e in self.tok.encode_batch([self.prefix + t for t in texts])]
        order = np.argsort([len(e) for e in enc], kind="stable")
        out = np.zeros((len(enc), 384), np.float32)
        for i in range(0, len(enc), batch):
            idx = order[i:i + batch]
            n = max(len(enc[j]) for j in idx)
            ids, mask = np.zeros((len(idx), n), np.int64), np.zeros((len(idx), n), np.int64)
            for r, j in enumerate(idx):
                ids[r, :len(enc[j])] = enc[j]; mask[r, :len(enc[j])] = 1
            h = self.s.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
            m = mask[..., None].astype(np.float32)
            v = h[:, 0] if self.first else (h * m).sum(1) / m.sum(1)
            out[idx] = v / np.linalg.norm(v, axis=1, keepdims=True)
        return out
