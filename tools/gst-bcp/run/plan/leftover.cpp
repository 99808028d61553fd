// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/leftover.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"
#include "gst-bcp/run/plan/media_look.hpp"

namespace bcp::cli::run {
namespace {

namespace fs = std::filesystem;

// A name beside `path` that no file has.
std::string recovered_name(const fs::path& path) {
  const std::string stem = (path.parent_path() / path.stem()).string() + "-recovered";
  std::string name = stem + path.extension().string();
  std::error_code error;
  for (int i = 2; fs::exists(name, error); ++i) name = stem + "-" + std::to_string(i) + path.extension().string();
  return name;
}

}  // namespace

std::optional<Leftover> keep_leftover(const std::string& part, const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  const Result<MediaLook> look = ending == ".mkv" || ending == ".webm" ? look_at_mkv(part) : look_at_mp4(part);
  if (!look || look->whole == 0) {
    ::unlink(part.c_str());
    return std::nullopt;
  }
  std::error_code error;
  const std::uint64_t size = fs::file_size(part, error);
  const Descriptor file(::open(part.c_str(), O_WRONLY | O_CLOEXEC));
  if (!error && size > look->whole && file.is_open() && ::ftruncate(file.get(), static_cast<off_t>(look->whole)) == 0)
    ::fsync(file.get());
  const std::string name = recovered_name(path);
  if (std::rename(part.c_str(), name.c_str()) != 0) return Leftover{part, look->seconds};
  sync_folder_of(name);  // before another file gets the name of the part
  return Leftover{name, look->seconds};
}

std::string described(const Leftover& leftover) {
  return number_text("%.1f s", leftover.seconds) + " are in " + leftover.file;
}

}  // namespace bcp::cli::run
