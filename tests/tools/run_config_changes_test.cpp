// SPDX-License-Identifier: LGPL-2.1-or-later
// What a file of cameras changes in a run when it is read again.
#include <gtest/gtest.h>

#include "gst-bcp/run/config/changes.hpp"

namespace bcp::cli::run {
namespace {

class RunConfigChanges : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(find_plugin()); }

  static Config config(const std::vector<std::string>& cameras) {
    Config made;
    made.request.tagger = {{"model", "mini"}};
    for (const std::string& name : cameras) {
      Input input;
      input.kind = InputKind::kLive;
      input.name = input.source = name;
      input.uri = "rtsp://10.0.0.7/" + name;
      made.inputs.push_back(input);
      made.request.own[name].tagger = {{"labels", "dog"}, {"model", "mini"}, {"threshold", "0.5"}};
    }
    return made;
  }
  using Names = std::vector<std::string>;
};

TEST_F(RunConfigChanges, AreNoneForTheSameFile) {
  const Config a = config({"door", "yard"}), b = config({"yard", "door"});
  const ConfigChanges changes = changes_between(a, b);
  EXPECT_TRUE(changes.added.empty() && changes.ended.empty() && changes.restarted.empty() && changes.live.empty() &&
              changes.later.empty() && !changes.other_model);
}

TEST_F(RunConfigChanges, NameAddedAndRemovedCameras) {
  const ConfigChanges changes = changes_between(config({"door", "yard"}), config({"door", "desk"}));
  EXPECT_EQ(changes.added, Names{"desk"});
  EXPECT_EQ(changes.ended, Names{"yard"});
  EXPECT_TRUE(changes.restarted.empty() && changes.live.empty());
}

TEST_F(RunConfigChanges, SetLivePropertiesInTheRunningPipeline) {
  const Config before = config({"door", "yard"});
  Config after = before;
  after.request.own["door"].tagger = {{"labels", "cat"}, {"model", "mini"}, {"threshold", "0.6"}};
  const ConfigChanges changes = changes_between(before, after);
  ASSERT_EQ(changes.live.size(), 1U);
  EXPECT_EQ(changes.live[0].source, "door");
  EXPECT_EQ(changes.live[0].settings, (std::vector<Setting>{{"labels", "cat"}, {"threshold", "0.6"}}));
  EXPECT_TRUE(changes.restarted.empty());
}

TEST_F(RunConfigChanges, ReplaceLabelsByAFileOfLabelsWhileRunning) {
  const Config before = config({"door"});
  Config after = before;
  after.request.own["door"].tagger = {{"labels-file", "/a"}, {"model", "mini"}, {"threshold", "0.5"}};
  const ConfigChanges changes = changes_between(before, after);
  ASSERT_EQ(changes.live.size(), 1U);
  EXPECT_EQ(changes.live[0].settings, (std::vector<Setting>{{"labels-file", "/a"}}));
}

TEST_F(RunConfigChanges, ReadAFileOfLabelsAgainWhenItsContentsHaveChanged) {
  Config before = config({"door", "yard"});
  before.request.own["door"].tagger = {{"labels-file", "/a"}, {"model", "mini"}};
  before.label_files["/a"] = "dog\n";
  Config after = before;
  EXPECT_TRUE(changes_between(before, after).live.empty());
  after.label_files["/a"] = "cat\n";
  const ConfigChanges changes = changes_between(before, after);
  ASSERT_EQ(changes.live.size(), 1U);
  EXPECT_EQ(changes.live[0].settings, (std::vector<Setting>{{"labels-file", "/a"}}));
}

TEST_F(RunConfigChanges, RestartTheCameraForEverythingElse) {
  const Config before = config({"door", "yard"});
  const auto restarted = [&](auto change) {
    Config after = before;
    change(after);
    const ConfigChanges changes = changes_between(before, after);
    EXPECT_TRUE(changes.live.empty());
    return changes.restarted;
  };
  EXPECT_EQ(restarted([](Config& c) { c.inputs[0].uri = "rtsp://10.0.0.9/1"; }), Names{"door"});
  EXPECT_EQ(restarted([](Config& c) { c.request.own["yard"].record.folder = "/clips"; }), Names{"yard"});
  EXPECT_EQ(restarted([](Config& c) { c.request.own["yard"].mqtt_rules.send = false; }), Names{"yard"});
  EXPECT_EQ(restarted([](Config& c) { c.request.own["door"].tagger.emplace_back("preset", "paper"); }), Names{"door"});
  // Removed: its default may depend on others.
  EXPECT_EQ(restarted([](Config& c) { c.request.own["door"].tagger.pop_back(); }), Names{"door"});
  EXPECT_EQ(restarted([](Config& c) { c.request.own["door"].tagger.erase(c.request.own["door"].tagger.begin()); }),
            Names{"door"});
}

TEST_F(RunConfigChanges, LeaveTheKeysOfTheWholeRunForARestart) {
  const Config before = config({"door"});
  Config after = before;
  after.request.jsonl = "/a";
  after.request.metrics = "1";
  after.request.view.address = "2";
  after.request.mqtt.address = "mqtt://b";
  after.request.tls_insecure = true;
  EXPECT_EQ(changes_between(before, after).later, (Names{"jsonl", "metrics", "view", "mqtt", "tls"}));
  after = before;
  after.request.tagger = {{"model", "other"}};
  after.request.own["door"].tagger[1].second = "other";
  const ConfigChanges changes = changes_between(before, after);
  EXPECT_TRUE(changes.other_model);
  EXPECT_TRUE(changes.restarted.empty() && changes.live.empty());
}

}  // namespace
}  // namespace bcp::cli::run
