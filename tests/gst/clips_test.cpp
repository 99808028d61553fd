// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The bundled model on real clips, in the simplest pipeline.

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

// The mean probability of `label` over the results of a clip.
double mean_probability(const std::string& clip, const std::string& filter, const std::string& label) {
  const Folder folder;
  const auto p = pipeline("filesrc location=" BCP_TEST_DATA "/clips/" + clip + " ! decodebin ! " + filter +
                          "bcptagger inference-interval=10 correction=none ! bcppublish all-labels=true location=" +
                          folder.file("out.jsonl") + " ! fakesink");
  run(p, 60);
  double sum = 0;
  int count = 0;
  for (const auto& line : json_lines(folder.file("out.jsonl"))) {
    for (const auto& entry : line["labels"]) {
      if (entry["label"].get<std::string>() == label) sum += entry["probability"].get<double>(), ++count;
    }
  }
  return count ? sum / count : 0;
}

TEST(Clips, ShowABottle) {
  EXPECT_NEAR(mean_probability("intel_bottle-detection.mp4", "", "bottle"), 0.88, 0.05);
}

TEST(Clips, ShowAPersonInEveryFormat) {
  for (const std::string format : {"", "NV12", "I420", "BGRx", "YUY2"}) {
    const std::string filter = format.empty() ? "" : "videoconvert ! video/x-raw,format=" + format + " ! ";
    EXPECT_NEAR(mean_probability("mdn_friday.mp4", filter, "person"), 0.87, 0.02) << format;
  }
}

}  // namespace
}  // namespace bcp::test
