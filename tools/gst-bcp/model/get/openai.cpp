// SPDX-License-Identifier: LGPL-2.1-or-later
// Models from OpenAI's checkpoints.

#include <filesystem>

#include "base/user_cache.hpp"
#include "gst-bcp/model/get/export.hpp"
#include "gst-bcp/model/get/get.hpp"
#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOpenAi = "https://openaipublic.azureedge.net/clip/models";

Status check(const Options& options) {
  for (const std::string& variant : options.variants)
    if (variant != "fp16" && variant != "int8")
      return Error{ErrorCode::kInvalid,
                   "a checkpoint is exported in fp32, fp16 and int8: there is no variant " + variant};
  if (options.sums.size() > 1) return Error{ErrorCode::kInvalid, "a checkpoint is one file: give one --sha256"};
  if (!options.sums.empty() && options.licence.empty() && !options.no_export)
    return Error{ErrorCode::kInvalid, "--sha256 is for your own weights: give their licence with --licence"};
  if (!options.files.empty()) return Error{ErrorCode::kInvalid, "--file is for repositories: a checkpoint is one file"};
  return ok();
}

bool are_installed(const Installation& installation, const Options& options) {
  std::error_code ignored;
  if (!fs::is_regular_file(installation.place() + "/bundle.json", ignored)) return false;
  for (const std::string& variant : options.variants)
    if (!fs::is_regular_file(installation.place() + "-" + variant + "/bundle.json", ignored)) return false;
  return true;
}

// The export replaces models, also without --again if one of the variants is missing.
Status check_places(const Installation& installation, const Options& options) {
  if (Status free = installation.check_place({}, true); !free) return free;
  for (const std::string& variant : options.variants) {
    const Installation other(fs::path(installation.place()).parent_path().string(),
                             installation.name() + "-" + variant);
    if (Status free = other.check_place({}, true); !free) return free;
  }
  return ok();
}

Status download(const Wanted& wanted, const Options& options, Watch& watch) {
  std::error_code ignored;
  // The file of an earlier run is verified again: its name does not contain the whole checksum.
  if (fs::is_regular_file(wanted.target, ignored)) {
    const Result<std::string> found = checksum_of(wanted.target, Checksum::Kind::kSha256);
    if (!found) return found.error();
    if (*found != wanted.checksum.hex) fs::remove(wanted.target, ignored);
  }
  const Explain explain = [](const HttpAnswer& answer, Error error) {
    if (!answer.fault && answer.status == 404) error.message += ", or give a mirror with --base-url";
    return error;
  };
  return download_all({wanted}, options.transfer, watch, explain);
}

}  // namespace

Result<Got> get_checkpoint(const Checkpoint& checkpoint, const Options& options, Watch& watch) {
  if (const Status fine = check(options); !fine) return fine.error();
  const Result<Installation> installation = installation_of(options, checkpoint.name);
  if (!installation) return installation.error();
  const bool exports = !options.no_export && !options.dry_run;
  const Result<Descriptor> lock = exports ? take_lock(*installation, watch) : Result<Descriptor>(Descriptor(-1));
  if (!lock) return lock.error();
  if (!options.no_export && !options.again && are_installed(*installation, options))
    return Got{{installation->name() + " is installed already: " + installation->place() + " (--again replaces it)"},
               model_of(*installation, options)};
  if (!options.no_export)
    if (const Status free = check_places(*installation, options); !free) return free.error();
  std::string exporter;
  if (!options.no_export) {
    // Checked first: the download of 300 MB would be useless without it.
    Result<std::string> found = find_exporter(checkpoint.name);
    if (!found) return found.error();
    exporter = *std::move(found);
  }
  const std::string sum = options.sums.empty() ? checkpoint.sha256 : options.sums.front();
  const std::string file = fs::path(checkpoint.file).stem().string() + "-" + sum.substr(0, 8) + ".pt";
  const std::string target = user_cache("checkpoints/" + file);
  if (target.empty()) return Error{ErrorCode::kRuntime, "there is no directory for the checkpoint: set XDG_CACHE_HOME"};
  std::string base = options.base_url.empty() ? kOpenAi : options.base_url;
  while (base.ends_with('/')) base.pop_back();
  Wanted wanted{checkpoint.file, {base + "/" + sum + "/" + checkpoint.file}, "", target, target + ".incomplete",
                target + ".lock"};
  if (!options.base_url.empty()) wanted.urls.push_back(base + "/" + checkpoint.file);
  wanted.checksum = {Checksum::Kind::kSha256, sum};
  wanted.other_disk = "set XDG_CACHE_HOME to a directory on another disk";
  const std::uint64_t bytes = checkpoint.megabytes * 1'000'000;
  // The user's own weights may have any size.
  if (options.sums.empty())
    if (const Status fits = check_space(target, bytes, "set XDG_CACHE_HOME to a directory on another disk"); !fits)
      return fits.error();
  watch.say(checkpoint.file + ", " + std::to_string(checkpoint.megabytes) + " MB, from " + host_of(base) +
            "; licence: " + (options.licence.empty() ? "MIT" : options.licence));
  if (options.dry_run) return Got{{shown_url(wanted.urls.front())}, ""};
  if (const Status done = download(wanted, options, watch); !done) return done.error();
  if (options.no_export) return Got{{"Verified: " + target}, ""};

  std::vector<std::string> arguments = {installation->place(), "--checkpoint", target};
  for (const std::string& word : options.sums.empty() ? std::vector<std::string>{"--openai", checkpoint.name}
                                                      : std::vector<std::string>{"--licence", options.licence})
    arguments.push_back(word);
  for (const std::string& variant : options.variants) arguments.insert(arguments.end(), {"--variant", variant});
  std::error_code ignored;
  fs::create_directories(fs::path(installation->place()).parent_path(),
                         ignored);  // the export reports write errors
  watch.say("Exporting " + checkpoint.name + " with PyTorch.");
  if (const Status exported = run_exporter(exporter, arguments, watch); !exported)
    return is_interrupted(exported.error())
               ? exported.error()
               : Error{ErrorCode::kRuntime, checkpoint.name + " could not be exported: " + exported.error().message +
                                                "; the reason is above; the verified checkpoint stays at " + target};
  // Its lock stays: another process may wait for it.
  if (!options.keep) fs::remove(target, ignored);
  return Got{{"Installed: " + installation->place()}, model_of(*installation, options)};
}

}  // namespace bcp::cli::get
