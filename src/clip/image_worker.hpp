// SPDX-License-Identifier: LGPL-2.1-or-later
// One thread that encodes the newest frames of any number of streams, so that none of them waits for the model.
//
// A stream offers to have a frame; its turn comes, and only then is the frame looked at: whichever is the newest by
// then. Of those that have offered, the one whose last turn is longest ago has the next: so none starves however fast
// another offers or however many pictures its frames are, as nobody has two turns while another waits. The order of the
// offers would not be fair: cameras keep step, so where the model manages four of five frames the same streams would
// come too late every time, and get half as many turns as the rest.
//
// On CUDA, streams whose turn has come together are encoded in one run, and an offer that finds the worker idle waits
// for others, because streams of one clock offer within moments of each other: at most for the encoder's patience()
// (shared_encoder.hpp), and only while a stream that offered within the last second has not offered yet. No offer waits
// while there is a backlog. On the CPU, each stream is encoded in a run of its own, and no offer waits.
//
// The thread runs while a stream has joined. It sleeps while nothing is offered.
//
// Thread safety: join(), leave() and offer() may be called by any thread.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "clip/shared_encoder.hpp"

namespace bcp::clip {

class ImageWorker {
 public:
  // A stream, as the worker sees it. Its functions are called on the worker's thread, one at a time, with no lock of
  // the worker held.
  class Client {
   public:
    // The pictures to encode: those of the newest frame, as Preprocessor writes them. They stay where they are until
    // done(). None: there is nothing to encode after all, and done() is not called.
    virtual std::optional<Pictures> prepare() noexcept = 0;
    // The embeddings are written; or an error of these pictures, which is no other stream's.
    virtual void done(const Status& encoded) noexcept = 0;

   protected:
    ~Client() = default;
  };

  // REQUIRES: `encoder` outlives this. Others may use it besides.
  explicit ImageWorker(SharedEncoder& encoder);
  // REQUIRES: every client has left.
  ~ImageWorker();
  ImageWorker(const ImageWorker&) = delete;
  ImageWorker& operator=(const ImageWorker&) = delete;

  // Fails where the system gives no thread. REQUIRES: it has not joined, or has left.
  Status join(Client& client);
  // Waits until the client is not being served, which takes one run at most; it never will be again. REQUIRES: it has
  // joined; not called on the worker's thread, nor with a lock that prepare() or done() takes.
  void leave(Client& client);
  // The client has a frame. Offering again before its turn changes nothing; an offer while it is served is for its next
  // turn. Never waits for a run. Does nothing for one that is leaving.
  void offer(Client& client);

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    Client* client;
    bool waits = false;              // for its turn
    Clock::time_point offered = {};  // last
    int pictures = 1;                // of its last frame: that many are expected of its next
  };
  struct Turn {
    Client* client;
    std::optional<Pictures> pictures;
  };
  std::vector<Member>::iterator find(const Client* client);
  bool anyone_waits() const;
  bool have_all_offered() const;
  void work() noexcept;
  bool take_turns();
  void end_turns();
  void serve() noexcept;

  SharedEncoder& encoder_;
  std::mutex mutex_;
  std::condition_variable wake_;  // the worker's
  std::condition_variable free_;  // of those who leave
  bool runs_ = false;             // the thread, or it is about to
  std::vector<Member> members_;   // first the one whose last turn is longest ago
  // Those being served. The worker alone changes it, with the lock but for the pictures, and so reads it without. It
  // has room for a batch, as have the vectors below, which are the worker's own: it allocates nothing that may fail.
  std::vector<Turn> turns_;
  std::vector<Pictures> requests_;
  std::vector<Status> results_;
  std::thread thread_;
};

}  // namespace bcp::clip
