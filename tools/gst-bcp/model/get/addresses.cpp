// SPDX-License-Identifier: LGPL-2.1-or-later
// Models given as the addresses of their files.

#include "gst-bcp/common/table.hpp"
#include "gst-bcp/model/get/get.hpp"

namespace bcp::cli::get {
namespace {

// The files and their sizes, for --dry-run.
Result<Got> describe(const std::vector<Wanted>& files, const Options& options, Watch& watch) {
  Got got;
  for (const Wanted& file : files) {
    const Result<std::optional<std::uint64_t>> size = ask_size(file, options.transfer, watch);
    if (!size) return size.error();
    got.lines.push_back((*size ? bytes_for_people(**size) : "?") + "\t" + file.name);
  }
  return got;
}

}  // namespace

Result<Got> get_addresses(const AddressSource& source, const Options& options, Watch& watch) {
  if (options.name.empty())
    return Error{ErrorCode::kInvalid, "a model from addresses needs a name: give one with --name"};
  if (!options.sums.empty() && options.sums.size() != source.urls.size())
    return Error{ErrorCode::kInvalid, "there are " + std::to_string(source.urls.size()) + " addresses but " +
                                          std::to_string(options.sums.size()) +
                                          " values of --sha256: give one for each address, in the same order"};
  for (std::size_t i = 0; i < source.urls.size(); ++i)
    if (source.urls[i].starts_with("http://") && options.sums.empty())
      return Error{ErrorCode::kInvalid, shown_url(source.urls[i]) +
                                            " is not encrypted, so the file could be replaced on the network: use "
                                            "https, or give its checksum with --sha256"};
  const Result<HubSettings> settings = HubSettings::from_environment();
  if (!settings) return settings.error();
  const Result<Installation> installation = installation_of(options, options.name);
  if (!installation) return installation.error();
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < source.urls.size(); ++i) {
    const std::string target = installation->staging() + "/" + source.paths[i];
    const bool of_hub = source.urls[i].starts_with(settings->endpoint + "/");
    Wanted file{source.paths[i], {source.urls[i]},       of_hub ? settings->token : "",
                target,          target + ".incomplete", installation->lock(i)};
    if (!options.sums.empty()) file.checksum = {Checksum::Kind::kSha256, options.sums[i]};
    file.other_disk = "give a directory on another disk with --into";
    wanted.push_back(std::move(file));
  }
  if (options.dry_run) return describe(wanted, options, watch);

  const Result<Descriptor> lock = take_lock(*installation, watch);
  if (!lock) return lock.error();
  const Origin origin{shown_url(source.urls.front()), "", "", options.licence};
  if (const Status free = installation->check_place(origin, options.again); !free) return free.error();
  if (!options.again && installation->is_installed())
    return Got{
        {installation->name() + " is installed already: " + installation->place() + " (--again downloads it again)"},
        model_of(*installation, options)};
  if (const Status kept = installation->keep_staged(options.again ? std::vector<std::string>() : source.paths); !kept)
    return kept.error();
  const Explain as_it_is = [](const HttpAnswer&, Error error) { return error; };
  if (const Status done = download_all(wanted, options.transfer, watch, as_it_is); !done) return done.error();
  return install(*installation, origin, options, watch,
                 "add the address of the file with both towers (onnx/model.onnx, or a smaller variant of it), or of a "
                 "presence.json with \"logit_scale\" and \"logit_bias\"");
}

}  // namespace bcp::cli::get
