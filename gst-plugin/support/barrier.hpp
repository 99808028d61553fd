// SPDX-License-Identifier: LGPL-2.1-or-later
// Stops C++ exceptions before they reach the C code of GStreamer.
//
// Every virtual function of an element runs its body through barrier(). An exception through C frames would end the
// process, or leave the pad's stream lock held for ever.

#pragma once

#include <gst/gst.h>

#include <exception>
#include <utility>

#include "support/bus.hpp"

namespace bcp::gst {

// Returns fn(). If fn throws, posts one bus error with the exception's text and returns `fallback`. `object` is the
// element, of any class. Call it with no lock held. A lambda that returns both TRUE and FALSE needs `-> gboolean`.
template <typename Object, typename T, typename Fn>
T barrier(Object* object, T fallback, Fn&& fn) noexcept {
  const auto report = [object](const char* what) {
    GstElement* element = GST_ELEMENT_CAST(object);
    // Formatted by GLib, which cannot throw.
    gst_element_message_full(element, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
                             g_strdup_printf("Unexpected error in %s: %s. Please report it with the output of "
                                             "GST_DEBUG=bcp*:6.",
                                             GST_OBJECT_NAME(element), what),
                             nullptr, __FILE__, "barrier", __LINE__);
  };
  try {
    return static_cast<T>(std::forward<Fn>(fn)());
  } catch (const std::exception& e) {
    report(e.what());
  } catch (...) {
    report("an exception of unknown type");
  }
  return fallback;
}

// The same for functions that return nothing.
template <typename Object, typename Fn>
void barrier(Object* object, Fn&& fn) noexcept {
  barrier(object, 0, [&fn] {
    std::forward<Fn>(fn)();
    return 0;
  });
}

}  // namespace bcp::gst
