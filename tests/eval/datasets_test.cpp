// SPDX-License-Identifier: LGPL-2.1-or-later
// Data sets in their published layouts. Their pictures are empty files here, because they are not opened.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/temporary.hpp"
#include "eval/datasets/dataset.hpp"
#include "eval/datasets/spelling.hpp"

namespace bcp::eval {
namespace {

using test::TemporaryDirectory;
using test::write;

const std::vector<std::string> kVocFiles = {
    "aeroplane",   "bicycle", "bird",  "boat",      "bottle", "bus",         "car",   "cat",  "chair", "cow",
    "diningtable", "dog",     "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor"};

// Three pictures: a person in the first, a difficult person in the second, a dining table in the third.
void make_voc(const std::string& folder, const std::string& split) {
  write(folder + "/ImageSets/Main/" + split + ".txt", "000009\n000002\n000005\n");
  for (const std::string& name : kVocFiles) {
    std::string lines = "000009 -1\n000002 -1\n000005 -1\n";
    if (name == "person") lines = "000009  1\r\n000002  0\r\n000005 -1\r\n";
    if (name == "diningtable") lines = "000009 -1\n000002 -1\n000005  1\n";
    write(folder + "/ImageSets/Main/" + name + "_" + split + ".txt", lines);
  }
  for (const char* const name : {"000002", "000005", "000009"}) write(folder + "/JPEGImages/" + name + ".jpg", "");
}

Result<Dataset> open(const DatasetRequest& request) {
  std::vector<Absent> absent;
  return open_dataset(request, absent);
}

std::vector<int> row(const Dataset& set, std::size_t picture) {
  std::vector<int> values;
  for (std::size_t i = 0; i < set.truth.labels; ++i) values.push_back(set.truth.at(picture, i));
  return values;
}

std::size_t count(const std::vector<int>& values, int value) {
  return static_cast<std::size_t>(std::count(values.begin(), values.end(), value));
}

TEST(Voc, IsReadInTheOrderOfItsListAndIgnoresDifficultPictures) {
  const TemporaryDirectory root;
  make_voc(root / "VOCdevkit/VOC2007", "test");
  const Result<Dataset> set = open({"voc2007", root.path(), {}, 0});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->pictures, (std::vector<std::string>{"000009", "000002", "000005"}));
  EXPECT_EQ(set->path(0), root / "VOCdevkit/VOC2007/JPEGImages/000009.jpg");
  ASSERT_EQ(set->labels.size(), 20U);
  EXPECT_EQ(set->labels[10], "dining table");
  EXPECT_EQ(set->labels[14], "person");
  EXPECT_EQ(set->truth.at(0, 14), 1);
  EXPECT_EQ(set->truth.at(1, 14), -1);
  EXPECT_EQ(set->truth.at(2, 14), 0);
  EXPECT_EQ(set->truth.at(2, 10), 1);
  EXPECT_EQ(count(row(*set, 0), 0), 19U);
}

TEST(Voc, IsFoundFromEveryParentFolder) {
  const TemporaryDirectory root;
  make_voc(root / "VOCdevkit/VOC2012", "val");
  for (const std::string& each : {root.path(), root / "VOCdevkit", root / "VOCdevkit/VOC2012"}) {
    const Result<Dataset> set = open({"voc2012", each, {}, 0});
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->pictures.size(), 3U);
  }
}

TEST(Voc, ListsAllMissingFilesWithTheirArchive) {
  const TemporaryDirectory root;
  make_voc(root.path(), "test");
  std::filesystem::remove(root / "ImageSets/Main/test.txt");
  std::filesystem::remove(root / "ImageSets/Main/sofa_test.txt");
  std::filesystem::remove_all(root / "JPEGImages");
  std::vector<Absent> absent;
  const Result<Dataset> set = open_dataset({"voc2007", root.path(), {}, 0}, absent);
  ASSERT_FALSE(set);
  ASSERT_EQ(absent.size(), 3U);
  EXPECT_EQ(absent[0].path, "ImageSets/Main/test.txt");
  EXPECT_EQ(absent[1].path, "ImageSets/Main/sofa_test.txt");
  EXPECT_EQ(absent[2].path, "JPEGImages/");
  for (const Absent& each : absent) EXPECT_EQ(each.source, "VOCtest_06-Nov-2007.tar");
  EXPECT_NE(set.error().message.find("VOCtest_06-Nov-2007.tar"), std::string::npos) << set.error().message;
}

TEST(Voc, NamesManyMissingFilesOfAKindOnce) {
  const TemporaryDirectory root;
  std::vector<Absent> absent;
  EXPECT_FALSE(open_dataset({"voc2007", root.path(), {}, 0}, absent));
  ASSERT_EQ(absent.size(), 3U);
  EXPECT_EQ(absent[1].path, "VOCdevkit/VOC2007/ImageSets/Main/aeroplane_test.txt and 19 more");
}

TEST(Voc, RefusesInconsistentLists) {
  const TemporaryDirectory root;
  make_voc(root.path(), "test");
  write(root / "ImageSets/Main/cat_test.txt", "000009 -1\n000002 -1\n");
  const Result<Dataset> shorter = open({"voc2007", root.path(), {}, 0});
  ASSERT_FALSE(shorter);
  EXPECT_NE(shorter.error().message.find("cat_test.txt"), std::string::npos);
  write(root / "ImageSets/Main/cat_test.txt", "000009 -1\n000002 -1\n000005 2\n");
  const Result<Dataset> strange = open({"voc2007", root.path(), {}, 0});
  ASSERT_FALSE(strange);
  EXPECT_NE(strange.error().message.find("000005 2"), std::string::npos);
}

// Categories out of order, a crowd, an outline that looks like the rest of the file, and an empty picture.
constexpr const char* kCoco = R"({
  "info": {"images": [{"id": 9}], "year": 2017},
  "annotations": [
    {"segmentation": [[1.5, 2, {"id": 1, "image_id": 40}]], "iscrowd": 0, "image_id": 30, "category_id": 18, "id": 1},
    {"segmentation": {"counts": [1, 2], "size": [3, 4]}, "iscrowd": 1, "image_id": 30, "category_id": 1, "id": 2},
    {"category_id": 18, "image_id": 30, "id": 3},
    {"category_id": 90, "image_id": 10, "id": 4, "bbox": [1, 2, 3, 4]}],
  "images": [{"file_name": "c.jpg", "id": 30, "license": 1}, {"id": 20, "file_name": "b.jpg"},
             {"id": 10, "coco_url": "http://x", "file_name": "a.jpg"}],
  "categories": [{"supercategory": "x", "id": 90, "name": "toothbrush"}, {"id": 1, "name": "person"},
                 {"id": 18, "name": "dog"}]})";

TEST(Coco, IsReadInTheOrderOfItsFilesWithLabelsByTheirIds) {
  const TemporaryDirectory root;
  for (const std::string folder : {"val2017/", "images/val2017/"}) {
    write(root / "annotations/instances_val2017.json", kCoco);
    for (const char* const name : {"a.jpg", "b.jpg", "c.jpg"}) write(root / (folder + name), "");
    const Result<Dataset> set = open({"coco2017", root.path(), {}, 0});
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->labels, (std::vector<std::string>{"person", "dog", "toothbrush"}));
    EXPECT_EQ(set->pictures, (std::vector<std::string>{"c.jpg", "b.jpg", "a.jpg"}));
    EXPECT_EQ(set->path(1), root / (folder + "b.jpg"));
    EXPECT_EQ(row(*set, 0), (std::vector<int>{1, 1, 0}));
    EXPECT_EQ(row(*set, 1), (std::vector<int>{0, 0, 0}));
    EXPECT_EQ(row(*set, 2), (std::vector<int>{0, 0, 1}));
    std::filesystem::remove_all(root / "val2017");
  }
}

TEST(Coco, RefusesATruncatedOrInconsistentFile) {
  const TemporaryDirectory root;
  write(root / "val2014/a.jpg", "");
  const std::string path = root / "annotations/instances_val2014.json", whole = kCoco;
  const auto message = [&](const std::string& text) {
    write(path, text);
    const Result<Dataset> set = open({"coco2014", root.path(), {}, 0});
    return set ? std::string() : set.error().message;
  };
  EXPECT_NE(message(whole.substr(0, whole.size() / 2)).find("is not valid JSON at byte"), std::string::npos);
  EXPECT_NE(message("").find("is not valid JSON"), std::string::npos);
  EXPECT_NE(message("[]").find("has no list of pictures"), std::string::npos);
  std::string elsewhere = whole;
  elsewhere.replace(elsewhere.find("\"image_id\": 10"), 14, "\"image_id\": 11");
  EXPECT_NE(message(elsewhere).find("does not list"), std::string::npos);
  std::string nameless = whole;
  nameless.replace(nameless.find("\"name\": \"dog\""), 13, "\"nom\": \"chien\"");
  EXPECT_NE(message(nameless).find("a category without id or name"), std::string::npos);
  EXPECT_NE(message(test::nested_lists()).find("has no list of pictures"), std::string::npos);
}

void make_nuswide(const TemporaryDirectory& root) {
  write(root / "ConceptsList/Concepts81.txt", "airport\r\nbeach\r\n");
  write(root / "ImageList/TestImagelist.txt", "actor\\0001_1.jpg\r\nzoo\\0002_2.jpg\r\nzoo\\0003_3.jpg\r\n");
  write(root / "Groundtruth/TrainTestLabels/Labels_airport_Test.txt", "1\n0\n0\n");
  write(root / "Groundtruth/TrainTestLabels/Labels_beach_Test.txt", "1\n0\n1\n");
  for (const char* const name : {"actor/0001_1.jpg", "zoo/0002_2.jpg", "zoo/0003_3.jpg"})
    write(root / (std::string("Flickr/") + name), "");
}

TEST(NusWide, TakesThePicturesThatShowAConcept) {
  const TemporaryDirectory root;
  make_nuswide(root);
  const Result<Dataset> set = open({"nuswide", root.path(), {}, 0});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->labels, (std::vector<std::string>{"airport", "beach"}));
  EXPECT_EQ(set->pictures, (std::vector<std::string>{"actor/0001_1.jpg", "zoo/0003_3.jpg"}));
  EXPECT_EQ(row(*set, 0), (std::vector<int>{1, 1}));
  EXPECT_EQ(row(*set, 1), (std::vector<int>{0, 1}));
}

TEST(NusWide, TakesItsWholeListOnRequest) {
  const TemporaryDirectory root;
  make_nuswide(root);
  const Result<Dataset> set = open({"nuswide", root.path(), root / "ImageList/TestImagelist.txt", 0});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->pictures.size(), 3U);
  EXPECT_EQ(row(*set, 1), (std::vector<int>{0, 0}));
}

TEST(NusWide, RefusesTruthOfAnotherLength) {
  const TemporaryDirectory root;
  make_nuswide(root);
  write(root / "Groundtruth/TrainTestLabels/Labels_beach_Test.txt", "1\n0\n");
  const Result<Dataset> set = open({"nuswide", root.path(), {}, 0});
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("has 2 lines, but the list of pictures has 3"), std::string::npos);
}

TEST(Folder, ReadsQuotedFieldsOfRfc4180) {
  const TemporaryDirectory root;
  write(root / "truth.csv",
        "\xef\xbb\xbfpicture,\"traffic light, red\",\"a \"\"dog\"\"\"\r\n"
        "\"in, a folder/1.png\",1,0\r\n"
        "\r\n"
        "2.png,-1,\"1\"");
  write(root / "in, a folder/1.png", "");
  write(root / "2.png", "");
  const Result<Dataset> set = open({"folder", root.path(), {}, 0});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->labels, (std::vector<std::string>{"traffic light, red", "a \"dog\""}));
  EXPECT_EQ(set->pictures, (std::vector<std::string>{"in, a folder/1.png", "2.png"}));
  EXPECT_EQ(row(*set, 0), (std::vector<int>{1, 0}));
  EXPECT_EQ(row(*set, 1), (std::vector<int>{-1, 1}));
}

TEST(Folder, NamesTheLineOfAFault) {
  const TemporaryDirectory root;
  const auto message = [&](const std::string& text) {
    write(root / "truth.csv", text);
    const Result<Dataset> set = open({"folder", root.path(), {}, 0});
    return set ? std::string() : set.error().message;
  };
  EXPECT_NE(message("").find("line 1: the header must be picture,LABEL"), std::string::npos);
  EXPECT_NE(message("picture\n").find("line 1: the header must be picture,LABEL"), std::string::npos);
  EXPECT_NE(message("picture,a,a\n").find("line 1: the label \"a\" occurs twice"), std::string::npos);
  EXPECT_NE(message("picture,a\n1.png,1\n2.png\n").find("line 3: 1 fields, but the header has 2"), std::string::npos);
  EXPECT_NE(message("picture,a\n\"1\n.png\",1\n2.png,yes\n").find("line 4: \"yes\" for a must be"), std::string::npos);
  EXPECT_NE(message("picture,a\n1.png,1\n1.png,0\n").find("line 3: the picture 1.png occurs twice"), std::string::npos);
  EXPECT_NE(message("picture,a\n\"1.png,1\n").find("line 2: a quote is never closed"), std::string::npos);
  EXPECT_NE(message("picture,a\n\"1\"x,1\n").find("line 2: text follows a closing quote"), std::string::npos);
}

TEST(Dataset, LeavesOutMissingPicturesAndReportsThem) {
  const TemporaryDirectory root;
  make_voc(root.path(), "test");
  std::filesystem::remove(root / "JPEGImages/000002.jpg");
  const Result<Dataset> set = open({"voc2007", root.path(), {}, 0});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->pictures, (std::vector<std::string>{"000009", "000005"}));
  EXPECT_EQ(set->truth.samples, 2U);
  EXPECT_EQ(set->truth.at(1, 10), 1);
  ASSERT_EQ(set->notes.size(), 1U);
  EXPECT_NE(set->notes[0].find("1 of 3 pictures are not in"), std::string::npos);
  EXPECT_NE(set->notes[0].find("left out: 000002"), std::string::npos);
  for (const char* const name : {"000005", "000009"})
    std::filesystem::remove(root / (std::string("JPEGImages/") + name + ".jpg"));
  const Result<Dataset> none = open({"voc2007", root.path(), {}, 0});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("all 3 pictures of"), std::string::npos);
}

TEST(Dataset, TakesTheFirstPicturesOrThoseOfAList) {
  const TemporaryDirectory root;
  make_voc(root.path(), "test");
  const Result<Dataset> first = open({"voc2007", root.path(), {}, 2});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->pictures, (std::vector<std::string>{"000009", "000002"}));
  EXPECT_EQ(first->truth.values.size(), 40U);
  write(root / "list.txt", "000005\n\n000009\n");
  const Result<Dataset> listed = open({"voc2007", root.path(), root / "list.txt", 0});
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->pictures, (std::vector<std::string>{"000009", "000005"}));
  write(root / "list.txt", "000005.jpg\n");
  const Result<Dataset> unknown = open({"voc2007", root.path(), root / "list.txt", 0});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("000005.jpg"), std::string::npos);
}

TEST(Dataset, RefusesAListWithoutPictures) {
  const TemporaryDirectory root;
  make_voc(root.path(), "test");
  for (const char* const text : {"", "\n \r\n"}) {
    write(root / "list.txt", text);
    const Result<Dataset> none = open({"voc2007", root.path(), root / "list.txt", 0});
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message.find("list.txt lists no picture"), std::string::npos);
  }
}

TEST(Dataset, RefusesAnUnknownNameAndAMissingRoot) {
  const Result<Dataset> name = open({"imagenet", "/", {}, 0});
  ASSERT_FALSE(name);
  EXPECT_NE(name.error().message.find("voc2007, voc2012, coco2014"), std::string::npos);
  const TemporaryDirectory root;
  const Result<Dataset> nowhere = open({"coco2017", root / "nowhere", {}, 0});
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("is missing: set --root"), std::string::npos);
}

TEST(Spelling, FindsTheNamesOfABank) {
  const std::vector<clip::Label> bank = {{.name = "Airplane"}, {.name = "dining table"}, {.name = "tv"}};
  const std::vector<std::string> labels = {"aeroplane", "tv monitor", "dining_table"};
  const auto names = names_in_bank(labels, bank, "demo");
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(*names, (std::vector<std::string>{"Airplane", "tv", "dining table"}));
  const std::vector<std::string> more = {"dog", "tv monitor", "surfboard"};
  const auto unknown = names_in_bank(more, bank, "demo");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("2 of 3 labels are not among them (dog, surfboard)"), std::string::npos);
}

}  // namespace
}  // namespace bcp::eval
