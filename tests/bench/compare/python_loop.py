#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contenders in Python, for contender.py. Needs the packages of scripts/setup/compare-requirements.txt.

    python_loop.py opencv|pillow MODEL.onnx FRAMES WIDTH HEIGHT SIZE MEAN STD    preprocessing and ONNX Runtime
    python_loop.py openvino PRECISION MODEL.onnx TENSORS SIZE                    OpenVINO on tensors that are loaded before
    python_loop.py reference FRAMES WIDTH HEIGHT SIZE MEAN STD OUT               writes CLIP's own input of each frame to OUT

MEAN and STD are three numbers with commas between them. One thread each.
"""
import sys

import numpy as np
import preprocessing
from contender import serve


def numbers(text):
    return [float(each) for each in text.split(",")]


def frames_of(path, width, height):
    return np.fromfile(path, dtype=np.uint8).reshape(-1, width * height * 3 // 2)


def session_of(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda tensor: session.run(None, {name: tensor})[0][0]


def python(kind, model, path, width, height, size, mean, std):
    import cv2
    from PIL import Image

    cv2.setNumThreads(1)
    width, height, size, mean, std = int(width), int(height), int(size), numbers(mean), numbers(std)
    frames, infer = frames_of(path, width, height), session_of(model)
    if kind == "opencv":
        serve(f"OpenCV {cv2.__version__}", len(frames),
              lambda i: infer(preprocessing.with_opencv(cv2, frames[i], width, height, size, mean, std)))
    else:
        serve("Pillow", len(frames),
              lambda i: infer(preprocessing.with_pillow(cv2, Image, frames[i], width, height, size, mean, std)))


def openvino(precision, model, path, size):
    import openvino as ov

    tensors = np.fromfile(path, dtype=np.float32).reshape(-1, 1, 3, int(size), int(size))
    core = ov.Core()
    network = core.read_model(model)
    network.reshape({network.inputs[0]: list(tensors[0].shape)})
    compiled = core.compile_model(network, "CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
                                                   "INFERENCE_PRECISION_HINT": {"bf16": "bf16", "fp32": "f32"}[precision]})
    request = compiled.create_infer_request()
    inputs = [ov.Tensor(each, shared_memory=True) for each in tensors]

    def run(i):
        request.set_input_tensor(inputs[i])
        request.infer()
        return request.get_output_tensor().data[0]

    serve(f"OpenVINO {ov.__version__.split('-')[0]} {precision}", len(inputs), run)


def reference(path, width, height, size, mean, std, out):
    from PIL import Image

    width, height = int(width), int(height)
    tensors = [preprocessing.reference(Image, frame, width, height, int(size), numbers(mean), numbers(std))
               for frame in frames_of(path, width, height)]
    np.concatenate(tensors).tofile(out)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    kind = sys.argv[1]
    if kind == "openvino":
        openvino(*sys.argv[2:])
    elif kind == "reference":
        reference(*sys.argv[2:])
    else:
        python(*sys.argv[1:])
