// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/member.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <functional>
#include <map>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "base/utf8.hpp"
#include "fleet/fault_reports.hpp"
#include "fleet/node.hpp"

namespace bcp::fleet {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestPause = 60s;       // between two attempts to reach Redis
constexpr auto kLongestGoodbye = 1000ms;  // for the last contribution of a node that leaves
constexpr std::size_t kMostUnheard = 8;

// Members are few: one for each group of a process.
struct Table {
  std::mutex mutex;  // guards the rest
  std::condition_variable gone;
  std::map<std::string, std::weak_ptr<Member>> members;  // also one that is ending
};

// Shared, because a member may end after static objects.
const std::shared_ptr<Table>& members_table() {
  static const auto table = std::make_shared<Table>();
  return table;
}

}  // namespace

class Member::Loop final : private Node::Reports {
 public:
  Loop(std::shared_ptr<prior::PriorGroup> group, const Address& address, const std::string& id)
      : address_(address), node_(std::move(group), address, id, stop_, *this) {
    thread_ = std::thread([this] { run(); });
  }
  ~Loop() {
    {
      std::unique_lock lock(mutex_);
      leaving_ = true;
      stop_.wake();
      ended_.wait_for(lock, kLongestGoodbye, [&] { return has_ended_; });
    }
    stop_.raise();
    thread_.join();
  }

  void attach(Listener& listener) {
    Condition now;
    {
      const std::lock_guard lock(mutex_);
      now = condition_;
    }
    const std::lock_guard calling(calling_);
    listeners_.push_back(&listener);
    listener.fleet_changed(now);
    for (const auto& say : std::exchange(unheard_, {})) say(listener);
  }
  void detach(Listener& listener) {
    const std::lock_guard calling(calling_);
    std::erase(listeners_, &listener);
  }
  Condition condition() const {
    const std::lock_guard lock(mutex_);
    return condition_;
  }
  void wake() { stop_.wake(); }

  const Address& address() const { return address_; }

 private:
  void run() {
    // Signals of the application belong to its own threads.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::minstd_rand random(std::random_device{}());
    std::uniform_real_distribution<double> jitter(0.9, 1.1);  // so that nodes started together spread out
    std::chrono::milliseconds pause = address_.interval;
    for (bool leaving = false;;) {
      const Status done = one_round(leaving);
      const bool ends = leaving || stop_.is_raised();
      if (!ends) {
        done ? reached() : fault(Fault::kReach, done.error());
        if (node_.published() != published_) written();
      }
      publish_condition(static_cast<bool>(done));
      if (ends) break;
      pause = done ? node_.pause() : std::min<std::chrono::milliseconds>(pause * 2, kLongestPause);
      leaving = leaving_;
      if (!leaving && stop_.wait(std::chrono::milliseconds(
                          static_cast<std::int64_t>(jitter(random) * static_cast<double>(pause.count())))))
        break;
      leaving = leaving_;
      if (leaving && !done) break;  // Redis was away a moment ago
    }
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  }

  Status one_round(bool leaving) {
    try {
      return node_.round(leaving);
    } catch (const std::exception& problem) {
      return Error{ErrorCode::kRuntime, std::string("a round failed: ") + problem.what()};
    }
  }

  void publish_condition(bool connected) {
    Condition now;
    {
      const std::lock_guard lock(mutex_);
      condition_.connected = connected;
      condition_.node = node_.is_owned() ? node_.id() : "";
      condition_.nodes = node_.siblings().size();
      condition_.samples = node_.siblings().samples();
      condition_.rounds += connected ? 1 : 0;
      condition_.published = node_.published();
      condition_.traffic = node_.traffic();
      now = condition_;
    }
    const std::lock_guard calling(calling_);
    for (Listener* each : listeners_) each->fleet_changed(now);
  }

  void fault(Fault fault, const Error& error) override {
    if (!reports_.begin(fault, FaultReports::Clock::now())) return;
    const char* next =
        FaultReports::lasts(fault) ? "; the stream continues with what it has, and this is tried again" : "";
    post([warning = Error{error.code, named(error.message) + next}](Listener& to) { to.fleet_warning(warning); });
  }
  void note(const std::string& text) override {
    post([info = named(text)](Listener& to) { to.fleet_info(info); });
  }
  // The first round may end before anyone listens: what it reports is kept, because it is reported once.
  void post(std::function<void(Listener&)> say) {
    const std::lock_guard calling(calling_);
    if (!listeners_.empty()) return say(*listeners_.front());
    if (unheard_.size() < kMostUnheard) unheard_.push_back(std::move(say));
  }
  void reached() { end(Fault::kReach, "Redis is reached again"); }
  void written() {
    published_ = node_.published();
    end(Fault::kWrite, "Redis accepts what this node has learnt again");
  }
  void end(Fault fault, const char* text) {
    if (reports_.end(fault)) note(text);
  }
  std::string named(const std::string& text) const { return "prior-group=" + address_.shown() + ": " + text; }

  const Address address_;
  Stop stop_;
  Node node_;  // used by the thread only, like the next two
  FaultReports reports_;
  std::uint64_t published_ = 0;

  std::mutex calling_;  // held while listeners are called: guards them
  std::vector<Listener*> listeners_;
  std::vector<std::function<void(Listener&)>> unheard_;
  mutable std::mutex mutex_;  // a leaf, guards the rest
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::atomic<bool> leaving_ = false;
  Condition condition_;
  std::thread thread_;  // last: it uses the members above
};

Member::Member(std::shared_ptr<prior::PriorGroup> group, const Address& address, const std::string& node)
    : loop_(std::make_unique<Loop>(std::move(group), address, address.node.empty() ? node : address.node)) {}

Member::~Member() = default;

Result<std::shared_ptr<Member>> Member::join(const std::shared_ptr<prior::PriorGroup>& group, const Address& address,
                                             const std::string& node) {
  // Fails at once if no later attempt can succeed.
  if (Status able = Connection::check(address); !able) return able.error();
  const std::shared_ptr<Table>& table = members_table();
  const std::string name = group->name();
  std::shared_ptr<Member> member;  // before the lock: if this is the last reference, its deleter takes the lock
  std::unique_lock lock(table->mutex);
  // A member that is ending still holds its id, and writes what it has learnt last.
  table->gone.wait(lock, [&] {
    const auto known = table->members.find(name);
    return known == table->members.end() || (member = known->second.lock());
  });
  if (!member) {
    try {
      member.reset(new Member(group, address, node), [table, name](Member* last) {
        delete last;  // may take a second, with no lock held
        const std::lock_guard held(table->mutex);
        table->members.erase(name);
        table->gone.notify_all();
      });
    } catch (const std::system_error& problem) {
      return Error{ErrorCode::kRuntime, "prior-group=" + address.shown() + ": cannot start a thread (" +
                                            problem.what() +
                                            "): end other programs, or raise the limit of threads (ulimit -u)"};
    }
    table->members.emplace(name, member);
    return member;
  }
  const Address& used = member->loop_->address();
  if (used.interval == address.interval && used.expire == address.expire && used.user == address.user &&
      used.password == address.password && (address.node.empty() || address.node == used.node))
    return member;
  return invalid(
      "prior-group=" + address.shown() +
      " is in use with another user, password or option: set the same address for all elements of the group");
}

void Member::attach(Listener& listener) {
  loop_->attach(listener);
}

void Member::detach(Listener& listener) {
  loop_->detach(listener);
}

Condition Member::condition() const {
  return loop_->condition();
}

void Member::wake() {
  loop_->wake();
}

std::string default_node(const std::string& source) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string id = std::string(host[0] ? host : "host") + "/" + source;
  std::replace_if(
      id.begin(), id.end(), [](unsigned char c) { return c <= ' ' || c == 127; }, '-');
  id.resize(std::min<std::size_t>(id.size(), 120));
  return id.substr(0, utf8::valid_prefix(id));  // others ignore an id that is not text
}

}  // namespace bcp::fleet
