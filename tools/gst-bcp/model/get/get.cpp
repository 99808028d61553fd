// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/get.hpp"

#include <glib.h>

#include <filesystem>

#include "gst-bcp/model/get/lock.hpp"
#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli::get {
namespace {

// The error of opening the model, adapted for this command: files in the staging folder are removed by the next run.
std::string for_installation(std::string message, const Installation& installation, const std::string& scale_way_out) {
  const std::size_t advice = message.find(": fetch the file with both towers");
  if (advice != std::string::npos) message = message.substr(0, advice) + ": " + scale_way_out;
  const std::string staging = installation.staging();
  for (std::size_t at = message.find(staging); at != std::string::npos; at = message.find(staging, at))
    message.replace(at, staging.size(), installation.name());
  return message;
}

}  // namespace

std::string default_directory() {
  return std::string(g_get_user_data_dir()) + "/gst-bcp/models";
}

Result<Installation> installation_of(const Options& options, const std::string& own) {
  const std::string name = options.name.empty() ? own : options.name;
  if (!is_safe_path(name) || name.find('/') != std::string::npos || name.starts_with('.'))
    return Error{ErrorCode::kInvalid, "\"" + name +
                                          "\" is not a valid name of a model: choose one with --name, without "
                                          "slashes and without a dot at the start"};
  return Installation(options.into.empty() ? default_directory() : options.into, name);
}

std::string model_of(const Installation& installation, const Options& options) {
  return options.into.empty() ? installation.name() : std::filesystem::absolute(installation.place()).string();
}

Result<Descriptor> take_lock(const Installation& installation, Watch& watch) {
  return take_lock(installation.lock(), watch,
                   [&] { watch.say("Another process is installing " + installation.name() + ": waiting for it."); });
}

Result<Got> install(const Installation& installation, const Origin& origin, const Options& options, Watch& watch,
                    const std::string& scale_way_out) {
  const std::size_t shown = watch.add(installation.name(), 0);
  watch.set_phase(shown, "checking that the model works");
  const Result<std::string> tried = try_model(installation.staging());
  watch.remove(shown);
  if (!tried)
    return Error{tried.error().code, installation.name() +
                                         " was downloaded but not installed, because it does not work: " +
                                         for_installation(tried.error().message, installation, scale_way_out)};
  if (watch.stopped()) return interrupted();
  if (const Status done = installation.finish(origin, options.again); !done) return done.error();
  Got got;
  got.model = model_of(installation, options);
  got.lines.push_back("Installed: " + installation.place() + " (" + *tried + ")");
  return got;
}

}  // namespace bcp::cli::get
