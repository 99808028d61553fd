// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Encodes new labels on a thread of its own, while frames go on with the old ones, and prepares what was learnt for
// them: all that takes long, so that the thread of the frames only has to swap (StreamTagger::relabel()).
//
// The newest request counts: one that has not begun is replaced, one under way is given up after the texts it is at
// (what it has encoded is kept, so a list that follows it is the quicker for it). The text tower's memory is given back
// when nothing was asked for a while.
//
// Thread safety: request() and take() may be called by any thread, and wait for nobody.

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

  // `group` is that of the stream; `traits` are those of its model. REQUIRES: `encoder` outlives this. Other users of
  // the encoder are waited for.
  LabelWorker(clip::LabelEncoder& encoder, const WordTraits& traits, std::shared_ptr<prior::PriorGroup> group,
              Progress progress);
  // Gives up what is under way, and waits for the texts it is at.
  ~LabelWorker();
  LabelWorker(const LabelWorker&) = delete;
  LabelWorker& operator=(const LabelWorker&) = delete;

  void request(unsigned serial, LabelRequest request);

  struct Answer {
    unsigned serial;
    Result<Vocabulary> labels;
    std::optional<prior::Successor> learnt;  // with the labels
    int again = 0;                           // how often prepare_again() was called
  };
  // The answer to the newest request that has one, once.
  std::optional<Answer> take();
  // Answers once more, with what was learnt prepared anew: StreamTagger::try_relabel() could not use it. Nothing where
  // a newer request waits. REQUIRES: the answer has labels.
  void prepare_again(Answer answer);
  // Lets go of something on the worker's thread: freeing the memory of many labels takes long.
  void free(std::shared_ptr<void> something);

 private:
  struct Job {
    unsigned serial;
    std::variant<LabelRequest, Vocabulary> labels;  // to be encoded; or they are, and what was learnt is missing
    int again = 0;
  };
  void run();
  std::optional<Job> next_job();
  bool is_wanted();

  clip::LabelEncoder& encoder_;
  const WordTraits traits_;
  const std::shared_ptr<prior::PriorGroup> group_;
  const Progress progress_;
  std::atomic<bool> answered_ = false;  // spares take() the lock on all frames but one
  std::mutex mutex_;                    // a leaf: nothing is done under it but moving these
  std::condition_variable wake_;
  bool stop_ = false;
  std::optional<Job> waiting_;
  std::vector<std::shared_ptr<void>> to_free_;
  std::optional<Answer> answer_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace bcp::tag
