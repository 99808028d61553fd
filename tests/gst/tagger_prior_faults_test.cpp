// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and a prior-file that cannot be used: it is reported and never overwritten.

#include <cstdint>
#include <filesystem>

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

TEST(BcpTaggerPriorFaults, ADamagedFileIsReportedAndNotOverwritten) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  const std::string damaged = contents(path).substr(0, 200);
  write_file(path, damaged);

  const auto found = faults_of(three_frames(in(path)));
  ASSERT_EQ(found.size(), 2u);
  for (const Message& message : found) {
    EXPECT_EQ(message.type, GST_MESSAGE_WARNING);
    EXPECT_CONTAINS(message.text, path);
    EXPECT_CONTAINS(message.text, "move it away");
  }
  EXPECT_CONTAINS(found[0].text, "is damaged");
  EXPECT_CONTAINS(found[1].text, "not saved");
  EXPECT_EQ(contents(path), damaged);
}

TEST(BcpTaggerPriorFaults, ANewFileIsWrittenWhenTheDamagedOneIsMovedAway) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  write_file(path, "damaged");
  Tagger tagger(in(path));
  teach(tagger);
  EXPECT_EQ(tagger.stat<double>("samples"), std::size(kLesson));
  std::filesystem::rename(path, folder.file("damaged"));
  EXPECT_TRUE(emit(tagger, "save-prior"));
  ASSERT_TRUE(tagger.await("bcp-prior-saved"));
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
}

TEST(BcpTaggerPriorFaults, AFileOfAnotherModelIsReportedAndNotOverwritten) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  const std::string before = contents(path);
  const auto found = faults_of(three_frames(in(path), "toy-fixed"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_CONTAINS(found[0].text, path + " was learnt with another model");
  EXPECT_CONTAINS(found[1].text, "move it away");
  EXPECT_EQ(contents(path), before);
}

TEST(BcpTaggerPriorFaults, AFileHasOneWriterInAProcess) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  {
    Tagger first(in(path));
    teach(first);
    const std::string error = start_error(in(path));
    EXPECT_CONTAINS(error, "tagger already uses this file");
    EXPECT_CONTAINS(error, path);
    Tagger reader(in(path, "prior-mode=off"));
  }
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
  run_once(in(path));
  EXPECT_EQ(load(path).seen.samples(), 2 * std::size(kLesson));
}

TEST(BcpTaggerPriorFaults, AFileThatCannotBeSavedIsAnErrorAtStart) {
  const Folder folder;
  const std::string error = start_error(in(folder.file("none/a.prior")));
  EXPECT_CONTAINS(error, "none/a.prior");
  EXPECT_CONTAINS(error, "write to");
}

TEST(BcpTaggerPriorFaults, AFailedSaveIsReportedOnceAndTheVideoContinues) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  const std::string path = folder.file("inner/a.prior");
  Tagger tagger(in(path));
  teach(tagger);
  std::filesystem::remove(folder.file("inner"));
  for (std::uint64_t faults = 1; faults <= 3; ++faults) {
    EXPECT_TRUE(emit(tagger, "save-prior"));
    for (int i = 0; i < 5000 && tagger.stat<std::uint64_t>("faults") < faults; ++i) g_usleep(1000);
    ASSERT_EQ(tagger.stat<std::uint64_t>("faults"), faults);
    EXPECT_EQ(best(tagger.push(frame(kRed, GST_SECOND)).get()), "red");
  }
  const auto posted = warnings(tagger);
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_CONTAINS(posted[0], path);
  // When the fault is fixed, nothing is lost.
  std::filesystem::create_directory(folder.file("inner"));
  gst_element_set_state(tagger.element(), GST_STATE_READY);
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson) + 3);
}

}  // namespace
}  // namespace bcp::test
