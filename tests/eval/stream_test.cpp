// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "common/npy.hpp"
#include "common/temporary.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {
namespace {

class Streams : public testing::Test {
 protected:
  std::string file(const std::string& name, std::vector<float> values, std::vector<std::size_t> shape) {
    const Status written = write_npy(directory_ / name, values, shape);
    EXPECT_TRUE(written) << written.error().message;
    return directory_ / name;
  }
  static void expect_error(const StreamFiles& files, const std::string& what) {
    const Result<Stream> stream = Stream::open(files);
    ASSERT_FALSE(stream) << what;
    EXPECT_NE(stream.error().message.find(what), std::string::npos) << stream.error().message;
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Streams, ReturnLogitsUnchanged) {
  Result<Stream> stream = Stream::open({.logits = file("l.npy", {1, 2, 3, 4, 5, 6}, {3, 2})});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(stream->samples(), 3u);
  EXPECT_EQ(stream->labels(), 2u);
  EXPECT_FALSE(stream->has_embeddings());
  EXPECT_FALSE(stream->has_text());
  const Result<Sample> sample = stream->sample(1);
  ASSERT_TRUE(sample);
  EXPECT_EQ(std::vector<double>(sample->logits.begin(), sample->logits.end()), (std::vector<double>{3, 4}));
  EXPECT_TRUE(sample->embedding.empty());
}

TEST_F(Streams, ScoreEmbeddingsOfAnyLengthAgainstText) {
  Result<Stream> stream = Stream::open({.embeddings = file("v.npy", {3, 4, 0, 2}, {2, 2}),
                                        .text = file("t.npy", {5, 0, 0, 7, 1, 1}, {3, 2}),
                                        .scale = 10});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(stream->samples(), 2u);
  EXPECT_EQ(stream->labels(), 3u);
  EXPECT_EQ(stream->text().width, 2u);
  EXPECT_EQ(stream->text().text.size(), 6u);
  const Result<Sample> sample = stream->sample(0);
  ASSERT_TRUE(sample);
  EXPECT_FLOAT_EQ(sample->embedding[1], 0.8f);
  EXPECT_NEAR(sample->logits[0], 6, 1e-5);
  EXPECT_NEAR(sample->logits[1], 8, 1e-5);
  EXPECT_NEAR(sample->logits[2], 14 / std::sqrt(2.0), 1e-5);
}

TEST_F(Streams, PreferLogitsAndKeepEmbeddings) {
  Result<Stream> stream = Stream::open({.logits = file("l.npy", {1, 2}, {1, 2}),
                                        .embeddings = file("v.npy", {0, 5, 0}, {1, 3}),
                                        .text = file("t.npy", {1, 0, 0, 0, 1, 0}, {2, 3})});
  ASSERT_TRUE(stream) << stream.error().message;
  const Result<Sample> sample = stream->sample(0);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->logits[1], 2);
  EXPECT_EQ(sample->embedding[1], 1);
}

TEST_F(Streams, AgreeWithTheLogitsOfTheBundledStream) {
  const std::string data = BCP_TEST_DATA "/voc2007-stream/";
  Result<Stream> computed = Stream::open({.embeddings = data + "embeddings.npy", .text = data + "text.npy"});
  Result<Stream> given = Stream::open({.logits = data + "logits.npy"});
  ASSERT_TRUE(computed) << computed.error().message;
  ASSERT_TRUE(given) << given.error().message;
  ASSERT_EQ(computed->samples(), 4952u);
  for (std::size_t t = 0; t < 4952; t += 37) {
    const Result<Sample> x = computed->sample(t), y = given->sample(t);
    ASSERT_TRUE(x);
    ASSERT_TRUE(y);
    // The embeddings have 16 bits.
    for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(x->logits[k], y->logits[k], 0.02);
  }
}

TEST_F(Streams, RefuseInconsistentFiles) {
  const std::string logits = file("l.npy", {1, 2, 3, 4}, {2, 2}),
                    embeddings = file("v.npy", {1, 2, 3, 4, 5, 6}, {2, 3});
  const std::string text = file("t.npy", {1, 2, 3, 4, 5, 6}, {2, 3});
  ASSERT_TRUE(Stream::open({.logits = logits, .embeddings = embeddings, .text = text}));
  expect_error({}, "nothing to score");
  expect_error({.logits = logits, .text = text}, "those of pictures are missing");
  expect_error({.embeddings = embeddings}, "those of labels are missing");
  expect_error({.logits = file("1d.npy", {1, 2}, {2})}, "1d.npy has the shape [2], but [pictures, labels] is needed");
  expect_error({.logits = file("3d.npy", {1, 2}, {1, 2, 1})}, "has the shape [1, 2, 1]");
  expect_error({.logits = logits, .embeddings = file("v3.npy", {1, 2, 3}, {3, 1})}, "one row per picture");
  expect_error({.logits = logits, .embeddings = embeddings, .text = file("t1.npy", {1, 2, 3}, {1, 3})},
               "one per label");
  expect_error({.embeddings = embeddings, .text = file("t2.npy", {1, 2}, {1, 2})}, "take both from the same model");
  expect_error({.logits = directory_ / "none.npy"}, "No such file");
}

TEST_F(Streams, NameTheFileRowAndColumnOfANumberThatIsNotFinite) {
  const std::string logits = file("l.npy", {1, 2, 3, NAN}, {2, 2});
  Result<Stream> stream = Stream::open({.logits = logits});
  ASSERT_TRUE(stream);
  EXPECT_TRUE(stream->sample(0));
  const Result<Sample> sample = stream->sample(1);
  ASSERT_FALSE(sample);
  EXPECT_NE(sample.error().message.find(logits + " has NaN in row 1, column 1"), std::string::npos)
      << sample.error().message;
  expect_error({.embeddings = file("v.npy", {1, 2}, {1, 2}), .text = file("t.npy", {1, 0, INFINITY, 0}, {2, 2})},
               "t.npy has infinity in row 1, column 0");
  expect_error({.embeddings = file("v.npy", {1, 2}, {1, 2}), .text = file("t.npy", {1, 0, 0, 0}, {2, 2})},
               "t.npy has an embedding of length 0 in row 1");
}

}  // namespace
}  // namespace bcp::eval
