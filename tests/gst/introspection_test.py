# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metadata library as a Python application sees it."""

import unittest

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstBcp", "1.0")
from gi.repository import Gst, GstBcp  # noqa: E402


def labelled_buffer():
    labels = GstBcp.Labels.new(["car", "dög"])
    builder = GstBcp.ResultBuilder.new(labels)
    builder.set_values(GstBcp.ScoreField.PROBABILITY, [0.9, 0.1])
    builder.set_value(GstBcp.ScoreField.CORRECTION, 1, 1.5)
    builder.set_flags(0, GstBcp.ScoreFlags.SHOWN)
    builder.set_source_id("camera")
    builder.set_values(GstBcp.ScoreField.EVIDENCE, [4.5, -1.5])
    builder.set_decision(GstBcp.Decision.PRESENCE, 0.5, True)
    builder.set_context("straße", 0.25)
    builder.set_pts(5)
    builder.set_anchor(0, 0.75)
    builder.set_samples(3.5)
    builder.set_embedding([0.5, 0.25])
    result = builder.end()
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
        self.assertEqual([labels.get_name(i) for i in range(2) if result.is_shown(i)], ["car"])
        self.assertEqual(result.get_flags(0), GstBcp.ScoreFlags.SHOWN)
        self.assertEqual(result.get_probability(1), 0.1)
        self.assertEqual(list(result.get_values(GstBcp.ScoreField.CORRECTION)), [0.0, 1.5])
        self.assertEqual((result.get_source_id(), result.get_pts(), result.get_anchor()), ("camera", 5, 0))
        self.assertEqual((result.get_decision(), result.get_threshold()), (GstBcp.Decision.PRESENCE, 0.5))
        self.assertEqual((result.get_context(), result.get_context_weight()), ("straße", 0.25))
        self.assertTrue(result.is_calibrated())
        self.assertEqual(result.get_evidence(1), -1.5)
        self.assertEqual((result.get_anchor_probability(), result.get_samples()), (0.75, 3.5))
        self.assertEqual(list(result.get_embedding()), [0.5, 0.25])

    def test_makes_a_result_of_defaults(self):
        result = GstBcp.ResultBuilder.new(GstBcp.Labels.new(["car"])).end()
        self.assertEqual(list(result.get_values(GstBcp.ScoreField.PROBABILITY)), [0.0])
        self.assertEqual(list(result.get_embedding()), [])
        self.assertEqual((result.get_source_id(), result.get_region_id(), result.get_anchor()), (None, -1, -1))
        self.assertEqual((result.get_decision(), result.get_context()), (GstBcp.Decision.SOFTMAX, None))

    def test_keeps_a_result_after_its_builder_and_labels(self):
        builder = GstBcp.ResultBuilder.new(GstBcp.Labels.new(["car", "dög"]))
        result = builder.end()
        del builder
        self.assertEqual(result.get_labels().get_name(1), "dög")

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
