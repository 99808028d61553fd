// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/media_look.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "base/descriptor.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::uint64_t kLargestIndex = 16 << 20;  // a moov or moof that is larger is not ours

// A part of a box that is in memory. Reads beyond its end are zero.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t size() const { return size_; }
  std::uint64_t number(std::size_t at, std::size_t count) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | (at + i < size_ ? data_[at + i] : 0);
    return value;
  }
  bool is(std::size_t at, const char* type) const { return at + 4 <= size_ && std::memcmp(data_ + at, type, 4) == 0; }
  Bytes part(std::size_t at, std::size_t count) const {
    at = std::min(at, size_);
    return {data_ + at, std::min(count, size_ - at)};
  }
  // Calls take(type, contents) for each box in it.
  template <typename Take>
  void boxes(Take take) const {
    for (std::size_t at = 0; at + 8 <= size_;) {
      const std::uint64_t size = number(at, 4);
      if (size < 8 || size > size_ - at) return;
      take(std::string(reinterpret_cast<const char*>(data_ + at + 4), 4), part(at + 8, size - 8));
      at += size;
    }
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

struct Track {
  std::uint64_t timescale = 0;
  double end = 0;
  bool is_video = false;
};
using Tracks = std::map<std::uint64_t, Track>;

void read_track(const Bytes& trak, Tracks& tracks, std::string& video) {
  std::uint64_t id = 0, timescale = 0, length = 0;
  bool is_video = false;
  trak.boxes([&](const std::string& type, const Bytes& box) {
    if (type == "tkhd") id = box.number(box.number(0, 1) == 1 ? 20 : 12, 4);
    if (type != "mdia") return;
    box.boxes([&](const std::string& inner, const Bytes& part) {
      if (inner == "mdhd") {
        const bool is_long = part.number(0, 1) == 1;
        timescale = part.number(is_long ? 20 : 12, 4);
        length = is_long ? part.number(24, 8) : part.number(16, 4);
      }
      if (inner == "hdlr") is_video = part.is(8, "vide");
      if (inner != "minf") return;
      part.boxes([&](const std::string& table, const Bytes& stbl) {
        if (table != "stbl") return;
        stbl.boxes([&](const std::string& list, const Bytes& stsd) {
          if (list != "stsd") return;
          if (stsd.is(12, "avc1") || stsd.is(12, "avc3")) video = "H.264";
          if (stsd.is(12, "hvc1") || stsd.is(12, "hev1")) video = "H.265";
        });
      });
    });
  });
  if (timescale > 0) tracks[id] = {timescale, static_cast<double>(length) / static_cast<double>(timescale), is_video};
}

// Whether it has pictures.
bool read_fragment(const Bytes& moof, Tracks& tracks) {
  bool has_video = false;
  moof.boxes([&](const std::string& type, const Bytes& traf) {
    if (type != "traf") return;
    std::uint64_t id = 0, usual = 0, base = 0, length = 0;
    traf.boxes([&](const std::string& inner, const Bytes& box) {
      const std::uint64_t flags = box.number(1, 3);
      if (inner == "tfhd") {
        id = box.number(4, 4);
        const std::size_t at = 8 + ((flags & 1) ? 8 : 0) + ((flags & 2) ? 4 : 0);
        if (flags & 8) usual = box.number(at, 4);
      } else if (inner == "tfdt") {
        base = box.number(0, 1) == 1 ? box.number(4, 8) : box.number(4, 4);
      } else if (inner == "trun") {
        const std::uint64_t count = box.number(4, 4);
        const std::size_t at = 8 + ((flags & 1) ? 4 : 0) + ((flags & 4) ? 4 : 0);
        const std::size_t step =
            4 * (((flags >> 8) & 1) + ((flags >> 9) & 1) + ((flags >> 10) & 1) + ((flags >> 11) & 1));
        if (!(flags & 0x100)) {
          length += count * usual;
        } else {
          for (std::uint64_t i = 0; i < count && at + i * step < box.size(); ++i)
            length += box.number(at + i * step, 4);
        }
      }
    });
    Track& track = tracks[id];
    has_video |= track.is_video;
    if (track.timescale > 0)
      track.end = std::max(track.end, static_cast<double>(base + length) / static_cast<double>(track.timescale));
  });
  return has_video;
}

struct OpenFile {
  Descriptor file;
  std::uint64_t size = 0;
};

Result<OpenFile> open_to_read(const std::string& path) {
  OpenFile open{Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  struct stat known {};
  if (!open.file.is_open() || ::fstat(open.file.get(), &known) != 0) return system_error("cannot open", path, errno);
  open.size = static_cast<std::uint64_t>(known.st_size);
  return open;
}

// An id or a length of EBML: its value and its bytes. Ids keep their marker.
struct Ebml {
  std::uint64_t value = 0;
  std::size_t bytes = 0;
  bool is_unknown = false;
};

std::optional<Ebml> ebml_at(const OpenFile& open, std::uint64_t at, bool keep_marker) {
  std::array<std::uint8_t, 8> raw{};
  if (at >= open.size || !open.file.read_at(raw.data(), 1, at) || raw[0] == 0) return std::nullopt;
  std::size_t count = 1;
  while (!(raw[0] & (0x80 >> (count - 1)))) ++count;
  if (at + count > open.size || !open.file.read_at(raw.data(), count, at)) return std::nullopt;
  Ebml ebml{0, count, true};
  for (std::size_t i = 0; i < count; ++i) {
    const auto mask = static_cast<std::uint8_t>(i == 0 ? 0xff >> count : 0xff);
    if ((raw[i] & mask) != mask) ebml.is_unknown = false;
    ebml.value = ebml.value << 8 | (keep_marker ? raw[i] : raw[i] & mask);
  }
  return ebml;
}

}  // namespace

Result<MediaLook> look_at_mp4(const std::string& path) {
  const Result<OpenFile> open = open_to_read(path);
  if (!open) return open.error();
  MediaLook look;
  Tracks tracks, so_far;
  // A fragment of sound alone comes before that of the pictures: it cannot be played without them.
  bool has_data = false, has_pictures = true;
  std::vector<std::uint8_t> contents;
  for (std::uint64_t at = 0; at + 8 <= open->size;) {
    std::array<std::uint8_t, 16> raw{};
    if (!open->file.read_at(raw.data(), std::min<std::uint64_t>(16, open->size - at), at)) break;
    const Bytes header(raw.data(), raw.size());
    std::uint64_t size = header.number(0, 4), start = 8;
    if (size == 1) size = header.number(8, 8), start = 16;
    if (size < start || size > open->size - at) break;  // cut off
    const bool is_moov = header.is(4, "moov"), is_moof = header.is(4, "moof");
    if (is_moov || is_moof) {
      if (size > kLargestIndex) break;
      contents.resize(size - start);
      if (!open->file.read_at(contents.data(), contents.size(), at + start)) break;
      const Bytes box(contents.data(), contents.size());
      if (is_moof) {
        const bool has_video = read_fragment(box, tracks);
        has_pictures = has_video || std::none_of(tracks.begin(), tracks.end(),
                                                 [](const auto& track) { return track.second.is_video; });
      } else {
        box.boxes([&](const std::string& type, const Bytes& trak) {
          if (type == "trak") read_track(trak, tracks, look.video);
        });
      }
    }
    at += size;
    const bool is_data = header.is(4, "mdat");
    if (is_data && !tracks.empty() && has_pictures) {
      look.whole = at;
      so_far = tracks;
    } else if ((header.is(4, "mfra") && look.whole > 0) || (is_moov && has_data && look.whole == 0)) {
      look.whole = at;  // complete: mp4mux has put all fragments into one
      so_far = tracks;
    }
    has_data |= is_data;
  }
  for (const auto& [id, track] : so_far)
    if (track.is_video) look.seconds = std::max(look.seconds, track.end);
  return look;
}

Result<MediaLook> look_at_mkv(const std::string& path) {
  const Result<OpenFile> open = open_to_read(path);
  if (!open) return open.error();
  constexpr std::uint64_t kSegment = 0x18538067, kCluster = 0x1f43b675, kTime = 0xe7, kBlock = 0xa3, kGroup = 0xa0,
                          kGroupBlock = 0xa1, kTracks = 0x1654ae6b;
  MediaLook look;
  std::uint64_t cluster = 0, at = 0;
  while (at < open->size) {
    const std::optional<Ebml> id = ebml_at(*open, at, true);
    if (!id) break;
    const std::optional<Ebml> size = ebml_at(*open, at + id->bytes, false);
    if (!size) break;
    const std::uint64_t start = at + id->bytes + size->bytes;
    if (id->value == kSegment || id->value == kCluster || id->value == kGroup) {
      at = start;  // its contents are next
      continue;
    }
    if (size->is_unknown || size->value > open->size - start) break;  // cut off
    std::array<std::uint8_t, 8> raw{};
    const std::uint64_t count = std::min<std::uint64_t>(raw.size(), size->value);
    if (count > 0 && !open->file.read_at(raw.data(), count, start)) break;
    if (id->value == kTime) cluster = Bytes(raw.data(), count).number(0, count);
    if (id->value == kTracks && size->value < kLargestIndex) {
      std::string tracks(size->value, '\0');
      if (!open->file.read_at(tracks.data(), tracks.size(), start)) break;
      if (tracks.find("V_MPEG4/ISO/AVC") != std::string::npos) look.video = "H.264";
      if (tracks.find("V_MPEGH/ISO/HEVC") != std::string::npos) look.video = "H.265";
    }
    at = start + size->value;
    if (id->value != kBlock && id->value != kGroupBlock) continue;
    const Ebml track = ebml_at(*open, start, false).value_or(Ebml{0, 1});
    const auto offset = static_cast<std::int16_t>(Bytes(raw.data(), count).number(track.bytes, 2));
    look.seconds = std::max(look.seconds, (static_cast<double>(cluster) + offset) / 1000);  // milliseconds, by default
    look.whole = at;
  }
  // Complete: the index and the tags at its end are whole too.
  if (at == open->size && look.whole > 0) look.whole = at;
  return look;
}

}  // namespace bcp::cli::run
