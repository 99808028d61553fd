// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/download.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/model/get/lock.hpp"
#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfValidator = 1024;

std::uint64_t size_on_disk(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

Error write_error(const std::string& path, int number) {
  const bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  if (!full) return system_error("write", path, number);
  return Error{ErrorCode::kRuntime, "the disk is full: " + path +
                                        " is incomplete; free some space and run this again to resume "
                                        "it"};
}

// One file, from the lock to the rename.
class Download {
 public:
  Download(const Wanted& wanted, const Transfer& transfer, HttpClient& http, Watch& watch, const Explain& explain)
      : wanted_(wanted), transfer_(transfer), http_(http), watch_(watch), explain_(explain) {}

  Status run() {
    id_ = watch_.add(wanted_.name, wanted_.size.value_or(0));
    watch_.set_phase(id_, "connecting");
    Status status = run_under_lock();
    watch_.remove(id_);
    return status;
  }

 private:
  Status run_under_lock() {
    const Result<Descriptor> lock = take_lock(wanted_.lock, watch_, [this] {
      watch_.set_phase(id_, "waiting for another process that downloads it");
      watch_.say("Another process is downloading " + wanted_.name + ": waiting for it.");
    });
    if (!lock) return lock.error();
    if (is_there()) return ok();
    if (Status opened = open(); !opened) return opened;
    bool resumed = have_ > 0;
    if (resumed) watch_.say("Resuming " + wanted_.name + " at " + bytes_for_people(have_) + ".");
    for (;;) {
      if (Status fetched = fetch(); !fetched) return fetched;
      Result<std::string> wrong = verify();
      if (!wrong) return wrong.error();
      if (wrong->empty()) return finish();
      if (!std::exchange(resumed, false)) return refuse(*wrong);
      watch_.say("The resumed parts of " + wanted_.name + " have a wrong checksum: starting again from the beginning.");
      if (Status emptied = restart(); !emptied) return emptied;
    }
  }

  // Whether the file is already complete. A file of another size is damaged.
  bool is_there() {
    std::error_code error;
    if (!fs::is_regular_file(wanted_.target, error)) return false;
    if (!wanted_.size || size_on_disk(wanted_.target) == *wanted_.size) return true;
    watch_.say(wanted_.target + " is damaged: downloading it again.");
    fs::remove(wanted_.target, error);
    return false;
  }

  Status open() {
    std::error_code error;
    for (const std::string* path : {&wanted_.target, &wanted_.partial})
      fs::create_directories(fs::path(*path).parent_path(), error);
    file_ = Descriptor(::open(wanted_.partial.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file_.is_open()) return write_error(wanted_.partial, errno);
    struct stat info {};
    have_ = ::fstat(file_.get(), &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
    if (wanted_.checksum.kind == Checksum::Kind::kNone)
      if (Result<std::string> saved = read_file(validator_path(), kMostOfValidator)) validator_ = *saved;
    if (have_ > 0 && !can_resume()) return restart();
    if (wanted_.size && have_ > *wanted_.size) return restart();
    return ok();
  }

  std::string validator_path() const { return wanted_.partial + ".etag"; }

  Status restart() {
    if (::ftruncate(file_.get(), 0) != 0) return write_error(wanted_.partial, errno);
    have_ = 0;
    return ok();
  }

  // Fetches the missing bytes; continues as long as attempts deliver data.
  Status fetch() {
    Retry retry(transfer_.retries, watch_);
    std::uint64_t furthest = have_;
    for (std::size_t url = 0;;) {
      if (wanted_.size && have_ == *wanted_.size) return ok();
      if (have_ > 0 && !can_resume())
        if (Status emptied = restart(); !emptied) return emptied;
      error_.reset();
      const HttpAnswer answer = http_.get(
          request(wanted_.urls[url]), [this](const HttpAnswer& head) { return begin(head); },
          [this](std::string_view bytes) { return take(bytes); });
      if (error_) return *error_;
      if (watch_.stopped()) return interrupted();
      const bool whole = !answer.fault && answer.status >= 200 && answer.status < 300;
      if (whole) return check_whole();
      if (!answer.fault && answer.status == 416 && have_ > 0) {
        if (is_all_of_it(answer)) return ok();
        if (Status emptied = restart(); !emptied) return emptied;
        continue;
      }
      if (answer.status == 404 && url + 1 < wanted_.urls.size()) {
        ++url;
        continue;
      }
      watch_.set_phase(id_, "waiting");
      const bool progressed = have_ > furthest;
      furthest = std::max(furthest, have_);
      if (retry.again(answer, progressed, "at " + bytes_for_people(have_))) continue;
      if (watch_.stopped()) return interrupted();
      const std::string again = have_ > 0 && can_resume() ? "run this again to resume it at " + bytes_for_people(have_)
                                                          : "run this again later";
      return explain_(answer, error_of(answer, wanted_.name, again));
    }
  }

  // Without a checksum only the server can confirm that the partial file belongs to its file.
  bool can_resume() const { return wanted_.checksum.kind != Checksum::Kind::kNone || !validator_.empty(); }

  // Whether the answer means that no bytes are missing. The partial file may belong to another file: the checksum
  // decides, or without one the length.
  bool is_all_of_it(const HttpAnswer& answer) const {
    return wanted_.checksum.kind != Checksum::Kind::kNone ||
           answer.header("content-range") == "bytes */" + std::to_string(have_);
  }

  HttpRequest request(const std::string& url) const {
    HttpRequest request{url, {}, wanted_.token};
    if (have_ > 0) {
      request.headers.emplace_back("Range", "bytes=" + std::to_string(have_) + "-");
      if (!validator_.empty()) request.headers.emplace_back("If-Range", validator_);
    }
    return request;
  }

  // The headers of the answer: the position of its bytes, and their number.
  bool begin(const HttpAnswer& answer) {
    const std::string range = answer.header("content-range"), length = answer.header("content-length");
    const std::string start = "bytes " + std::to_string(have_) + "-";
    if (answer.status == 206 && !range.starts_with(start))
      return fail(answer, "sent other bytes than requested (" + range.substr(0, kMostOfValidator) + ")");
    if (have_ > 0 && answer.status != 206) {
      watch_.say(host_of(answer.url) + " cannot resume " + wanted_.name + ": starting again from the beginning.");
      if (Status emptied = restart(); !emptied) return stop(emptied.error());
    }
    expected_ = wanted_.size;
    if (!length.empty()) {
      const std::uint64_t rest = std::strtoull(length.c_str(), nullptr, 10);
      if (rest > kMostOfFile) return fail(answer, "reports an impossible length of " + length + " bytes");
      expected_ = have_ + rest;
    }
    if (wanted_.size && *expected_ != *wanted_.size)
      return fail(answer, "has " + std::to_string(*expected_) + " bytes of it, but the expected length is " +
                              std::to_string(*wanted_.size));
    // A length that was known before has been counted already.
    if (!wanted_.size && expected_)
      if (Status fits = check_space(wanted_.partial, *expected_ - have_, wanted_.other_disk); !fits)
        return stop(fits.error());
    if (wanted_.checksum.kind == Checksum::Kind::kNone) keep_validator(answer);
    watch_.begin(id_, have_, expected_.value_or(0));
    return true;
  }

  void keep_validator(const HttpAnswer& answer) {
    const std::string etag = answer.header("etag");
    validator_ = etag.empty() || etag.starts_with("W/") ? answer.header("last-modified") : etag;
    if (validator_.size() > kMostOfValidator) validator_.clear();
    // If it cannot be saved, the next run starts from the beginning.
    (void)static_cast<bool>(replace_file(validator_path(), validator_, Durability::kNone));
  }

  bool take(std::string_view bytes) {
    if (expected_ && bytes.size() > *expected_ - have_)
      return stop({ErrorCode::kRuntime, wanted_.name + " is longer than its server announced: run this again"});
    if (!file_.write_at(bytes.data(), bytes.size(), have_)) return stop(write_error(wanted_.partial, errno));
    have_ += bytes.size();
    fetched_ += bytes.size();
    watch_.set_done(id_, have_);
    return true;
  }

  bool fail(const HttpAnswer& answer, const std::string& why) {
    return stop({ErrorCode::kRuntime, host_of(answer.url) + " " + why + ": " + wanted_.name +
                                          " was not downloaded; run this again, or use another mirror"});
  }

  bool stop(Error error) {
    error_ = std::move(error);
    return false;
  }

  Status check_whole() const {
    if (!expected_ || have_ == *expected_) return ok();
    return Error{ErrorCode::kRuntime, wanted_.name + " has only " + std::to_string(have_) + " of " +
                                          std::to_string(*expected_) + " bytes: run this again"};
  }

  // The file's checksum if it is wrong; empty: it is right, or none is known.
  Result<std::string> verify() {
    if (wanted_.checksum.kind == Checksum::Kind::kNone) return std::string();
    watch_.set_phase(id_, "verifying");
    Result<std::string> found = checksum_of(wanted_.partial, wanted_.checksum.kind);
    if (!found) return found.error();
    return *found == wanted_.checksum.hex ? std::string() : *found;
  }

  Status refuse(const std::string& found) {
    std::error_code ignored;
    fs::remove(wanted_.partial, ignored);
    return Error{ErrorCode::kInvalid, wanted_.name + " was removed: its " + wanted_.checksum.name() + " is " + found +
                                          " instead of " + wanted_.checksum.hex +
                                          "; a proxy or mirror may have changed it; nothing was installed"};
  }

  // Small files are not worth a line.
  void say_done() {
    constexpr std::uint64_t kWorthALine = 1'000'000;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - started_;
    if (fetched_ < kWorthALine || time.count() <= 0) return;
    const double speed = static_cast<double>(fetched_) / time.count();
    watch_.say(wanted_.name + ": " + bytes_for_people(have_) + ", " +
               bytes_for_people(static_cast<std::uint64_t>(speed)) + "/s" +
               (wanted_.checksum.kind == Checksum::Kind::kNone ? "" : ", verified"));
  }

  Status finish() {
    say_done();
    if (!file_.close()) return write_error(wanted_.partial, errno);
    std::error_code ignored;
    fs::remove(validator_path(), ignored);
    if (::rename(wanted_.partial.c_str(), wanted_.target.c_str()) != 0) return write_error(wanted_.target, errno);
    return ok();
  }

  const Wanted& wanted_;
  const Transfer& transfer_;
  HttpClient& http_;
  Watch& watch_;
  const Explain& explain_;
  std::size_t id_ = 0;
  Descriptor file_{-1};
  std::uint64_t have_ = 0;                 // bytes on the disk
  std::optional<std::uint64_t> expected_;  // bytes of the whole file; none: not known
  std::uint64_t fetched_ = 0;              // bytes received in this run
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::string validator_;       // If-Range
  std::optional<Error> error_;  // of the disk, or of what the server sent
};

}  // namespace

Status download_all(const std::vector<Wanted>& files, const Transfer& transfer, Watch& watch, const Explain& explain) {
  // The largest first, so that small ones use the other connections meanwhile.
  std::vector<const Wanted*> order;
  for (const Wanted& file : files) order.push_back(&file);
  std::stable_sort(order.begin(), order.end(),
                   [](const Wanted* a, const Wanted* b) { return a->size.value_or(0) > b->size.value_or(0); });

  std::mutex mutex;
  std::optional<Error> first;
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min(order.size(), static_cast<std::size_t>(transfer.connections));
    for (std::size_t i = 0; i < count; ++i)
      threads.emplace_back([&] {
        HttpClient http(watch.cancellable(), transfer.timeout);
        for (std::size_t at = next++; at < order.size() && !watch.stopped(); at = next++) {
          const Status done = Download(*order[at], transfer, http, watch, explain).run();
          if (done) continue;
          const std::lock_guard lock(mutex);
          if (!first) first = done.error();
          watch.stop();
        }
      });
  }
  if (first) return *first;
  if (watch.stopped()) return interrupted();
  return ok();
}

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

Result<std::optional<std::uint64_t>> ask_size(const Wanted& file, const Transfer& transfer, Watch& watch) {
  HttpClient http(watch.cancellable(), transfer.timeout);
  Retry retry(transfer.retries, watch);
  for (;;) {
    // A GET that ends after its headers: servers answer it like the download, and some reject HEAD.
    const HttpAnswer answer = http.get(
        {file.urls.front(), {}, file.token}, [](const HttpAnswer&) { return false; },
        [](std::string_view) { return false; });
    if (watch.stopped()) return interrupted();
    if (!answer.fault && answer.status >= 200 && answer.status < 300) {
      const std::string length = answer.header("content-length");
      if (length.empty()) return std::optional<std::uint64_t>();
      return std::optional<std::uint64_t>(std::strtoull(length.c_str(), nullptr, 10));
    }
    if (!retry.again(answer, false)) return error_of(answer, file.name, "run this again later");
  }
}

std::uint64_t bytes_missing(const std::vector<Wanted>& files) {
  std::uint64_t bytes = 0;
  for (const Wanted& file : files) {
    std::error_code error;
    const std::uint64_t size = file.size.value_or(0);
    if (fs::is_regular_file(file.target, error) && size_on_disk(file.target) == size) continue;
    bytes = sum_of(bytes, size - std::min(size, size_on_disk(file.partial)));
  }
  return bytes;
}

Status check_space(const std::string& directory, std::uint64_t bytes, const std::string& way_out) {
  fs::path place = fs::absolute(directory);
  std::error_code error;
  while (place.has_relative_path() && !fs::exists(place, error)) place = place.parent_path();
  const fs::space_info space = fs::space(place, error);
  if (error || space.available >= bytes) return ok();
  return Error{ErrorCode::kRuntime, bytes_for_people(bytes) + " must be downloaded, but " + directory + " has only " +
                                        bytes_for_people(space.available) + " left: free some space" +
                                        (way_out.empty() ? "" : ", or " + way_out)};
}

}  // namespace bcp::cli::get
