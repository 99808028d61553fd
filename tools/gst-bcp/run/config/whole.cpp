// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/whole.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "gst-bcp/run/config/tagger_keys.hpp"
#include "gst-bcp/run/plan/plan.hpp"
#include "gst-bcp/run/plan/tls_options.hpp"

namespace bcp::cli::run {
namespace {

// Sentences about options of the command line, with the keys of the file instead.
std::string with_keys(std::string sentence) {
  using Pair = std::pair<std::string_view, std::string_view>;
  // A name in front of those that it begins with.
  static constexpr std::array kKeys = {Pair{"--mqtt-password-file", "password-file"},
                                       Pair{"--mqtt-discovery", "discovery-prefix"},
                                       Pair{"--mqtt-topic", "topic"},
                                       Pair{"--mqtt-ca", "ca"},
                                       Pair{"--mqtt", "address"},
                                       Pair{"--record-when", "when"},
                                       Pair{"--record", "folder"},
                                       Pair{"--tls-ca", "ca"},
                                       Pair{"--labels-file", "labels-file"},
                                       Pair{"--prior", "prior-file"},
                                       Pair{"--jsonl", "jsonl"},
                                       Pair{"--report", "report"},
                                       Pair{"--compare", "compare"},
                                       Pair{"--encoder", "encoder"},
                                       Pair{"--force", "force: true"},
                                       Pair{", as in --out labelled.mp4", ", as in out: \"{name}.mp4\""},
                                       Pair{"--out", "out"}};
  for (const auto& [option, key] : kKeys)
    for (std::size_t at = sentence.find(option); at != std::string::npos; at = sentence.find(option, at + key.size()))
      sentence.replace(at, option.size(), key);
  return sentence;
}

// Checks one config.
class Whole {
 public:
  Whole(Config& config, const ConfigPlaces& places, const Config* running)
      : config_(config), places_(places), running_(running) {}

  std::shared_ptr<ModelKeeper> check() {
    check_run();
    for (std::size_t i = 0; i < config_.inputs.size(); ++i) check_camera(i);
    if (!running_ && places_.top.faults().empty()) check_apart();
    const bool other_model =
        running_ && model_settings(running_->request.tagger) != model_settings(config_.request.tagger);
    // Last, because it takes time.
    return places_.top.faults().empty() && !other_model ? check_labels() : nullptr;
  }

 private:
  void check_run() {
    if (const Status fit = check_mqtt(config_.request.mqtt); !fit)
      places_.top.fault("mqtt", with_keys(fit.error().message));
    if (const Result<TlsOptions> fit = tls_options(config_.request, config_.inputs); !fit && places_.top.has("tls"))
      places_.top.fault("tls", with_keys(fit.error().message));
  }

  // The request of one camera alone, without what is checked once for the run.
  Request alone(const Input& input) const {
    Request one = config_.request;
    static_cast<InputOptions&>(one) = config_.request.of(input.source);
    one.own.clear();
    one.mqtt = MqttOptions();
    one.metrics.clear();
    one.view = ViewOptions();
    one.print_only = true;
    return one;
  }

  // A fault in an option that the camera has, or has from defaults.
  void fault(std::size_t camera, const std::string& key, const std::string& sentence) const {
    const bool is_default = !places_.cameras[camera].has(key) && places_.defaults.has(key);
    const Section& place = is_default ? places_.defaults : places_.cameras[camera];
    place.fault(key, is_default ? config_.inputs[camera].source + ": " + sentence : sentence);
  }

  void check_camera(std::size_t camera) {
    const Input& input = config_.inputs[camera];
    const Request one = alone(input);
    if (const Status fit = check_usage(one, {input}); !fit)
      return places_.cameras[camera].fault("name", with_keys(fit.error().message));
    if (const MqttRules& rules = one.mqtt_rules;
        config_.request.mqtt.address.empty() && (rules.images || rules.control || !rules.labels.empty()))
      fault(camera, "mqtt", "there is no broker: add \"mqtt:\" with its address at the top of the file");
    check_prior(camera, one);
    // The files of cameras that run exist.
    if (!running_)
      if (const Result<std::vector<Task>> tasks = plan(one, {input}); !tasks)
        fault(camera, one.out.empty() ? "report" : "out", with_keys(tasks.error().message));
  }

  void check_prior(std::size_t camera, const Request& one) {
    const std::string prior = value_of(one.tagger, "prior-file"), mode = value_of(one.tagger, "prior-mode");
    if (prior.empty() || mode == "read-only" || mode == "off") return;
    const std::string& source = config_.inputs[camera].source;
    if (const auto [other, is_new] = priors_.emplace(prior, source); !is_new)
      fault(camera, "prior-file",
            other->second + " and " + source + " would both write " + prior +
                ": write {name} into its name, or prior-mode: read-only");
  }

  // Files that two cameras would write.
  void check_apart() {
    Request all = config_.request;
    all.print_only = true;
    if (const Result<std::vector<Task>> tasks = plan(all, config_.inputs); !tasks)
      places_.top.fault("cameras", with_keys(tasks.error().message) + ", or write {name} into the name");
  }

  std::shared_ptr<ModelKeeper> check_labels() {
    std::shared_ptr<ModelKeeper> kept;
    std::set<std::vector<Setting>> seen;
    for (std::size_t i = 0; i < config_.inputs.size(); ++i) {
      const std::vector<Setting>& settings = config_.request.of(config_.inputs[i].source).tagger;
      const std::string file = value_of(settings, "labels-file");
      if (!file.empty()) config_.label_files[file] = contents_of(file);
      if (!seen.insert(settings).second) continue;
      Result<ModelKeeper> model = ModelKeeper::open(settings);
      if (model && !kept) kept = std::make_shared<ModelKeeper>(std::move(*model));
      if (model) continue;
      const bool has_labels = !file.empty() || !value_of(settings, "labels").empty();
      if (!has_labels || fails_alone(settings, model.error().message)) {
        model_fault(model.error().message);
        return nullptr;
      }
      fault(i, file.empty() ? "labels" : "labels-file", model.error().message);
    }
    return kept;
  }

  // Whether the model fails in the same way without labels.
  static bool fails_alone(const std::vector<Setting>& settings, const std::string& sentence) {
    const Result<ModelKeeper> model = ModelKeeper::open(model_settings(settings));
    return !model && model.error().message == sentence;
  }

  void model_fault(const std::string& sentence) const {
    if (places_.defaults.has("model")) return places_.defaults.fault("model", sentence);
    places_.top.fault("cameras", sentence);
  }

  // A file that cannot be read is reported when the labels are checked.
  static std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  Config& config_;
  const ConfigPlaces& places_;
  const Config* running_;
  std::map<std::string, std::string> priors_;  // camera by file
};

}  // namespace

std::shared_ptr<ModelKeeper> check_whole(Config& config, const ConfigPlaces& places, const Config* running) {
  return Whole(config, places, running).check();
}

}  // namespace bcp::cli::run
