// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of one camera, from its entry in a file of cameras or from `defaults`.

#pragma once

#include <string>
#include <vector>

#include "gst-bcp/run/config/paths.hpp"
#include "gst-bcp/run/config/section.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

class CameraOptionsReader {
 public:
  // REQUIRES: find_plugin(); `given`, the command line, and `paths` outlive this.
  CameraOptionsReader(const Request& given, const Paths& paths);

  // Adds to the options what the section has. `camera` is its name; empty: the section is `defaults`.
  void read(const Section& section, const std::string& camera, InputOptions& options) const;
  // Replaces options by those of the command line.
  void overlay(InputOptions& options) const;

 private:
  void read_record(const Section& parent, const std::string& camera, RecordOptions& record) const;
  void read_broker_rules(const Section& parent, MqttRules& rules) const;
  void read_property(const Section& section, const std::string& key, const std::string& camera,
                     std::vector<Setting>& tagger) const;

  const Request& given_;
  const Paths& paths_;
  const std::vector<std::string> properties_;
};

}  // namespace bcp::cli::run
