// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/onnx_session.hpp"

// Without this the header calls the library from a global constructor, before anyone could report that it is too old.
#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <exception>
#include <functional>
#include <numeric>
#include <utility>

#include "base/log.hpp"

namespace bcp::clip {
namespace {

constexpr const char* kCudaWayOut =
    "use execution-provider=auto or cpu, or install onnxruntime-gpu with the CUDA 13 and cuDNN 9 libraries and a "
    "driver";

// While one is alive, warnings and errors the library logs on this thread are kept: the exception often says only that
// something failed, and the log alone says what (which library is missing, which node is wrong).
class LogCapture {
 public:
  LogCapture() : outer_(std::exchange(current_, this)) {}
  LogCapture(const LogCapture&) = delete;
  ~LogCapture() { current_ = outer_; }

  static void add(const std::string& line) {
    if (current_) current_->lines_.push_back(line);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  static thread_local LogCapture* current_;
  LogCapture* outer_;
  std::vector<std::string> lines_;
};
thread_local LogCapture* LogCapture::current_ = nullptr;

void ORT_API_CALL on_log(void*, OrtLoggingLevel severity, const char*, const char*, const char*,
                         const char* message) noexcept try {
  if (severity >= ORT_LOGGING_LEVEL_WARNING) LogCapture::add(message);
  const LogLevel level = severity >= ORT_LOGGING_LEVEL_ERROR     ? LogLevel::kError
                         : severity == ORT_LOGGING_LEVEL_WARNING ? LogLevel::kWarning
                         : severity == ORT_LOGGING_LEVEL_INFO    ? LogLevel::kInfo
                                                                 : LogLevel::kDebug;
  log(level, std::string("ONNX Runtime: ") + message);
} catch (...) {
  // Out of memory for a log line: the caller is C code, and the line is not worth the process.
}

// session.set_denormal_as_zero also changes the thread that opens the session, for good. That thread is an
// application's, and its arithmetic is none of our business.
class KeepFloatingPointMode {
 public:
  KeepFloatingPointMode() { std::fegetenv(&saved_); }
  KeepFloatingPointMode(const KeepFloatingPointMode&) = delete;
  ~KeepFloatingPointMode() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
};

// The library's words without what only its authors can use before them: error numbers, source position and function.
std::string readable(const std::string& message) {
  std::string text = message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  // "/src/file.cc:12 some::Function(args) The message": the file is told by its ending.
  for (const char* ending : {".cc:", ".h:", ".cpp:"}) {
    const std::size_t file = text.find(ending);
    const std::size_t end = file == std::string::npos ? file : text.find(") ", file);
    if (end != std::string::npos) text.erase(0, end + 2);
  }
  // "[ONNXRuntimeError] : 1 : FAIL : The message"
  if (text.starts_with("[ONNXRuntimeError] : ")) {
    const std::size_t number = text.find(" : "), word = text.find(" : ", number + 3), end = text.find(" : ", word + 3);
    if (end != std::string::npos) text.erase(0, end + 3);
  }
  text.erase(text.find_last_not_of(" .") + 1);
  return text;
}

std::string reason(const std::exception& error, const LogCapture& captured) {
  std::string text = readable(error.what());
  if (!captured.lines().empty()) {
    const std::string last = readable(captured.lines().back());
    if (text.find(last) == std::string::npos) text += " (" + last + ")";
  }
  return text;
}

// Connects the C++ wrapper to the library, once.
Status load_library() {
  static const OrtApiBase* const base = OrtGetApiBase();
  static const OrtApi* const api = base->GetApi(ORT_API_VERSION);
  static const bool connected = api && (Ort::InitApi(api), true);
  if (connected) return ok();
  return Error{ErrorCode::kUnsupported, "the ONNX Runtime library is version " + std::string(base->GetVersionString()) +
                                            " and this build needs 1." + std::to_string(ORT_API_VERSION) +
                                            " or newer: update the library, or build against its own headers"};
}

void append_cuda(Ort::SessionOptions& options, int device_id) {
  const OrtApi& api = Ort::GetApi();
  OrtCUDAProviderOptionsV2* raw = nullptr;
  Ort::ThrowOnError(api.CreateCUDAProviderOptions(&raw));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, decltype(api.ReleaseCUDAProviderOptions)> cuda(
      raw, api.ReleaseCUDAProviderOptions);

  const std::string device = std::to_string(device_id);
  const std::array<const char*, 4> keys = {"device_id", "arena_extend_strategy", "cudnn_conv_algo_search",
                                           "do_copy_in_default_stream"};
  // Memory as it is asked for, not in powers of two: a video machine shares its GPU. Heuristic algorithm search: the
  // exhaustive one takes a minute at each new shape and saves nothing on an image tower.
  const std::array<const char*, 4> values = {device.c_str(), "kSameAsRequested", "HEURISTIC", "1"};
  Ort::ThrowOnError(api.UpdateCUDAProviderOptions(cuda.get(), keys.data(), values.data(), keys.size()));
  // CPU fallback stays allowed (session.disable_cpu_ep_fallback): the library puts shape arithmetic on the CPU by
  // design, and any model with a dynamic batch would be refused.
  options.AppendExecutionProvider_CUDA_V2(*cuda);
}

Ort::SessionOptions session_options(int threads) {
  Ort::SessionOptions options;
  options.SetExecutionMode(ORT_SEQUENTIAL)
      .SetInterOpNumThreads(1)
      .SetIntraOpNumThreads(threads)
      .SetGraphOptimizationLevel(ORT_ENABLE_ALL)
      .EnableMemPattern()
      .AddConfigEntry("session.intra_op.allow_spinning", "0")  // idle threads belong to the decoder
      .AddConfigEntry("session.set_denormal_as_zero", "1");
  return options;
}

std::string type_name(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return "float";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
      return "float16";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
      return "bfloat16";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return "double";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
      return "uint8";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
      return "int8";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      return "int32";
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return "int64";
    default:
      return "type " + std::to_string(type);
  }
}

TensorInfo describe(const char* name, const Ort::TypeInfo& type) {
  if (type.GetONNXType() != ONNX_TYPE_TENSOR) return {name, "not a tensor", {}};
  const auto tensor = type.GetTensorTypeAndShapeInfo();
  return {name, type_name(tensor.GetElementType()), tensor.GetShape()};
}

std::int64_t product(const std::vector<std::int64_t>& sides) {
  return std::accumulate(sides.begin(), sides.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

// Members are destroyed bottom up: tensors before the session, the session before the environment it lives in.
struct OnnxSession::Impl {
  // The caller's memory, wrapped for the library. Making one allocates, so the last few are kept.
  struct Binding {
    const float* from = nullptr;
    float* to = nullptr;
    std::int64_t batch = 0;
    Ort::Value input{nullptr}, output{nullptr};
  };

  Ort::Env env{ORT_LOGGING_LEVEL_WARNING, "bcp", on_log, nullptr};
  Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);
  Ort::RunOptions run_options;
  Ort::Session session{nullptr};
  std::vector<TensorInfo> inputs, outputs;
  std::string provider, note;
  int threads = 1;
  std::string input, output;
  std::vector<std::int64_t> input_shape, output_shape;  // the batch comes first, and is set at each binding
  std::array<Binding, 8> bindings;                      // as many as a picture may have tiles
  std::size_t next_binding = 0;

  void load(const std::string& path, const EncoderOptions& options);
  Binding& bind(const float* from, std::int64_t batch, float* to);
};

// Throws Ort::Exception.
void OnnxSession::Impl::load(const std::string& path, const EncoderOptions& options) {
  const KeepFloatingPointMode keep;
  Ort::SessionOptions settings = session_options(threads);
  if (options.provider == Provider::kCuda) append_cuda(settings, options.device_id);
  session = Ort::Session(env, path.c_str(), settings);
  provider = options.provider == Provider::kCuda ? "cuda" : "cpu";

  inputs.clear();
  outputs.clear();
  Ort::AllocatorWithDefaultOptions allocator;
  for (std::size_t i = 0; i < session.GetInputCount(); ++i)
    inputs.push_back(describe(session.GetInputNameAllocated(i, allocator).get(), session.GetInputTypeInfo(i)));
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i)
    outputs.push_back(describe(session.GetOutputNameAllocated(i, allocator).get(), session.GetOutputTypeInfo(i)));
}

OnnxSession::Impl::Binding& OnnxSession::Impl::bind(const float* from, std::int64_t batch, float* to) {
  for (Binding& known : bindings)
    if (known.from == from && known.to == to && known.batch == batch) return known;
  Binding& binding = bindings[next_binding];
  next_binding = (next_binding + 1) % bindings.size();
  binding.from = nullptr;  // until it is whole
  input_shape[0] = output_shape[0] = batch;
  const auto input_size = static_cast<std::size_t>(product(input_shape));
  const auto output_size = static_cast<std::size_t>(product(output_shape));
  // The library's signature is not const; it only reads its inputs.
  binding.input = Ort::Value::CreateTensor<float>(memory, const_cast<float*>(from), input_size, input_shape.data(),
                                                  input_shape.size());
  binding.output = Ort::Value::CreateTensor<float>(memory, to, output_size, output_shape.data(), output_shape.size());
  binding.to = to;
  binding.batch = batch;
  binding.from = from;
  return binding;
}

OnnxSession::OnnxSession() = default;
OnnxSession::~OnnxSession() = default;

Result<std::unique_ptr<OnnxSession>> OnnxSession::open(const std::string& path, const EncoderOptions& options) {
  if (options.threads < 0 || options.threads > 1024)
    return Error{ErrorCode::kInvalid, std::to_string(options.threads) +
                                          " threads cannot be used: give 1 to 1024, or 0 to let the plugin choose"};
  if (Status loaded = load_library(); !loaded) return loaded.error();

  std::unique_ptr<OnnxSession> session(new OnnxSession);
  const auto attempt = [&](Provider provider) -> Status {
    const LogCapture captured;
    try {
      session->impl_ = std::make_unique<Impl>();
      session->impl_->threads = thread_count(options.threads);
      session->impl_->load(path, {provider, options.device_id, options.threads});
      return ok();
    } catch (const std::exception& error) {
      return Error{ErrorCode::kRuntime, reason(error, captured)};
    } catch (...) {
      return Error{ErrorCode::kRuntime, "unknown reason"};
    }
  };

  if (options.provider == Provider::kCuda) {
    if (Status opened = attempt(Provider::kCuda); !opened)
      return Error{ErrorCode::kUnsupported, "cannot run " + path + " on CUDA device " +
                                                std::to_string(options.device_id) + ": " + opened.error().message +
                                                "; " + kCudaWayOut};
    return session;
  }

  std::string note;
  if (options.provider == Provider::kAuto) {
    const std::vector<std::string> built_in = onnx_providers();
    if (std::find(built_in.begin(), built_in.end(), "CUDAExecutionProvider") == built_in.end()) {
      note = "running on the CPU: this ONNX Runtime has no CUDA provider";
    } else if (Status opened = attempt(Provider::kCuda); opened) {
      session->impl_->note = "running on CUDA device " + std::to_string(options.device_id);
      return session;
    } else {
      note = "running on the CPU: CUDA is not available (" + opened.error().message + ")";
    }
  }
  if (Status opened = attempt(Provider::kCpu); !opened)
    return Error{ErrorCode::kInvalid, "cannot load the model " + path + ": " + opened.error().message +
                                          "; fetch or export it again, or update ONNX Runtime (" + onnx_version() +
                                          " is in use)"};
  session->impl_->note = std::move(note);
  return session;
}

const std::vector<TensorInfo>& OnnxSession::inputs() const {
  return impl_->inputs;
}
const std::vector<TensorInfo>& OnnxSession::outputs() const {
  return impl_->outputs;
}
const std::string& OnnxSession::provider() const {
  return impl_->provider;
}
const std::string& OnnxSession::provider_note() const {
  return impl_->note;
}
int OnnxSession::threads() const {
  return impl_->threads;
}

void OnnxSession::use(std::string input, std::vector<std::int64_t> input_item, std::string output,
                      std::vector<std::int64_t> output_item) {
  impl_->bindings = {};
  impl_->input = std::move(input);
  impl_->output = std::move(output);
  impl_->input_shape = std::move(input_item);
  impl_->output_shape = std::move(output_item);
  impl_->input_shape.insert(impl_->input_shape.begin(), 0);
  impl_->output_shape.insert(impl_->output_shape.begin(), 0);
}

Status OnnxSession::run(const float* input, std::int64_t batch, float* output) try {
  const KeepFloatingPointMode keep;
  Impl::Binding& binding = impl_->bind(input, batch, output);
  const char* const input_name = impl_->input.c_str();
  const char* const output_name = impl_->output.c_str();
  impl_->session.Run(impl_->run_options, &input_name, &binding.input, 1, &output_name, &binding.output, 1);
  return ok();
} catch (const std::exception& error) {
  return Error{ErrorCode::kRuntime, "the model failed to run: " + readable(error.what())};
} catch (...) {
  return Error{ErrorCode::kRuntime, "the model failed to run, for an unknown reason"};
}

std::string onnx_version() {
  return OrtGetApiBase()->GetVersionString();
}

std::vector<std::string> onnx_providers() try {
  if (!load_library()) return {};
  return Ort::GetAvailableProviders();
} catch (...) {
  return {};
}

}  // namespace bcp::clip
