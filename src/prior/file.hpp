// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file with a stream's learnt statistics: loaded when it is opened, saved by its own thread.
//
// A save only replaces the file that this instance loaded or saved last, or creates a missing file. A file that is
// damaged, of another model, or replaced by another program is not overwritten: saves fail until it is moved away. This
// also protects two processes from each other: flock() does not survive rename(), and a lock file could be left behind.
// Within a process, a second writer of a file fails to open it.
//
// Thread safety: save() and finish() may be called by any thread.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

enum class PriorMode {
  kOff,       // no file
  kReadOnly,  // loaded, never written
  kReadWrite,
};

class PriorFile {
 public:
  struct Saved {
    Status status;
    double samples;
    std::size_t labels;
  };
  // Receives the results of saves.
  class Listener {
   public:
    // A requested save is done: called on the saving thread, once for each save. The save includes everything requested
    // before it began.
    virtual void saved(const PriorFile& file, const Saved& saved) noexcept = 0;
    // The time of remind() has come: called on the saving thread, which may be asked to save.
    virtual void save_due() noexcept {}

   protected:
    ~Listener() = default;
  };

  // Reads `path`, for a stream of the model with this identity. A relative path is resolved against the current
  // directory. A file that cannot be used is not an error: see refused(). Errors are: the file is missing in mode
  // kReadOnly, it cannot be read, it could not be written later, or this process has another writer of the same file
  // (the error names its `owner`). REQUIRES: mode is not kOff.
  static Result<std::unique_ptr<PriorFile>> open(const std::string& path, PriorMode mode, const std::string& owner,
                                                 std::string model);
  // Calls finish().
  ~PriorFile();
  PriorFile(const PriorFile&) = delete;
  PriorFile& operator=(const PriorFile&) = delete;

  const std::string& path() const { return path_; }
  bool is_writable() const { return claim_ != nullptr; }

  // The file's content, once; empty if there was no file.
  std::optional<prior::Snapshot> take_loaded() { return std::exchange(loaded_, std::nullopt); }
  // Why the existing file is not used.
  const std::optional<Error>& refused() const { return refused_; }

  // What to save; called by the thread of the file.
  using Source = std::function<prior::SnapshotParts()>;
  // Saves what `source` returns soon and returns at once. This replaces a save that is still queued, whose listeners
  // get the result of this one. REQUIRES: is_writable(); the listener lives until finish() has returned.
  void save(Source source, Listener& listener);
  void save(prior::SnapshotParts parts, Listener& listener);
  // The time of the last save() call; before the first, when the file was opened.
  std::chrono::steady_clock::time_point last_save() const;
  // Calls listener.save_due() once, at `when`; replaces an earlier reminder. REQUIRES: is_writable(); the listener
  // calls cancel() before it ends.
  void remind(Listener& listener, std::chrono::steady_clock::time_point when);
  // save_due() of this listener does not run afterwards. REQUIRES: the caller holds no lock that it takes.
  void cancel(const Listener& listener);
  // Waits until all requested saves are done or have failed and the listeners were called.
  void finish();

 private:
  class Claim;
  // Identifies a file, to notice when another replaces it.
  struct Identity {
    dev_t device;
    ino_t inode;
    std::int64_t seconds, nanoseconds, size;
    bool operator==(const Identity&) const = default;
  };

  static Result<std::unique_ptr<PriorFile>> open_absolute(const std::string& path, PriorMode mode,
                                                          const std::string& owner, std::string model);
  PriorFile(std::string path, std::string model, std::unique_ptr<Claim> claim);
  static std::optional<Identity> identity_of(const std::string& path);
  Status load(bool needed);
  Status write(prior::SnapshotParts parts);
  void wait_or_remind(std::unique_lock<std::mutex>& lock);  // REQUIRES: the lock is held
  void run();

  const std::string path_, model_;      // an absolute path
  const std::unique_ptr<Claim> claim_;  // null: read-only
  std::optional<prior::Snapshot> loaded_;
  std::optional<Error> refused_;
  std::optional<Identity> ours_;  // the file as loaded or saved; used only by the thread once it runs

  struct Request {
    Source source;
    std::vector<Listener*> listeners;  // each once
    std::uint64_t number;              // the number of saves requested up to this one
  };
  mutable std::mutex mutex_;  // a leaf lock: held only to move these
  std::condition_variable wake_, finished_;
  bool stop_ = false;
  std::uint64_t asked_ = 0, done_ = 0;  // requests
  std::optional<Request> waiting_;
  struct Reminder {
    Listener* listener;
    std::chrono::steady_clock::time_point when;
  };
  std::optional<Reminder> reminder_;
  const Listener* reminding_ = nullptr;  // its save_due() runs
  std::chrono::steady_clock::time_point last_save_ = std::chrono::steady_clock::now();
  std::thread thread_;  // last: it uses the members above
};

}  // namespace bcp::prior
