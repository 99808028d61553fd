// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/disk_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.hpp"

namespace bcp::cli::run {
namespace {

std::uint64_t big_endian(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8 | bytes[i];
  return number;
}

constexpr std::uint8_t kCluster[] = {0x1f, 0x43, 0xb6, 0x75};

}  // namespace

Result<std::unique_ptr<DiskFile>> DiskFile::create(const std::string& path, Layout layout,
                                                   std::vector<std::string> beside) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.is_open()) return system_error("cannot create", path, errno);
  sync_folder_of(path);
  std::unique_ptr<DiskSync> sync = DiskSync::start(path, DiskSync::When::kAsked, std::move(beside));
  if (!sync) return system_error("cannot open", path, errno);
  return std::unique_ptr<DiskFile>(new DiskFile(path, std::move(file), layout, std::move(sync)));
}

bool DiskFile::sync() {
  sync_->request();
  return fault() == 0;
}

int DiskFile::fault() const {
  const int number = fault_;
  return number != 0 ? number : sync_->fault();
}

bool DiskFile::write(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  if (fault() != 0) return false;
  const bool appends = offset == bytes_;
  // A cluster that begins ends the one before.
  if (appends && layout_ == Layout::kMkv && bytes.size() >= sizeof kCluster &&
      std::equal(std::begin(kCluster), std::end(kCluster), bytes.begin())) {
    if (std::exchange(has_index_, true)) {  // else only the header is in front of it
      whole_ = offset;
      if (!sync()) return false;
    }
  }
  if (!file_.write_at(bytes.data(), bytes.size(), offset)) {
    fault_ = errno;
    return false;
  }
  bytes_ = std::max<std::uint64_t>(bytes_, offset + bytes.size());
  // What is written again (lengths, an index) does not change which fragments are whole.
  return !appends || layout_ != Layout::kMp4 || follow_boxes(bytes);
}

// A file is a row of boxes; a fragment is whole when its mdat is.
bool DiskFile::follow_boxes(std::span<const std::uint8_t> bytes) {
  std::uint64_t at = bytes_ - bytes.size();
  while (!bytes.empty()) {
    if (left_ > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      left_ -= part;
      at += part;
      bytes = bytes.subspan(part);
    } else {
      header_[header_size_++] = bytes.front();
      ++at;
      bytes = bytes.subspan(1);
      const bool is_long = header_size_ >= 8 && big_endian(header_, 4) == 1;
      if (header_size_ < (is_long ? 16U : 8U)) continue;
      const std::uint64_t size = is_long ? big_endian(header_ + 8, 8) : big_endian(header_, 4);
      left_ = size > header_size_ ? size - header_size_ : 0;
      is_data_ = std::memcmp(header_ + 4, "mdat", 4) == 0;
      has_index_ |= std::memcmp(header_ + 4, "moov", 4) == 0;
      header_size_ = 0;
    }
    if (left_ == 0 && header_size_ == 0 && is_data_ && has_index_) {
      whole_ = at;
      if (!sync()) return false;
    }
  }
  return true;
}

Status DiskFile::finish() {
  if (fault() == 0 && ::fsync(file_.get()) != 0) fault_ = errno;
  if (!file_.close() && fault() == 0) fault_ = errno;
  if (fault() != 0) return system_error("cannot write", path_, fault());
  whole_ = bytes_.load();
  return ok();
}

bool DiskFile::cut() {
  if (whole_ > 0) {
    if (::ftruncate(file_.get(), static_cast<off_t>(whole_.load())) == 0) bytes_ = whole_.load();
    ::fsync(file_.get());
  } else {
    ::unlink(path_.c_str());
  }
  file_.close();
  return whole_ > 0;
}

}  // namespace bcp::cli::run
