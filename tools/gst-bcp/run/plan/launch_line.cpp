// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/launch_line.hpp"

#include <cctype>

#include "gst-bcp/common/address.hpp"

namespace bcp::cli::run {
namespace {

// As GStreamer serialises strings: in quotes, and plain ASCII.
std::string serialized(const std::string& value) {
  GValue text = G_VALUE_INIT;
  g_value_init(&text, G_TYPE_STRING);
  g_value_set_string(&text, value.c_str());
  const gst::CharPtr written(gst_value_serialize(&text));
  g_value_unset(&text);
  return written ? written.get() : value;
}

// Escapes a value so that gst-launch-1.0, given "property=VALUE" as one argument, sets exactly this value. GStreamer
// puts a backslash before each space of an argument, but not after a double quote; its parser then removes one
// backslash before any character. A text that begins with a quote is parsed again, as a quoted string.
std::string escaped_word(const std::string& value) {
  // A backslash does not escape line ends either, and a backslash at the end joins the next text to the value.
  const bool again =
      value.starts_with('"') || value.ends_with('\\') || value.find_first_of("\n\t") != std::string::npos;
  const std::string text = again ? serialized(value) : value;
  std::string out;
  bool behind_quote = false;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
    if (c == ' ' ? behind_quote : !plain && std::string_view("_-./:%,;=()+~@").find(c) == std::string_view::npos)
      out += '\\';
    out += c;
    if (c == '"') behind_quote = true;
  }
  return out.empty() ? "\"\"" : out;
}

// Quoted for a POSIX shell, only where needed.
std::string shell_quoted(const std::string& argument) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:%,=+@!").find(c) != std::string_view::npos;
  };
  bool quote = argument.empty() || (argument != "!" && argument.find('!') != std::string::npos);
  for (const char c : argument) quote |= !plain(c);
  if (!quote) return argument;
  std::string text = "'";
  for (const char c : argument) {
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  }
  return text + "'";
}

}  // namespace

void LaunchLine::link() {
  if (!begins_) arguments_.emplace_back("!");
  begins_ = false;
}

LaunchLine& LaunchLine::element(const std::string& factory) {
  link();
  arguments_.push_back(factory);
  return *this;
}

LaunchLine& LaunchLine::set(const std::string& property, const std::string& value) {
  arguments_.push_back(property + "=" + escaped_word(value));
  return *this;
}

LaunchLine& LaunchLine::caps(const std::string& caps) {
  link();
  arguments_.push_back(caps);
  return *this;
}

LaunchLine& LaunchLine::branch(const std::string& from) {
  begins_ = from.empty();
  if (!from.empty()) arguments_.push_back(from + ".");
  return *this;
}

LaunchLine& LaunchLine::into(const std::string& name) {
  link();
  arguments_.push_back(name + ".");
  begins_ = true;
  return *this;
}

LaunchLine& LaunchLine::append(const LaunchLine& branches) {
  arguments_.insert(arguments_.end(), branches.arguments_.begin(), branches.arguments_.end());
  begins_ = branches.begins_;
  return *this;
}

LaunchLine LaunchLine::behind(const LaunchLine& first, const std::string& name) const {
  LaunchLine rest = *this;
  rest.arguments_.clear();
  for (std::size_t i = first.arguments_.size(); i < arguments_.size(); ++i) {
    if (arguments_[i] == name + ".")
      ++i;  // and the "!" behind it
    else
      rest.arguments_.push_back(arguments_[i]);
  }
  return rest;
}

std::string LaunchLine::printed() const {
  std::string text = "gst-launch-1.0 -e";
  for (const std::string& argument : arguments_) text.append(1, ' ').append(shell_quoted(argument));
  return without_secrets(text);
}

Result<gst::ElementPtr> LaunchLine::parse() const {
  return parse_as(GST_PARSE_FLAG_NONE);
}

Result<gst::ElementPtr> LaunchLine::parse_bin() const {
  return parse_as(GST_PARSE_FLAG_PLACE_IN_BIN);
}

Result<gst::ElementPtr> LaunchLine::parse_as(GstParseFlags flags) const {
  std::vector<const char*> arguments;
  for (const std::string& argument : arguments_) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);
  GError* fault = nullptr;
  gst::ElementPtr pipeline(gst_parse_launchv_full(arguments.data(), nullptr, flags, &fault));
  const gst::ErrorPtr owned(fault);
  if (fault) return Error{ErrorCode::kInvalid, without_secrets(fault->message)};
  gst_object_ref_sink(pipeline.get());
  return pipeline;
}

}  // namespace bcp::cli::run
