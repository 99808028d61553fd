// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/watch.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace bcp::cli::get {

void Watch::say(std::string line) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(std::move(line));
}

std::size_t Watch::add(std::string name, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  files_[next_] = File{std::move(name), size};
  return next_++;
}

void Watch::begin(std::size_t id, std::uint64_t begin, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(id);
  if (file != files_.end()) file->second = File{file->second.name, size, begin, begin};
}

void Watch::set_done(std::size_t id, std::uint64_t done) {
  const std::lock_guard lock(mutex_);
  if (const auto file = files_.find(id); file != files_.end()) file->second.done = done;
}

void Watch::set_phase(std::size_t id, std::string phase) {
  const std::lock_guard lock(mutex_);
  if (const auto file = files_.find(id); file != files_.end()) file->second.phase = std::move(phase);
}

void Watch::remove(std::size_t id) {
  const std::lock_guard lock(mutex_);
  files_.erase(id);
}

std::vector<std::string> Watch::take_lines() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

std::map<std::size_t, Watch::File> Watch::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

bool Watch::pause(std::chrono::milliseconds time) const {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + time;
  while (!stopped() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(50ms, time));
  return !stopped();
}

}  // namespace bcp::cli::get
