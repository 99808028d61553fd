// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/leftovers.hpp"

namespace bcp::prior {

// The right to write to one file, in a process-wide table by the file's path without links.
class PriorFile::Claim {
 public:
  // The claim, or null with the name of the current holder.
  static std::unique_ptr<Claim> take(const std::string& path, const std::string& owner, std::string& holder) {
    std::string key = target_of(path);
    const std::lock_guard lock(mutex());
    const auto [entry, taken] = table().try_emplace(key, owner);
    if (taken) return std::unique_ptr<Claim>(new Claim(std::move(key)));
    holder = entry->second;
    return nullptr;
  }
  ~Claim() {
    const std::lock_guard lock(mutex());
    table().erase(key_);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  explicit Claim(std::string key) : key_(std::move(key)) {}
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  static std::map<std::string, std::string>& table() {
    static std::map<std::string, std::string> t;
    return t;
  }

  const std::string key_;
};

Result<std::unique_ptr<PriorFile>> PriorFile::open(const std::string& path, PriorMode mode, const std::string& owner,
                                                   std::string model) {
  std::error_code unknown;
  const std::string absolute = std::filesystem::absolute(path, unknown).string();
  return open_absolute(unknown ? path : absolute, mode, owner, std::move(model));
}

Result<std::unique_ptr<PriorFile>> PriorFile::open_absolute(const std::string& path, PriorMode mode,
                                                            const std::string& owner, std::string model) {
  const bool writes = mode == PriorMode::kReadWrite;
  std::unique_ptr<Claim> claim;
  if (writes) {
    std::string holder;
    claim = Claim::take(path, owner, holder);
    if (!claim) {
      return Error{ErrorCode::kInvalid,
                   "cannot store learnt statistics in " + path + ": " + holder +
                       " already uses this file; set another prior-file for each, or prior-mode=read-only "
                       "for all but one"};
    }
    if (Status writable = check_replaceable(path); !writable) {
      return Error{writable.error().code, writable.error().message +
                                              "; choose a prior-file in an existing directory that you can "
                                              "write to, or set prior-mode=read-only"};
    }
  }
  if (writes) remove_leftovers(path);
  std::unique_ptr<PriorFile> file(new PriorFile(path, std::move(model), std::move(claim)));
  if (Status loaded = file->load(!writes); !loaded) return loaded.error();
  if (!writes) return file;
  try {
    file->thread_ = std::thread([raw = file.get()] { raw->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kRuntime, "cannot start a thread to save " + path + " (" + error.what() +
                                          "): end other programs, or raise the limit of threads (ulimit -u)"};
  }
  return file;
}

PriorFile::PriorFile(std::string path, std::string model, std::unique_ptr<Claim> claim)
    : path_(std::move(path)), model_(std::move(model)), claim_(std::move(claim)) {}

PriorFile::~PriorFile() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::optional<PriorFile::Identity> PriorFile::identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return Identity{info.st_dev, info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size};
}

Status PriorFile::load(bool needed) {
  // Before reading: if the file is replaced meanwhile, its identity differs from this one.
  const std::optional<Identity> identity = identity_of(path_);
  Result<prior::Snapshot> snapshot = prior::load_snapshot(path_);
  if (snapshot && !snapshot->model.empty() && !model_.empty() && snapshot->model != model_) {
    refused_ = Error{ErrorCode::kInvalid, path_ + " was learnt with another model (" + snapshot->model.substr(0, 12) +
                                              "; this one is " + model_.substr(0, 12) +
                                              "): set another prior-file for each model"};
  } else if (snapshot) {
    loaded_ = *std::move(snapshot);
    ours_ = identity;
  } else if (const Error& error = snapshot.error(); error.code == ErrorCode::kNotFound) {
    if (needed) {
      return Error{error.code, error.message +
                                   "; set prior-file to an existing file, or prior-mode=read-write to "
                                   "create it"};
    }
  } else if (error.code == ErrorCode::kRuntime) {
    return Error{error.code, error.message + "; choose a file that you can read, or set prior-mode=off"};
  } else {
    refused_ = error;
  }
  return ok();
}

void PriorFile::save(prior::SnapshotParts parts, Listener& listener) {
  // Shared: a function must be copyable, and it is called once.
  save([shared = std::make_shared<prior::SnapshotParts>(std::move(parts))] { return std::move(*shared); }, listener);
}

void PriorFile::save(Source source, Listener& listener) {
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_) waiting_.emplace();
    waiting_->source = std::move(source);
    waiting_->number = ++asked_;
    auto& listeners = waiting_->listeners;
    if (std::find(listeners.begin(), listeners.end(), &listener) == listeners.end()) listeners.push_back(&listener);
    last_save_ = std::chrono::steady_clock::now();
  }
  wake_.notify_one();
}

std::chrono::steady_clock::time_point PriorFile::last_save() const {
  const std::lock_guard lock(mutex_);
  return last_save_;
}

void PriorFile::remind(Listener& listener, std::chrono::steady_clock::time_point when) {
  {
    const std::lock_guard lock(mutex_);
    reminder_ = {&listener, when};
  }
  wake_.notify_one();
}

void PriorFile::cancel(const Listener& listener) {
  std::unique_lock lock(mutex_);
  if (reminder_ && reminder_->listener == &listener) reminder_.reset();
  finished_.wait(lock, [&] { return reminding_ != &listener; });
}

void PriorFile::finish() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this, until = asked_] { return done_ >= until; });
}

Status PriorFile::write(prior::SnapshotParts parts) {
  const std::optional<Identity> there = identity_of(path_);
  if (there && there != ours_) {
    return Error{ErrorCode::kInvalid, "learnt statistics are not saved, because " + path_ +
                                          (refused_ ? " could not be used" : " was replaced by another program") +
                                          " and is not overwritten: move it away, and the next save creates it"};
  }
  parts.model = model_;
  if (Status saved = prior::save_snapshot(path_, std::move(parts)); !saved) {
    return Error{saved.error().code, "learnt statistics are not saved: " + saved.error().message +
                                         "; they stay in memory, and the next save tries again"};
  }
  ours_ = identity_of(path_);
  return ok();
}

// Unlocks meanwhile. Any change may have woken it.
void PriorFile::wait_or_remind(std::unique_lock<std::mutex>& lock) {
  if (!reminder_) return wake_.wait(lock);
  const auto when = reminder_->when;  // a copy: the reminder may be replaced while it waits
  if (std::chrono::steady_clock::now() < when) return void(wake_.wait_until(lock, when));
  Listener* listener = reminder_->listener;
  reminder_.reset();
  reminding_ = listener;
  lock.unlock();
  listener->save_due();
  lock.lock();
  reminding_ = nullptr;
  finished_.notify_all();
}

void PriorFile::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (!stop_ && !waiting_) wait_or_remind(lock);
    if (!waiting_) return;  // stopping, and nothing is left to save
    Request request = *std::exchange(waiting_, std::nullopt);
    lock.unlock();
    Saved saved{ok(), 0, 0};
    try {
      prior::SnapshotParts parts = request.source();
      saved.samples = parts.seen.eras[0].samples;
      saved.labels = parts.labels.size();
      saved.status = write(std::move(parts));
    } catch (const std::exception& error) {
      saved.status = Error{ErrorCode::kRuntime, "learnt statistics could not be saved in " + path_ + ": " +
                                                    error.what() + "; the next save tries again"};
    }
    request.source = nullptr;  // may hold the last reference to large statistics
    for (Listener* listener : request.listeners) listener->saved(*this, saved);
    lock.lock();
    done_ = request.number;
    finished_.notify_all();
  }
}

}  // namespace bcp::prior
