#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a Matroska video whose frames come 33 or 210 ms apart, without durations: variable_rate.py FILE FRAMES."""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)
pipeline = Gst.parse_launch(
    "appsrc name=source format=time caps=video/x-raw,format=I420,width=64,height=48,framerate=0/1 "
    "! x264enc tune=zerolatency ! h264parse ! matroskamux ! filesink name=sink")
pipeline.get_by_name("sink").set_property("location", sys.argv[1])
source = pipeline.get_by_name("source")
pipeline.set_state(Gst.State.PLAYING)
time = 0
for number in range(int(sys.argv[2])):
    frame = Gst.Buffer.new_wrapped(bytes([number * 12 % 256]) * (64 * 48 * 3 // 2))
    frame.pts = time
    source.emit("push-buffer", frame)
    time += Gst.MSECOND * (33 if number % 3 else 210)
source.emit("end-of-stream")
end = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
sys.exit(0 if end and end.type == Gst.MessageType.EOS else 1)
