// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/word_files.hpp"

#include <glib.h>
#include <glib/gstdio.h>

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace bcp::cli::view {
namespace {

// Older ones have been read long ago.
constexpr std::size_t kMostFiles = 50;

nlohmann::json json_of(const clip::Label& label) {
  nlohmann::json made{{"label", label.name}};
  if (label.threshold) made["threshold"] = *label.threshold;
  if (label.templates.size() == 1) made["template"] = label.templates.front();
  if (label.templates.size() > 1) made["template"] = label.templates;
  if (!label.synonyms.empty()) made["synonyms"] = label.synonyms;
  if (label.often) made["often"] = *label.often;
  if (label.colour) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "#%06x", static_cast<unsigned>(*label.colour) & 0xffffffU);
    made["colour"] = text.data();
  }
  return made;
}

}  // namespace

WordFiles::~WordFiles() {
  for (const std::string& file : files_) g_unlink(file.c_str());
  if (!folder_.empty()) g_rmdir(folder_.c_str());
}

Result<std::string> WordFiles::write_labels(const std::vector<clip::Label>& labels) {
  nlohmann::json list = nlohmann::json::array();
  for (const clip::Label& label : labels) list.push_back(json_of(label));
  return write("labels", list.dump() + "\n");
}

Result<std::string> WordFiles::write_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return write("words", text);
}

Result<std::string> WordFiles::write(const std::string& name, const std::string& text) {
  GError* fault = nullptr;
  if (folder_.empty()) {
    const std::unique_ptr<gchar, decltype(&g_free)> made(g_dir_make_tmp("gst-bcp-view-XXXXXX", &fault), g_free);
    if (made) folder_ = made.get();
  }
  static unsigned number = 0;
  const std::string path = folder_ + "/" + name + "-" + std::to_string(++number);
  if (!fault && g_file_set_contents(path.c_str(), text.data(), static_cast<gssize>(text.size()), &fault)) {
    files_.push_back(path);
    if (files_.size() > kMostFiles) {
      g_unlink(files_.front().c_str());
      files_.erase(files_.begin());
    }
    return path;
  }
  const std::unique_ptr<GError, decltype(&g_error_free)> error(fault, g_error_free);
  return Error{ErrorCode::kRuntime, std::string("a temporary file cannot be written: ") + fault->message};
}

}  // namespace bcp::cli::view
