// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file that what a stream learns is kept in: loaded when it is opened, saved by a thread of its own.
//
// A save replaces only what is this one's: the file it loaded or saved last, or none. A file that is damaged, of
// another model, or that somebody else has put there meanwhile is left alone, and the save is refused until it is moved
// away. That also is what guards two processes against each other: no lock would outlive the renaming by which the file
// is replaced, and one beside it would be left lying around. Within a process, a second writer of a file is refused
// when it opens it.
//
// Thread safety: save() and finish() may be called by any thread.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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
  kOff,       // there is no file
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
  // Who asks for saves.
  class Listener {
   public:
    // A save that was asked for is done: called on the thread that saves, once for each save. What was asked for before
    // the save began is in it.
    virtual void saved(const PriorFile& file, const Saved& saved) noexcept = 0;

   protected:
    ~Listener() = default;
  };

  // Reads `path`, for a stream of the model of this identity. A relative path is taken from where the process is now. A
  // file that cannot be used is no error: refused() tells why. Errors are: a file that is missing while it is to be
  // read only, that cannot be read at all, or that could not be written later; another writer of the same file in this
  // process, which `owner` names to those it keeps out. REQUIRES: mode is not kOff.
  static Result<std::unique_ptr<PriorFile>> open(const std::string& path, PriorMode mode, const std::string& owner,
                                                 std::string model);
  // As finish().
  ~PriorFile();
  PriorFile(const PriorFile&) = delete;
  PriorFile& operator=(const PriorFile&) = delete;

  const std::string& path() const { return path_; }
  bool is_writable() const { return claim_ != nullptr; }

  // What the file held, once; none if there was no file.
  std::optional<prior::Snapshot> take_loaded() { return std::exchange(loaded_, std::nullopt); }
  // Why the file that is there is not used.
  const std::optional<Error>& refused() const { return refused_; }

  // Saves these soon, in place of others that wait still, whose listeners are told of this save. Waits for nothing.
  // REQUIRES: is_writable(); the listener stays until finish() has returned.
  void save(prior::SnapshotParts parts, Listener& listener);
  // When save() was called last; if never, when the file was opened.
  std::chrono::steady_clock::time_point last_save() const;
  // Waits until what was to be saved by now is saved, or was found not to be, and the listeners were told.
  void finish();

 private:
  class Claim;
  // What tells a file from the one that replaces it.
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
  void run();

  const std::string path_, model_;      // an absolute path
  const std::unique_ptr<Claim> claim_;  // none: it is only read
  std::optional<prior::Snapshot> loaded_;
  std::optional<Error> refused_;
  std::optional<Identity> ours_;  // the file as it was loaded or saved; the thread's once it runs

  struct Request {
    prior::SnapshotParts parts;
    std::vector<Listener*> listeners;  // each once
    std::uint64_t number;              // how many were asked for up to here
  };
  mutable std::mutex mutex_;  // a leaf: nothing is done under it but moving these
  std::condition_variable wake_, finished_;
  bool stop_ = false;
  std::uint64_t asked_ = 0, done_ = 0;  // requests
  std::optional<Request> waiting_;
  std::chrono::steady_clock::time_point last_save_ = std::chrono::steady_clock::now();
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace bcp::prior
