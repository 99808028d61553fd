// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and other prior files: the signal merge-prior, and where a file says that it comes from.

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

bool merge(const Tagger& tagger, const char* path) {
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger.element(), "merge-prior", path, &done);
  return done;
}

TEST(BcpTaggerMerge, AddsTheFileOfAnotherCamera) {
  const Folder folder;
  const std::string theirs = folder.file("theirs.prior"), own = folder.file("own.prior");
  run_once(in(theirs, "source-id=yard"));
  {
    Tagger tagger(in(own, "source-id=door"));
    teach(tagger);
    EXPECT_TRUE(merge(tagger, theirs.c_str()));
    const auto posted = tagger.messages("bcp-prior-merged");
    ASSERT_EQ(posted.size(), 1u);
    EXPECT_EQ(tagger.stat<double>("samples"), 2 * std::size(kLesson));
    EXPECT_EQ(samples(tagger.push(frame(kRed, GST_SECOND)).get()), 2 * std::size(kLesson));
  }
  const prior::Snapshot saved = load(own);
  EXPECT_EQ(saved.seen.samples(), 2 * std::size(kLesson) + 1);
  ASSERT_EQ(saved.origins.size(), 2u);
  EXPECT_EQ(saved.origins[0].stream, "door");
  EXPECT_EQ(saved.origins[0].samples, std::size(kLesson) + 1);
  EXPECT_EQ(saved.origins[1].stream, "yard");
  EXPECT_EQ(saved.origins[1].model, "toy");
  EXPECT_GE(saved.origins[1].last, saved.origins[1].first);
}

TEST(BcpTaggerMerge, RefusesWhatMustNotBeAdded) {
  const Folder folder;
  const std::string own = folder.file("own.prior"), cut = folder.file("cut.prior");
  run_once(in(own, "source-id=door"));
  const std::string bytes = contents(own);
  write_file(cut, bytes.substr(0, 100));
  Tagger tagger(in(own, "source-id=door"));
  teach(tagger);
  EXPECT_FALSE(merge(tagger, own.c_str()));  // its samples are here already
  EXPECT_FALSE(merge(tagger, cut.c_str()));
  EXPECT_FALSE(merge(tagger, folder.file("none.prior").c_str()));
  EXPECT_FALSE(merge(tagger, BCP_TEST_DATA "/priors/dense.prior"));  // another model
  EXPECT_FALSE(merge(tagger, nullptr));
  const auto posted = warnings(tagger);
  ASSERT_EQ(posted.size(), 5u);
  EXPECT_CONTAINS(posted[0], "count twice");
  EXPECT_CONTAINS(posted[1], "is damaged");
  EXPECT_CONTAINS(posted[2], "none.prior");
  EXPECT_CONTAINS(posted[3], "another model");
  EXPECT_EQ(tagger.stat<double>("samples"), 2 * std::size(kLesson));
  EXPECT_EQ(contents(cut), bytes.substr(0, 100));
  // After a reset nothing would count twice.
  EXPECT_TRUE(emit(tagger, "reset-prior"));
  EXPECT_TRUE(merge(tagger, own.c_str()));
  EXPECT_EQ(tagger.stat<double>("samples"), std::size(kLesson));
}

TEST(BcpTaggerMerge, AddsAFileOnceHoweverManyThreadsAsk) {
  const Folder folder;
  const std::string theirs = folder.file("theirs.prior");
  run_once(in(theirs, "source-id=yard"));
  for (int round = 0; round < 10; ++round) {
    Tagger tagger("preset=paper");
    teach(tagger);
    std::atomic<int> added = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { added += merge(tagger, theirs.c_str()) ? 1 : 0; });
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(added, 1);
    EXPECT_EQ(tagger.stat<double>("samples"), 2 * std::size(kLesson));
  }
}

TEST(BcpTaggerMerge, IsRefusedWhileStopped) {
  const Folder folder;
  run_once(in(folder.file("a.prior")));
  Tagger tagger("preset=paper");
  gst_element_set_state(tagger.element(), GST_STATE_READY);
  EXPECT_FALSE(merge(tagger, folder.file("a.prior").c_str()));
}

// A stream keeps its identity in its file, so that a later file of it is known as the same stream.
TEST(BcpTaggerMerge, AStreamIsTheSameAfterARestart) {
  const Folder folder;
  const std::string path = folder.file("a.prior"), copy = folder.file("copy.prior");
  run_once(in(path));
  std::filesystem::copy_file(path, copy);
  run_once(in(path));
  const prior::Snapshot before = load(copy), after = load(path);
  ASSERT_EQ(before.origins.size(), 1u);
  ASSERT_EQ(after.origins.size(), 1u);
  EXPECT_TRUE(is_same_stream(before.origins[0], after.origins[0]));
  EXPECT_EQ(after.origins[0].samples, 2 * std::size(kLesson));
}

}  // namespace
}  // namespace bcp::test
