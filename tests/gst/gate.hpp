// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames whose pixels cannot be read until a gate opens: the thread that scores one blocks until then.

#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <mutex>

#include "tagger_support.hpp"

namespace bcp::test {

class Gate {
 public:
  ~Gate() { open(); }

  // A frame as made by frame(), behind this gate. REQUIRES: the gate outlives it.
  gst::BufferPtr frame(Colour colour, GstClockTime pts) {
    gst::BufferPtr plain = test::frame(colour, pts);
    GstMemory* pixels = gst_buffer_get_memory(plain.get(), 0);
    auto* memory = g_new0(Memory, 1);
    gst_memory_init(GST_MEMORY_CAST(memory), GST_MEMORY_FLAG_READONLY, allocator(), nullptr, pixels->maxsize, 0, 0,
                    pixels->size);
    memory->pixels = pixels;
    memory->gate = this;
    gst_buffer_replace_all_memory(plain.get(), GST_MEMORY_CAST(memory));
    return plain;
  }

  // A frame that can never be read or shared.
  static gst::BufferPtr unreadable(GstClockTime pts) {
    gst::BufferPtr buffer = Gate().frame(kRed, pts);
    GstMemory* memory = gst_buffer_peek_memory(buffer.get(), 0);
    reinterpret_cast<Memory*>(memory)->gate = nullptr;
    GST_MINI_OBJECT_FLAG_SET(memory, GST_MEMORY_FLAG_NO_SHARE);
    return buffer;
  }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // Waits until a thread waits at the gate.
  void await_reader() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(30), [this] { return readers_ > 0; }))
        << "no thread reads";
  }

 private:
  struct Memory {
    GstMemory base;
    GstMemory* pixels;
    GstMapInfo map;
    Gate* gate;
  };

  void pass() {
    std::unique_lock lock(mutex_);
    ++readers_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    --readers_;
  }

  static gpointer map(GstMemory* base, gsize, GstMapFlags) {
    auto* memory = reinterpret_cast<Memory*>(base);
    if (!memory->gate) return nullptr;
    memory->gate->pass();
    return gst_memory_map(memory->pixels, &memory->map, GST_MAP_READ) ? memory->map.data : nullptr;
  }
  static void unmap(GstMemory* base) {
    auto* memory = reinterpret_cast<Memory*>(base);
    gst_memory_unmap(memory->pixels, &memory->map);
  }

  static GstAllocator* allocator();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int readers_ = 0;
};

struct GateAllocator {
  GstAllocator base;
};
struct GateAllocatorClass {
  GstAllocatorClass base;
};

inline GstAllocator* Gate::allocator() {
  static GstAllocator* const instance = [] {
    const GType type = g_type_register_static_simple(
        GST_TYPE_ALLOCATOR, "BcpTestGateAllocator", sizeof(GateAllocatorClass),
        [](gpointer klass, gpointer) {
          GST_ALLOCATOR_CLASS(klass)->free = [](GstAllocator*, GstMemory* base) {
            gst_memory_unref(reinterpret_cast<Memory*>(base)->pixels);
            g_free(base);
          };
        },
        sizeof(GateAllocator),
        [](GTypeInstance* self, gpointer) {
          GstAllocator* made = GST_ALLOCATOR_CAST(self);
          made->mem_type = "BcpTestGate";
          made->mem_map = Gate::map;
          made->mem_unmap = Gate::unmap;
          GST_OBJECT_FLAG_SET(made, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
        },
        static_cast<GTypeFlags>(0));
    return GST_ALLOCATOR(g_object_new(type, nullptr));
  }();
  return instance;
}

}  // namespace bcp::test
