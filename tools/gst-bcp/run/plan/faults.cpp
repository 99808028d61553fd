// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/faults.hpp"

#include <cerrno>
#include <string_view>

#include "gst-bcp/common/address.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

// The first sentence of a text, ready to be put into another one.
std::string inner(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

std::string factory_of(GstObject* source) {
  if (!GST_IS_ELEMENT(source)) return {};
  GstElementFactory* factory = gst_element_get_factory(GST_ELEMENT(source));
  return factory ? GST_OBJECT_NAME(factory) : "";
}

bool is_ours(const std::string& factory) {
  return factory.starts_with("bcp");
}

std::string sentence_of(const std::string& name, const GError& error) {
  const std::string why = inner(error.message);
  const bool remote = is_address(name);
  if (error.domain == GST_RESOURCE_ERROR) {
    switch (error.code) {
      case GST_RESOURCE_ERROR_NOT_AUTHORIZED:
        return name + " rejects the user name or password: check them in the address (" + why + ")";
      case GST_RESOURCE_ERROR_NOT_FOUND:
      case GST_RESOURCE_ERROR_OPEN_READ:
      case GST_RESOURCE_ERROR_OPEN_READ_WRITE:
      case GST_RESOURCE_ERROR_READ:
        if (remote) return name + " cannot be reached: " + why + "; check the address, the network and the server";
        return name + " cannot be read: " + why;
      default:
        return name + " cannot be read: " + why;
    }
  }
  // The only message of some sources about a failed connection.
  if (remote && g_error_matches(&error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED))
    return name + " cannot be reached, or the connection broke: check the address, the network and the server";
  if (error.domain == GST_STREAM_ERROR) {
    switch (error.code) {
      case GST_STREAM_ERROR_TYPE_NOT_FOUND:
      case GST_STREAM_ERROR_WRONG_TYPE:
        return name +
               " is not a video that GStreamer can read: give a video file (gst-discoverer-1.0 shows the contents of a "
               "file)";
      case GST_STREAM_ERROR_DEMUX:
      case GST_STREAM_ERROR_DECODE:
        return name + " is damaged or truncated: " + why + "; copy or download it again";
      default:
        break;
    }
  }
  return name + " cannot be read: " + why;
}

}  // namespace

bool is_refusal(const GError& error) {
  return g_error_matches(&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED) != FALSE;
}

std::string reason_of(const GError& error) {
  return without_secrets(inner(error.message));
}

std::string input_fault(const std::string& name, const GError& error) {
  return without_secrets(sentence_of(name, error));
}

std::string read_note(GstMessage* message) {
  if (factory_of(GST_MESSAGE_SRC(message)) != "bcptagger") return {};
  GError* text = nullptr;
  gst_message_parse_info(message, &text, nullptr);
  const gst::ErrorPtr note(text);
  // The note about the execution provider is not useful in a run that works.
  if (!g_error_matches(note.get(), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS)) return {};
  return without_secrets(note->message);
}

std::string pipeline_fault(const std::string& name, const std::string& output, GstMessage* message) {
  GError* fault = nullptr;
  gchar* text = nullptr;
  gst_message_parse_error(message, &fault, &text);
  const gst::ErrorPtr error(fault);
  const gst::CharPtr debug(text);
  const std::string factory = factory_of(GST_MESSAGE_SRC(message));
  // An appsink has no errors of its own: the message is from the code that takes its frames.
  if (is_ours(factory) || factory == "appsink") return without_secrets(inner(error->message));
  if (!output.empty()) {
    // The muxer of .mp4 reports it only in the debug text.
    const bool full = debug && std::string_view(debug.get()).find(g_strerror(ENOSPC)) != std::string_view::npos;
    if (full || g_error_matches(error.get(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
      return output + " cannot be written: the disk is full; free some space";
    if (factory == "filesink" || factory.ends_with("mux"))
      return without_secrets(output + " cannot be written: " + inner(error->message));
    GstElementFactory* made_by = GST_IS_ELEMENT(GST_MESSAGE_SRC(message))
                                     ? gst_element_get_factory(GST_ELEMENT(GST_MESSAGE_SRC(message)))
                                     : nullptr;
    if (made_by && gst_element_factory_list_is_type(made_by, GST_ELEMENT_FACTORY_TYPE_ENCODER))
      return without_secrets(output + " cannot be encoded: " + inner(error->message) +
                             "; choose another encoder with --encoder, or another format");
  }
  return input_fault(name, *error);
}

}  // namespace bcp::cli::run
