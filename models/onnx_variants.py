# SPDX-License-Identifier: LGPL-2.1-or-later
"""ONNX files in one piece or two, and the same model in fewer bits, for export_clip.py."""
import os
import tempfile

import numpy as np
import onnx

LARGEST_FILE = 2_000_000_000  # protocol buffers are limited to 2 GiB: above this the weights are in a separate file


def save_onnx(model, path, apart):
    """Saves one file, or the graph and a separate file of weights. Returns their names."""
    name = os.path.basename(path)
    if apart or model.ByteSize() > LARGEST_FILE:
        onnx.save(model, path, save_as_external_data=True, location=name + ".data", size_threshold=1024)
        return [name, name + ".data"]
    onnx.save(model, path)
    return [name]


def to_fp16(source, target, apart):
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return save_onnx(convert_float_to_float16(onnx.load(source), keep_io_types=True), target, apart)


def store_convolutions_as_int8(model):
    """Weights of convolutions as int8 with a scale for each channel; the run makes floats of them. Integer convolutions
    (ConvInteger) also round what flows between them: on a ResNet-50 three times the drift, and no time gained."""
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    for node in [node for node in graph.node if node.op_type == "Conv" and node.input[1] in weights]:
        tensor = weights.pop(node.input[1])
        values = onnx.numpy_helper.to_array(tensor)
        scale = np.maximum(np.abs(values).max(axis=tuple(range(1, values.ndim))), 1e-12).astype(np.float32) / 127
        rounded = np.rint(values / scale.reshape(-1, *[1] * (values.ndim - 1))).astype(np.int8)
        name = tensor.name
        graph.initializer.remove(tensor)
        graph.initializer.extend([onnx.numpy_helper.from_array(rounded, name + "_int8"), onnx.numpy_helper.from_array(scale, name + "_scale")])
        graph.node.insert(0, onnx.helper.make_node("DequantizeLinear", [name + "_int8", name + "_scale"], [name], axis=0))
    return model


def to_int8(source, target, apart):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "tower.onnx")
        # Unsigned weights: with signed ones processors without VNNI saturate in the middle of a sum.
        quantize_dynamic(source, path, op_types_to_quantize=["MatMul", "Gemm", "Gather"], per_channel=True,
                         weight_type=QuantType.QUInt8, use_external_data_format=apart)
        return save_onnx(store_convolutions_as_int8(onnx.load(path)), target, apart)


VARIANTS = {"fp16": to_fp16, "int8": to_int8}
