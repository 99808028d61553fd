// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/config.hpp"

#include <glib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "gst-bcp/common/address.hpp"
#include "gst-bcp/run/config/camera_options.hpp"
#include "gst-bcp/run/config/document.hpp"
#include "gst-bcp/run/config/paths.hpp"
#include "gst-bcp/run/config/run_options.hpp"
#include "gst-bcp/run/config/secrets.hpp"
#include "gst-bcp/run/config/section.hpp"
#include "gst-bcp/run/config/whole.hpp"

namespace bcp::cli::run {
namespace {

bool is_name_character(char c) {
  return g_ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
}

class ConfigReader {
 public:
  explicit ConfigReader(const Request& given)
      : given_(given), faults_(given.config), paths_(given.config), options_(given, paths_) {}

  ConfigRead read(const Config* running) {
    ConfigRead made;
    const std::optional<YAML::Node> document = load_document(given_.config, faults_);
    if (document) {
      const Section top(*document, "", config_keys(""), faults_);
      const Section defaults(top.node_of("defaults"), "defaults", config_keys("camera"), faults_);
      if (document->IsMap()) read_cameras(top, defaults);
      // What follows from faults would only confuse.
      if (faults_.empty()) {
        // What the model is opened with.
        static_cast<InputOptions&>(config_.request) = config_.request.of(config_.inputs.front().source);
        made.model = check_whole(config_, {top, defaults, cameras_}, running);
      }
    }
    made.config = std::move(config_);
    made.faults = faults_.lines();
    return made;
  }

 private:
  void read_cameras(const Section& top, const Section& defaults) {
    config_.request = given_;
    config_.request.own.clear();
    read_run_options(top, paths_, config_.request);
    InputOptions base;
    base.wait = true;  // a camera may be off when the machine starts
    InputOptions checked = base;
    options_.read(defaults, "", checked);  // reports the faults, once
    const YAML::Node list = top.node_of("cameras");
    if (!list.IsDefined() || !list.IsSequence() || list.size() == 0)
      return top.fault("cameras", "there is no camera: write a list, each with \"- name: …\" and \"address: …\"");
    Faults ignored("");
    const Section again(top.node_of("defaults"), "defaults", config_keys("camera"), ignored);
    std::vector<std::string> known = config_keys("camera only");
    for (std::string& key : config_keys("camera")) known.push_back(std::move(key));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Section camera(list[i], "cameras[" + std::to_string(i) + "]", known, faults_);
      Input input = read_input(camera);
      // Without a name the options are read for their faults.
      const std::string name = input.source.empty() ? "camera" : input.source;
      InputOptions options = base;
      options_.read(again, name, options);  // again, because paths may have the name
      options_.read(camera, name, options);
      options_.overlay(options);
      if (input.source.empty()) continue;
      config_.request.own[name] = std::move(options);
      config_.inputs.push_back(std::move(input));
      cameras_.push_back(camera);
    }
  }

  Input read_input(const Section& camera) {
    Input input;
    input.kind = InputKind::kLive;
    input.is_named = true;
    for (const char* needed : {"name", "address"})
      if (!camera.has(needed)) camera.fault(needed, "this key is missing: every camera has a name and an address");
    if (const auto address = camera.text("address")) input.uri = read_address(camera, *address);
    const std::optional<std::string> name = camera.text("name");
    if (!name) return input;
    if (!std::all_of(name->begin(), name->end(), is_name_character) || name->front() == '.') {
      camera.fault("name", "\"" + *name + "\" is not a camera's name: use letters, digits, \"_\", \"-\" and \".\"");
      return input;
    }
    if (const auto [other, is_new] = lines_.emplace(*name, camera.node_of("name").Mark().line + 1); !is_new)
      camera.fault("name",
                   "line " + std::to_string(other->second) + " has a camera " + *name + " too: give each its own name");
    input.name = input.source = *name;
    return input;
  }

  // Empty: a fault.
  std::string read_address(const Section& camera, const std::string& given) {
    const auto fault = [&camera](const std::string& key, const std::string& sentence) {
      camera.fault(key, sentence);
      return std::string();
    };
    const Result<std::string> address = expanded_address(given);
    if (!address) return fault("address", address.error().message);
    if (camera.has("password-env") && camera.has("password-file"))
      return fault("password-file", "password-env gives the password too: remove one of them");
    Result<std::string> password = std::string();
    std::string key = "address";
    if (const auto variable = camera.text("password-env")) {
      key = "password-env";
      password = expanded("${" + *variable + "}");
    } else if (const auto file = paths_.read(camera, "password-file")) {
      key = "password-file";
      password = read_password(*file);
    } else if (camera.has("user")) {
      return fault("user", "the password is missing: add password-env or password-file");
    }
    if (!password) return fault(key, password.error().message);
    const bool is_device = address->starts_with("/dev/video");
    if (is_device && !password->empty()) return fault(key, "a device has no password: remove this key");
    if (is_device) return "v4l2://" + *address;
    if (!is_address(*address) || address->starts_with("file://"))
      return fault("address", "this is not a camera's address: write rtsp://…, rtsps://…, http://… or /dev/video0");
    if (password->empty()) return escaped_address(*address);
    const Result<std::string> whole = with_password(*address, camera.text("user").value_or(""), *password);
    if (!whole) return fault(camera.has("user") ? "user" : "address", whole.error().message);
    return escaped_address(*whole);
  }

  const Request& given_;
  Faults faults_;
  const Paths paths_;
  const CameraOptionsReader options_;
  Config config_;
  std::vector<Section> cameras_;      // as config_.inputs
  std::map<std::string, int> lines_;  // of the names
};

}  // namespace

ConfigRead read_config(const Request& given, const Config* running) {
  return ConfigReader(given).read(running);
}

}  // namespace bcp::cli::run
