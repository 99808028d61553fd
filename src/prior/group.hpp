// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Streams that learn together: streams that join the same name share their statistics and the prior file.
//
// Statistics belong to one label list, because probabilities are shares among the labels of a list. So a group has one
// Learnt for each list of its streams. A new list starts with the group's statistics of its labels, by name; a stream
// that changes to the list of another stream shares its statistics. So streams whose labels are changed one after the
// other stay together.
//
// The table of names does not keep groups alive: when the last stream releases a group, its statistics are dropped,
// except those in the file.
//
// Thread safety: any thread. Joining a name whose last group is closing its file waits for that.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "prior/base.hpp"
#include "prior/file.hpp"
#include "prior/learnt.hpp"
#include "prior/successor.hpp"

namespace bcp::prior {

class PriorGroup {
 public:
  // A group for one caller.
  static std::shared_ptr<PriorGroup> alone(const std::string& model = "");
  // The group with this name, created if needed; with an empty name, as alone(). `model` is the identity of the model
  // whose probabilities are counted: using a name with another model is an error.
  static Result<std::shared_ptr<PriorGroup>> join(const std::string& name, const std::string& model);

  const std::string& name() const { return name_; }  // empty: others cannot join

  // For all lists: up to so many scenes (scenes.hpp). REQUIRES: called before learnt(); the group has no name, because
  // a scene belongs to one stream.
  void set_scenes(std::size_t most);
  // For all lists: a file whose statistics they use as a base (base.hpp), never stored or shared. The first call reads
  // it; another path is an error, and so is that of the prior file `own`. Errors else: as load_base(). May take long.
  // Returns what was read, once.
  Result<std::shared_ptr<const Snapshot>> set_base(const std::string& path, const std::string& own);

  // The statistics of this label list, kept as long as a stream holds them. Creating them for a new list takes time
  // that grows with the square of the labels; other streams do not wait.
  std::shared_ptr<Learnt> learnt(const std::vector<std::string>& labels) { return learnt(prepare(labels)); }
  // The same in two steps, for a stream whose frames must not wait: prepare() on another thread, then learnt() on the
  // thread of the frames. The result includes what the stream learns meanwhile: at most sixteen frames are learnt
  // again; after more frames, a forget() or an added file, learnt() prepares the list again.
  Successor prepare(const std::vector<std::string>& labels);
  std::shared_ptr<Learnt> learnt(Successor prepared);
  // The same, or null if the list would have to be prepared again: then nothing has changed.
  std::shared_ptr<Learnt> try_learnt(Successor& prepared);
  // Releases the list. If the caller was the last to hold it, it is returned, so that another thread can free its
  // memory, which takes long with many labels.
  std::shared_ptr<void> retire(std::shared_ptr<Learnt> learnt);
  // The statistics of every label list in use, oldest first.
  std::vector<std::shared_ptr<Learnt>> lists() const;
  // People's corrections, for all lists.
  SharedTaught& taught() { return *taught_; }
  // The identity of the model whose probabilities are counted.
  const std::string& model() const { return model_; }
  // Whether no other stream has the label list of this one, while others have other lists.
  bool is_apart(const Learnt& learnt) const;

  struct OpenedFile {
    std::shared_ptr<PriorFile> file;
    bool is_new;  // opened by this call
    struct Loaded {
      double samples;
      std::size_t labels, known;  // labels in the file; those also in `learnt`
    };
    std::optional<Loaded> loaded;  // empty: no file, not usable, or already loaded
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
  // Null if the group has no such list. REQUIRES: the lock is held; same below.
  std::shared_ptr<Learnt> find(const std::vector<std::string>& labels) const;
  // The statistics of the base for these labels. The lock is not needed.
  std::shared_ptr<const adapt::Others> base_for(const std::vector<std::string>& labels) const;
  // The list with most of these labels; of equal ones, the newest. Null if no list has any.
  std::shared_ptr<Learnt> nearest(const std::vector<std::string>& labels) const;

  PriorGroup(std::string name, std::string model) : name_(std::move(name)), model_(std::move(model)) {}

  const std::string name_, model_;
  const std::shared_ptr<SharedTaught> taught_ = std::make_shared<SharedTaught>();  // for all lists
  std::mutex opening_;  // held while a file is read: other callers wait
  std::string base_path_;

  mutable std::mutex mutex_;                // guards the rest; the lock of a Learnt is taken under it, briefly
  std::vector<std::weak_ptr<Learnt>> all_;  // oldest first
  std::shared_ptr<PriorFile> file_;
  std::shared_ptr<const Snapshot> base_;
  std::size_t scenes_ = 1;
  std::weak_ptr<Learnt> stored_;      // stored in file_
  PriorMode mode_ = PriorMode::kOff;  // of file_
};

}  // namespace bcp::prior
