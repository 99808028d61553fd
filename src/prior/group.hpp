// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Streams that learn together: those that join by the same name share what they learn, and its prior file.
//
// What is learnt belongs to one list of labels, because probabilities are shares among the labels of a list. So a group
// has one Learnt for each list its streams have. A list that is new to the group begins with what the group knows of
// its labels by name; a stream that changes to a list another stream has joins that one. So streams whose labels are
// changed one after the other stay together.
//
// The table of names holds no group alive: when the last stream lets go of it, what it learnt is gone, but for the
// file.
//
// Thread safety: any thread. Who joins a name whose last group is just closing its file waits for that.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "prior/file.hpp"
#include "prior/learnt.hpp"
#include "prior/successor.hpp"

namespace bcp::prior {

class PriorGroup {
 public:
  // A group of the caller's own.
  static std::shared_ptr<PriorGroup> alone(const std::string& model = "");
  // The group of this name, made if nobody is in it; with an empty name, as alone(). `model` is the identity of the
  // model whose probabilities are counted: a name that is in use with another one is an error.
  static Result<std::shared_ptr<PriorGroup>> join(const std::string& name, const std::string& model);

  const std::string& name() const { return name_; }  // empty: nobody else can join

  // What the group has learnt about this list. It lasts as long as somebody holds it. A list that is new to the group
  // is made here, in a time that grows with the square of the labels; other streams do not wait for that.
  std::shared_ptr<Learnt> learnt(const std::vector<std::string>& labels) { return learnt(prepare(labels)); }
  // The same in two steps, for a stream whose frames must not wait: prepare() on another thread, then learnt() on that
  // of the frames. What the stream learns in between is in the result: sixteen frames at most are learnt again; if
  // there were more, or if everything was forgotten or a file was added, the list is prepared anew, by the caller of
  // learnt().
  Successor prepare(const std::vector<std::string>& labels);
  std::shared_ptr<Learnt> learnt(Successor prepared);
  // The same, or null where the list would have to be prepared anew: nothing has changed then.
  std::shared_ptr<Learnt> try_learnt(Successor& prepared);
  // Nobody can find this list any more if the caller was the last to hold it: then it is returned, for another thread
  // to free its memory, which takes long with many labels.
  std::shared_ptr<void> retire(std::shared_ptr<Learnt> learnt);
  // Whether no other stream has the list of this one, while others have other lists.
  bool is_apart(const Learnt& learnt) const;

  struct OpenedFile {
    std::shared_ptr<PriorFile> file;
    bool is_new;  // this call has opened it
    struct Loaded {
      double samples;
      std::size_t labels, known;  // in the file; of those, in the list of `learnt`
    };
    std::optional<Loaded> loaded;  // none: there was no file, it was refused, or an earlier call has loaded it
  };
  // Opens the group's prior file. The first call opens the file and adds its statistics to `learnt`; later calls return
  // the same file. Another path or another mode is an error. REQUIRES: as PriorFile::open().
  Result<OpenedFile> open_file(const std::string& path, PriorMode mode, const std::string& owner, Learnt& learnt);
  // Null before open_file().
  std::shared_ptr<PriorFile> file() const;
  // The file stores the statistics of one label list: that of the stream that set prior-file and called this last.
  // Streams with another list must not save to the file: they would replace the statistics of that list.
  void store_in_file(const std::shared_ptr<Learnt>& learnt);
  // Whether the file stores these statistics.
  bool is_stored(const std::shared_ptr<Learnt>& learnt) const;

 private:
  // Null: the group has no such list. REQUIRES: the lock is held; so below.
  std::shared_ptr<Learnt> find(const std::vector<std::string>& labels) const;
  // The list that knows most of these labels; of those that know as many, the newest. Null: none knows any.
  std::shared_ptr<Learnt> nearest(const std::vector<std::string>& labels) const;

  PriorGroup(std::string name, std::string model) : name_(std::move(name)), model_(std::move(model)) {}

  const std::string name_, model_;
  const std::shared_ptr<SharedTaught> taught_ = std::make_shared<SharedTaught>();  // of all lists
  std::mutex opening_;  // held while the file is read: who wants it too waits

  mutable std::mutex mutex_;                // guards the rest; that of a Learnt is taken under it, for moments
  std::vector<std::weak_ptr<Learnt>> all_;  // oldest first
  std::shared_ptr<PriorFile> file_;
  std::weak_ptr<Learnt> stored_;      // in file_
  PriorMode mode_ = PriorMode::kOff;  // of file_
};

}  // namespace bcp::prior
