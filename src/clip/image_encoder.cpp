// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/image_encoder.hpp"

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <utility>

#include "clip/onnx_session.hpp"

namespace bcp::clip {
namespace {

constexpr float kShortest = 1e-3f;           // an embedding below this length has no direction to speak of
constexpr float kSameEmbedding = 1e-3f;      // two pictures closer than this: the tower does not look at its input
constexpr float kSelfTestTolerance = 0.05f;  // of the expected numbers' length; int8 kernels differ that much by CPU

using Vector = Eigen::Map<Eigen::VectorXf>;
using ConstVector = Eigen::Map<const Eigen::VectorXf>;

// One side of a shape: as it must be, or left open by the model.
bool fits(std::int64_t side, std::int64_t wanted) {
  return side < 0 || side == wanted;
}

// What is looked for among a model's inputs or outputs.
struct Wanted {
  const char* role;      // "input" or "output": also the key of bundle.json that names it
  std::string expected;  // for people
  std::function<bool(const TensorInfo&)> fits;
};

// The tensor called `name`, or the only one that fits when there is no name.
Result<TensorInfo> choose(const std::vector<TensorInfo>& tensors, const std::string& name, const Wanted& wanted,
                          const std::string& path) {
  const auto invalid = [&](const std::string& message) {
    return Error{ErrorCode::kInvalid, "the model " + path + " " + message};
  };
  const std::string key = std::string("visual.") + wanted.role;
  if (!name.empty()) {
    for (const TensorInfo& tensor : tensors) {
      if (tensor.name != name) continue;
      if (wanted.fits(tensor)) return tensor;
      return invalid("has the " + std::string(wanted.role) + " " + describe(tensor) + " where " + wanted.expected +
                     " is expected: correct bundle.json or export the model again");
    }
    return invalid("has no " + std::string(wanted.role) + " \"" + name + "\"; it has " + describe(tensors) +
                   ": correct the key " + key + " of bundle.json");
  }
  std::vector<TensorInfo> candidates;
  for (const TensorInfo& tensor : tensors)
    if (wanted.fits(tensor)) candidates.push_back(tensor);
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty())
    return invalid("has no " + std::string(wanted.role) + " that is " + wanted.expected + "; it has " +
                   describe(tensors) + ": correct bundle.json or export the model again in 32-bit floats");
  return invalid("has several " + std::string(wanted.role) + "s that could be meant: " + describe(candidates) +
                 "; name one with the key " + key + " of bundle.json");
}

}  // namespace

struct ImageEncoder::Impl {
  std::unique_ptr<OnnxSession> session;
  std::string note;
  int embedding_size = 0;
  std::size_t picture_size = 0;  // floats
  bool fixed_batch = false;      // the tower takes one picture a run
  std::vector<float> raw;        // embeddings as the tower gives them

  Status load(const Bundle& bundle, const EncoderOptions& options);
  Status choose_tensors(const Bundle& bundle);
  Status run(std::span<const float> pixels, int count);
  Status self_test(const Bundle& bundle);
};

Status ImageEncoder::Impl::load(const Bundle& bundle, const EncoderOptions& options) {
  Result<std::unique_ptr<OnnxSession>> opened = OnnxSession::open(bundle.visual.file, options);
  if (!opened) return opened.error();
  session = *std::move(opened);
  note = session->provider_note();
  if (Status chosen = choose_tensors(bundle); !chosen) return chosen;
  return self_test(bundle);
}

Status ImageEncoder::Impl::choose_tensors(const Bundle& bundle) {
  const std::int64_t size = bundle.tensor.size;
  const std::string side = std::to_string(size);
  const Result<TensorInfo> input = choose(session->inputs(), bundle.visual.input,
                                          {"input", "float [batch, 3, " + side + ", " + side + "]",
                                           [size](const TensorInfo& tensor) {
                                             return tensor.type == "float" && tensor.shape.size() == 4 &&
                                                    fits(tensor.shape[1], 3) && fits(tensor.shape[2], size) &&
                                                    fits(tensor.shape[3], size);
                                           }},
                                          bundle.visual.file);
  if (!input) return input.error();
  if (session->inputs().size() > 1)
    return Error{ErrorCode::kUnsupported, "the model " + bundle.visual.file + " wants " + describe(session->inputs()) +
                                              " and an image tower has one input: export the image tower alone"};
  const std::int64_t width = bundle.embedding_size;
  const Result<TensorInfo> output =
      choose(session->outputs(), bundle.visual.output,
             {"output", "float [batch, " + std::to_string(width) + "]",
              [width](const TensorInfo& tensor) {
                return tensor.type == "float" && tensor.shape.size() == 2 && fits(tensor.shape[1], width);
              }},
             bundle.visual.file);
  if (!output) return output.error();

  const std::int64_t batch = input->shape[0];
  if (batch > 1 || batch == 0)
    return Error{ErrorCode::kUnsupported, "the model " + bundle.visual.file + " takes " + std::to_string(batch) +
                                              " pictures at a time: export it with a dynamic batch, or a batch of 1"};
  fixed_batch = batch == 1 || output->shape[0] == 1;
  embedding_size = bundle.embedding_size;
  picture_size = static_cast<std::size_t>(3 * size * size);
  session->use(input->name, {3, size, size}, output->name, {width});
  return ok();
}

// Leaves the tower's own numbers in `raw`.
Status ImageEncoder::Impl::run(std::span<const float> pixels, int count) {
  const auto width = static_cast<std::size_t>(embedding_size);
  const std::size_t needed = static_cast<std::size_t>(count) * width;
  if (raw.size() < needed) raw.resize(needed);
  if (!fixed_batch) return session->run(pixels.data(), count, raw.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    if (Status ran = session->run(pixels.data() + i * picture_size, 1, raw.data() + i * width); !ran) return ran;
  return ok();
}

Status ImageEncoder::Impl::self_test(const Bundle& bundle) {
  const auto refuse = [&](const std::string& message) {
    return Error{ErrorCode::kInvalid, "the model " + bundle.visual.file + " fails its self-test: " + message};
  };
  std::array<Eigen::VectorXf, 2> embeddings;
  for (int number = 0; number < 2; ++number) {
    const std::vector<float> picture = test_picture(number, bundle.tensor);
    if (Status ran = run(picture, 1); !ran) return refuse(ran.error().message + "; check the bundle and its export");
    Eigen::VectorXf& embedding = embeddings[static_cast<std::size_t>(number)];
    embedding = ConstVector(raw.data(), embedding_size);
    if (!embedding.allFinite())
      return refuse("its embedding of a test picture is not finite; export it again, in 32-bit floats");
    const float length = embedding.norm();
    if (!(length > kShortest))
      return refuse("its embedding of a test picture has length " + std::to_string(length) +
                    "; export it again, and check that its weights are in it");
    embedding /= length;
  }
  if ((embeddings[0] - embeddings[1]).norm() < kSameEmbedding)
    return refuse("two different pictures get the same embedding; export it again, and check that its input is used");

  const auto known = static_cast<Eigen::Index>(bundle.self_test.size());
  if (known == 0) return ok();
  const ConstVector expected(bundle.self_test.data(), known);
  const float difference = (embeddings[0].head(known) - expected).norm();
  if (!(difference <= kSelfTestTolerance * expected.norm() + kSameEmbedding))
    return refuse("its embedding of the test picture is not the one in bundle.json (they differ by " +
                  std::to_string(difference) + " of " + std::to_string(expected.norm()) +
                  "); check image.mean, image.std and the export");
  return ok();
}

ImageEncoder::ImageEncoder() : impl_(std::make_unique<Impl>()) {}
ImageEncoder::~ImageEncoder() = default;

Result<std::unique_ptr<ImageEncoder>> ImageEncoder::open(const Bundle& bundle, const EncoderOptions& options) {
  std::unique_ptr<ImageEncoder> encoder(new ImageEncoder);
  Status loaded = encoder->impl_->load(bundle, options);
  const bool try_cpu = !loaded && options.provider == Provider::kAuto && encoder->impl_->session &&
                       encoder->impl_->session->provider() != "cpu";
  if (!try_cpu) {
    if (!loaded) return loaded.error();
    return encoder;
  }
  // A GPU can be there, open the model and still not be able to run it (too old, out of memory).
  const std::string reason = loaded.error().message;
  EncoderOptions on_cpu = options;
  on_cpu.provider = Provider::kCpu;
  if (Status again = encoder->impl_->load(bundle, on_cpu); !again) return again.error();
  encoder->impl_->note = "running on the CPU: CUDA cannot run this model (" + reason + ")";
  return encoder;
}

int ImageEncoder::embedding_size() const {
  return impl_->embedding_size;
}
const std::string& ImageEncoder::provider() const {
  return impl_->session->provider();
}
const std::string& ImageEncoder::provider_note() const {
  return impl_->note;
}
int ImageEncoder::threads() const {
  return impl_->session->threads();
}
OnnxSession& ImageEncoder::session() {
  return *impl_->session;
}

Status ImageEncoder::encode(std::span<const float> pixels, int count, std::span<float> embeddings) {
  if (Status ran = impl_->run(pixels, count); !ran) return ran;
  const auto width = static_cast<std::size_t>(impl_->embedding_size);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const ConstVector raw(impl_->raw.data() + i * width, impl_->embedding_size);
    const float length = raw.stableNorm();
    if (!std::isfinite(length) || !(length > kShortest))
      return Error{ErrorCode::kRuntime, "the model gave no usable embedding for this picture (length " +
                                            std::to_string(length) + "): the picture is passed without labels"};
    Vector(embeddings.data() + i * width, impl_->embedding_size) = raw / length;
  }
  return ok();
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
