// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include "common/temporary.hpp"
#include "gst-bcp/teach/lessons.hpp"

namespace bcp::cli {
namespace {

using Present = std::vector<std::optional<bool>>;

const std::vector<clip::Label> kLabels = {{.name = "person"}, {.name = "airplane"}, {.name = "cat"}};
constexpr std::nullopt_t kUnsaid = std::nullopt;

TEST(Lessons, SayNothingAboutLabelsThatAreNotNamed) {
  const Result<Lessons> lessons = lessons_of({"a.jpg", "b.jpg"}, {.has = "person", .has_not = "cat"}, kLabels);
  ASSERT_TRUE(lessons) << lessons.error().message;
  EXPECT_FALSE(lessons->frames);
  ASSERT_EQ(lessons->all.size(), 2u);
  EXPECT_EQ(lessons->all[1].picture, "b.jpg");
  EXPECT_EQ(lessons->all[1].present, (Present{true, kUnsaid, false}));
}

TEST(Lessons, SayThatTheOthersAreAbsentWhenAllIsKnown) {
  const Result<Lessons> lessons = lessons_of({"a.jpg"}, {.has = "cat", .has_not = "", .all = true}, kLabels);
  ASSERT_TRUE(lessons);
  EXPECT_TRUE(lessons->frames);
  EXPECT_EQ(lessons->all[0].present, (Present{false, false, true}));
}

TEST(Lessons, FindLabelsBySpellingAndRefuseOthers) {
  const Result<Lessons> found = lessons_of({"a.jpg"}, {.has = "Aeroplane", .has_not = ""}, kLabels);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->all[0].present, (Present{kUnsaid, true, kUnsaid}));
  const Result<Lessons> unknown = lessons_of({"a.jpg"}, {.has = "", .has_not = "dog"}, kLabels);
  ASSERT_FALSE(unknown);
  for (const char* part : {"--not", "\"dog\"", "person, airplane, cat", "--labels"})
    EXPECT_NE(unknown.error().message.find(part), std::string::npos) << unknown.error().message;
  EXPECT_FALSE(lessons_of({"a.jpg"}, {.has = "cat", .has_not = "cat"}, kLabels));
}

// Pictures a.jpg and b.jpg that are there, c.jpg that is not.
struct LabelledLessons : testing::Test {
  LabelledLessons() {
    for (const char* name : {"a.jpg", "b.jpg"}) test::write(directory / name, "");
    read.labels = {"aeroplane", "dog", "person"};
    read.pictures = {{directory / "a.jpg", {"aeroplane", "dog"}}, {directory / "b.jpg", {}}, {directory / "c.jpg", {}}};
  }
  test::TemporaryDirectory directory;
  LabelledPictures read;
};

TEST_F(LabelledLessons, LeaveOpenWhatTheAnnotationsNeverMention) {
  const Result<Lessons> lessons = lessons_of(read, false, kLabels);
  ASSERT_TRUE(lessons) << lessons.error().message;
  EXPECT_TRUE(lessons->frames);
  ASSERT_EQ(lessons->all.size(), 2u);
  EXPECT_EQ(lessons->all[0].present, (Present{false, true, kUnsaid}));
  EXPECT_EQ(lessons->all[1].present, (Present{false, false, kUnsaid}));
  ASSERT_EQ(lessons->notes.size(), 3u);
  EXPECT_NE(lessons->notes[0].find("dog"), std::string::npos);
  EXPECT_NE(lessons->notes[1].find("1 label "), std::string::npos);
  EXPECT_NE(lessons->notes[2].find("c.jpg"), std::string::npos);
}

TEST_F(LabelledLessons, MakeTheRestAbsentWhenAllIsKnown) {
  const Result<Lessons> lessons = lessons_of(read, true, kLabels);
  ASSERT_TRUE(lessons);
  EXPECT_EQ(lessons->all[0].present, (Present{false, true, false}));
}

TEST_F(LabelledLessons, RefuseAnnotationsWithoutAKnownLabelOrPicture) {
  LabelledPictures other = read;
  other.labels = {"dog"};
  const Result<Lessons> unknown = lessons_of(other, false, kLabels);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("dog"), std::string::npos) << unknown.error().message;
  read.pictures = {{directory / "c.jpg", {"person"}}};
  const Result<Lessons> missing = lessons_of(read, false, kLabels);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("--pictures"), std::string::npos) << missing.error().message;
}

}  // namespace
}  // namespace bcp::cli
