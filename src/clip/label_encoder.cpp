// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/label_encoder.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <utility>

#include "base/sha256.hpp"
#include "clip/prompts.hpp"

namespace bcp::clip {
namespace {

// The most labels twice with CLIP's ensemble of 80 templates would take days; this many texts take an hour.
constexpr std::size_t kMaxTexts = 200'000;
constexpr std::size_t kMaxContextWords = 1000;  // words of a bank that compete with the labels
// Increase when the same text may get other ids or another layout: this invalidates cached embeddings.
constexpr const char* kCacheVersion = "2";
// How quickly a waiting caller notices that it is cancelled.
constexpr std::chrono::milliseconds kAskAgain{50};

Error stopped() {
  return Error{ErrorCode::kRuntime, "the encoding of labels was stopped"};
}

// What an embedding depends on besides the text: the tower, its vocabulary, and the layout of ids.
std::string cache_identity(const Bundle& bundle) {
  if (bundle.text_identity.empty()) return {};
  const TextTower& tower = *bundle.textual;
  const Result<std::string> name =
      sha256(std::string(kCacheVersion) + "\n" + bundle.text_identity + "\n" + tower.output + "\n" +
             std::to_string(tower.context_length) + "\n" + (tower.padding ? std::to_string(*tower.padding) : "") +
             "\n" + std::to_string(bundle.embedding_size));
  return name ? *name : std::string();
}

}  // namespace

// One caller at a time; held during a whole encoding, without the lock.
class LabelEncoder::Turn {
 public:
  explicit Turn(LabelEncoder& encoder) : encoder_(encoder) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!mine_) return;
    {
      const std::lock_guard lock(encoder_.mutex_);
      encoder_.busy_ = false;
    }
    encoder_.free_.notify_one();
  }

  // False if another caller still has the turn after this time.
  bool take(std::chrono::milliseconds patience) {
    std::unique_lock lock(encoder_.mutex_);
    mine_ = encoder_.free_.wait_for(lock, patience, [this] { return !encoder_.busy_; });
    if (mine_) encoder_.busy_ = true;
    return mine_;
  }

 private:
  LabelEncoder& encoder_;
  bool mine_ = false;
};

LabelEncoder::LabelEncoder(Bundle bundle, TextBanks banks, const onnx::SessionOptions& options)
    : bundle_(std::move(bundle)), banks_(std::move(banks)), options_(options) {}

std::size_t LabelEncoder::texts_run() const {
  const std::lock_guard lock(mutex_);
  return texts_run_;
}

void LabelEncoder::release() {
  Turn turn(*this);
  if (!turn.take(std::chrono::milliseconds(0))) return;
  tower_.reset();
  cache_.reset();
}

Result<LabelSet> LabelEncoder::own() const {
  if (!banks_.labels)
    return invalid("the model " + bundle_.name + " has no labels of its own: set labels or labels-file");
  const std::size_t count = banks_.labels->all().labels.size();
  if (count <= kMaxLabels) return banks_.labels->all();
  return invalid("the bundle has " + std::to_string(count) + " labels, more than the " + std::to_string(kMaxLabels) +
                 " that can be scored at once: choose some with labels or labels-file");
}

std::vector<std::string> LabelEncoder::own_context() const {
  std::vector<std::string> words;
  if (banks_.context)
    for (const Label& word : banks_.context->all().labels) words.push_back(word.name);
  return words;
}

Result<std::vector<std::string>> LabelEncoder::unfamiliar(std::span<const Label> labels) {
  std::vector<std::string> names;
  if (!bundle_.known_cosine || !banks_.labels || labels.empty()) return names;
  std::vector<Label> plain;
  for (const Label& label : labels) plain.push_back({.name = label.name});
  const Result<LabelSet> encoded = encode(std::move(plain), {}, {});
  if (!encoded) return encoded.error();
  Eigen::VectorXf cosines;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    cosines.noalias() = banks_.labels->all().embeddings * encoded->embeddings.row(row).transpose();
    if (static_cast<double>(cosines.maxCoeff()) < *bundle_.known_cosine) names.push_back(labels[k].name);
  }
  return names;
}

Result<LabelSet> LabelEncoder::select(std::vector<Label> labels, std::span<const std::string> templates) const {
  const std::string why = ": the model " + bundle_.name +
                          " has fixed text embeddings and no text tower; remove it, or use a model with a text tower";
  if (!templates.empty()) return invalid("prompt-template cannot be used" + why);
  for (const Label& label : labels)
    if (!label.templates.empty() || !label.synonyms.empty())
      return invalid("the template or the synonyms of the label \"" + label.name + "\" cannot be used" + why);
  return banks_.labels->select(labels);
}

std::optional<LabelEncoder::Row> LabelEncoder::known_to_bank(const Label& label,
                                                             std::span<const std::string> templates) const {
  if (!templates.empty() || !label.templates.empty() || !label.synonyms.empty()) return std::nullopt;
  for (const std::optional<TextBank>* bank : {&banks_.labels, &banks_.context})
    if (*bank)
      if (const std::optional<Eigen::Index> row = (*bank)->row_of(label.name))
        return (*bank)->all().embeddings.row(*row);
  return std::nullopt;
}

std::vector<std::string> LabelEncoder::prompts(const Label& label, std::span<const std::string> templates) const {
  static const std::vector<std::string> otherwise{kDefaultTemplate};
  std::span<const std::string> chosen = label.templates;
  if (chosen.empty()) chosen = templates;
  if (chosen.empty()) chosen = bundle_.templates;
  if (chosen.empty()) chosen = otherwise;
  std::vector<std::string> texts;
  for (const std::string& each : chosen) {
    texts.push_back(fill_template(each, label.name));
    for (const std::string& synonym : label.synonyms) texts.push_back(fill_template(each, synonym));
  }
  return texts;
}

Status LabelEncoder::prepare(const std::vector<std::string>& texts, const Progress& progress) {
  if (!cache_ || cache_->is_large()) cache_.emplace(cache_identity(bundle_), bundle_.embedding_size);
  std::vector<std::string> unknown;
  std::unordered_set<std::string_view> seen;
  for (const std::string& text : texts)
    if (seen.insert(text).second && cache_->find(text).empty()) unknown.push_back(text);
  const std::size_t total = seen.size();
  std::size_t done = total - unknown.size();
  if (unknown.empty()) return ok();

  if (!tower_) {
    Result<std::unique_ptr<TextEncoder>> opened = TextEncoder::open(bundle_, options_);
    if (!opened) return opened.error();
    tower_ = *std::move(opened);
  }
  for (std::span<const std::string> rest = unknown; !rest.empty();) {
    const std::span<const std::string> some = rest.first(std::min(tower_->batch(), rest.size()));
    const Result<TextMatrix> rows = tower_->encode(some);
    if (!rows) return rows.error();
    cache_->add(some, *rows);
    {
      const std::lock_guard lock(mutex_);
      texts_run_ += some.size();
    }
    done += some.size();
    rest = rest.subspan(some.size());
    if (progress && !progress(done, total) && !rest.empty()) return stopped();
  }
  return ok();
}

Result<LabelSet> LabelEncoder::encode(std::vector<Label> labels, std::span<const std::string> templates,
                                      const Progress& progress) {
  if (labels.empty()) return invalid("no labels are given: name at least one");
  if (!bundle_.textual) return select(std::move(labels), templates);

  std::vector<std::string> texts;
  std::vector<std::size_t> ends;  // end of each label's texts
  for (const Label& label : labels) {
    if (!known_to_bank(label, templates))
      for (std::string& text : prompts(label, templates)) texts.push_back(std::move(text));
    ends.push_back(texts.size());
    if (texts.size() > kMaxTexts)
      return invalid(std::to_string(labels.size()) + " labels with their templates and synonyms exceed the limit of " +
                     std::to_string(kMaxTexts) + " texts: use fewer templates or labels");
  }
  Turn turn(*this);
  if (!texts.empty()) {
    while (!turn.take(kAskAgain)) {
      if (progress && !progress(0, texts.size())) return stopped();
    }
    if (Status prepared = prepare(texts, progress); !prepared) return prepared.error();
  }

  LabelSet set;
  set.embeddings.resize(static_cast<Eigen::Index>(labels.size()), bundle_.embedding_size);
  std::size_t at = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (const auto known = known_to_bank(labels[i], templates)) {
      set.embeddings.row(row) = *known;
      continue;
    }
    Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(bundle_.embedding_size);
    for (; at < ends[i]; ++at)
      sum += Eigen::Map<const Eigen::RowVectorXf>(cache_->find(texts[at]).data(), bundle_.embedding_size);
    const float length = sum.norm();
    if (!(length > 1e-6f))
      return invalid("the embeddings of the label \"" + labels[i].name +
                     "\" cancel out over its templates and synonyms: use others");
    set.embeddings.row(row) = sum / length;
  }
  set.labels = std::move(labels);
  return set;
}

Result<LabelSet> LabelEncoder::encode_context(std::vector<Label> words, std::span<const std::string> templates,
                                              const Progress& progress) {
  if (words.empty()) return LabelSet{{}, TextMatrix(0, bundle_.embedding_size)};
  if (bundle_.textual) return encode(std::move(words), templates, progress);
  if (banks_.context) return banks_.context->all();
  LabelSet set = banks_.labels->all();
  if (set.labels.size() > kMaxContextWords) {
    set.labels.resize(kMaxContextWords);
    set.embeddings.conservativeResize(static_cast<Eigen::Index>(kMaxContextWords), Eigen::NoChange);
  }
  return set;
}

}  // namespace bcp::clip
