// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Kills a process with SIGKILL at random moments while it learns and saves, and checks the prior file each time.
//
//   kill-saving [--kills N] [--seed N]
//
// The process does what an element does: it learns frames and requests a save every interval. Each frame adds a sample
// that depends on its number only. So the file must hold exactly the samples 0 to n - 1 for some n: a whole old or a
// whole new one. n must include every save that was reported as done before the kill, and each save everything that was
// learnt when it was requested, one interval before the next one at most. The next process continues with the file.

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "prior/group.hpp"
#include "work.hpp"

namespace {

using namespace bcp;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLabels = 300;  // a file of 0.4 MB, so that writing it takes a while
constexpr std::chrono::milliseconds kInterval(8);
constexpr std::chrono::microseconds kFrame(500);

// Powers of two, so that sums have no rounding error.
std::vector<double> sample(std::uint64_t number) {
  std::vector<double> p(kLabels, 0.0);
  p[number % kLabels] = 0.5;
  p[number * 7 % kLabels] += 0.25;
  p[number * 31 % kLabels] += 0.25;
  return p;
}

std::vector<double> logits(std::uint64_t number) {
  std::vector<double> all = sample(number);
  for (double& each : all) each = each > 0 ? std::log2(each) * std::log(2.0) : -1000;  // softmax underflows to 0
  return all;
}

// What the process reports to its parent, which outlives it.
struct Board {
  std::atomic<std::uint64_t> learnt, asked, saved;  // samples: in memory, at the last request, in the last save
  std::atomic<bool> saving;
};

class Saver final : public prior::PriorFile::Listener {
 public:
  explicit Saver(Board& board) : board_(board) {}
  void saved(const prior::PriorFile&, const prior::PriorFile::Saved& saved) noexcept override {
    if (!saved.status) _exit(3);
    const auto samples = static_cast<std::uint64_t>(std::llround(saved.samples));
    if (samples < board_.asked) _exit(5);  // one save at a time: this one was requested last
    board_.saved = samples;
    board_.saving = false;
  }

 private:
  Board& board_;
};

// Learns and saves until it is killed.
[[noreturn]] void learn_and_save(const std::string& path, Board& board) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kLabels; ++k) names.push_back("label " + std::to_string(k));
  const auto group = prior::PriorGroup::alone("model");
  const auto learnt = group->learnt(names);
  learnt->set_origin("camera", "model");
  const auto opened = group->open_file(path, prior::PriorMode::kReadWrite, "kill-saving", *learnt);
  if (!opened || opened->file->refused()) _exit(2);
  Saver saver(board);
  adapt::Scores scores;
  std::uint64_t number = static_cast<std::uint64_t>(std::llround(learnt->samples()));
  board.learnt = board.asked = board.saved = number;
  for (auto next = Clock::now();;) {
    if (!learnt->tag(logits(number), {}, scores, [] { return true; })) _exit(4);
    board.learnt = ++number;
    if (Clock::now() >= next && !board.saving) {
      next = Clock::now() + kInterval;
      board.saving = true;
      board.asked = number;
      learnt->save(*opened->file, saver);
    }
    std::this_thread::sleep_for(kFrame);
  }
}

// Whether these are exactly the samples 0 to n - 1.
bool is_whole(const prior::Snapshot& prior) {
  const auto count = static_cast<std::uint64_t>(std::llround(prior.seen.samples()));
  std::vector<double> m(kLabels, 0.0), diagonal(kLabels, 0.0), first(kLabels, 0.0);
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::vector<double> p = sample(number);
    for (std::size_t k = 0; k < kLabels; ++k) {
      m[k] += p[k];
      diagonal[k] += p[k] * p[k];
      first[k] += p[k] * p[0];
    }
  }
  const auto is_near = [](double a, double b) { return std::abs(a - b) < 1e-9 * std::max(1.0, b); };
  for (std::size_t k = 0; k < kLabels; ++k) {
    if (!is_near(prior.seen.single()[k], m[k]) || !is_near(prior.seen.pair(k, k), diagonal[k]) ||
        !is_near(prior.seen.pair(k, 0), first[k]))
      return false;
  }
  return prior.origins.size() == 1 && is_near(prior.origins[0].samples, static_cast<double>(count));
}

struct Tally {
  int during = 0, old = 0, fresh = 0, leftovers = 0;
  std::uint64_t most_lost = 0;
};

void kill_once(const std::string& path, Board& board, std::mt19937& random, Tally& tally) {
  board.saved = board.asked = board.learnt = 0;
  board.saving = false;
  const pid_t child = fork();
  bench::require(child >= 0, "no process can be started");
  if (child == 0) learn_and_save(path, board);
  // From the first save on, at any moment of the interval.
  while (board.asked == board.saved && waitpid(child, nullptr, WNOHANG) == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 25'000));
  // Half of the kills wait for a save and come soon after it has begun.
  if (random() % 2 == 0) {
    const auto limit = Clock::now() + std::chrono::milliseconds(200);
    while (!board.saving && Clock::now() < limit) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3'000));
  }
  const std::uint64_t done = board.saved;  // before the kill
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  bench::require(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
                 "the process ended by itself, with " + std::to_string(WEXITSTATUS(status)));
  tally.during += board.saving ? 1 : 0;
  const Result<prior::Snapshot> prior = prior::load_snapshot(path);
  if (!prior && prior.error().code == ErrorCode::kNotFound && done == 0)
    return;  // killed before the first save was done
  bench::require(static_cast<bool>(prior), prior ? "" : prior.error().message);
  const auto count = static_cast<std::uint64_t>(std::llround(prior->seen.samples()));
  bench::require(is_whole(*prior), path + " is not a whole file: " + std::to_string(count) + " samples");
  bench::require(count >= done,
                 path + " has " + std::to_string(count) + " samples, but " + std::to_string(done) + " were saved");
  bench::require(count <= board.learnt, path + " has samples that were not learnt");
  (count > done ? tally.fresh : tally.old) += 1;
  tally.most_lost = std::max(tally.most_lost, board.learnt - count);
}

// Temporary files that kills have left behind.
int leftovers(const std::filesystem::path& folder, bool age) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tmp") continue;
    ++count;
    if (age)
      std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  int kills = bench::take_quick(argc, argv) ? 25 : 1000;
  unsigned seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--kills") kills = std::atoi(argv[i + 1]);
    if (std::string(argv[i]) == "--seed") seed = static_cast<unsigned>(std::atoi(argv[i + 1]));
  }
  std::string folder = (std::filesystem::temp_directory_path() / "kill-saving-XXXXXX").string();
  bench::require(mkdtemp(folder.data()) != nullptr, "no folder can be made in " + folder);
  const std::string path = folder + "/camera.prior";
  void* shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bench::require(shared != MAP_FAILED, "no memory can be shared");
  Board& board = *new (shared) Board{};
  std::mt19937 random(seed);
  Tally tally;
  for (int i = 0; i < kills; ++i) kill_once(path, board, random, tally);
  tally.leftovers = leftovers(folder, true);
  const bool opened = static_cast<bool>(prior::PriorFile::open(path, prior::PriorMode::kReadWrite, "end", "model"));
  bench::require(opened && leftovers(folder, false) == 0, "temporary files of killed processes are not removed");
  std::filesystem::remove_all(folder);
  std::printf(
      "%d kills, %d during a save: the file was whole every time, %d times the one before, %d times the new one;\n"
      "at most %llu samples lost (%.0f ms of frames; a save every %lld ms, or when the one before is done); %d "
      "temporary files left, removed by the "
      "next start\n",
      kills, tally.during, tally.old, tally.fresh, static_cast<unsigned long long>(tally.most_lost),
      static_cast<double>(tally.most_lost) * std::chrono::duration<double, std::milli>(kFrame).count(),
      static_cast<long long>(kInterval.count()), tally.leftovers);
  // Only kills before the first save find no file: else nothing was saved.
  bench::require(tally.old + tally.fresh > kills / 2, "too few kills found a file");
  // Chance decides in the short form.
  bench::require(kills < 100 || tally.during > kills / 20, "too few kills came during a save");
  return 0;
}
