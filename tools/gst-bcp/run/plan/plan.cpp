// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "gst-bcp/common/address.hpp"
#include "gst-bcp/common/http_server.hpp"
#include "gst-bcp/common/picture_file.hpp"
#include "gst-bcp/run/plan/plugin.hpp"
#include "gst-bcp/run/plan/record_options.hpp"

namespace bcp::cli::run {
namespace {

// Adds to the task's pipeline what the page needs: results, and what was learnt, in files in the page's folder.
// REQUIRES: find_plugin(); the task has a page.
void prepare_report(Task& task) {
  task.recipe.page_results = task.page.aside(".jsonl");
  if (!tagger_has("prior-file") || !value_of(task.recipe.tagger, "prior-file").empty()) return;
  task.recipe.tagger.emplace_back("prior-file", task.page.aside(".prior"));
}

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || fs::is_directory(path, ignored);
}

std::size_t count_of(const std::vector<Input>& inputs, InputKind kind) {
  return static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(),
                                                [kind](const Input& i) { return i.kind == kind && i.fault.empty(); }));
}

// The number of output files of a run.
std::size_t results_of(const std::vector<Input>& inputs) {
  std::size_t count = 0;
  for (const Input& input : inputs) count += input.kind == InputKind::kPictures ? input.files.size() : 1;
  return count;
}

// The output file for `name` in the folder, with the extension of its format.
std::string in_folder(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

std::string name_of(const Input& input) {
  if (!input.path.empty()) return readable(fs::path(input.path).filename().string());
  if (input.kind == InputKind::kPictures) return "pictures";
  if (!is_address(input.name)) return input.name;  // stdin
  return input.is_named ? input.source : file_name_of(input.uri);
}

// Without the file extension. In an address, the text after a dot may not be one.
std::string stem_of(const Input& input) {
  const std::string name = name_of(input);
  return input.path.empty() && !has_container(name) ? name : fs::path(name).stem().string();
}

std::string video_target(const InputOptions& request, const Input& input) {
  if (!is_folder(request.out)) return request.out;
  const std::string name = name_of(input);
  return in_folder(request.out, has_container(name) ? name : stem_of(input) + ".mp4");
}

std::string picture_target(const Request& request, const std::string& picture) {
  if (!is_folder(request.out)) return request.out;
  const fs::path name = readable(fs::path(picture).filename().string());
  return in_folder(request.out, can_write_picture(name.string()) ? name.string() : name.string() + ".png");
}

std::string page_target(const InputOptions& request, const Input& input) {
  if (!is_folder(request.report)) return request.report;
  return in_folder(request.report, stem_of(input) + ".html");
}

// Claims the output files of tasks on the disk; records which input writes which file.
class Planner {
 public:
  Planner(const Request& request, const std::vector<Input>& inputs)
      : request_(request), rules_{.force = request.force, .inputs = files_of(inputs)} {}

  Result<Task> make(const Input& input) {
    Task task;
    const InputOptions& own = request_.of(input.source);
    task.input = input;
    task.print_only = request_.print_only;
    task.reconnect.wait = own.wait;
    if (own.retry_for)
      task.reconnect.retry_for = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(*own.retry_for));
    Recipe& recipe = task.recipe;
    recipe.kind = input.kind;
    recipe.uri = input.uri;
    recipe.source_id = input.source;
    recipe.accept_any_certificate = request_.tls_insecure;
    recipe.tagger = own.tagger;
    recipe.all_labels = own.all_labels;
    recipe.overlay = !own.no_overlay;
    recipe.compare = own.compare;
    if (input.kind == InputKind::kLive) task.record = own.record;
    recipe.record = !task.record.folder.empty();
    task.mqtt_rules = own.mqtt_rules;
    if (!input.fault.empty()) return task;
    if (!own.out.empty()) {
      const Status done = input.kind == InputKind::kPictures ? add_pictures(task) : add_video(task);
      if (!done) return done.error();
    }
    if (!own.report.empty()) {
      Result<OutputFile> page = claim(own.report, page_target(own, input), input.name);
      if (!page) return page.error();
      task.page = std::move(*page);
      if (task.page) prepare_report(task);
    }
    return task;
  }

 private:
  Status add_video(Task& task) {
    const InputOptions& own = request_.of(task.input.source);
    const std::string target = video_target(own, task.input);
    const Result<const Container*> container = container_for(target);
    if (!container) return container.error();
    const Result<std::string> encoder = choose_video_encoder(**container, own.encoder);
    if (!encoder) return encoder.error();
    Result<OutputFile> file = claim(own.out, target, task.input.name, task.input.kind == InputKind::kLive);
    if (!file) return file.error();
    task.video = std::move(*file);
    task.recipe.container = *container;
    task.recipe.encoder = *encoder;
    task.recipe.video = task.video ? task.video.part() : target;
    if (task.video) task.recipe.video_aside = task.video.aside(".moov");
    return ok();
  }

  Status add_pictures(Task& task) {
    task.picture_rules = rules_for(request_.out);
    for (const std::string& picture : task.input.files) {
      const std::string target = picture_target(request_, picture);
      if (const Status free = take_name(target, picture); !free) return free;
      if (const Status fit = OutputFile::check(target, rules_); !fit) return fit;
      task.labelled_pictures.push_back(target);
    }
    task.recipe.pictures_out = true;
    if (request_.print_only) return ok();
    // The folder is the same for all of them, so one check is enough.
    const Result<OutputFile> first = OutputFile::claim(task.labelled_pictures.front(), task.picture_rules);
    return first ? ok() : Status(first.error());
  }

  // A folder given with a slash is created.
  OutputFile::Rules rules_for(const std::string& option) const {
    OutputFile::Rules rules = rules_;
    rules.make_folder = option.ends_with('/');
    return rules;
  }

  Result<OutputFile> claim(const std::string& option, const std::string& target, const std::string& input,
                           bool keep_parts = false) {
    if (const Status free = take_name(target, input); !free) return free.error();
    OutputFile::Rules rules = rules_for(option);
    rules.keep_parts = keep_parts;
    if (!request_.print_only) return OutputFile::claim(target, rules);
    if (const Status fit = OutputFile::check(target, rules_); !fit) return fit.error();
    return OutputFile();
  }

  Status take_name(const std::string& target, const std::string& input) {
    const auto [taken, is_new] = makers_.emplace(target, input);
    if (is_new) return ok();
    return Error{ErrorCode::kInvalid, "both " + taken->second + " and " + input + " would become " + target +
                                          ": run them separately, each with its own folder"};
  }

  const Request& request_;
  const OutputFile::Rules rules_;
  std::map<std::string, std::string> makers_;  // input by output
};

}  // namespace

namespace {

// An output must not be the same file as another output or as a file that is read.
Status check_apart(const Request& request) {
  const std::array<std::pair<const char*, std::string>, 5> named = {
      {{"--out", request.out},
       {"--report", request.report},
       {"--jsonl", request.jsonl},
       {"--prior", value_of(request.tagger, "prior-file")},
       {"--labels-file", value_of(request.tagger, "labels-file")}}};
  std::map<fs::path, const char*> seen;
  for (const auto& [option, path] : named) {
    std::error_code error;
    if (path.empty() || path == "-" || is_folder(path) || fs::is_character_file(path, error)) continue;
    const fs::path file = fs::weakly_canonical(fs::absolute(path, error), error);
    if (error) continue;  // reported when it is opened
    if (const auto [other, is_new] = seen.emplace(file, option); !is_new)
      return Error{ErrorCode::kInvalid, std::string(other->second) + " and " + option + " are the same file, " + path +
                                            ": give each its own name"};
  }
  return ok();
}

}  // namespace

Status check_usage(const Request& request, const std::vector<Input>& inputs) {
  const auto wrong = [](const std::string& sentence) { return Error{ErrorCode::kInvalid, sentence}; };
  const std::size_t pictures = count_of(inputs, InputKind::kPictures);
  if (request.out.empty() && (request.compare || !request.encoder.empty()))
    return wrong(std::string(request.compare ? "--compare" : "--encoder") +
                 " applies to the video that is written: add --out, as in --out labelled.mp4");
  if (!request.out.empty() && !is_folder(request.out)) {
    if (results_of(inputs) > 1)
      return wrong("--out " + request.out + " is one file for " + std::to_string(results_of(inputs)) +
                   " inputs: give a folder, with a slash at its end");
    if (pictures == 1 && !can_write_picture(request.out))
      return wrong("--out " + request.out + " is not a picture: use the extension .jpg or .png, or give a folder");
    if (pictures == 0)
      if (const Result<const Container*> container = container_for(request.out); !container) return container.error();
  }
  if (!request.report.empty() && !is_folder(request.report) && inputs.size() > 1)
    return wrong("--report " + request.report + " is one page for " + std::to_string(inputs.size()) +
                 " inputs: give a folder, with a slash at its end");
  if (const Status fit = check_recording(request.record, inputs); !fit) return fit;
  if (!request.metrics.empty())
    if (const Result<HttpAddress> address = parse_http_address(request.metrics); !address)
      return wrong("--metrics " + address.error().message);
  if (const Status fit = check_mqtt(request.mqtt); !fit) return fit;
  if (const Status fit = check_view(request.view); !fit) return fit;
  if (!request.mqtt.address.empty() && pictures > 0 && pictures == inputs.size())
    return wrong("--mqtt sends the events of cameras and videos, but all inputs are pictures: use --jsonl instead");
  if (const Status apart = check_apart(request); !apart) return apart;
  const bool learns =
      value_of(request.tagger, "prior-mode") != "read-only" && value_of(request.tagger, "prior-mode") != "off";
  if (!value_of(request.tagger, "prior-file").empty() && learns && runs_at_once(inputs))
    return wrong(
        "one --prior file cannot learn from several inputs at once: add --prior-mode read-only, or run them "
        "separately");
  return ok();
}

bool runs_at_once(const std::vector<Input>& inputs) {
  const std::size_t live = count_of(inputs, InputKind::kLive);
  return live > 1 || (live == 1 && inputs.size() > 1);
}

Result<std::vector<Task>> plan(const Request& request, const std::vector<Input>& inputs) {
  Planner planner(request, inputs);
  std::vector<Task> tasks;
  for (const Input& input : inputs) {
    Result<Task> task = planner.make(input);
    if (!task) return task.error();
    tasks.push_back(std::move(*task));
  }
  return tasks;
}

}  // namespace bcp::cli::run
