// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/signals.hpp"

#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "tagger/impl.hpp"

namespace bcp::tagger {
namespace {

using gst::barrier;

gboolean save_prior(GstBcpTagger* self) {
  return barrier(self, FALSE, [&]() -> gboolean {
    const auto prior = impl_of(self).prior.copy();
    return prior && prior->save();
  });
}

gboolean reset_prior(GstBcpTagger* self) {
  return barrier(self, FALSE, [&]() -> gboolean {
    const auto prior = impl_of(self).prior.copy();
    return prior && prior->reset();
  });
}

gboolean merge_prior(GstBcpTagger* self, const gchar* path) {
  return barrier(self, FALSE, [&]() -> gboolean {
    const auto prior = impl_of(self).prior.copy();
    const Status merged = prior ? prior->merge(path ? path : "")
                                : Error{ErrorCode::kRuntime, "merge-prior was ignored because the element is stopped"};
    if (!merged) gst::post_warning(GST_ELEMENT(self), merged.error());
    return static_cast<bool>(merged);
  });
}

GstStructure* learnt(GstBcpTagger* self, guint most) {
  return barrier(self, static_cast<GstStructure*>(nullptr), [&]() -> GstStructure* {
    const auto prior = impl_of(self).prior.copy();
    return prior ? prior->describe(most) : nullptr;
  });
}

gboolean feedback(GstBcpTagger* self, const gchar* label, gboolean present, guint64 pts) {
  return barrier(self, FALSE, [&]() -> gboolean {
    // The lock keeps the stream alive during teach(). The warning is posted without the lock.
    const Status taught = impl_of(self).scorer.with([&](Scorer* scorer) -> Status {
      if (!scorer) return Error{ErrorCode::kRuntime, "feedback was ignored because the element is stopped"};
      return scorer->teach(label ? label : "", present, pts);
    });
    if (!taught) gst::post_warning(GST_ELEMENT(self), taught.error());
    return static_cast<bool>(taught);
  });
}

}  // namespace

void install_signals(GstBcpTaggerClass* klass) {
  constexpr auto kAction = static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION);
  /**
   * GstBcpTagger::save-prior:
   *
   * Saves the learnt statistics to `prior-file` in a thread of its own, also while no frames arrive. Posts
   * `bcp-prior-saved` when done, or a warning.
   *
   * Returns: %TRUE if a save was started. %FALSE while stopped, if neither the element nor its group has a
   * `prior-file`, if the file is read-only, or if the group's file stores other labels
   */
  g_signal_new_class_handler("save-prior", G_TYPE_FROM_CLASS(klass), kAction, G_CALLBACK(save_prior), nullptr, nullptr,
                             nullptr, G_TYPE_BOOLEAN, 0);
  /**
   * GstBcpTagger::reset-prior:
   *
   * Clears the learnt statistics and all feedback, for every element of the `prior-group` with the same labels. The
   * `prior-file` is unchanged until the next save.
   *
   * Returns: %FALSE while stopped: there is nothing to clear
   */
  g_signal_new_class_handler("reset-prior", G_TYPE_FROM_CLASS(klass), kAction, G_CALLBACK(reset_prior), nullptr,
                             nullptr, nullptr, G_TYPE_BOOLEAN, 0);
  /**
   * GstBcpTagger::merge-prior:
   * @path: a prior file of the same model, for example of another camera
   *
   * Adds what the file has learnt and was taught to the statistics of this element and of the elements of its
   * `prior-group` with the same labels. Labels are matched by name; others are ignored. The file is read on the calling
   * thread, and no frame waits for it. Posts `bcp-prior-merged`. The `prior-file` is unchanged until the next save.
   *
   * Returns: %FALSE, with a warning on the bus, if the file cannot be read, is of another model, has none of the
   * labels, contains samples that this element has already (they would count twice), or while stopped
   */
  g_signal_new_class_handler("merge-prior", G_TYPE_FROM_CLASS(klass), kAction, G_CALLBACK(merge_prior), nullptr,
                             nullptr, nullptr, G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
  /**
   * GstBcpTagger::feedback:
   * @label: a label of the stream
   * @present: whether the label is in the picture
   * @pts: the presentation time of the frame that was scored (gst_bcp_result_get_pts()), or GST_CLOCK_TIME_NONE for the
   *   newest result
   *
   * Reports that a label is present or absent in a frame. From the next frame on, the presence probability of this
   * label moves towards the feedback. A label that is present and was not shown counts as missed. Feedback is saved in
   * `prior-file`, shared in the `prior-group` and cleared by `reset-prior`. @pts must be one of the last 600 results;
   * regions are not supported.
   *
   * Returns: %FALSE, with a warning on the bus, if the label is unknown, the frame is too old, or while stopped
   */
  g_signal_new_class_handler("feedback", G_TYPE_FROM_CLASS(klass), kAction, G_CALLBACK(feedback), nullptr, nullptr,
                             nullptr, G_TYPE_BOOLEAN, 3, G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_UINT64);

  /**
   * GstBcpTagger::learnt:
   * @most: the number of labels, at most 100: those that were seen most
   *
   * Describes what was learnt, for people. Fields of the structure: `samples` (double), `labels` (array of strings,
   * most frequent first), `frequency` (array of doubles: P(k)), `conditional` (array of doubles: P(k|a), row by row, a
   * row for each a), `statements` (guint64: pieces of feedback), `taught-labels` and `taught-offsets` (what feedback
   * adds to the log odds of a label, the largest first). Frames do not wait for it.
   *
   * Returns: (transfer full) (nullable): the structure; %NULL while stopped
   */
  g_signal_new_class_handler("learnt", G_TYPE_FROM_CLASS(klass), kAction, G_CALLBACK(learnt), nullptr, nullptr, nullptr,
                             GST_TYPE_STRUCTURE, 1, G_TYPE_UINT);
}

}  // namespace bcp::tagger
