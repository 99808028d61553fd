// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/source.hpp"

#include <gio/gio.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>

namespace bcp::cli::get {
namespace {

bool is_web_address(const std::string& text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

// OWNER/NAME[@REVISION], with the characters that the Hub allows: neither can leave a directory.
std::optional<RepositoryName> repository_of(const std::string& text) {
  static const std::regex pattern("([A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*)(?:@(.+))?");
  std::smatch found;
  if (!std::regex_match(text, found, pattern) || found[1].length() > 200) return {};
  RepositoryName name{found[1]};
  if (found[2].matched) name.revision = found[2];
  if (!is_safe_path(name.revision) || name.revision.ends_with(".lock")) return {};
  return name;
}

// The Hub that an address is of; empty: none.
std::string hub_of(const std::string& url, const std::string& endpoint) {
  for (const std::string& site : {endpoint, std::string("https://huggingface.co"), std::string("https://hf.co")})
    if (url.starts_with(site + "/")) return site;
  return {};
}

// https://huggingface.co/OWNER/NAME, with /tree/REVISION or /tree/REVISION/onnx behind it.
std::optional<RepositoryName> repository_of_page(const std::string& url, const std::string& endpoint) {
  if (const std::string site = hub_of(url, endpoint); !site.empty() && !url.ends_with(".onnx")) {
    static const std::regex page("([^/]+/[^/]+)(?:/?|/tree/([^/]+).*)");
    std::smatch found;
    const std::string rest = url.substr(site.size() + 1);
    if (std::regex_match(rest, found, page))
      return repository_of(found[1].str() + (found[2].matched ? "@" + found[2].str() : ""));
  }
  return {};
}

// The path of an address, decoded and without the query.
Result<std::string> path_of(const std::string& url) {
  const std::unique_ptr<GUri, decltype(&g_uri_unref)> uri(g_uri_parse(url.c_str(), G_URI_FLAGS_NONE, nullptr),
                                                          g_uri_unref);
  if (!uri) return invalid(shown_url(url) + " is not an address: correct it");
  std::string path = g_uri_get_path(uri.get());
  path.erase(0, path.find_first_not_of('/'));
  if (!is_safe_path(path))
    return invalid(shown_url(url) +
                   " does not name a file: give the addresses of a model's files, such as "
                   "https://HOST/visual.onnx https://HOST/textual.onnx");
  return path;
}

// Paths relative to the directory that all of them are in: those of Immich's visual/model.onnx and textual/model.onnx
// keep their folders.
void remove_common_directory(std::vector<std::string>& paths) {
  for (;;) {
    const std::size_t slash = paths.front().find('/');
    if (slash == std::string::npos) return;
    const std::string directory = paths.front().substr(0, slash + 1);
    if (!std::all_of(paths.begin(), paths.end(), [&](const std::string& path) { return path.starts_with(directory); }))
      return;
    for (std::string& path : paths) path.erase(0, directory.size());
  }
}

Result<Source> addresses(const std::vector<std::string>& urls, const std::string& endpoint) {
  AddressSource source{urls, {}};
  for (std::string& url : source.urls) {
    if (!is_web_address(url))
      return invalid("one model at a time: several arguments must be the addresses of its files");
    // The web page of a file, which users copy from their browser, is not the file.
    if (const std::size_t page = url.find("/blob/"); page != std::string::npos && !hub_of(url, endpoint).empty())
      url.replace(page, 6, "/resolve/");
    Result<std::string> path = path_of(url);
    if (!path) return path.error();
    source.paths.push_back(*std::move(path));
  }
  remove_common_directory(source.paths);
  std::vector<std::string> sorted = source.paths;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return invalid("two of the addresses have the file name " + *twice + ": the names must be different");
  if (std::none_of(sorted.begin(), sorted.end(), [](const std::string& path) { return path.ends_with(".onnx"); }))
    return invalid(
        "none of the addresses is an ONNX file (.onnx): give the model's ONNX files; archives must be "
        "unpacked first");
  return Source(std::move(source));
}

}  // namespace

Result<Source> parse_source(const std::vector<std::string>& words, const std::string& endpoint) {
  const std::string& word = words.front();
  if (words.size() > 1) return addresses(words, endpoint);
  if (word.starts_with("openai:")) {
    Result<Checkpoint> checkpoint = find_checkpoint(word.substr(7));
    if (!checkpoint) return checkpoint.error();
    return Source(*std::move(checkpoint));
  }
  if (word.starts_with("hf:")) {
    if (std::optional<RepositoryName> name = repository_of(word.substr(3))) return Source(RepositorySource{*name});
    return invalid(word + " does not name a repository: write hf:OWNER/NAME, or hf:OWNER/NAME@REVISION");
  }
  if (is_web_address(word)) {
    if (std::optional<RepositoryName> name = repository_of_page(word, endpoint)) return Source(RepositorySource{*name});
    return addresses(words, endpoint);
  }
  if (const KnownModel* const known = find_known(word)) {
    if (!known->repository.empty()) return Source(RepositorySource{{std::string(known->repository)}, known});
    Result<Checkpoint> checkpoint = find_checkpoint(word);
    if (!checkpoint) return checkpoint.error();
    return Source(*std::move(checkpoint));
  }
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored))
    return invalid(word + " is already on this machine: use it with model=" + word);
  if (std::optional<RepositoryName> name = repository_of(word)) return Source(RepositorySource{*name});
  const std::string near = nearest_known(word);
  return Error{ErrorCode::kNotFound, "there is no model " + word + ": " +
                                         (near.empty() ? "" : "did you mean " + near + "? ") +
                                         "gst-bcp model list shows the names; for others give hf:OWNER/NAME"};
}

}  // namespace bcp::cli::get
