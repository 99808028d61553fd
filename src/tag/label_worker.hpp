// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Encodes new labels on its own thread, while frames continue with the old ones, and prepares the statistics for them:
// so the thread of the frames only has to swap (StreamTagger::relabel()).
//
// Only the newest request counts: a queued request is replaced, a running one is stopped after its current batch of
// texts (which stay cached, so the next list is faster). The text tower is released after some time without requests.
//
// Thread safety: any thread may call request() and take(), which do not block.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "prior/group.hpp"
#include "tag/label_request.hpp"

namespace bcp::tag {

class LabelWorker {
 public:
  // Called on the worker's thread while it encodes.
  using Progress = std::function<void(unsigned serial, std::size_t done, std::size_t total)>;

  // `group` and `traits` are those of the stream and its model. REQUIRES: `encoder` outlives this object. Waits for
  // other users of the encoder.
  LabelWorker(clip::LabelEncoder& encoder, const WordTraits& traits, std::shared_ptr<prior::PriorGroup> group,
              Progress progress);
  // Stops a running request and waits for its current batch of texts.
  ~LabelWorker();
  LabelWorker(const LabelWorker&) = delete;
  LabelWorker& operator=(const LabelWorker&) = delete;

  void request(unsigned serial, LabelRequest request);

  struct Answer {
    unsigned serial;
    Result<Vocabulary> labels;
    std::optional<prior::Successor> learnt;  // set if `labels` is
    int again = 0;                           // how often prepare_again() was called
  };
  // The answer to the newest finished request, once.
  std::optional<Answer> take();
  // Prepares the statistics again and answers once more, after StreamTagger::try_relabel() returned false. Does nothing
  // if a newer request is queued. REQUIRES: the answer has labels.
  void prepare_again(Answer answer);
  // Releases the object on the worker's thread: freeing the memory of many labels takes long.
  void free(std::shared_ptr<void> something);

 private:
  struct Job {
    unsigned serial;
    std::variant<LabelRequest, Vocabulary> labels;  // to encode; or already encoded, and the statistics are missing
    int again = 0;
  };
  void run();
  std::optional<Job> next_job();
  bool is_wanted();

  clip::LabelEncoder& encoder_;
  const WordTraits traits_;
  const std::shared_ptr<prior::PriorGroup> group_;
  const Progress progress_;
  std::atomic<bool> answered_ = false;  // so that take() rarely needs the lock
  std::mutex mutex_;                    // a leaf lock: held only to move these
  std::condition_variable wake_;
  bool stop_ = false;
  std::optional<Job> waiting_;
  std::vector<std::shared_ptr<void>> to_free_;
  std::optional<Answer> answer_;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace bcp::tag
