# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata library as a Python application sees it."""

import unittest

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstBcp", "1.0")
from gi.repository import Gst, GstBcp  # noqa: E402


def labelled_buffer():
    labels = GstBcp.Labels.new(["car", "dög"])
    car, dog = GstBcp.Score(), GstBcp.Score()
    car.probability, car.flags = 0.9, GstBcp.ScoreFlags.SHOWN
    dog.probability = 0.1
    info = GstBcp.ResultInfo()
    info.source_id, info.pts, info.region_id, info.anchor = "camera", 5, -1, 0
    result = GstBcp.Result.new(labels, [car, dog], info)
    buffer = Gst.Buffer.new()
    GstBcp.buffer_add_bcp_meta(buffer, result, False, Gst.CLOCK_TIME_NONE)
    GstBcp.buffer_add_bcp_meta(buffer, result, True, 7)
    return buffer


class Introspection(unittest.TestCase):
    def test_reads_a_result_off_a_buffer(self):
        buffer = labelled_buffer()
        meta = GstBcp.buffer_get_bcp_meta(buffer)
        self.assertFalse(meta.held)
        result = meta.result
        labels = result.get_labels()
        self.assertEqual([labels.get_name(i) for i in range(labels.get_size())], ["car", "dög"])
        self.assertEqual(labels.find("dög"), 1)
        self.assertEqual(labels.get_color(0), -1)
        shown = [labels.get_name(i) for i in range(2) if result.get_score(i).flags & GstBcp.ScoreFlags.SHOWN]
        self.assertEqual(shown, ["car"])
        self.assertEqual(result.get_score(1).probability, 0.1)
        self.assertEqual((result.get_source_id(), result.get_pts(), result.get_anchor()), ("camera", 5, 0))
        self.assertEqual(list(result.get_embedding()), [])

    def test_gives_labels_colours(self):
        labels = GstBcp.Labels.new_with_colors(["car", "dög"], [0xE69F00, -1])
        self.assertEqual([labels.get_color(i) for i in range(2)], [0xE69F00, -1])

    def test_keeps_a_result_after_its_buffer(self):
        buffer = labelled_buffer()
        result = GstBcp.buffer_get_bcp_meta(buffer).result
        del buffer
        self.assertEqual(result.get_labels().get_name(0), "car")

    def test_walks_over_all_metas(self):
        buffer, ages = labelled_buffer(), []
        meta, state = GstBcp.buffer_iterate_bcp_meta(buffer, None)
        while meta:
            ages.append(meta.age)
            meta, state = GstBcp.buffer_iterate_bcp_meta(buffer, state)
        self.assertEqual(ages, [Gst.CLOCK_TIME_NONE, 7])


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
