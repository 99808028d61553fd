// SPDX-License-Identifier: LGPL-2.1-or-later
// One thread that encodes the newest frames of any number of streams, so that no stream waits for the model.
//
// A stream offers a frame. When its turn comes, the worker reads the newest frame of the stream. The next turn goes to
// the waiting stream whose last turn is longest ago: no stream gets two turns while another waits, whatever its frame
// rate or its number of pictures per frame. The order of offers would not be fair: cameras often run in step, and if
// the model manages four of five frames, the same streams would always be late and get half as many turns.
//
// On CUDA, streams whose turns come together are encoded in one run. An offer that finds the worker idle waits for
// others, because streams with a common clock offer almost at the same time: at most for the encoder's patience()
// (shared_encoder.hpp), and only while a stream that offered within the last second has not offered again. No offer
// waits while there is a backlog. On the CPU, each stream has its own run, and no offer waits.
//
// The thread runs while any stream has joined, and sleeps while there is no offer.
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
  // A stream. The worker calls these functions on its thread, one at a time, without holding a lock.
  class Client {
   public:
    // The pictures to encode: those of the newest frame, as Preprocessor writes them. They stay valid until done().
    // Empty: nothing to encode, and done() is not called.
    virtual std::optional<Pictures> prepare() noexcept = 0;
    // The embeddings are written, or an error of these pictures; other streams are not affected.
    virtual void done(const Status& encoded) noexcept = 0;

   protected:
    ~Client() = default;
  };

  // REQUIRES: `encoder` outlives this object. Others may also use it.
  explicit ImageWorker(SharedEncoder& encoder);
  // REQUIRES: every client has left.
  ~ImageWorker();
  ImageWorker(const ImageWorker&) = delete;
  ImageWorker& operator=(const ImageWorker&) = delete;

  // Fails if the system cannot start a thread. REQUIRES: the client is not joined.
  Status join(Client& client);
  // Waits for a current turn of this client, at most one run; then the client gets no more turns. REQUIRES: the client
  // is joined; not called on the worker's thread, nor with a lock that prepare() or done() takes.
  void leave(Client& client);
  // The client has a frame. Repeated offers before its turn count once; an offer during its turn is for the next turn.
  // Never waits for a run. Ignored for a client that is leaving.
  void offer(Client& client);

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    Client* client;
    bool waits = false;              // for its turn
    Clock::time_point offered = {};  // last
    int pictures = 1;                // of its last frame: expected for the next
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
  std::condition_variable wake_;  // for the worker
  std::condition_variable free_;  // for leave()
  bool runs_ = false;             // the thread runs or is starting
  std::vector<Member> members_;   // longest time since the last turn first
  // Current turns. Only the worker changes them, with the lock except for the pictures, and so reads them without it.
  // Like the worker's vectors below it has room for a batch, so that the worker never allocates.
  std::vector<Turn> turns_;
  std::vector<Pictures> requests_;
  std::vector<Status> results_;
  std::thread thread_;
};

}  // namespace bcp::clip
