// SPDX-License-Identifier: LGPL-2.1-or-later
// Models that streams share by id.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "clip/model_table.hpp"

namespace bcp::clip {
namespace {

const std::string kToy = BCP_TEST_DATA "/bundles/toy";
const std::string kOther = BCP_TEST_DATA "/bundles/toy-fixed";

TEST(ModelTable, GivesTheSameModelForTheSameId) {
  const auto one = open_shared("same", kToy, {}), two = open_shared("same", kToy, {});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->get(), two->get());
}

TEST(ModelTable, GivesSeparateModelsWithoutAnId) {
  const auto one = open_shared("", kToy, {}), two = open_shared("", kToy, {});
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->get(), two->get());
}

TEST(ModelTable, GivesOneModelToSimultaneousCallers) {
  std::vector<std::shared_ptr<Model>> models(8);
  std::vector<std::thread> threads;
  for (auto& model : models) threads.emplace_back([&model] { model = *open_shared("at once", kToy, {}); });
  for (auto& thread : threads) thread.join();
  for (const auto& model : models) EXPECT_EQ(model.get(), models.front().get());
}

// Closing the last model also closes the library's environment, of which only one may exist.
TEST(ModelTable, OpensAModelWhileAnotherIsClosed) {
  std::vector<std::string> failures(2);
  std::vector<std::thread> threads;
  for (std::string& failure : failures) {
    threads.emplace_back([&failure] {
      for (int i = 0; i < 1000; ++i) {
        if (const auto model = open_shared("", kToy, {}); !model) failure = model.error().message;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

TEST(ModelTable, ClosesUnusedModels) {
  std::weak_ptr<Model> seen;
  {
    const auto model = open_shared("let go", kToy, {});
    ASSERT_TRUE(model);
    seen = *model;
  }
  EXPECT_TRUE(seen.expired());
  EXPECT_TRUE(open_shared("let go", kOther, {}));  // the id is free again, also for another model
}

TEST(ModelTable, RefusesAnIdInUseWithOtherSettings) {
  const auto model = open_shared("taken", kToy, {});
  ASSERT_TRUE(model);
  const auto other = open_shared("taken", kOther, {});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("model-instance-id=taken is already in use with the model " + kToy),
            std::string::npos)
      << other.error().message;
  EXPECT_FALSE(open_shared("taken", kToy, {.threads = 3}));
}

TEST(ModelTable, ForgetsAnOpeningThatFailed) {
  EXPECT_FALSE(open_shared("failed", "/no/such/model", {}));
  EXPECT_TRUE(open_shared("failed", kToy, {}));
}

}  // namespace
}  // namespace bcp::clip
