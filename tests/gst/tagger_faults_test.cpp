// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Faults of bcptagger: one message each, with the cause and what to do; the video continues if possible.

#include <cmath>

#include "base/sha256.hpp"
#include "tagger_support.hpp"

namespace bcp::test {
namespace {

// The only error of a pipeline with this tagger, which must fail.
std::string start_error(const std::string& properties) {
  const auto p = pipeline("videotestsrc num-buffers=2 ! bcptagger " + properties + " ! fakesink");
  std::vector<Message> errors;
  for (const Message& message : run(p)) {
    if (message.type != GST_MESSAGE_INFO) errors.push_back(message);
  }
  EXPECT_EQ(errors.size(), 1u) << properties;
  if (errors.empty()) return "";
  EXPECT_EQ(errors[0].type, GST_MESSAGE_ERROR);
  return errors[0].text;
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(BcpTaggerFaults, ReportsAMissingModelOnceOnTheBus) {
  const std::string error = start_error("model=no-such-model");
  EXPECT_CONTAINS(error, "no-such-model");
  EXPECT_CONTAINS(error, "mini");  // the available models
}

TEST(BcpTaggerFaults, RefusesADirectoryWithoutABundle) {
  const Folder folder;
  EXPECT_CONTAINS(start_error("model=" + folder.file("")), "bundle.json");
}

TEST(BcpTaggerFaults, RefusesATruncatedModel) {
  const Folder folder;
  for (const char* name : {"bundle.json", "visual.onnx", "text_bank.safetensors"}) {
    write_file(folder.file(name), contents(kBundles + "toy/" + name));
  }
  write_file(folder.file("visual.onnx"), contents(kBundles + "toy/visual.onnx").substr(0, 500));
  EXPECT_CONTAINS(start_error("model=" + folder.file("")), "visual.onnx");
}

TEST(BcpTaggerFaults, NamesTheNearestLabelsToAnUnknownOne) {
  const std::string error = start_error("labels=gren model=" + kBundles + "toy");
  EXPECT_CONTAINS(error, "gren");
  EXPECT_CONTAINS(error, "green");
}

TEST(BcpTaggerFaults, RefusesDuplicateLabelsAlsoAfterCleaning) {
  EXPECT_CONTAINS(start_error("labels=\"dog,potted plant, potted  plant\""), "potted plant");
}

TEST(BcpTaggerFaults, RefusesAnEmptyListAndAMissingOrEmptyFile) {
  start_error("labels=\" , \"");
  EXPECT_CONTAINS(start_error("labels-file=/no/such/file"), "/no/such/file");
  const Folder folder;
  write_file(folder.file("empty.txt"), "\n# nothing\n");
  EXPECT_CONTAINS(start_error("labels-file=" + folder.file("empty.txt")), "empty.txt");
}

TEST(BcpTaggerFaults, RefusesInvalidUtf8InAFile) {
  const Folder folder;
  write_file(folder.file("latin1.txt"), "caf\xe9\n");
  EXPECT_CONTAINS(start_error("labels-file=" + folder.file("latin1.txt")), "UTF-8");
}

TEST(BcpTaggerFaults, RefusesMoreLabelsThanItCanHold) {
  const Folder folder;
  std::string many;
  for (int i = 0; i < 20'001; ++i) many += "label " + std::to_string(i) + "\n";
  write_file(folder.file("many.txt"), many);
  EXPECT_CONTAINS(start_error("labels-file=" + folder.file("many.txt")), "20000");
}

// A copy of the toy bundle with `count` labels.
void write_bundle(const Folder& folder, int count) {
  auto names = nlohmann::json::array();
  std::string numbers;
  for (int i = 0; i < count; ++i) {
    names.push_back("label " + std::to_string(i));
    for (int j = 0; j < 8; ++j) {
      const float value = std::sin(static_cast<float>(i * 8 + j));
      numbers.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  const nlohmann::json header{
      {"__metadata__", {{"labels", names.dump()}}},
      {"embeddings", {{"dtype", "F32"}, {"shape", {count, 8}}, {"data_offsets", {0, numbers.size()}}}}};
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  const std::string bank = std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + numbers;
  auto bundle = nlohmann::json::parse(contents(kBundles + "toy/bundle.json"));
  bundle["sha256"]["text_bank.safetensors"] = *sha256(bank);
  write_file(folder.file("bundle.json"), bundle.dump());
  write_file(folder.file("visual.onnx"), contents(kBundles + "toy/visual.onnx"));
  write_file(folder.file("text_bank.safetensors"), bank);
}

TEST(BcpTaggerFaults, ScoresTenThousandLabelsAndRefusesABundleOfTooMany) {
  const Folder folder, more;
  write_bundle(folder, 10'000);
  const auto p = pipeline("videotestsrc num-buffers=3 ! bcptagger preset=paper model=" + folder.file("") +
                          " ! fakesink name=sink");
  std::vector<gst::BufferPtr> buffers;
  collect(child(p, "sink").get(), buffers);
  EXPECT_EQ(run(p).size(), 1u);  // which provider was chosen
  ASSERT_EQ(buffers.size(), 3u);
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffers[2].get());
  ASSERT_TRUE(meta);
  EXPECT_EQ(gst_bcp_labels_get_size(gst_bcp_result_get_labels(meta->result)), 10'000u);
  write_bundle(more, 20'001);
  EXPECT_CONTAINS(start_error("model=" + more.file("")), "20001");
}

TEST(BcpTaggerFaults, FailsAtStartIfTheRequestedProviderIsMissing) {
  const std::string error = start_error("execution-provider=cuda");
  EXPECT_CONTAINS(error, "CUDA");
  EXPECT_CONTAINS(error, "execution-provider");  // what to do
}

TEST(BcpTaggerFaults, FailsAtStartIfTheRequestedPrecisionIsMissing) {
  const std::string bf16 = start_error("execution-provider=cpu precision=bf16");
  EXPECT_CONTAINS(bf16, "execution-provider=openvino");
  const std::string int8 = start_error("execution-provider=cpu precision=int8");
  EXPECT_CONTAINS(int8, "precision=auto");
}

TEST(BcpTaggerFaults, ReportsOnceWhichProviderAutoChose) {
  const auto p =
      pipeline("videotestsrc num-buffers=5 ! bcptagger decision=softmax model=" + kBundles + "toy ! fakesink");
  const auto messages = run(p);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].type, GST_MESSAGE_INFO);
  EXPECT_CONTAINS(messages[0].text, "CPU");
}

TEST(BcpTaggerFaults, PassesAFrameWithoutLabelsWhenTheModelFailsOnIt) {
  Tagger tagger("preset=paper", "toy-nan-when-bright");
  tagger.caps(rgb_caps());
  const Colour dark{200, 0, 0};
  EXPECT_EQ(best(tagger.push(frame(dark)).get()), "red");
  for (guint i = 1; i < 4; ++i) {
    const auto out = tagger.push(frame(kWhite, i * 40 * GST_MSECOND));
    ASSERT_TRUE(out);
    EXPECT_FALSE(gst_buffer_get_bcp_meta(out.get()));
  }
  EXPECT_EQ(best(tagger.push(frame(dark, GST_SECOND)).get()), "red");
  EXPECT_EQ(tagger.stat<int>("faults"), 3);
  EXPECT_EQ(tagger.stat<double>("samples"), 2);  // nothing was learnt from the bad ones
  const auto faults = tagger.faults();
  ASSERT_EQ(faults.size(), 1u);  // reported once
  EXPECT_EQ(faults[0].type, GST_MESSAGE_WARNING);
}

TEST(BcpTaggerFaults, PassesFramesThatAreTooSmall) {
  const auto p = pipeline(
      "videotestsrc num-buffers=3 ! video/x-raw,width=1,height=1 ! bcptagger decision=softmax model=" + kBundles +
      "toy ! fakesink name=sink");
  std::vector<gst::BufferPtr> buffers;
  collect(child(p, "sink").get(), buffers);
  std::vector<std::string> warnings;
  for (const Message& message : run(p)) {
    if (message.type == GST_MESSAGE_WARNING) warnings.push_back(message.text);
  }
  EXPECT_EQ(buffers.size(), 3u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_CONTAINS(warnings[0], "1x1");
  EXPECT_CONTAINS(warnings[0], "16");
}

TEST(BcpTaggerFaults, PassesABufferThatIsTooShortForItsCaps) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  const auto out = tagger.push(gst::BufferPtr(gst_buffer_new_allocate(nullptr, 10, nullptr)));
  ASSERT_TRUE(out);
  EXPECT_FALSE(gst_buffer_get_bcp_meta(out.get()));
  const auto faults = tagger.faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].type, GST_MESSAGE_WARNING);
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
}

}  // namespace
}  // namespace bcp::test
