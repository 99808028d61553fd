// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/recorder.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "base/number_text.hpp"
#include "gst-bcp/run/record/recovery.hpp"

namespace bcp::cli::run {
namespace {

using Steady = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t kMostQueued = 64 << 20;            // bytes that wait for a slow disk
constexpr GstClockTime kSettle = 700 * GST_MSECOND;      // for the sound of a new connection to come
constexpr GstClockTime kLongestPause = GST_SECOND;       // without sound, after which the muxer does not wait for it
constexpr GstClockTime kLongestGap = 5 * GST_SECOND;     // between pictures of one file
constexpr GstClockTime kLatestResult = 15 * GST_SECOND;  // how far results may be behind pictures
constexpr std::chrono::seconds kGone{6};                 // without a picture, after which a file is completed
constexpr std::chrono::seconds kCheckEvery{5};           // of the limits of the folder
constexpr std::chrono::milliseconds kTurn{250};
constexpr double kUsualBefore = 5, kUsualAfter = 10;  // seconds of a clip

GstClockTime in_time(double seconds) {
  return static_cast<GstClockTime>(seconds * GST_SECOND);
}

double in_seconds(GstClockTime time) {
  return static_cast<double>(time) / GST_SECOND;
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(Setup setup) {
  std::optional<Trigger> trigger;
  if (!setup.options.when.empty()) {
    Result<condition::Condition> condition = condition::Condition::parse(setup.options.when);
    if (!condition) return Error{ErrorCode::kInvalid, "--record-when: " + condition.error().message};
    trigger.emplace(std::move(*condition));
  }
  std::shared_ptr<void> previous = std::move(setup.previous);
  return std::unique_ptr<Recorder>(new Recorder(std::move(setup), std::move(trigger), std::move(previous)));
}

Recorder::Recorder(Setup setup, std::optional<Trigger> trigger, std::shared_ptr<void> previous)
    : setup_(std::move(setup)),
      limits_(segment_limits(setup_.options)),
      layout_(setup_.options.container == "mkv" ? DiskFile::Layout::kMkv : DiskFile::Layout::kMp4),
      trigger_(std::move(trigger)),
      thread_([this, before = std::move(previous)]() mutable {
        before.reset();
        work();
        has_ended_ = true;
      }) {}

Recorder::~Recorder() {
  finish();
  thread_.join();
}

void Recorder::add(Packet packet) {
  const std::lock_guard lock(mutex_);
  if (over_ || !GST_CLOCK_TIME_IS_VALID(packet.time)) return;
  if (queued_ > kMostQueued) overflowed_ = true;
  if (overflowed_ && (packet.is_sound || !packet.is_key || queued_ > kMostQueued / 2)) return;
  overflowed_ = false;
  queued_ += gst_buffer_get_size(packet.buffer.get());
  items_.emplace_back(std::move(packet));
  added_.notify_one();
}

void Recorder::add(gst::BcpResultPtr result, GstClockTime time) {
  const std::lock_guard lock(mutex_);
  if (over_ || items_.size() > 100000) return;
  items_.emplace_back(Labels{std::move(result), time});
  added_.notify_one();
}

void Recorder::lose() {
  const std::lock_guard lock(mutex_);
  items_.emplace_back(Lost{});
  added_.notify_one();
}

void Recorder::finish() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  added_.notify_one();
}

void Recorder::work() {
  if (!limits_.remark.empty()) setup_.say(setup_.camera + ": " + limits_.remark);
  begin();
  last_picture_ = Steady::now();
  for (;;) {
    std::deque<Item> items;
    bool over = false, overflowed = false;
    {
      std::unique_lock lock(mutex_);
      added_.wait_for(lock, kTurn, [this] { return over_ || !items_.empty(); });
      items.swap(items_);
      queued_ = 0;
      over = over_ && items.empty();
      overflowed = overflowed_;
    }
    if (overflowed)
      say_once(said_slow_, setup_.camera + ": " + setup_.folder +
                               " is too slow for the recording, parts of which are missing; use a faster disk");
    for (Item& item : items) {
      if (auto* packet = std::get_if<Packet>(&item))
        take(std::move(*packet));
      else if (auto* labels = std::get_if<Labels>(&item))
        take(std::move(*labels));
      else
        end_file();
    }
    if (writer_ && Steady::now() - last_picture_ > kGone) end_file();
    if (writer_)
      if (const std::optional<Error> fault = writer_->fault()) fail(*fault);
    if (Steady::now() >= next_check_) keep_limits();
    look_at_clock();
    show();
    if (over) break;
  }
  end_file();
  show();
}

// Creates the folder, and looks at what is in it. Tried again after a fault.
void Recorder::begin() {
  if (is_ready_ || Steady::now() < next_try_) return;
  if (const Status made = make_folders(setup_.folder); !made) return fail(made.error());
  if (lock_.path().empty()) {
    switch (lock_.take(setup_.folder + "/.recording.lock")) {
      case FileLock::Outcome::kBusy:
        return fail(Error{ErrorCode::kRuntime, "another process records into " + setup_.folder +
                                                   "; give this one another folder or another camera name"});
      case FileLock::Outcome::kRefused:
        return fail(system_error("cannot write to", setup_.folder, errno));
      case FileLock::Outcome::kHeld:
      case FileLock::Outcome::kUnsupported:
        break;
    }
  }
  Result<RecordIndex> index = RecordIndex::load(setup_.folder);
  if (!index) return fail(index.error());
  index_ = std::move(*index);
  is_ready_ = true;
  const std::string news = recover(setup_.folder, index_);
  for (std::size_t at = 0; at < news.size();) {
    const std::size_t end = std::min(news.find('\n', at), news.size());
    setup_.say(setup_.camera + ": " + news.substr(at, end - at));
    at = end + 1;
  }
  keep_limits();
}

bool Recorder::is_new_stream(const Packet& picture) {
  if (connection_ != picture.connection || !video_caps_) return true;
  if (video_caps_.get() != picture.caps.get() && !gst_caps_is_equal(video_caps_.get(), picture.caps.get())) return true;
  return GST_CLOCK_TIME_IS_VALID(last_) && (picture.time > last_ + kLongestGap || picture.time + kLongestGap < last_);
}

void Recorder::take(Packet packet) {
  if (packet.is_sound) return take_sound(std::move(packet));
  last_picture_ = Steady::now();
  if (is_new_stream(packet)) {
    end_file();
    hold_.clear();
    labels_.forget();
    if (connection_ != packet.connection) sound_caps_.reset(), last_sound_ = GST_CLOCK_TIME_NONE;
    connection_ = packet.connection;
    video_caps_.reset(gst_caps_ref(packet.caps.get()));
    reorders_ = false;
    opened_ = packet.time;
    last_ = GST_CLOCK_TIME_NONE;
  }
  // Pictures that are shown before one that was sent earlier: their order must be restored.
  if (GST_CLOCK_TIME_IS_VALID(last_) && packet.time < last_ && !std::exchange(reorders_, true)) rotate_ = true;
  if (!GST_CLOCK_TIME_IS_VALID(last_) || packet.time > last_) last_ = packet.time;
  if (writer_)
    if (const std::optional<Error> fault = writer_->fault()) fail(*fault);
  if (writer_ && packet.is_key && should_end(packet)) end_file();
  if (writer_) return push(packet);
  const GstClockTime time = packet.time;
  hold_.add(std::move(packet));
  if (wants_file(time)) return open_file();
  GstClockTime needed = time;
  if (trigger_) {
    // A result may still come for every picture after the newest one that has a result.
    const GstClockTime before = in_time(setup_.options.before.value_or(kUsualBefore));
    if (GST_CLOCK_TIME_IS_VALID(newest_result_)) needed = std::min(needed, newest_result_);
    if (needed + kLatestResult < time) needed = time - kLatestResult;
    needed = needed > before ? needed - before : 0;
  } else if (fault_.empty()) {
    return;  // a new connection that settles
  }
  hold_.trim(needed);
}

void Recorder::take_sound(Packet packet) {
  if (packet.connection != connection_) return;
  if (!sound_caps_ || !gst_caps_is_equal(sound_caps_.get(), packet.caps.get())) {
    sound_caps_.reset(gst_caps_ref(packet.caps.get()));
    if (writer_) rotate_ = true;
    if (const std::string fault = sound_fault(layout_, sound_caps_.get()); !fault.empty())
      say_once(said_sound_, setup_.camera + ": " + fault);
  }
  last_sound_ = packet.time;
  if (writer_)
    writer_->push(packet);
  else
    hold_.add(std::move(packet));
}

void Recorder::take(Labels labels) {
  // A repeated result does not count: the next one may be for an earlier picture.
  if (std::exchange(newest_, labels.result.get()) != labels.result.get() &&
      (!GST_CLOCK_TIME_IS_VALID(newest_result_) || labels.time > newest_result_))
    newest_result_ = labels.time;
  labelled_ = std::max(labelled_, labels.time);
  if (trigger_) {
    const bool holds = trigger_->holds(labels.result.get());
    if (const std::string remark = trigger_->take_remark(); !remark.empty()) setup_.say(setup_.camera + ": " + remark);
    if (holds) {
      const GstClockTime before = in_time(setup_.options.before.value_or(kUsualBefore));
      wanted_ = labels.time > before ? labels.time - before : 0;
      until_ = std::max(until_, labels.time + in_time(setup_.options.after.value_or(kUsualAfter)));
      if (!writer_ && !hold_.empty() && wants_file(hold_.packets().back().time)) open_file();
    }
  }
  labels_.add(std::move(labels.result), labels.time, hold_.empty() ? labels.time : hold_.packets().front().time);
}

bool Recorder::should_end(const Packet& picture) {
  if (rotate_ || picture.time >= start_ + in_time(limits_.seconds)) return true;
  // Results are late: one for a time that is over may still prolong the clip.
  if (trigger_ && picture.time > until_ && (labelled_ > until_ || picture.time > until_ + kLatestResult)) return true;
  if (!limits_.bytes || writer_->file().bytes() < *limits_.bytes) return false;
  say_once(said_small_, setup_.camera + ": what is kept (" + std::to_string(*setup_.options.keep_bytes) +
                            " bytes) is less than two files of " + number_text("%g s", limits_.seconds) +
                            ": files are ended early; give more with --record-keep-size, or a shorter "
                            "--record-segment");
  return true;
}

// Whether the packets on hold go into a file.
bool Recorder::wants_file(GstClockTime time) const {
  if (!fault_.empty() && Steady::now() < next_try_) return false;
  if (hold_.empty()) return false;
  if (trigger_) return GST_CLOCK_TIME_IS_VALID(wanted_) && hold_.packets().front().time <= until_ && until_ > 0;
  const bool has_settled = time >= opened_ + kSettle || time < opened_;
  return has_settled || (sound_caps_ && last_sound_ >= opened_);
}

void Recorder::open_file() {
  std::error_code error;
  if (is_ready_ && !fs::exists(setup_.folder, error)) {  // removed, with all that was recorded
    is_ready_ = false;
    lock_ = FileLock();
  }
  begin();
  if (!is_ready_) return;
  if (trigger_) hold_.trim(wanted_);
  const Packet& first = hold_.packets().front();
  const bool has_sound = sound_caps_ && takes_sound(layout_, sound_caps_.get()) &&
                         GST_CLOCK_TIME_IS_VALID(last_sound_) && last_sound_ + kLongestPause >= first.time;
  // Arrival plus what the clock was moved by in a test.
  const WallTime wall = setup_.now() - (std::chrono::system_clock::now() - first.arrival);
  std::string stem = setup_.folder + "/" + file_stamp(wall);
  for (int i = 2; fs::exists(stem + ending_of(layout_), error); ++i)
    stem = setup_.folder + "/" + file_stamp(wall) + "_" + std::to_string(i);  // "_" sorts behind "."
  const std::string path = stem + ending_of(layout_);
  Result<std::unique_ptr<SegmentWriter>> writer = SegmentWriter::open(
      path, {layout_, video_caps_.get(), has_sound ? sound_caps_.get() : nullptr, reorders_}, first.time);
  if (!writer) return fail(writer.error());
  writer_ = std::move(*writer);
  rotate_ = false;
  start_ = first.time;
  entry_ = {};
  entry_.file = fs::path(path).filename().string();
  entry_.start = unix_seconds(wall);
  entry_.video = codec_name(video_caps_.get());
  if (has_sound) entry_.sound = codec_name(sound_caps_.get());
  if (trigger_) entry_.event = trigger_->text();
  labels_.begin(stem, wall, start_);
  ++files_;
  for (const Packet& packet : hold_.take()) push(packet);
}

void Recorder::push(const Packet& packet) {
  if (writer_->has_sound() && !packet.is_sound && packet.time > last_sound_ + kLongestPause) {
    writer_->end_sound();
    rotate_ = true;  // the next file has it, if it is back
  }
  writer_->push(packet);
  look_whether_back();
}

// After a fault: something is on the disk again.
void Recorder::look_whether_back() {
  if (fault_.empty() || writer_->file().whole() == 0) return;
  fault_.clear();
  said_disk_.clear();
  setup_.say(setup_.camera + ": the recording continues with " + writer_->file().path());
}

void Recorder::end_file() {
  if (!writer_) return;
  const Status done = writer_->finish();
  if (done) look_whether_back();
  // Out of the way: the index may fail too, and what has ended must not end again.
  const std::unique_ptr<SegmentWriter> writer = std::move(writer_);
  done ? note_file("whole", writer->file().bytes()) : note_cut(writer->file().whole());
  if (!done) fail(done.error());
  keep_limits();
}

// The file is closed, with something in it.
void Recorder::note_file(const char* ended, std::uint64_t bytes) {
  const GstClockTime end = GST_CLOCK_TIME_IS_VALID(last_) && last_ > start_ ? last_ : start_;
  entry_.seconds = in_seconds(end - start_);
  entry_.bytes = bytes;
  entry_.ended = ended;
  bytes_ += bytes;
  labels_.end(end);
  if (const Status kept = index_.add(entry_); !kept) fail(kept.error());
}

// The file ends with its last whole fragment; without one it is gone, and its labels go too.
void Recorder::note_cut(std::uint64_t whole) {
  if (whole > 0) return note_file("cut", whole);
  labels_.drop();
  remove_recording(setup_.folder, entry_.file);
}

// Once for each outage of the disk.
void Recorder::fail(const Error& error) {
  next_try_ = Steady::now() + setup_.retry;
  fault_ = error.message;
  say_once(said_disk_, setup_.camera + " is not recorded: " + error.message +
                           "; video and labels go on, and recording is tried again every " +
                           number_text("%g s", std::chrono::duration<double>(setup_.retry).count()));
  if (const std::unique_ptr<SegmentWriter> writer = std::move(writer_)) {
    writer->abandon();
    note_cut(writer->file().whole());
    keep_limits();
  }
}

void Recorder::say_once(std::string& said, const std::string& sentence) {
  if (!said.empty()) return;
  said = sentence;
  setup_.say(sentence);
}

// File names and the ages of files follow the wall clock. A file that spans a change of it would have a wrong end.
void Recorder::look_at_clock() {
  const double step = clock_.look(setup_.now()).count();
  if (step == 0) return;
  rotate_ = true;
  setup_.say(setup_.camera + ": the clock of this machine was set " + (step < 0 ? "back" : "forward") + " by " +
             number_text("%.0f s", std::abs(step)) + ": a new file begins, and its name has the new time");
}

void Recorder::keep_limits() {
  next_check_ = Steady::now() + kCheckEvery;
  if (!is_ready_ || !index_.flush()) return;
  const std::uint64_t growing = writer_ ? writer_->file().bytes() : 0;
  for (const std::string& file : surplus(index_.entries(), setup_.options, unix_seconds(setup_.now()), growing)) {
    if (!remove_recording(setup_.folder, file)) {
      say_once(said_remove_,
               setup_.camera + ": cannot remove " + setup_.folder + "/" + file +
                   ", which is older or more than what is to be kept; check the permissions of the folder");
      return;
    }
    if (!index_.remove(file)) return;
  }
}

void Recorder::show() {
  RecordStatus::Now now = status_->now();
  now.state = writer_ ? RecordStatus::State::kRecording : RecordStatus::State::kWaiting;
  if (!fault_.empty()) now.state = RecordStatus::State::kFault;
  now.fault = fault_;
  now.bytes = bytes_ + (writer_ ? writer_->file().bytes() : 0);
  now.files = files_;
  if (writer_) now.last_file = writer_->file().path();
  status_->set(std::move(now));
}

}  // namespace bcp::cli::run
