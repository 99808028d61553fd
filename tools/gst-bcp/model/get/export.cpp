// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/export.hpp"

#include <gio/gio.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "clip/bundle/bundle.hpp"
#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Status run_program(const std::vector<std::string>& words, const Watch& watch) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  GError* fault = nullptr;
  const ObjectPtr<GSubprocess> child(g_subprocess_newv(arguments.data(), G_SUBPROCESS_FLAGS_NONE, &fault));
  if (!child) {
    const std::unique_ptr<GError, decltype(&g_error_free)> error(fault, g_error_free);
    return Error{ErrorCode::kRuntime, words.front() + " cannot be run: " + error->message};
  }
  if (!g_subprocess_wait(child.get(), watch.cancellable(), nullptr)) {
    g_subprocess_send_signal(child.get(), SIGTERM);
    g_subprocess_wait(child.get(), nullptr, nullptr);
  }
  if (watch.stopped()) return interrupted();
  if (g_subprocess_get_successful(child.get())) return ok();
  return Error{ErrorCode::kRuntime, words.front() + " failed"};
}

}  // namespace

Result<std::string> find_exporter(const std::string& checkpoint_name) {
  std::vector<fs::path> places;
  std::error_code error, ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  // The source tree of the build, and no folder above: a file there may be from another user, and would be executed.
  for (fs::path above = program.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    if (!fs::is_regular_file(above / "meson.build", ignored)) continue;
    places.push_back(above / "models");
    break;
  }
  for (const std::string& place : clip::bundle_places()) places.emplace_back(place);
  for (const fs::path& place : places)
    if (fs::is_regular_file(place / "export_clip.py", ignored)) return (place / "export_clip.py").string();
  return Error{
      ErrorCode::kUnsupported,
      "a checkpoint must be exported with PyTorch by models/export_clip.py, which is part of gst-bcp's "
      "source tree and is not installed: run this from a source tree, keep the checkpoint with --no-export, or "
      "get an exported model (gst-bcp model list), such as clip-vit-b32 instead of " +
          checkpoint_name};
}

Status run_exporter(const std::string& exporter, const std::vector<std::string>& arguments, const Watch& watch) {
  std::string python = environment("GST_BCP_PYTHON");
  if (python.empty()) {
    const fs::path root = fs::path(exporter).parent_path().parent_path();
    if (Status ready = run_program({(root / "scripts/setup.sh").string(), "--export"}, watch); !ready) return ready;
    const std::string deps = environment("GST_BCP_DEPS");
    python = (deps.empty() ? root / ".deps" : fs::path(deps)) / "export/bin/python";
  }
  std::vector<std::string> words = {python, exporter};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words, watch);
}

}  // namespace bcp::cli::get
