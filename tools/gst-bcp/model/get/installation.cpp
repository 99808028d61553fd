// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/installation.hpp"

#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/json.hpp"
#include "clip/bundle/find_towers.hpp"
#include "clip/bundle/presence_keys.hpp"
#include "gst-bcp/common/report.hpp"
#include "gst-bcp/model/files.hpp"
#include "gst-bcp/model/findings.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOrigin = "/source.json";

Error cannot_write_model(const fs::path& path, const std::error_code& error) {
  return Error{ErrorCode::kRuntime,
               path.string() + " cannot be written: " + error.message() + "; give another directory with --into"};
}

}  // namespace

std::optional<Origin> read_origin(const std::string& directory) {
  const Result<std::string> text = read_file(directory + kOrigin, 65536);
  if (!text) return {};
  const Result<nlohmann::json> json = parse_json(*text);
  if (!json || text_of(*json, "source").empty()) return {};
  const auto value = [&](const char* key) { return std::string(text_of(*json, key)); };
  return Origin{value("source"), value("revision"), value("variant"), value("licence")};
}

std::string Installation::lock(std::size_t file) const {
  return directory_ + "/.download/.locks/" + name_ + "-" + std::to_string(file) + ".lock";
}

bool Installation::is_installed() const {
  if (!clip::looks_like_model(place())) return false;
  std::error_code error;
  for (fs::recursive_directory_iterator at(place(), error), end; !error && at != end; at.increment(error))
    if (at->is_symlink(error) && !fs::exists(at->path(), error)) return false;  // the cache was cleared
  return true;
}

Status Installation::keep_staged(const std::vector<std::string>& paths) const {
  std::error_code error;
  fs::create_directories(staging(), error);
  if (error) return cannot_write_model(staging(), error);
  std::vector<fs::path> others;
  for (fs::recursive_directory_iterator at(staging(), error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().lexically_relative(staging()).string();
    const auto belongs = [&](const std::string& kept) {
      return path == kept || path == kept + ".incomplete" || path == kept + ".incomplete.etag";
    };
    if (!at->is_directory(error) && std::none_of(paths.begin(), paths.end(), belongs)) others.push_back(at->path());
  }
  for (const fs::path& other : others) fs::remove(other, error);
  return ok();
}

Status Installation::stage(const std::string& path, const std::string& target) const {
  const fs::path link = fs::path(staging()) / path;
  if (link == fs::path(staging() + kOrigin)) return ok();
  const bool is_written = link.filename() == "bundle.json" || link.filename() == clip::kPresenceFile;
  std::error_code error;
  fs::create_directories(link.parent_path(), error);
  if (!error && is_written) fs::copy_file(target, link, error);
  if (!error && !is_written) fs::create_symlink(fs::absolute(target), link, error);
  return error ? Status(cannot_write_model(link, error)) : ok();
}

Status Installation::check_place(const Origin& origin, bool again) const {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(place(), ignored))) return ok();
  const std::optional<Origin> before = read_origin(place());
  if (!before && !clip::looks_like_model(place()))
    return Error{
        ErrorCode::kInvalid,
        place() + " already exists and is not a model, so it is not replaced: choose another name with --name"};
  const bool same = before && before->source == origin.source && before->variant == origin.variant;
  if (same || again) return ok();
  return Error{ErrorCode::kInvalid,
               place() + " already exists and was " +
                   (before ? "installed from " + before->source : "not installed by gst-bcp model get") +
                   ": choose another name with --name, or replace it with --again"};
}

Status Installation::finish(const Origin& origin, bool again) const {
  // Checked again: the download may have taken an hour.
  if (Status free = check_place(origin, again); !free) return free;
  const nlohmann::ordered_json json = {{"source", origin.source},
                                       {"revision", origin.revision},
                                       {"variant", origin.variant},
                                       {"licence", origin.licence}};
  const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::error_code error;
  fs::remove(staging() + kOrigin, error);  // replace_file() follows links
  if (Status written = replace_file(staging() + kOrigin, text); !written) return written;
  const fs::path from = staging(), to = place();
  // The result of `gst-bcp model calibrate` stays valid for the same model.
  if (const std::optional<Origin> before = read_origin(to.string());
      before && before->source == origin.source && before->revision == origin.revision &&
      before->variant == origin.variant && !fs::exists(from / "presence.json", error))
    fs::copy_file(to / "presence.json", from / "presence.json", error);
  if (!fs::exists(fs::symlink_status(to, error))) {
    fs::rename(from, to, error);
    return error ? Status(cannot_write_model(to, error)) : ok();
  }
  // Atomic, so that a pipeline that starts meanwhile finds the old model or the new one.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0) {
    fs::remove_all(to, error);
    fs::rename(from, to, error);
    if (error) return cannot_write_model(to, error);
    return ok();
  }
  fs::remove_all(from, error);
  return ok();
}

Result<std::string> try_model(const std::string& directory) {
  const Result<clip::Bundle> bundle = clip::Bundle::open(directory);
  if (!bundle) return bundle.error();
  Report report;  // not shown: only errors count here
  if (const Status sound = add_tensors(*bundle, report); !sound) return sound.error();
  const onnx::SessionOptions execution;
  const Result<std::shared_ptr<clip::Model>> model = clip::Model::open(directory, execution);
  if (!model) return model.error();
  if (const Status fit = add_image_tower(**model, report); !fit) return fit.error();
  if (bundle->textual) {
    const Result<std::unique_ptr<clip::TextEncoder>> text = clip::TextEncoder::open((*model)->bundle(), execution);
    if (!text) return text.error();
    if (const Status fit = add_text_tower((*model)->bundle(), **text, report); !fit) return fit.error();
  }
  if (!bundle->text_bank.empty())
    if (const Result<std::size_t> labels = add_text_bank(*bundle, report); !labels) return labels.error();
  const std::string side = std::to_string(bundle->tensor.size);
  return bundle->layout + ", " + bytes_for_people(size_of(files_of(*bundle))) + ", pictures of " + side + " x " + side +
         (bundle->textual ? ", any labels" : ", its own labels only");
}

}  // namespace bcp::cli::get
