// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/stream.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bcp::eval {
namespace {

constexpr std::size_t kWidest = 1'000'000;
constexpr double kShortest = 1e-6;  // a shorter embedding has no usable direction

Error refuse(std::string message) {
  return Error{ErrorCode::kInvalid, std::move(message)};
}

std::string shape_of(const NpyReader& file) {
  std::string text;
  for (const std::size_t side : file.shape()) text += (text.empty() ? "[" : ", ") + std::to_string(side);
  return text.empty() ? "[]" : text + "]";
}

// An array of rows: `meaning` describes its two dimensions.
Result<NpyReader> open_matrix(const std::string& path, const std::string& meaning) {
  Result<NpyReader> file = NpyReader::open(path);
  if (!file) return file.error();
  if (file->shape().size() != 2)
    return refuse(path + " has the shape " + shape_of(*file) + ", but " + meaning +
                  " is needed: give it two dimensions with numpy.reshape()");
  if (file->width() > kWidest)
    return refuse(path + " has the shape " + shape_of(*file) + ", but rows may have at most " +
                  std::to_string(kWidest) + " numbers (" + meaning + " is needed): if it is transposed, save a.T");
  return file;
}

Result<NpyReader> open_embeddings(const std::string& path) {
  return open_matrix(path, "[pictures, numbers of an embedding]");
}

Status read_finite(NpyReader& file, std::size_t row, std::span<double> out) {
  if (Status read = file.row(row, out); !read) return read;
  const auto bad = std::find_if_not(out.begin(), out.end(), [](double x) { return std::isfinite(x); });
  if (bad == out.end()) return ok();
  return refuse(file.path() + " has " + (std::isnan(*bad) ? "NaN" : "infinity") + " in row " + std::to_string(row) +
                ", column " + std::to_string(bad - out.begin()) +
                " (counted from 0): compute that row again, or remove it from every file");
}

// With unit length.
Status read_unit(NpyReader& file, std::size_t row, std::vector<double>& scratch, float* out) {
  scratch.resize(file.width());
  if (Status read = read_finite(file, row, scratch); !read) return read;
  double squares = 0;
  for (const double x : scratch) squares += x * x;
  const double length = std::sqrt(squares);
  if (!(length > kShortest) || !std::isfinite(length))
    return refuse(file.path() + " has an embedding of length " + (length > 1 ? "infinity" : "0") + " in row " +
                  std::to_string(row) + " (counted from 0): compute that row again, or remove it from every file");
  std::transform(scratch.begin(), scratch.end(), out, [&](double x) { return static_cast<float>(x / length); });
  return ok();
}

std::string with_count(std::size_t number, const std::string& what) {
  return std::to_string(number) + " " + what;
}

}  // namespace

Result<clip::TextMatrix> load_text(const std::string& path) {
  Result<NpyReader> file = open_matrix(path, "[words, numbers of an embedding]");
  if (!file) return file.error();
  clip::TextMatrix text(file->rows(), file->width());
  std::vector<double> scratch;
  for (std::size_t k = 0; k < file->rows(); ++k) {
    const Status read = read_unit(*file, k, scratch, text.row(static_cast<Eigen::Index>(k)).data());
    if (!read) return read.error();
  }
  return text;
}

Result<Stream> Stream::open(const StreamFiles& files) {
  if (files.logits.empty() && files.embeddings.empty())
    return refuse(
        "there is nothing to score: give an array of logits, or arrays of embeddings and of the labels' text");
  if (files.embeddings.empty() && !files.text.empty())
    return refuse(files.text +
                  " has embeddings of labels, but those of pictures are missing: give them too, or remove this file");
  if (files.logits.empty() && files.text.empty())
    return refuse(files.embeddings + " has embeddings of pictures, but those of labels are missing: give them too");
  Stream stream;
  stream.scale_ = files.scale;
  if (!files.embeddings.empty()) {
    Result<NpyReader> file = open_embeddings(files.embeddings);
    if (!file) return file.error();
    stream.embeddings_ = std::move(*file);
  }
  if (!files.text.empty()) {
    Result<clip::TextMatrix> text = load_text(files.text);
    if (!text) return text.error();
    stream.text_ = std::move(*text);
    const std::size_t width = stream.embeddings_->width(), text_width = static_cast<std::size_t>(stream.text_.cols());
    if (width != text_width)
      return refuse(files.embeddings + " has embeddings of " + with_count(width, "numbers, but ") + files.text +
                    " of " + std::to_string(text_width) + ": take both from the same model");
  }
  if (!files.logits.empty()) {
    Result<NpyReader> file = open_matrix(files.logits, "[pictures, labels]");
    if (!file) return file.error();
    stream.logits_ = std::move(*file);
    const std::size_t samples = stream.logits_->rows(), labels = stream.logits_->width();
    if (stream.embeddings_ && stream.embeddings_->rows() != samples)
      return refuse(files.logits + " has " + with_count(samples, "rows, but ") + files.embeddings + " has " +
                    std::to_string(stream.embeddings_->rows()) + ": both must have one row per picture");
    if (stream.has_text() && static_cast<std::size_t>(stream.text_.rows()) != labels)
      return refuse(files.logits + " has " + with_count(labels, "columns, but ") + files.text + " has " +
                    std::to_string(stream.text_.rows()) + " rows: both must have one per label");
  }
  stream.scores_.resize(stream.labels());
  return stream;
}

Result<Stream> Stream::open(const std::string& embeddings, clip::TextMatrix text, double scale) {
  Result<NpyReader> file = open_embeddings(embeddings);
  if (!file) return file.error();
  if (static_cast<std::size_t>(text.cols()) != file->width())
    return refuse(embeddings + " has embeddings of " + with_count(file->width(), "numbers, but the labels' have ") +
                  std::to_string(text.cols()) + ": take both from the same model");
  Stream stream;
  stream.embeddings_ = std::move(*file);
  stream.text_ = std::move(text);
  stream.scale_ = scale;
  stream.scores_.resize(stream.labels());
  return stream;
}

std::size_t Stream::samples() const {
  return logits_ ? logits_->rows() : embeddings_->rows();
}

std::size_t Stream::labels() const {
  return logits_ ? logits_->width() : static_cast<std::size_t>(text_.rows());
}

bool Stream::has_embeddings() const {
  return embeddings_.has_value();
}

bool Stream::has_text() const {
  return text_.size() > 0;
}

Labels Stream::text() const {
  return {.count = labels(),
          .width = embeddings_ ? embeddings_->width() : 0,
          .text = {text_.data(), static_cast<std::size_t>(text_.size())},
          .scale = scale_};
}

Result<Sample> Stream::sample(std::size_t t) {
  if (embeddings_) {
    unit_.resize(embeddings_->width());
    if (const Status read = read_unit(*embeddings_, t, row_, unit_.data()); !read) return read.error();
  }
  if (!logits_) {
    clip::score(text_, unit_, scale_, scores_);
  } else if (const Status read = read_finite(*logits_, t, scores_); !read) {
    return read.error();
  }
  return Sample{scores_, unit_};
}

}  // namespace bcp::eval
