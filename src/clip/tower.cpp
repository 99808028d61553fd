// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/tower.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"
#include "clip/graph_cache.hpp"
#include "clip/reference.hpp"

namespace bcp::clip {
namespace {

using onnx::Candidate;
using onnx::Precision;
using onnx::Provider;

// The file that marks this part of this model as tested; empty if it cannot be stored.
std::string record_of(const TowerPart& part) {
  if (part.identity.empty()) return {};
  const Result<std::string> name = sha256(part.identity + "\n" + part.output.name + "\n" + onnx::version());
  return name ? user_cache("tried/" + *name) : std::string();
}

Result<onnx::Source> source_of(const onnx::File& file, const TowerPart& part) {
  onnx::Source source;
  source.path = file.path();
  source.halves = file.uses_halves();
  source.branches = file.has_branches();
  if (part.every_frame) source.shapes = part.inputs;
  if (file.outputs().size() == 1 && file.inputs().size() == part.inputs.size()) return source;
  Result<std::string> bytes = file.part(std::array{part.output.name});
  if (!bytes) return bytes.error();
  source.bytes = *std::move(bytes);
  source.external_files = file.external_files();
  return source;
}

std::string words(const Candidate& way) {
  if (way.provider == Provider::kCuda) return "CUDA";
  if (way.provider == Provider::kCpu) return "the CPU";
  return std::string("OpenVINO in ") + name_of(way.precision);
}

std::string digits(double cosine) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5f", cosine);
  return text.data();
}

class Opener {
 public:
  Opener(const TowerPart& part, const onnx::SessionOptions& options, const Trial& trial, onnx::Source source,
         const std::vector<std::string>& weights)
      : part_(part),
        options_(options),
        trial_(trial),
        source_(std::move(source)),
        weights_(weights),
        identity_(part.identity.empty() ? std::string() : part.identity + "\n" + part.output.name) {}

  Result<Tower> open();

 private:
  struct Opened {
    std::unique_ptr<onnx::Session> session;
    Eigen::MatrixXf embeddings;
  };
  Result<Opened> open(const Candidate& way);
  Result<Opened> open_cached(const Candidate& way);
  Status try_out();
  // Fails if the embeddings differ from the CPU provider's; sets `cosine`.
  Result<Opened> open_if_it_agrees(const Candidate& way, double& cosine);
  Status need_reference();
  std::string not_available(const Candidate& way, const Error& error) const {
    return words(way) + " is not available (" + (cause_.empty() ? error.message : cause_) + ")";
  }
  std::string note(const Candidate& way, double cosine) const;

  const TowerPart& part_;
  const onnx::SessionOptions& options_;
  const Trial& trial_;
  onnx::Source source_;
  const std::vector<std::string>& weights_;  // weight files besides source_.path
  const std::string identity_;
  Reference reference_;
  std::string cause_;                 // why the last session did not open, without advice
  std::vector<std::string> reasons_;  // why earlier candidates were rejected
};

Result<Opener::Opened> Opener::open(const Candidate& way) {
  onnx::SessionOptions how = options_;
  how.provider = way.provider;
  how.precision = way.precision;
  cause_.clear();
  Result<std::unique_ptr<onnx::Session>> session = onnx::Session::open(source_, how, &cause_);
  if (!session) return session.error();
  (*session)->use(part_.inputs, part_.output);
  Result<Eigen::MatrixXf> embeddings = trial_(**session);
  if (!embeddings) return embeddings.error();
  return Opened{*std::move(session), *std::move(embeddings)};
}

// On the CPU, uses the cached optimised graph if there is one. (OpenVINO's own cache of compiled models was measured:
// it makes a start slower.)
Result<Opener::Opened> Opener::open_cached(const Candidate& way) {
  if (way.provider != Provider::kCpu || identity_.empty()) return open(way);
  GraphCache cache(identity_);
  source_.optimised = cache.find();
  if (!source_.optimised.empty()) {
    Result<Opened> opened = open(way);
    source_.optimised.clear();
    if (opened) return opened;
    cache.remove();
  }
  std::error_code unknown;
  std::uintmax_t bytes = std::filesystem::file_size(source_.path, unknown);
  for (const std::string& file : weights_) bytes += std::filesystem::file_size(file, unknown);
  source_.save_optimised = unknown ? std::string() : cache.begin(bytes);
  const bool saves = !source_.save_optimised.empty();
  Result<Opened> opened = open(way);
  source_.save_optimised.clear();
  if (opened) cache.commit();
  // A full disk must not prevent opening a model.
  return opened || !saves ? std::move(opened) : open(way);
}

// A model that never ran on this machine first runs without optimisation, which has no memory limit.
Status Opener::try_out() {
  const std::string record = record_of(part_);
  std::error_code ignored;
  if (!record.empty() && std::filesystem::exists(record, ignored)) return ok();
  source_.untried = true;
  Result<Opened> tried = open({Provider::kCpu, Precision::kFp32});
  if (!tried) return tried.error();
  source_.untried = false;
  if (!record.empty()) (void)replace_file(record, "");
  reference_.embeddings = std::move(tried->embeddings);
  return ok();
}

Status Opener::need_reference() {
  if (reference_.known()) return ok();
  reference_ = load_reference(identity_);
  if (reference_.known()) return ok();
  Result<Opened> on_cpu = open({Provider::kCpu, Precision::kFp32});
  if (!on_cpu) return on_cpu.error();
  reference_.embeddings = std::move(on_cpu->embeddings);
  return ok();
}

Result<Opener::Opened> Opener::open_if_it_agrees(const Candidate& way, double& cosine) {
  if (Status known = need_reference(); !known) return known.error();
  const std::string key = std::string(name_of(way.provider)) + " " + name_of(way.precision);
  const auto disagrees = [&] {
    return Error{ErrorCode::kUnsupported, words(way) + " gives different embeddings from the CPU provider (cosine " +
                                              digits(cosine) + ", below " + digits(kAgreement) + ")"};
  };
  // A candidate that disagreed is not tried again; one that agreed is measured at each start, at no extra cost.
  if (const auto before = reference_.cosines.find(key); before != reference_.cosines.end()) {
    cosine = before->second;
    if (cosine < kAgreement) return disagrees();
  }
  Result<Opened> opened = open(way);
  if (!opened) return Error{opened.error().code, not_available(way, opened.error())};
  const double measured = lowest_cosine(opened->embeddings, reference_.embeddings);
  const bool is_news = !reference_.cosines.contains(key) || measured < kAgreement;
  reference_.cosines[key] = cosine = measured;
  if (is_news) store_reference(identity_, reference_);
  if (cosine < kAgreement) return disagrees();
  return opened;
}

std::string Opener::note(const Candidate& way, double cosine) const {
  const bool chosen = options_.provider == Provider::kAuto;
  if (!chosen && !(way.provider == Provider::kOpenVino && options_.precision == Precision::kAuto)) return {};
  // To OpenVINO an int8 file is one whose floats it need not change; to the user it is int8.
  const bool int8 = way.provider == Provider::kOpenVino && options_.precision == Precision::kInt8;
  std::string text = "running on " + (int8 ? std::string("OpenVINO in int8") : words(way));
  if (way.provider == Provider::kCuda) text += " device " + std::to_string(options_.device_id);
  std::string why;
  if (way.compared) why = "its embeddings agree with those of the CPU provider (cosine " + digits(cosine) + ")";
  for (const std::string& reason : reasons_) why += (why.empty() ? "" : "; ") + reason;
  return why.empty() ? text : text + ": " + why;
}

Result<Tower> Opener::open() {
  if (Status passed = try_out(); !passed) return passed.error();
  std::vector<std::string> built_in = onnx::providers();
  if (!part_.every_frame) std::erase(built_in, onnx::kOpenVinoProvider);
  const std::vector<Candidate> ways = candidates(options_, built_in, onnx::this_processor());
  if (options_.provider == Provider::kAuto && ways.front().provider == Provider::kCpu)
    reasons_.push_back(part_.every_frame ? "this ONNX Runtime has no CUDA and no OpenVINO provider"
                                         : "this ONNX Runtime has no CUDA provider");
  for (std::size_t i = 0; i < ways.size(); ++i) {
    double cosine = 0;
    Result<Opened> opened = ways[i].compared ? open_if_it_agrees(ways[i], cosine) : open_cached(ways[i]);
    if (opened) return Tower{std::move(opened->session), note(ways[i], cosine)};
    if (i + 1 == ways.size()) return opened.error();
    // A GPU can exist, open the model and still fail to run it (too old, out of memory).
    reasons_.push_back(ways[i].compared ? opened.error().message : not_available(ways[i], opened.error()));
  }
  return Error{ErrorCode::kRuntime, "there is no provider to run " + source_.path};  // unreachable: ways is not empty
}

}  // namespace

Result<Tower> open_tower(const onnx::File& file, const TowerPart& part, const onnx::SessionOptions& options,
                         const Trial& trial) {
  onnx::SessionOptions how = options;
  if (Status fits = check_precision(options, onnx::this_processor()); !fits) return fits.error();
  if (!part.every_frame) {
    how.precision = Precision::kFp32;
    if (how.provider == Provider::kOpenVino) how.provider = Provider::kCpu;
  }
  Result<onnx::Source> source = source_of(file, part);
  if (!source) return source.error();
  return Opener(part, how, trial, *std::move(source), file.external_files()).open();
}

}  // namespace bcp::clip
