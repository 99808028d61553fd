// SPDX-License-Identifier: LGPL-2.1-or-later
// bcptagger and frames outside system memory: DMABuf that can be mapped, memory that cannot, and caps negotiation.
// GL memory: tests/pipelines/gl.sh.

#include <gst/allocators/gstdmabuf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "async_support.hpp"
#include "gate.hpp"

namespace bcp::test {
namespace {

constexpr const char* kDmaBuf = "video/x-raw(memory:DMABuf),format=RGB,width=64,height=48,framerate=25/1";

// The frame's bytes behind a file descriptor, as drivers provide them.
gst::BufferPtr dmabuf_frame(Colour colour, GstClockTime pts) {
  gst::BufferPtr plain = frame(colour, pts);
  const gsize size = gst_buffer_get_size(plain.get());
  const int fd = memfd_create("frame", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
  GstMapInfo map;
  gst_buffer_map(plain.get(), &map, GST_MAP_READ);
  EXPECT_EQ(write(fd, map.data, size), static_cast<ssize_t>(size));
  gst_buffer_unmap(plain.get(), &map);
  static GstAllocator* const allocator = gst_dmabuf_allocator_new();
  GstMemory* memory = gst_dmabuf_allocator_alloc(allocator, fd, size);  // takes the descriptor
  EXPECT_TRUE(gst_is_dmabuf_memory(memory));
  gst_buffer_replace_all_memory(plain.get(), memory);
  return plain;
}

bool offers(GstElement* tagger, const char* memory) {
  const gst::PadPtr sink(gst_element_get_static_pad(tagger, "sink"));
  const gst::CapsPtr caps(gst_pad_query_caps(sink.get(), nullptr));
  for (guint i = 0; i < gst_caps_get_size(caps.get()); ++i)
    if (gst_caps_features_contains(gst_caps_get_features(caps.get(), i), memory)) return true;
  return false;
}

TEST(BcpTaggerMemory, ScoresDmaBufThatCanBeMappedAndPassesItUnchanged) {
  for (const char* mode : {"mode=sync", "mode=async"}) {
    Tagger tagger(mode);
    tagger.caps(kDmaBuf);
    gst::BufferPtr in = dmabuf_frame(kGreen, 0);
    const GstMemory* memory = gst_buffer_peek_memory(in.get(), 0);
    auto out = tagger.push(std::move(in));
    EXPECT_EQ(gst_buffer_peek_memory(out.get(), 0), memory);
    await_scored(tagger, 1);
    out = tagger.push(dmabuf_frame(kGreen, at(1)));
    EXPECT_EQ(best(out.get()), "green") << mode;
    EXPECT_TRUE(gst_is_dmabuf_memory(gst_buffer_peek_memory(out.get(), 0)));
    EXPECT_EQ(tagger.stat<int>("faults"), 0);
  }
}

TEST(BcpTaggerMemory, ThatCannotBeMappedIsOneWarningAndTheVideoContinues) {
  for (const char* mode : {"mode=sync", "mode=async"}) {
    Tagger tagger(mode);
    tagger.caps("video/x-raw(memory:GLMemory),format=RGB,width=64,height=48,framerate=25/1");
    for (int i = 0; i < 3; ++i) {
      const auto out = tagger.push(Gate::unreadable(at(i)));
      ASSERT_TRUE(out);
      EXPECT_EQ(meta_of(out), nullptr);
    }
    EXPECT_EQ(tagger.stat<int>("faults"), 3) << mode;
    const auto faults = tagger.faults();
    ASSERT_EQ(faults.size(), 1U) << mode;
    EXPECT_EQ(faults[0].type, GST_MESSAGE_WARNING);
    if (mode == std::string("mode=sync")) {
      EXPECT_NE(faults[0].text.find("BcpTestGate"), std::string::npos) << faults[0].text;
      EXPECT_NE(faults[0].text.find("gldownload"), std::string::npos) << faults[0].text;
    }
  }
}

TEST(BcpTaggerMemory, TakesEveryKindThatCanBeMapped) {
  Tagger tagger;
  for (const char* memory : {"memory:SystemMemory", "memory:GLMemory", "memory:CUDAMemory", "memory:DMABuf"})
    for (const char* overlay : {"", ",meta:GstVideoOverlayComposition"}) {
      const std::string caps = std::string("video/x-raw(") + memory + overlay + "),format=RGBA,width=64,height=48";
      const gst::CapsPtr wanted(gst_caps_from_string(caps.c_str()));
      const gst::PadPtr sink(gst_element_get_static_pad(tagger.element(), "sink"));
      EXPECT_TRUE(gst_pad_query_accept_caps(sink.get(), wanted.get())) << caps;
    }
}

// Many decoders would send DMABuf that cannot be mapped, although they also support system memory.
TEST(BcpTaggerMemory, OffersDmaBufOnlyIfUpstreamHasNothingElse) {
  const gst::ElementPtr alone(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("bcptagger", nullptr))));
  EXPECT_TRUE(offers(alone.get(), "memory:DMABuf"));
  const auto linked = pipeline("videotestsrc ! queue ! bcptagger name=tagger ! fakesink");
  EXPECT_FALSE(offers(child(linked, "tagger").get(), "memory:DMABuf"));
  EXPECT_TRUE(offers(child(linked, "tagger").get(), "memory:GLMemory"));
  const auto only =
      pipeline("fakesrc ! capsfilter caps=video/x-raw(memory:DMABuf),format=NV12 ! bcptagger name=tagger ! fakesink");
  EXPECT_TRUE(offers(child(only, "tagger").get(), "memory:DMABuf"));
}

// They do not read pixels.
TEST(BcpTaggerMemory, PublisherAndSubtitlesTakeAnyMemoryAndSoDoesTheOverlay) {
  for (const char* name : {"bcppublish", "bcpsubtitle", "bcpoverlay"}) {
    const gst::ElementPtr element(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make(name, nullptr))));
    const gst::PadPtr sink(gst_element_get_static_pad(element.get(), "sink"));
    for (const char* memory : {"GLMemory", "DMABuf", "CUDAMemory", "VAMemory"}) {
      const std::string caps =
          std::string("video/x-raw(memory:") + memory + "),format=NV12,width=64,height=48,framerate=25/1";
      const gst::CapsPtr wanted(gst_caps_from_string(caps.c_str()));
      EXPECT_TRUE(gst_pad_query_accept_caps(sink.get(), wanted.get())) << name << " " << caps;
    }
  }
}

}  // namespace
}  // namespace bcp::test
