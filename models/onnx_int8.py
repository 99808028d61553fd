# SPDX-License-Identifier: LGPL-2.1-or-later
"""Static int8 quantisation of an image tower, for quantise.py."""
import contextlib
import io
import logging
import os

import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from onnx_variants import LARGEST_FILE

METHODS = {"minmax": CalibrationMethod.MinMax, "percentile": CalibrationMethod.Percentile, "entropy": CalibrationMethod.Entropy}
PERCENTILE = 99.999


class Inputs(CalibrationDataReader):
    """Feeds one tensor after the other to the calibration."""

    def __init__(self, name, tensors):
        self.name, self.tensors = name, iter(tensors)

    def get_next(self):
        tensor = next(self.tensors, None)
        return {self.name: tensor} if tensor is not None else None


def name_nodes(model):
    for number, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"


def nodes_to_quantise(model, keep):
    """Names of the nodes that compute in int8. Sums, clips and rectifiers belong to it where convolutions feed them: so a
    convolutional tower rounds to the range after its clip, and does not go back to float between two layers. The residual sums
    of a transformer stay in float, as do normalisation, softmax and activations: its sums hold few large values and many
    small ones, and rounding them took a ViT-B/32 from a cosine of 0.9995 to 0.93. The first convolution reads pixels and stays in
    float: it costs little, and is the layer that rounding hurts most."""
    weights = {tensor.name for tensor in model.graph.initializer}
    convolved, chosen, first = set(), [], True
    for node in model.graph.node:
        if node.op_type == "Conv":
            wanted, first = not first and node.input[1] in weights, False
            convolved.update(node.output)
        elif node.op_type in ("Gemm", "MatMul"):
            wanted = node.input[1] in weights
        elif node.op_type in ("Clip", "Relu", "Add"):
            wanted = all(name in convolved for name in node.input[:2 if node.op_type == "Add" else 1])
            if wanted:
                convolved.update(node.output)
        else:
            wanted = False
        if wanted and node.name not in keep:
            chosen.append(node.name)
    return chosen


def quantise(source, target, scratch, tensors, method, reduce_range, keep):
    """Writes the tower at `source` in int8 to `target`: weights with a scale for each channel, activations as unsigned bytes
    over the ranges that `tensors` have. Returns how many nodes compute in int8, of how many."""
    logging.getLogger().setLevel(logging.ERROR)  # it recommends a step that is done here
    prepared = os.path.join(scratch, "prepared.onnx")
    apart = sum(os.path.getsize(os.path.join(os.path.dirname(source), name)) for name in os.listdir(os.path.dirname(source))
                if name.startswith(os.path.basename(source))) > LARGEST_FILE
    with contextlib.redirect_stdout(io.StringIO()):
        # Folds constants and batch normalisations, so that ranges are those of what is run.
        quant_pre_process(source, prepared, skip_symbolic_shape=True, save_as_external_data=apart, all_tensors_to_one_file=apart)
        model = onnx.load(prepared)
        name_nodes(model)
        chosen = nodes_to_quantise(model, keep)
        if not chosen:
            return 0, len(model.graph.node)
        quantize_static(model, target, Inputs(model.graph.input[0].name, tensors), quant_format=QuantFormat.QDQ,
                        op_types_to_quantize=sorted({node.op_type for node in model.graph.node if node.name in set(chosen)}),
                        nodes_to_quantize=chosen, per_channel=True, reduce_range=reduce_range, activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8, calibrate_method=METHODS[method],
                        extra_options={"MatMulConstBOnly": True, "CalibPercentile": PERCENTILE})
    return len(chosen), len(model.graph.node)
