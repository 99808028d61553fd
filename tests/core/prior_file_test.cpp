// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The prior file: who may write it, and when it is not overwritten.

#include "prior/file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include "common/temporary.hpp"

namespace bcp::prior {
namespace {

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

prior::SnapshotParts learnt(double samples) {
  adapt::Cooccurrence seen(2);
  for (double t = 0; t < samples; ++t) seen.learn(std::vector{0.75, 0.25}, 1);
  return {.labels = {"a", "b"}, .seen = seen.parts()};
}

// A file, and the results of its saves.
struct Saver : PriorFile::Listener {
  std::vector<PriorFile::Saved> saves;
  Result<std::unique_ptr<PriorFile>> file;

  explicit Saver(const std::string& path, PriorMode mode = PriorMode::kReadWrite, const std::string& model = "model")
      : file(PriorFile::open(path, mode, "somebody", model)) {}
  Saver(const Saver&) = delete;
  void saved(const PriorFile&, const PriorFile::Saved& saved) noexcept override { saves.push_back(saved); }

  // Saves and waits; returns whether it succeeded.
  bool save(double samples) {
    (*file)->save(learnt(samples), *this);
    (*file)->finish();
    return !saves.empty() && saves.back().status;
  }
};

double samples_in(const std::string& path) {
  const auto snapshot = prior::load_snapshot(path);
  return snapshot ? snapshot->seen.samples() : -1;
}

TEST(PriorFile, IsCreatedByTheFirstSaveAndLoadedByTheNextRun) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  {
    Saver first(path);
    ASSERT_TRUE(first.file) << first.file.error().message;
    EXPECT_FALSE((*first.file)->take_loaded());
    EXPECT_FALSE((*first.file)->refused());
    EXPECT_EQ(test::files_in(directory.path()), 0u);
    ASSERT_TRUE(first.save(3));
    ASSERT_TRUE(first.save(4));
    EXPECT_EQ(first.saves.back().samples, 4);
    EXPECT_EQ(first.saves.back().labels, 2u);
  }
  Saver second(path);
  ASSERT_TRUE(second.file);
  const auto loaded = (*second.file)->take_loaded();
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->seen.samples(), 4);
  EXPECT_EQ(loaded->model, "model");
  EXPECT_TRUE(second.save(5));
  EXPECT_EQ(samples_in(path), 5);
  EXPECT_EQ(test::files_in(directory.path()), 1u);
}

TEST(PriorFile, SavesTheNewestOfManyAndTheLastBeforeItCloses) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  Saver saver(path);
  ASSERT_TRUE(saver.file);
  for (int i = 1; i <= 100; ++i) (*saver.file)->save(learnt(i), saver);
  saver.file->reset();
  EXPECT_EQ(samples_in(path), 100);
  EXPECT_GE(saver.saves.size(), 1u);
  EXPECT_EQ(saver.saves.back().samples, 100);
}

// A listener whose first save blocks until it is released.
struct Slow : PriorFile::Listener {
  std::vector<double> saves;
  std::promise<void> begun, go_on;

  void saved(const PriorFile&, const PriorFile::Saved& saved) noexcept override {
    saves.push_back(saved.samples);
    if (saves.size() > 1) return;
    begun.set_value();
    go_on.get_future().wait();
  }
};

TEST(PriorFile, DoesNotBlockAndSavesOnlyTheNewestQueued) {
  const test::TemporaryDirectory directory;
  Saver another(directory / "a.prior");
  PriorFile& file = **another.file;
  Slow slow;
  file.save(learnt(1), slow);
  slow.begun.get_future().wait();
  for (int i = 2; i <= 4; ++i) file.save(learnt(i), slow);
  file.save(learnt(5), another);
  slow.go_on.set_value();
  file.finish();
  EXPECT_EQ(slow.saves, (std::vector<double>{1, 5}));  // called once for the save that replaced the queued ones
  ASSERT_EQ(another.saves.size(), 1u);
}

// Even while others keep it busy.
TEST(PriorFile, FinishWaitsOnlyForEarlierRequests) {
  const test::TemporaryDirectory directory;
  struct Again : PriorFile::Listener {
    PriorFile* file = nullptr;
    std::atomic<bool> stop = false;
    void saved(const PriorFile&, const PriorFile::Saved&) noexcept override {
      if (!stop) file->save(learnt(1), *this);
    }
  } again;
  Saver saver(directory / "a.prior");
  again.file = saver.file->get();
  again.file->save(learnt(1), again);
  EXPECT_TRUE(saver.save(2));
  again.stop = true;
  again.file->finish();
}

TEST(PriorFile, KeepsItsPathWhenTheCurrentDirectoryChanges) {
  const test::TemporaryDirectory directory, elsewhere;
  const test::WorkingDirectory here(directory.path());
  Saver first("a.prior");
  ASSERT_TRUE(first.file) << first.file.error().message;
  for (const std::string& name : {std::string("a.prior"), std::string("./a.prior"), directory / "a.prior"}) {
    EXPECT_FALSE(Saver(name).file) << name << " is another's";
  }
  {
    const test::WorkingDirectory there(elsewhere.path());
    EXPECT_TRUE(first.save(3));
  }
  EXPECT_EQ(samples_in(directory / "a.prior"), 3);
  EXPECT_EQ(test::files_in(elsewhere.path()), 0u);
}

TEST(PriorFile, HasOneWriterAndAnyNumberOfReaders) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  std::filesystem::create_symlink(directory.path(), directory / "link");
  {
    Saver first(path);
    ASSERT_TRUE(first.save(1));
    for (const std::string& name : {path, directory / "./a.prior", directory / "link/a.prior"}) {
      Saver second(name);
      ASSERT_FALSE(second.file);
      EXPECT_CONTAINS(second.file.error().message, "somebody already uses this file");
      EXPECT_CONTAINS(second.file.error().message, "read-only");
    }
    Saver reader(path, PriorMode::kReadOnly), another(path, PriorMode::kReadOnly);
    ASSERT_TRUE(reader.file);
    ASSERT_TRUE(another.file);
    EXPECT_FALSE((*reader.file)->is_writable());
    Saver beside(directory / "b.prior");
    EXPECT_TRUE(beside.file);
  }
  Saver after(path);
  EXPECT_TRUE(after.file);
}

TEST(PriorFile, ThatIsDamagedIsNotOverwrittenUntilItIsMovedAway) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  const std::string cut = test::read(BCP_TEST_DATA "/priors/dense.prior").substr(0, 99);
  test::write(path, cut);
  Saver saver(path);
  ASSERT_TRUE(saver.file);
  EXPECT_FALSE((*saver.file)->take_loaded());
  ASSERT_TRUE((*saver.file)->refused());
  EXPECT_CONTAINS((*saver.file)->refused()->message, path + " is damaged");

  EXPECT_FALSE(saver.save(3));
  EXPECT_CONTAINS(saver.saves.back().status.error().message, path);
  EXPECT_CONTAINS(saver.saves.back().status.error().message, "move it away");
  EXPECT_EQ(test::read(path), cut);

  std::filesystem::rename(path, directory / "damaged");
  EXPECT_TRUE(saver.save(4));
  EXPECT_EQ(samples_in(path), 4);
  EXPECT_EQ(test::read(directory / "damaged"), cut);
}

TEST(PriorFile, OfAnotherModelIsNotOverwritten) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  { ASSERT_TRUE(Saver(path, PriorMode::kReadWrite, "one").save(3)); }
  {
    Saver other(path, PriorMode::kReadWrite, "two");
    ASSERT_TRUE(other.file);
    EXPECT_FALSE((*other.file)->take_loaded());
    ASSERT_TRUE((*other.file)->refused());
    EXPECT_CONTAINS((*other.file)->refused()->message, "another model (one; this one is two)");
    EXPECT_FALSE(other.save(9));
  }
  EXPECT_EQ(samples_in(path), 3);
  Saver same(path, PriorMode::kReadWrite, "one");
  EXPECT_TRUE((*same.file)->take_loaded());
}

TEST(PriorFile, OfANewerVersionIsNotOverwritten) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  std::string newer = test::read(BCP_TEST_DATA "/priors/dense.prior");
  newer[8] = 9;
  test::write(path, newer);
  Saver saver(path);
  ASSERT_TRUE(saver.file);
  ASSERT_TRUE((*saver.file)->refused());
  EXPECT_CONTAINS((*saver.file)->refused()->message, "written by a newer gst-bcp");
  EXPECT_FALSE(saver.save(1));
  EXPECT_EQ(test::read(path), newer);
}

// By another process, or a person who restores a copy.
TEST(PriorFile, ReplacedByAnotherProgramIsNotOverwritten) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  Saver saver(path);
  ASSERT_TRUE(saver.save(1));
  prior::SnapshotParts theirs = learnt(70);
  theirs.model = "model";
  ASSERT_TRUE(prior::save_snapshot(path, theirs));
  EXPECT_FALSE(saver.save(2));
  EXPECT_CONTAINS(saver.saves.back().status.error().message, "another program");
  EXPECT_EQ(samples_in(path), 70);
  std::filesystem::remove(path);
  EXPECT_TRUE(saver.save(3));
  EXPECT_EQ(samples_in(path), 3);
}

TEST(PriorFile, CreatedByTwoProcessesIsNotOverwritten) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  Saver saver(path);
  ASSERT_TRUE(prior::save_snapshot(path, learnt(70)));
  EXPECT_FALSE(saver.save(2));
  EXPECT_EQ(samples_in(path), 70);
}

// Frames request saves; a reminder is for the time without frames.
TEST(PriorFile, RemindsOfASave) {
  using namespace std::chrono_literals;
  struct Reminded final : PriorFile::Listener {
    void saved(const PriorFile&, const PriorFile::Saved&) noexcept override {}
    void save_due() noexcept override {
      file->save(learnt(5), *this);
      ++times;
    }
    PriorFile* file = nullptr;
    std::atomic<int> times = 0;
  } listener;
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  const Saver saver(path);
  listener.file = saver.file->get();
  const auto now = [] { return std::chrono::steady_clock::now(); };
  listener.file->remind(listener, now() + 1h);
  listener.file->remind(listener, now() + 50ms);  // instead
  for (int i = 0; i < 1000 && listener.times == 0; ++i) std::this_thread::sleep_for(10ms);
  listener.file->finish();
  EXPECT_EQ(samples_in(path), 5);
  listener.file->remind(listener, now() + 50ms);
  listener.file->cancel(listener);
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(listener.times, 1);
  listener.file->remind(listener, now() + 1h);  // the end does not wait for it
}

TEST(PriorFile, IsAnErrorWhenItCannotBeSavedOrRead) {
  const test::TemporaryDirectory directory;
  const Saver nowhere(directory / "none/a.prior");
  ASSERT_FALSE(nowhere.file);
  EXPECT_CONTAINS(nowhere.file.error().message, "none/a.prior");
  EXPECT_CONTAINS(nowhere.file.error().message, "read-only");

  const Saver missing(directory / "a.prior", PriorMode::kReadOnly);
  ASSERT_FALSE(missing.file);
  EXPECT_EQ(missing.file.error().code, ErrorCode::kNotFound);
  EXPECT_CONTAINS(missing.file.error().message, "read-write");

  for (const PriorMode mode : {PriorMode::kReadOnly, PriorMode::kReadWrite}) {
    const Saver folder(directory.path(), mode);
    EXPECT_FALSE(folder.file);
  }
  EXPECT_EQ(test::files_in(directory.path()), 0u);
}

TEST(PriorFile, KeepsTryingAfterASaveThatFailed) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "inner/a.prior";
  std::filesystem::create_directory(directory / "inner");
  Saver saver(path);
  std::filesystem::remove(directory / "inner");
  EXPECT_FALSE(saver.save(1));
  EXPECT_CONTAINS(saver.saves.back().status.error().message, "the next save tries again");
  std::filesystem::create_directory(directory / "inner");
  EXPECT_TRUE(saver.save(2));
  EXPECT_EQ(samples_in(path), 2);
}

}  // namespace
}  // namespace bcp::prior
