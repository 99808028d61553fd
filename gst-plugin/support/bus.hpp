// SPDX-License-Identifier: LGPL-2.1-or-later
// Posts errors, warnings and infos on the bus: one message for each fault.
//
// Call these with no lock held: posting takes the object lock, and a synchronous bus handler may call back into the
// element.

#pragma once

#include <gst/gst.h>

#include <string>

#include "base/result.hpp"

namespace bcp::gst {

// The source location that a message names. (clang 14 does not support std::source_location.)
struct Where {
  const char* file;
  const char* function;
  int line;

  explicit Where(const char* fi = __builtin_FILE(), const char* fu = __builtin_FUNCTION(), int l = __builtin_LINE())
      : file(fi), function(fu), line(l) {}
};

// The error code that applications check. Converts from an ErrorCode; give it explicitly if GStreamer has a more
// specific code.
struct BusCode {
  GQuark domain;
  gint code;

  BusCode(GQuark d, gint c) : domain(d), code(c) {}
  BusCode(ErrorCode error) {  // NOLINT: an error code is a bus code
    switch (error) {
      case ErrorCode::kNotFound:
        *this = {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND};
        return;
      case ErrorCode::kInvalid:
        *this = {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS};
        return;
      case ErrorCode::kUnsupported:
        *this = {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT};
        return;
      case ErrorCode::kRuntime:
        break;
    }
    *this = {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED};
  }
};

inline void post(GstElement* element, GstMessageType type, BusCode code, const char* message,
                 const Where& where = Where(), const char* debug = nullptr) {
  gst_element_message_full(element, type, code.domain, code.code, g_strdup(message), g_strdup(debug), where.file,
                           where.function, where.line);
}

// The element cannot continue: the pipeline stops.
inline void post_error(GstElement* element, const Error& error, const Where& where = Where()) {
  post(element, GST_MESSAGE_ERROR, error.code, error.message.c_str(), where);
}

// Something is lost, but the video continues.
inline void post_warning(GstElement* element, const Error& error, const Where& where = Where()) {
  post(element, GST_MESSAGE_WARNING, error.code, error.message.c_str(), where);
}

// Information; nothing is lost. The code says whether the user may want to change something (SETTINGS, which gst-bcp
// run prints) or not (INIT: which provider was chosen, and why). gst-launch-1.0 prints only the debug text of infos, so
// the debug text repeats the message.
inline void post_info(GstElement* element, const std::string& message, const Where& where = Where(),
                      GstLibraryError code = GST_LIBRARY_ERROR_SETTINGS) {
  post(element, GST_MESSAGE_INFO, {GST_LIBRARY_ERROR, code}, message.c_str(), where, message.c_str());
}

}  // namespace bcp::gst
