// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/node.hpp"

#include <algorithm>
#include <utility>

namespace bcp::fleet {
namespace {

using namespace std::chrono_literals;

constexpr double kWorthWriting = 0.01;  // share of the own samples that must be new
constexpr int kLongestUnwritten = 12;   // intervals
constexpr int kMostAdoptions = 5;
constexpr std::size_t kMostReads = 500, kMostRead = std::size_t{16} << 20;
// Bytes a second of a node, on average: for newer states of known nodes, and for the index.
constexpr std::size_t kAgainRate = std::size_t{128} << 10, kIndexRate = std::size_t{32} << 10;
constexpr std::chrono::milliseconds kSlowest = 60s;  // the index of kMostNodes; one with garbage may be longer

std::int64_t in_seconds(std::int64_t microseconds) {
  return microseconds / 1'000'000;
}

// Enough of a model's identity to recognise it.
std::string short_model(const std::string& identity) {
  return identity.empty() ? "an unknown model" : "model " + identity.substr(0, 12);
}

}  // namespace

Node::Node(std::shared_ptr<prior::PriorGroup> group, const Address& address, const std::string& id, const Stop& stop,
           Reports& reports, const Machine& machine)
    : group_(std::move(group)),
      client_(address, stop),
      reports_(reports),
      heartbeat_(std::max<std::chrono::milliseconds>(4 * address.interval, 1s)),
      pause_(address.interval),
      identity_(address.shown(), id, machine) {}

std::shared_ptr<prior::Learnt> Node::contributed() const {
  std::shared_ptr<prior::Learnt> chosen;
  for (const auto& each : group_->lists()) {
    if (!chosen || each->streams() > chosen->streams()) chosen = each;
  }
  return chosen;
}

Status Node::round(bool leaving) {
  apply(false);
  const Result<std::int64_t> now = client_.time();
  if (!now) return now.error();
  if (stamp_.session.empty()) stamp_.session = identity_.new_session(*now);
  const Result<Index> index = read_index(client_);
  if (!index) return index.error();
  const std::chrono::milliseconds slow(1000 * index->bytes / kIndexRate);
  pause_ = std::max(client_.address().interval, std::min(slow, kSlowest));
  if (index->garbage > 0) {
    reports_.fault(Fault::kGarbage,
                   invalid(std::to_string(index->garbage) + " fields of " + index_key(client_.address().group) +
                           " are not of gst-bcp and are ignored: remove them, or use another group "
                           "name"));
  }
  if (Status held = hold_id(*index, in_seconds(*now), leaving); !held) return held;
  if (Status kept = keep_up(*index, in_seconds(*now), leaving); !kept || leaving) return kept;
  if (Status read = read_others(*index, in_seconds(*now)); !read) return read;
  if (changed_) apply(true);
  changed_ = false;  // last: without memory for the sum, the next round tries again
  return ok();
}

Status Node::hold_id(const Index& index, std::int64_t now, bool leaving) {
  const Identity::Step step = identity_.look(index, stamp_.session, {now, std::max(heartbeat_, pause_), leaving});
  if (const std::optional<Identity::Change> change = identity_.take_change()) report(*change);
  return step == Identity::Step::kClaim ? claim() : ok();
}

void Node::report(const Identity::Change& change) {
  written_.reset();
  const std::string advice =
      ": this one continues as " + id() +
      "; to give each process an id that stays the same, set source-id, or ?node=ID in prior-group";
  if (change.is_here) return reports_.note("another process of this machine is the node " + change.from + advice);
  reports_.fault(Fault::kIdentity, invalid("another process is the node " + change.from + advice));
}

Status Node::claim() {
  if (!contributed()) return ok();
  const Result<std::string> value = read_value(client_, id());
  if (!value && value.error().code != ErrorCode::kInvalid) return value.error();
  if (value && !value->empty() && !is_owned()) {
    if (const Result<Contribution> before = unpack(*value); before && !adopt(*before))
      return ok();  // in the next round
  }
  identity_.set_owned();
  changed_ = siblings_.drop(id()) || changed_;
  return ok();
}

bool Node::adopt(const Contribution& before) {
  const std::shared_ptr<prior::Learnt> learnt = contributed();
  const prior::Snapshot& content = before.content;
  if (learnt->is_loaded() || content.model != group_->model()) return true;
  for (int i = 0; i < kMostAdoptions; ++i) {
    if (!learnt->absorb(content.for_labels(learnt->labels()), content.settled)) continue;
    if (!content.taught.empty()) group_->taught().change([&](decide::Taught& taught) { taught.add(content.taught); });
    return true;
  }
  return false;
}

Status Node::keep_up(const Index& index, std::int64_t now, bool leaving) {
  if (!is_owned()) return ok();
  const auto found = index.nodes.find(id());
  const bool is_ours = found != index.nodes.end() && found->second.stamp == stamp_ && !found->second.left;
  bool must_write = !is_ours || leaving;
  if (is_ours && Clock::now() - beat_at_ >= heartbeat_) {
    const std::string key = node_key(client_.address().group, id());
    const Result<Reply> kept = client_.call(key, {"EXPIRE", key, std::to_string(client_.address().expire.count())});
    if (!kept && kept.error().code != ErrorCode::kInvalid) return kept.error();
    if (!kept) reports_.fault(Fault::kWrite, kept.error());
    must_write = must_write || (kept && kept->number == 0);  // the key was renamed or removed
    if (!must_write) {
      if (Status written = write_entry(now, false); !written) return written;
    }
  }
  return must_write || is_due() ? publish(now, leaving) : ok();
}

bool Node::is_due() const {
  const std::shared_ptr<prior::Learnt> learnt = contributed();
  if (!learnt) return false;
  if (learnt != written_.lock() || group_->taught().own_version() != written_taught_) return true;
  const std::uint64_t fresh = learnt->revision() - written_revision_;
  if (fresh == 0) return false;
  return static_cast<double>(fresh) >= kWorthWriting * learnt->own_samples() ||
         Clock::now() - written_at_ >= kLongestUnwritten * client_.address().interval;
}

Status Node::publish(std::int64_t now, bool leaving) {
  const std::shared_ptr<prior::Learnt> learnt = contributed();
  if (!learnt) return ok();
  const std::uint64_t revision = learnt->revision();  // before the copy: what comes between is written again
  const unsigned taught = group_->taught().own_version();
  prior::SnapshotParts parts = learnt->snapshot();
  parts.model = group_->model();
  if (stamp_.number == 0 && parts.seen.eras[0].samples <= 0 && parts.taught.empty()) return ok();
  Stamp next{stamp_.session, stamp_.number + 1};
  const Result<std::string> value = pack(next, std::move(parts));
  if (!value) {
    reports_.fault(Fault::kWrite, value.error());
    return ok();
  }
  const std::string key = node_key(client_.address().group, id());
  const Result<Reply> set =
      client_.call(key, {"SET", key, *value, "EX", std::to_string(client_.address().expire.count())});
  if (!set && set.error().code != ErrorCode::kInvalid) return set.error();
  if (!set) {
    reports_.fault(Fault::kWrite, set.error());
    return ok();
  }
  stamp_ = std::move(next);
  written_ = learnt;
  written_revision_ = revision;
  written_taught_ = taught;
  written_at_ = Clock::now();
  return write_entry(now, leaving);
}

Status Node::write_entry(std::int64_t now, bool leaving) {
  const std::string key = index_key(client_.address().group);
  const Entry entry{stamp_, now, client_.address().expire.count(), leaving};
  const Result<Reply> set = client_.call(key, {"HSET", key, id(), to_text(entry)});
  if (!set && set.error().code != ErrorCode::kInvalid) return set.error();
  if (!set) reports_.fault(Fault::kWrite, set.error());
  beat_at_ = Clock::now();
  return ok();
}

Status Node::read_others(const Index& index, std::int64_t now) {
  const auto is_other = [&](const std::string& node) { return !is_owned() || node != id(); };
  if (siblings_.keep_if([&](const std::string& node) { return index.nodes.contains(node) && is_other(node); }))
    changed_ = true;
  // Continues where the last round ended, and goes around once.
  const auto most_again = static_cast<std::size_t>(pause_.count()) * kAgainRate / 1000;
  std::size_t reads = 0, bytes = 0, again = 0, left = index.nodes.size();
  const std::string begin = last_read_;
  for (auto each = index.nodes.upper_bound(begin); left > 0; ++each, --left) {
    if (each == index.nodes.end()) each = index.nodes.begin();
    const auto& [node, entry] = *each;
    if (!is_other(node)) continue;
    if (entry.is_expired(now)) {
      changed_ = siblings_.drop(node) || changed_;
      if (Status removed = remove(node); !removed) return removed;
      continue;
    }
    if (siblings_.has(node, entry.stamp)) continue;
    const bool is_known = siblings_.knows(node);
    if (is_known && again >= most_again) continue;
    if (reads == kMostReads || bytes >= kMostRead) break;
    ++reads;
    if (is_known) last_read_ = node;
    const std::size_t before = bytes;
    if (Status read = read_other(node, entry, bytes); !read) return read;
    if (is_known) again += bytes - before;
  }
  return ok();
}

Status Node::remove(const std::string& node) {
  const std::string key = index_key(client_.address().group);
  const Result<Reply> removed = client_.call(key, {"HDEL", key, node});
  if (!removed && removed.error().code != ErrorCode::kInvalid) return removed.error();
  return ok();
}

Status Node::read_other(const std::string& node, const Entry& entry, std::size_t& bytes) {
  const auto refuse = [&](Fault fault, const std::string& reason) {
    changed_ = true;
    siblings_.refuse(node, entry.stamp);
    reports_.fault(fault, invalid("the contribution of node " + node + " " + reason + "; it is ignored"));
    return ok();
  };
  Result<std::string> value = read_value(client_, node);
  if (!value && value.error().code != ErrorCode::kInvalid) return value.error();
  if (!value) return refuse(Fault::kValue, "cannot be read (" + value.error().message + ")");
  bytes += value->size();
  if (value->empty()) {
    // The key has expired, or was removed. If the node lives, it writes both again.
    changed_ = siblings_.drop(node) || changed_;
    return remove(node);
  }
  Result<Contribution> contribution = unpack(*value);
  if (!contribution) return refuse(Fault::kValue, contribution.error().message);
  if (contribution->content.model != group_->model()) {
    return refuse(Fault::kModel, "is of " + short_model(contribution->content.model) + ", and this node uses " +
                                     short_model(group_->model()) + ": use another group name for each model");
  }
  // A copy of another node's value would count that node twice. Or the node was restarted just now: then its entry
  // changes, and the value is read again.
  if (contribution->stamp.session != entry.stamp.session) {
    changed_ = true;
    siblings_.refuse(node, entry.stamp);
    return ok();
  }
  changed_ = true;
  siblings_.set(node, *std::move(value), *std::move(contribution));
  return ok();
}

void Node::apply(bool all) {
  std::erase_if(applied_, [](const auto& each) { return each.expired(); });
  for (const std::shared_ptr<prior::Learnt>& learnt : group_->lists()) {
    const bool is_new =
        std::none_of(applied_.begin(), applied_.end(), [&](const auto& each) { return each.lock() == learnt; });
    if (!all && !is_new) continue;
    learnt->set_others(siblings_.sum_for(learnt->labels()));
    if (is_new) applied_.push_back(learnt);
  }
  if (all) group_->taught().set_others(siblings_.taught());
}

}  // namespace bcp::fleet
