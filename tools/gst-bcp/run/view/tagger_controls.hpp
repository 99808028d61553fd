// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of a running bcptagger that the page shows and changes: labels with their hints, threshold, context
// words and the weight of the prior table. Main thread.

#pragma once

#include <gst/gst.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/labels.hpp"
#include "gst-bcp/run/view/word_files.hpp"

namespace bcp::cli::view {

class TaggerControls {
 public:
  explicit TaggerControls(WordFiles& files) : files_(files) {}

  // A tagger begins: reads what its labels file says beside the names, so that a change keeps it.
  void attach(GstElement* tagger);

  // `labels`: an array of {"name": …, "often": number or null}. Frames keep the old labels until the new ones are
  // encoded, which the tagger reports. An error is about the list.
  Status set_labels(GstElement* tagger, const nlohmann::json& labels);
  struct Applied {
    bool encodes = false;  // the tagger reports later that it took effect
  };
  // {"threshold": p or -1, "priorStrength": w or -1, "context": {"kind": "everyday" | "none" | "own", "words": […]}},
  // any part of it. An error is about a value; nothing is changed then.
  Result<Applied> set(GstElement* tagger, const nlohmann::json& settings);

  // The labels in use with their hints, at most `most`.
  nlohmann::json labels(GstElement* tagger, std::size_t most) const;
  nlohmann::json settings(GstElement* tagger) const;

 private:
  WordFiles& files_;
  std::map<std::string, clip::Label> known_;  // what is known about labels beside their names
  std::string words_file_;                    // of own context words
  std::vector<std::string> words_;            // in it
};

}  // namespace bcp::cli::view
