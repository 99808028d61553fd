// SPDX-License-Identifier: LGPL-2.1-or-later
// One thread that encodes the newest frames of any number of streams, so that none of them waits for the model.
//
// A stream offers to have a frame; its turn comes, and only then is the frame looked at: whichever is the newest by
// then. Streams take turns in the order of their offers, at most one waiting offer each, so none starves however fast
// another offers. Where the tower takes batches, streams whose turn has come together are encoded in one run.
//
// The thread runs while a stream has joined. It sleeps while nothing is offered.
//
// Thread safety: join(), leave() and offer() may be called by any thread.

#pragma once

#include <optional>
#include <span>

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

  void join(Client& client);
  // Waits until the client is not being served; it never will be again. REQUIRES: it has joined; not called by the
  // client's own prepare() or done().
  void leave(Client& client);
  // The client has a frame. Offering again before its turn keeps its place. Never waits for a run. REQUIRES: it has
  // joined.
  void offer(Client& client);

 private:
  SharedEncoder& encoder_;
};

}  // namespace bcp::clip
