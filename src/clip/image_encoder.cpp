// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/image_encoder.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "clip/bundle/limits.hpp"
#include "clip/embedding_test.hpp"
#include "clip/tensor_roles.hpp"
#include "clip/tower.hpp"
#include "onnx/halves.hpp"

namespace bcp::clip {
namespace {

// Pictures per run. More is not faster and needs more memory: a frame with 16 regions of 8 tiles each would take
// gigabytes.
constexpr std::size_t kMostInARun = 16;

using Vector = Eigen::Map<Eigen::VectorXf>;
using ConstVector = Eigen::Map<const Eigen::VectorXf>;

}  // namespace

struct ImageEncoder::Impl {
  std::unique_ptr<onnx::Session> session;
  std::string note, precision;
  onnx::TensorInfo input, output;  // as declared, with dynamic dimensions filled in
  bool fixed_batch = false;        // the tower takes one picture per run
  std::vector<float> raw;          // the output of the tower, picture after picture
  std::vector<Eigen::half> half_pictures, half_raw;

  int embedding_size() const { return static_cast<int>(output.shape.back()); }
  std::size_t picture_size() const { return 3 * static_cast<std::size_t>(input.shape[2] * input.shape[3]); }
  // Numbers in the output for one picture: an embedding, or several of which the first is used.
  std::size_t given() const {
    return static_cast<std::size_t>(output.shape.size() == 3 ? output.shape[1] * output.shape[2] : output.shape[1]);
  }

  Status load(const Bundle& bundle, const onnx::SessionOptions& options);
  Status fix_shape(onnx::Session& tower, const Bundle& bundle);
  Status run(onnx::Session& tower, std::span<const float> pixels, std::size_t count);
  Status run_some(onnx::Session& tower, std::span<const float> pixels, std::size_t first, std::size_t count);
  Result<Eigen::MatrixXf> self_test(onnx::Session& tower, const Bundle& bundle);
};

Status ImageEncoder::Impl::load(const Bundle& bundle, const onnx::SessionOptions& options) {
  const std::string& path = bundle.visual.file;
  const Result<onnx::File> file = onnx::File::open(path);
  if (!file) return file.error();
  Result<ImageTensors> tensors = choose_image_tensors(*file, bundle);
  if (!tensors) return tensors.error();
  input = std::move(tensors->input);
  output = std::move(tensors->output);

  const std::int64_t batch = input.shape[0];
  if (batch > 1 || batch == 0)
    return Error{ErrorCode::kUnsupported, "the model " + path + " takes " + std::to_string(batch) +
                                              " pictures at a time: export it with a dynamic batch, or a batch of 1"};
  const bool declared_fixed = batch == 1 || output.shape[0] == 1;
  input.shape = {1, 3, bundle.tensor.size, bundle.tensor.size};

  Result<Tower> opened = open_tower(*file, {{input}, output, bundle.identity, true}, options,
                                    [&](onnx::Session& tower) -> Result<Eigen::MatrixXf> {
                                      fixed_batch = declared_fixed || tower.has_fixed_batch();
                                      if (Status fixed = fix_shape(tower, bundle); !fixed) return fixed.error();
                                      return self_test(tower, bundle);
                                    });
  if (!opened) return opened.error();
  session = std::move(opened->session);
  note = std::move(opened->note);
  precision = bundle.int8 ? "int8" : session->precision();
  return ok();
}

// The output may have dynamic dimensions. One run shows them.
Status ImageEncoder::Impl::fix_shape(onnx::Session& tower, const Bundle& bundle) {
  const auto sides = std::span(output.shape).subspan(1);
  if (bundle.embedding_size > 0 && sides.back() < 0) sides.back() = bundle.embedding_size;
  if (std::any_of(sides.begin(), sides.end(), [](std::int64_t side) { return side < 0; })) {
    const std::vector<float> picture = test_picture(0, bundle.tensor);
    std::vector<Eigen::half> halves(input.type == "float16" ? picture.size() : 0);
    onnx::to_halves(std::span(picture).first(halves.size()), halves.data());
    const void* const pixels = halves.empty() ? static_cast<const void*>(picture.data()) : halves.data();
    const Result<onnx::Session::Output> ran = tower.run_once(std::array{pixels}, 1);
    if (!ran)
      return Error{ran.error().code,
                   "the model " + bundle.visual.file + " fails its self-test: " + ran.error().message};
    output.shape = ran->shape;
  }
  const std::int64_t width = output.shape.back();
  if (output.shape.size() < 2 || output.shape.size() > 3 || width < 1 || width > kMaxEmbedding ||
      given() > static_cast<std::size_t>(kMaxEmbedding) * 64)
    return Error{ErrorCode::kInvalid, "the model " + bundle.visual.file + " gives " + describe(output) +
                                          ", which is not an embedding: export it again"};
  tower.use({input}, output);
  return ok();
}

// Leaves the output of the tower in `raw`.
Status ImageEncoder::Impl::run(onnx::Session& tower, std::span<const float> pixels, std::size_t count) {
  if (raw.size() < count * given()) raw.resize(count * given());
  const std::size_t most = fixed_batch ? 1 : kMostInARun;
  for (std::size_t first = 0; first < count; first += most)
    if (Status ran = run_some(tower, pixels, first, std::min(most, count - first)); !ran) return ran;
  return ok();
}

// Runs pictures first to first + count; converts if the tower uses 16-bit floats.
Status ImageEncoder::Impl::run_some(onnx::Session& tower, std::span<const float> pixels, std::size_t first,
                                    std::size_t count) {
  const std::span<const float> pictures = pixels.subspan(first * picture_size(), count * picture_size());
  float* const numbers = raw.data() + first * given();
  const void* from = pictures.data();
  void* to = numbers;
  if (input.type == "float16") {
    half_pictures.resize(std::max(half_pictures.size(), pictures.size()));
    onnx::to_halves(pictures, half_pictures.data());
    from = half_pictures.data();
  }
  if (output.type == "float16") {
    half_raw.resize(std::max(half_raw.size(), count * given()));
    to = half_raw.data();
  }
  if (Status ran = tower.run(std::array{from}, static_cast<std::int64_t>(count), to); !ran) return ran;
  if (output.type == "float16") onnx::to_floats(half_raw.data(), {numbers, count * given()});
  return ok();
}

Result<Eigen::MatrixXf> ImageEncoder::Impl::self_test(onnx::Session& tower, const Bundle& bundle) {
  const auto refuse = [&](const std::string& message) {
    return Error{ErrorCode::kInvalid, "the model " + bundle.visual.file + " fails its self-test: " + message};
  };
  std::array<Eigen::VectorXf, 2> embeddings;
  for (int number = 0; number < 2; ++number) {
    const std::vector<float> picture = test_picture(number, bundle.tensor);
    if (Status ran = run(tower, picture, 1); !ran)
      return refuse(ran.error().message + "; check the bundle and its export");
    Eigen::VectorXf& embedding = embeddings[static_cast<std::size_t>(number)];
    embedding = ConstVector(raw.data(), embedding_size());
    if (Status fit = check_embedding(embedding, "a test picture"); !fit) return refuse(fit.error().message);
  }
  // Some exports are wrong for batches, and with dynamic quantisation an embedding depends on the rest of the batch.
  if (!fixed_batch) {
    std::vector<float> both = test_picture(0, bundle.tensor);
    const std::vector<float> second = test_picture(1, bundle.tensor);
    both.insert(both.end(), second.begin(), second.end());
    fixed_batch = !run(tower, both, 2);
    for (std::size_t i = 0; !fixed_batch && i < 2; ++i)
      fixed_batch = !is_same_in_batch(ConstVector(raw.data() + i * given(), embedding_size()), embeddings[i]);
  }
  if ((embeddings[0] - embeddings[1]).norm() < kSameEmbedding)
    return refuse("two different pictures get the same embedding; export it again, and check that its input is used");
  if (Status same = compare_embedding(embeddings[0], bundle.self_test, "the test picture"); !same)
    return refuse(same.error().message + "; check image.mean, image.std and the export");
  Eigen::MatrixXf both(embedding_size(), 2);
  both << embeddings[0], embeddings[1];
  return both;
}

ImageEncoder::ImageEncoder() : impl_(std::make_unique<Impl>()) {}
ImageEncoder::~ImageEncoder() = default;

Result<std::unique_ptr<ImageEncoder>> ImageEncoder::open(const Bundle& bundle, const onnx::SessionOptions& options) {
  std::unique_ptr<ImageEncoder> encoder(new ImageEncoder);
  if (Status loaded = encoder->impl_->load(bundle, options); !loaded) return loaded.error();
  return encoder;
}

int ImageEncoder::embedding_size() const {
  return impl_->embedding_size();
}
const std::string& ImageEncoder::provider() const {
  return impl_->session->provider();
}
const std::string& ImageEncoder::precision() const {
  return impl_->precision;
}
const std::string& ImageEncoder::provider_note() const {
  return impl_->note;
}
int ImageEncoder::threads() const {
  return impl_->session->threads();
}
bool ImageEncoder::takes_batches() const {
  return !impl_->fixed_batch;
}
onnx::Session& ImageEncoder::session() {
  return *impl_->session;
}

Status ImageEncoder::encode(std::span<const float> pixels, int count, std::span<float> embeddings,
                            std::span<float> lengths) {
  const auto pictures = static_cast<std::size_t>(count);
  if (Status ran = impl_->run(*impl_->session, pixels, pictures); !ran) return ran;
  const int width = impl_->embedding_size();
  Status all = ok();
  for (std::size_t i = 0; i < pictures; ++i) {
    const ConstVector raw(impl_->raw.data() + i * impl_->given(), width);
    Vector embedding(embeddings.data() + i * static_cast<std::size_t>(width), width);
    const float length = raw.stableNorm();
    if (std::isfinite(length) && length > kShortestEmbedding) {
      embedding = raw / length;
    } else {
      embedding.setZero();
      if (all)
        all = Error{ErrorCode::kRuntime, "the model gave no usable embedding for this picture (length " +
                                             std::to_string(length) + "): the picture gets no labels"};
    }
    if (!lengths.empty()) lengths[i] = length;
  }
  return all;
}

std::vector<float> test_picture(int number, const image::TensorSpec& spec) {
  const int last = spec.size - 1;
  const auto plane = static_cast<std::size_t>(spec.size) * static_cast<std::size_t>(spec.size);
  std::vector<float> picture(3 * plane);
  std::size_t at = 0;
  for (int y = 0; y < spec.size; ++y) {
    for (int x = 0; x < spec.size; ++x, ++at) {
      const int right = x * 255 / last, down = y * 255 / last;
      const int board = (x * 8 / spec.size + y * 8 / spec.size) % 2 * 255;
      const std::array<int, 3> rgb =
          number == 0 ? std::array{right, down, board} : std::array{board, 255 - right, 255 - down};
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const double value = (rgb[channel] / 255.0 - spec.mean[channel]) / spec.std[channel];
        picture[channel * plane + at] = static_cast<float>(value);
      }
    }
  }
  return picture;
}

}  // namespace bcp::clip
