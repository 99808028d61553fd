// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/inputs.hpp"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "gst-bcp/common/address.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> kPictureEndings = {".jpg", ".jpeg", ".jpe", ".png", ".webp", ".bmp", ".dib",
                                                              ".tif", ".tiff", ".pbm", ".pgm", ".ppm",  ".jp2"};
constexpr std::array<std::string_view, 23> kVideoEndings = {
    ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".mpe", ".ts",  ".m2ts", ".mts",
    ".ogv", ".ogg", ".3gp", ".3g2", ".flv",  ".wmv", ".asf", ".vob",  ".mxf", ".y4m", ".gif"};

template <std::size_t N>
bool ends_in(const fs::path& path, const std::array<std::string_view, N>& endings) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), g_ascii_tolower);
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// Compares runs of digits by their value and other text by its bytes, so that 2 comes before 10.
bool natural_less(const std::string& left, const std::string& right) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    if (!is_digit(left[i]) || !is_digit(right[j])) {
      if (left[i] != right[j]) return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[j]);
      ++i, ++j;
      continue;
    }
    const auto run = [&](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t start = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(start, at - start);
    };
    const std::string a = run(left, i), b = run(right, j);
    if (a.size() != b.size()) return a.size() < b.size();
    if (a != b) return a < b;
  }
  if (i == left.size() && j == right.size()) return left < right;  // 01 and 1
  return i == left.size();
}

// An unnamed file with all data of `from`; open as long as the program runs. In TMPDIR, or /var/tmp, which is meant for
// large files.
Result<int> copy_of(int from) {
  const char* chosen = std::getenv("TMPDIR");
  const std::string folder = chosen && *chosen ? chosen : "/var/tmp";
  const auto refused = [&](int cause) {
    return Error{ErrorCode::kRuntime, "standard input cannot be copied to " + folder + ": " + std::strerror(cause) +
                                          "; set TMPDIR to another folder"};
  };
  std::string name = folder + "/gst-bcp-XXXXXX";
  const int copy = ::mkostemp(name.data(), O_CLOEXEC);
  if (copy < 0) return refused(errno);
  ::unlink(name.c_str());
  std::vector<char> bytes(1 << 20);
  off_t size = 0;
  while (true) {
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int cause = errno;
      ::close(copy);
      return Error{ErrorCode::kRuntime, std::string("standard input cannot be read: ") + std::strerror(cause)};
    }
    if (count == 0) break;
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::write(copy, bytes.data() + done, static_cast<std::size_t>(count - done));
      if (written < 0 && errno != EINTR) {
        const int cause = errno;
        ::close(copy);
        return refused(cause);
      }
      if (written > 0) done += written;
    }
    size += count;
  }
  if (size > 0) return copy;
  ::close(copy);
  return Error{ErrorCode::kInvalid, "standard input is empty: pipe a video into it"};
}

class Finder {
 public:
  Finder(bool live, bool recursive) : live_(live), recursive_(recursive) {}

  void add(const std::string& given) {
    if (given == "-") return add_standard_input();
    if (is_address(given) && !given.starts_with("file://")) return add_address(given);
    const std::size_t equals = given.find('=');
    std::error_code ignored;
    if (equals != std::string::npos && is_address(given.substr(equals + 1)) && !fs::exists(given, ignored)) {
      const std::string name = given.substr(0, equals);
      if (is_name(name)) return add_address(given.substr(equals + 1), name);
      return add_fault(name,
                       "\"" + name +
                           "\" is not a camera's name: use letters, digits, \"_\", \"-\" and \".\", which is not the "
                           "first, as in door=rtsp://…");
    }
    if (!given.starts_with("file://")) return add_path(given);
    char* path = g_filename_from_uri(given.c_str(), nullptr, nullptr);
    if (!path)
      return add_fault(given, given + " is not the address of a local file: write it as file:///path/to/video");
    add_path(path);
    g_free(path);
  }

  std::vector<Input> take() {
    for (Input& input : inputs_)
      if (input.source.empty()) input.source = input.name;  // a file's is its path
    return std::move(inputs_);
  }

 private:
  void add_fault(const std::string& name, const std::string& fault) {
    Input input;
    input.name = without_secrets(name);
    input.fault = without_secrets(fault);
    inputs_.push_back(std::move(input));
  }

  // A camera's name: what a file, a metric and a topic can be called.
  static bool is_name(const std::string& text) {
    return !text.empty() && text.front() != '.' && std::all_of(text.begin(), text.end(), [](char c) {
      return g_ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
    });
  }

  // The source of an address without a name: an address may hold a password, also in unusual places. Of a
  // video on a web server, its file.
  std::string unnamed(const Input& input) {
    if (input.kind == InputKind::kLive) return "camera-" + std::to_string(++cameras_);
    const std::string path = input.uri.substr(0, input.uri.find_first_of("?#"));
    const std::size_t host = path.find("://") + 3, slash = path.rfind('/');
    const std::string file = slash < host ? "" : path.substr(slash + 1);
    return file.empty() ? "video-" + std::to_string(++videos_) : readable(file);
  }

  void add_address(const std::string& address, const std::string& name = {}) {
    Input input;
    input.kind = live_ || is_live_address(address) ? InputKind::kLive : InputKind::kVideo;
    input.name = readable(shown_address(address));
    input.uri = escaped_address(address);
    input.is_named = !name.empty();
    input.source = input.is_named ? name : unnamed(input);
    inputs_.push_back(std::move(input));
  }

  void add_path(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
      return add_fault(path, errno == ENOENT
                                 ? "there is no file " + path + ": give the path of a video, a picture or a folder"
                                 : path + " cannot be opened: " + std::strerror(errno));
    if (S_ISDIR(status.st_mode)) return add_directory(path);
    if (S_ISCHR(status.st_mode) && path.starts_with("/dev/video")) return add_address("v4l2://" + path);
    if (!S_ISREG(status.st_mode))
      return add_fault(path, path + " is neither a file nor a folder: give the path of a video or a picture");
    if (::access(path.c_str(), R_OK) != 0)
      return add_fault(path, path + " cannot be read: permission denied; change its permissions (chmod +r) or copy it");
    if (status.st_size == 0) return add_fault(path, path + " is empty: give a video or a picture");
    is_picture(path) ? add_picture(path) : add_video(path);
  }

  // By its extension, or by its first bytes if the extension is unknown.
  static bool is_picture(const std::string& path) {
    if (ends_in(path, kPictureEndings)) return true;
    return !ends_in(path, kVideoEndings) && cv::haveImageReader(path);
  }

  void add_picture(const std::string& path) {
    if (!pictures_) {
      pictures_ = inputs_.size();
      inputs_.emplace_back().kind = InputKind::kPictures;
    }
    Input& input = inputs_[*pictures_];
    input.files.push_back(path);
    input.name = input.files.size() == 1 ? readable(path) : std::to_string(input.files.size()) + " pictures";
  }

  void add_video(const std::string& path) {
    Input input;
    input.kind = live_ ? InputKind::kLive : InputKind::kVideo;
    input.name = readable(path);
    input.path = path;
    const std::string absolute = fs::absolute(path).lexically_normal().string();
    char* uri = g_filename_to_uri(absolute.c_str(), nullptr, nullptr);
    input.uri = uri ? uri : "";
    g_free(uri);
    inputs_.push_back(std::move(input));
  }

  // Copied to an unnamed file: it is probed before it is played, and an MP4 may have its index at its end.
  void add_standard_input() {
    if (std::exchange(has_standard_input_, true))
      return add_fault("-", "- is standard input, which can be read only once: give it once");
    if (::isatty(STDIN_FILENO) == 1)
      return add_fault("-",
                       "- reads a video from standard input, which is a terminal: use it behind a pipe, as in cat "
                       "clip.mp4 | gst-bcp run -");
    const Result<int> copy = copy_of(STDIN_FILENO);
    if (!copy) return add_fault("stdin", copy.error().message);
    Input input;
    input.kind = live_ ? InputKind::kLive : InputKind::kVideo;
    input.name = "stdin";
    input.uri = "file:///proc/self/fd/" + std::to_string(*copy);
    inputs_.push_back(std::move(input));
  }

  void add_directory(const std::string& directory) {
    std::error_code error;
    std::vector<std::string> files, folders;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with('.')) continue;
      std::error_code ignored;
      if (it->is_directory(ignored))
        folders.push_back(it->path().string());
      else if (it->is_regular_file(ignored) &&
               (ends_in(it->path(), kPictureEndings) || ends_in(it->path(), kVideoEndings)))
        files.push_back(it->path().string());
    }
    if (error) return add_fault(directory, "the folder " + directory + " cannot be read: " + error.message());
    std::sort(files.begin(), files.end(), natural_less);
    for (const std::string& file : files) add_path(file);
    if (recursive_) {
      std::sort(folders.begin(), folders.end(), natural_less);
      for (const std::string& folder : folders)
        if (!fs::is_symlink(folder, error)) add_directory(folder);  // a link may lead back up
    } else if (files.empty()) {
      add_fault(directory, "there is neither a video nor a picture in " + directory +
                               (folders.empty() ? ": give a folder with videos or pictures"
                                                : ": add --recursive to include its subfolders"));
    }
  }

  const bool live_, recursive_;
  std::vector<Input> inputs_;
  std::optional<std::size_t> pictures_;  // where in inputs_
  bool has_standard_input_ = false;
  int cameras_ = 0, videos_ = 0;  // without a name
};

}  // namespace

Result<std::vector<Input>> find_inputs(const std::vector<std::string>& given, bool live, bool recursive) {
  Finder finder(live, recursive);
  for (const std::string& one : given) finder.add(one);
  std::vector<Input> inputs = finder.take();
  if (inputs.empty())
    return Error{ErrorCode::kNotFound, "there is neither a video nor a picture in " + given.front() +
                                           " and its subfolders: give a folder with videos or pictures"};
  return inputs;
}

std::string readable(const std::string& name) {
  const gst::CharPtr valid(g_utf8_make_valid(name.c_str(), static_cast<gssize>(name.size())));
  return valid.get();
}

std::string short_name(const Input& input) {
  return input.path.empty() ? input.name : readable(fs::path(input.path).filename().string());
}

std::vector<std::string> files_of(const std::vector<Input>& inputs) {
  std::vector<std::string> files;
  for (const Input& input : inputs) {
    if (!input.path.empty()) files.push_back(input.path);
    files.insert(files.end(), input.files.begin(), input.files.end());
  }
  return files;
}

}  // namespace bcp::cli::run
