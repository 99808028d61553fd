// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/labelled/voc_xml.hpp"

#include <glib.h>

#include <memory>
#include <string_view>

#include "base/file.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kMaxXmlFile = std::size_t{16} << 20;

struct Reading {
  VocAnnotation annotation;
  std::string place;  // "/annotation/object/name"
  std::string text;
  bool is_annotation = false;
};

void begin(GMarkupParseContext*, const char* element, const char**, const char**, void* data, GError**) {
  auto& reading = *static_cast<Reading*>(data);
  reading.place.append("/").append(element);
  reading.text.clear();
  if (reading.place == "/annotation") reading.is_annotation = true;
}

void add_text(GMarkupParseContext*, const char* text, std::size_t length, void* data, GError**) {
  static_cast<Reading*>(data)->text.append(text, length);
}

void end(GMarkupParseContext*, const char* element, void* data, GError**) {
  auto& reading = *static_cast<Reading*>(data);
  if (reading.place == "/annotation/filename") reading.annotation.filename = reading.text;
  if (reading.place == "/annotation/object/name") reading.annotation.objects.push_back(reading.text);
  reading.place.resize(reading.place.size() - std::string_view(element).size() - 1);
  reading.text.clear();
}

}  // namespace

Result<VocAnnotation> read_voc_xml(const std::string& path) {
  const Result<std::string> bytes = read_file(path, kMaxXmlFile);
  if (!bytes) return bytes.error();
  Reading reading;
  const GMarkupParser parser{begin, end, add_text, nullptr, nullptr};
  const std::unique_ptr<GMarkupParseContext, decltype(&g_markup_parse_context_free)> context(
      g_markup_parse_context_new(&parser, G_MARKUP_DEFAULT_FLAGS, &reading, nullptr), g_markup_parse_context_free);
  GError* error = nullptr;
  const bool parsed =
      g_markup_parse_context_parse(context.get(), bytes->data(), static_cast<gssize>(bytes->size()), &error) &&
      g_markup_parse_context_end_parse(context.get(), &error);
  const std::unique_ptr<GError, decltype(&g_error_free)> owner(error, g_error_free);
  if (!parsed)
    return Error{ErrorCode::kInvalid, path + " is not valid XML (" + error->message + "): export the annotation again"};
  if (!reading.is_annotation)
    return Error{ErrorCode::kInvalid,
                 path +
                     " is XML, but not a PASCAL VOC annotation (<annotation> with <object> in it): "
                     "export the annotations as \"PASCAL VOC\", or move other XML files to another folder"};
  return std::move(reading.annotation);
}

}  // namespace bcp::cli
