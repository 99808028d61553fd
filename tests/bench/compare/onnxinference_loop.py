#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's own onnxinference, for contender.py. Runs in a Debian 13 tree: GStreamer 1.26, python3-gi.

    onnxinference_loop.py MODEL.onnx FRAMES WIDTH HEIGHT SIZE MEAN STD

The pipeline is what a careful user would write: the middle square, cubic scaling, all optimisations. onnxinference has one mean
and one deviation for all channels, and no property for threads: the process is pinned to one core.
"""
import os
import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstAnalytics", "1.0")
from gi.repository import Gst, GstAnalytics, GstApp  # noqa: E402,F401

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from contender import serve  # noqa: E402


def average(text):
    return sum(float(each) for each in text.split(",")) / 3


def main(model, path, width, height, size, mean, std):
    Gst.init(None)
    width, height = int(width), int(height)
    side, frame_bytes = min(width, height), width * height * 3 // 2
    frames = np.fromfile(path, dtype=np.uint8).reshape(-1, frame_bytes)
    left = (width - side) // 2
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=NV12,width={width},height={height},framerate=25/1 "
        f"! videocrop left={left} right={width - side - left} ! videoconvertscale method=catrom n-threads=1 "
        f"! video/x-raw,format=RGB,width={size},height={size} "
        f"! onnxinference model-file={model} optimization-level=enable-all input-image-format=chw "
        f"input-tensor-offset={-255 * average(mean)} input-tensor-scale={255 * average(std)} "
        "! appsink name=out sync=false")
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    buffers = [Gst.Buffer.new_wrapped(frame.tobytes()) for frame in frames]
    pipeline.set_state(Gst.State.PLAYING)

    def run(i):
        source.push_buffer(buffers[i].copy())
        sample = sink.emit("pull-sample")
        if sample is None:
            error, details = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR).parse_error()
            sys.exit(f"onnxinference: {error}: {details}")
        meta = GstAnalytics.buffer_get_tensor_meta(sample.get_buffer())
        found, data = meta.get(0).data.map(Gst.MapFlags.READ)
        embedding = np.frombuffer(data.data, dtype=np.float32).copy()
        meta.get(0).data.unmap(data)
        return embedding if found else None

    serve(f"GStreamer {Gst.version_string().split()[-1]} onnxinference", len(buffers), run)


if __name__ == "__main__":
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    main(*sys.argv[1:])
