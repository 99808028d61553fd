// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/session.hpp"

// Without this the header calls the library from a global constructor, before an old library can be reported.
#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/log.hpp"
#include "base/mapped_file.hpp"
#include "onnx/halves.hpp"
#include "onnx/library_message.hpp"
#include "onnx/log_capture.hpp"
#include "onnx/openvino_config.hpp"
#include "onnx/provider_library.hpp"
#include "onnx/watchdog.hpp"

namespace bcp::onnx {
namespace {

constexpr const char* kCudaWayOut =
    "use execution-provider=auto or cpu, or install onnxruntime-gpu with the CUDA 13 and cuDNN 9 libraries and a "
    "driver";
constexpr const char* kOpenVinoWayOut =
    "use execution-provider=auto or cpu, or install ONNX Runtime with OpenVINO (scripts/setup.sh --openvino) and build "
    "again";

void ORT_API_CALL on_log(void*, OrtLoggingLevel severity, const char*, const char*, const char*,
                         const char* message) noexcept try {
  if (severity >= ORT_LOGGING_LEVEL_WARNING) LogCapture::add(message);
  const LogLevel level = severity >= ORT_LOGGING_LEVEL_ERROR     ? LogLevel::kError
                         : severity == ORT_LOGGING_LEVEL_WARNING ? LogLevel::kWarning
                         : severity == ORT_LOGGING_LEVEL_INFO    ? LogLevel::kInfo
                                                                 : LogLevel::kDebug;
  log(level, std::string("ONNX Runtime: ") + message);
} catch (...) {
  // Out of memory for a log line: the caller is C code, and the line may be lost.
}

// session.set_denormal_as_zero also changes the calling thread permanently. That thread belongs to the application, and
// its arithmetic must not change.
class KeepFloatingPointMode {
 public:
  KeepFloatingPointMode() { std::fegetenv(&saved_); }
  KeepFloatingPointMode(const KeepFloatingPointMode&) = delete;
  ~KeepFloatingPointMode() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
};

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
                                            ", but this build needs 1." + std::to_string(ORT_API_VERSION) +
                                            " or newer: update the library, or build with its headers"};
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
  // Allocates memory as requested, not in powers of two, because other programs share the GPU. Heuristic algorithm
  // search: the exhaustive one takes a minute for each new shape and does not speed up an image tower.
  const std::array<const char*, 4> values = {device.c_str(), "kSameAsRequested", "HEURISTIC", "1"};
  Ort::ThrowOnError(api.UpdateCUDAProviderOptions(cuda.get(), keys.data(), values.data(), keys.size()));
  // CPU fallback stays allowed (session.disable_cpu_ep_fallback): the library puts shape arithmetic on the CPU by
  // design, and any model with a dynamic batch would be rejected.
  options.AppendExecutionProvider_CUDA_V2(*cuda);
}

// The directory of the loaded library: its providers are loaded from there.
std::string library_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OrtGetApiBase), &info) == 0 || !info.dli_fname) return {};
  return std::filesystem::path(info.dli_fname).parent_path().string();
}

std::string openvino_library() {
  return library_directory() + "/libonnxruntime_providers_openvino.so";
}

// Throws std::exception. `count` must live until the session exists: the library may still crash while compiling.
void append_openvino(Ort::SessionOptions& options, const Source& source, int threads, Precision precision,
                     LoadCount& count) {
  const std::vector<std::string> built_in = providers();
  if (!has_provider(built_in, kOpenVinoProvider))
    throw std::runtime_error("this ONNX Runtime (" + version() + ") was built without OpenVINO");
  if (Status sound = check_provider_library(openvino_library(), version()); !sound)
    throw std::runtime_error(sound.error().message);
  if (Status begun = count.begin(); !begun) throw std::runtime_error(begun.error().message);
  options.AppendExecutionProvider_OpenVINO_V2(openvino_config(threads, precision, source.shapes));
  // The whole model or nothing: a provider that leaves part of a tower to another one is not what was requested.
  options.AddConfigEntry("session.disable_cpu_ep_fallback", "1");
}

Ort::SessionOptions session_options(int threads, const Source& source) {
  Ort::SessionOptions options;
  options.SetExecutionMode(ORT_SEQUENTIAL)
      .SetInterOpNumThreads(1)
      .SetIntraOpNumThreads(threads)
      .SetGraphOptimizationLevel(source.untried || !source.optimised.empty() ? ORT_DISABLE_ALL : ORT_ENABLE_ALL)
      .EnableMemPattern()
      .AddConfigEntry("session.intra_op.allow_spinning", "0")  // leaves idle CPU time to the decoder
      .AddConfigEntry("session.set_denormal_as_zero", "1")
      .AddConfigEntry("session.use_env_allocators", "1")  // the arena of Library, which has a limit
      .AddConfigEntry("session.use_device_allocator_for_initializers", "1");
  // NchwcTransformer: ONNX Runtime up to at least 1.31 crashes in it on 16-bit towers exported by PyTorch (its issue
  // 28392). It only optimises convolutions, and a transformer has one. ConstantFolding: it has no limit of time or
  // memory, and the trial run may not have reached every branch.
  std::string without;
  if (source.halves) without = "NchwcTransformer";
  if (source.branches) without += without.empty() ? "ConstantFolding" : ";ConstantFolding";
  if (!without.empty()) options.AddConfigEntry("optimization.disable_specified_optimizers", without.c_str());
  return options;
}

// Weights go to a separate file, which is mapped at load time.
void save_optimised(Ort::SessionOptions& options, const std::string& path) {
  const std::string weights = std::filesystem::path(path).filename().string() + ".data";
  options.SetOptimizedModelFilePath(path.c_str())
      .AddConfigEntry("session.optimized_model_external_initializers_file_name", weights.c_str())
      .AddConfigEntry("session.optimized_model_external_initializers_min_size_in_bytes", "1024")
      // It would warn that the model is optimised for this processor, which is intended.
      .SetLogSeverityLevel(ORT_LOGGING_LEVEL_ERROR);
}

ONNXTensorElementDataType type_of(const TensorInfo& tensor) {
  if (tensor.type == "float16") return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
  if (tensor.type == "int32") return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  if (tensor.type == "int64") return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

std::size_t bytes_of(ONNXTensorElementDataType type) {
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16) return 2;
  return type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 ? 8 : 4;
}

std::int64_t product(const std::vector<std::int64_t>& sides) {
  return std::accumulate(sides.begin(), sides.end(), std::int64_t{1}, std::multiplies<>());
}

// Official builds of ONNX Runtime collect telemetry on Linux from 1.31 on: they send it, and keep it in the user's
// cache. They read this variable when the first environment is created. It is set while the program or plugin is
// loaded, because changing the environment later could disturb a thread that reads it. A value that the user has set is
// kept.
[[maybe_unused]] const bool telemetry_is_off = ::setenv("ORT_DISABLE_TELEMETRY", "1", 0) == 0;

// Shared by all sessions: the library's environment, and the arena for tensors.
struct Library {
  Ort::Env env{ORT_LOGGING_LEVEL_WARNING, "bcp", on_log, nullptr};

  // Throws Ort::Exception.
  Library() {
    const std::size_t memory = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
    const std::size_t limit = memory > 0 ? std::min(kMaxTensorBytes, memory / 2) : kMaxTensorBytes;
    // -1: the library's default.
    const Ort::ArenaCfg arena(limit, -1, -1, -1);
    try {
      env.CreateAndRegisterAllocator(Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault), arena);
    } catch (const Ort::Exception& error) {
      // The environment belongs to the process: another user may have kept it alive, with our arena.
      if (std::string_view(error.what()).find("already been registered") == std::string_view::npos) throw;
    }
  }

  // Shared by all sessions. Destroying the last reference ends the library's threads. Counted under the lock, because
  // only one environment may exist: a new one must not be created while the old one is destroyed.
  static std::shared_ptr<Library> get() {
    static std::mutex mutex;
    static Library* library = nullptr;  // a plain pointer: sessions that still exist at exit keep it alive
    static int users = 0;
    const std::lock_guard lock(mutex);
    if (users == 0) library = new Library;
    ++users;
    return std::shared_ptr<Library>(library, [](Library* used) {
      const std::lock_guard letting_go(mutex);
      if (--users == 0) delete used;
    });
  }
};

}  // namespace

// Members are destroyed bottom up: tensors before the session, the session before its environment.
struct Session::Impl {
  // The caller's memory, wrapped for the library. Wrapping allocates, so the last few are kept.
  struct Binding {
    std::vector<const void*> from;
    void* to = nullptr;
    std::int64_t batch = 0;  // 0: unused
    std::vector<Ort::Value> inputs;
    Ort::Value output{nullptr};
  };

  std::shared_ptr<Library> library = Library::get();
  Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);
  Ort::RunOptions run_options;
  Ort::Session session{nullptr};
  std::string provider, precision;
  bool fixed_batch = false;
  int threads;
  std::vector<TensorInfo> inputs;  // as passed to use()
  TensorInfo output;
  std::vector<const char*> input_names;
  std::array<Binding, 8> bindings;  // the largest number of tiles of a picture
  std::size_t next_binding = 0;
  std::chrono::milliseconds max_run;
  Watchdog watchdog{max_run, [this] { run_options.SetTerminate(); }};

  explicit Impl(const SessionOptions& options) : threads(thread_count(options.threads)), max_run(options.max_run) {}

  void load(const Source& source, const SessionOptions& options);
  Ort::Value wrap(const TensorInfo& tensor, std::int64_t batch, void* data) const;
  Binding& bind(std::span<const void* const> from, std::int64_t batch, void* to);
  void call(const Ort::Value* from, Ort::Value* to);
};

// External weights of a model passed as bytes. They are passed in memory: otherwise the library would search for them
// by name and reject links that File has accepted (Hugging Face's cache consists of links).
class ExternalWeights {
 public:
  // Throws std::exception.
  ExternalWeights(const Source& source, Ort::SessionOptions& options) {
    if (source.bytes.empty() || source.external_files.empty()) return;
    const std::filesystem::path folder = std::filesystem::path(source.path).parent_path();
    std::vector<std::string> names;
    std::vector<char*> buffers;
    std::vector<std::size_t> sizes;
    for (const std::string& path : source.external_files) {
      Result<MappedFile> file = MappedFile::open(path, std::numeric_limits<std::size_t>::max());
      if (!file) throw std::runtime_error(file.error().message);
      names.push_back(std::filesystem::path(path).lexically_relative(folder).string());
      // The library's parameter is not const; it only copies.
      buffers.push_back(const_cast<char*>(file->bytes().data()));
      sizes.push_back(file->bytes().size());
      files_.push_back(*std::move(file));
    }
    options.AddExternalInitializersFromFilesInMemory(names, buffers, sizes);
  }

 private:
  std::vector<MappedFile> files_;
};

// Throws std::exception.
void Session::Impl::load(const Source& source, const SessionOptions& options) {
  const KeepFloatingPointMode keep;
  const bool on_openvino = options.provider == Provider::kOpenVino;
  Ort::SessionOptions settings = session_options(threads, source);
  LoadCount loading(on_openvino ? openvino_library() : std::string());
  if (options.provider == Provider::kCuda) append_cuda(settings, options.device_id);
  if (on_openvino) append_openvino(settings, source, threads, options.precision, loading);
  if (!source.save_optimised.empty()) save_optimised(settings, source.save_optimised);
  if (!source.optimised.empty()) {
    session = Ort::Session(library->env, source.optimised.c_str(), settings);
  } else {
    const ExternalWeights weights(source, settings);
    session = source.bytes.empty() ? Ort::Session(library->env, source.path.c_str(), settings)
                                   : Ort::Session(library->env, source.bytes.data(), source.bytes.size(), settings);
  }
#ifdef __GLIBC__
  // Loading leaves as much free memory in the heap as the model is large, which is not needed again.
  malloc_trim(0);
#endif
  provider = name_of(options.provider);
  precision = on_openvino && options.precision == Precision::kBf16 ? "bf16" : source.halves ? "fp16" : "fp32";
  fixed_batch = on_openvino && !source.shapes.empty();
}

Ort::Value Session::Impl::wrap(const TensorInfo& tensor, std::int64_t batch, void* data) const {
  std::vector<std::int64_t> shape = tensor.shape;
  shape[0] = batch;
  const ONNXTensorElementDataType type = type_of(tensor);
  return Ort::Value::CreateTensor(memory, data, static_cast<std::size_t>(product(shape)) * bytes_of(type), shape.data(),
                                  shape.size(), type);
}

Session::Impl::Binding& Session::Impl::bind(std::span<const void* const> from, std::int64_t batch, void* to) {
  for (Binding& known : bindings)
    if (known.batch == batch && known.to == to && std::equal(from.begin(), from.end(), known.from.begin()))
      return known;
  Binding& binding = bindings[next_binding];
  next_binding = (next_binding + 1) % bindings.size();
  binding.batch = 0;  // until it is complete
  binding.inputs.clear();
  for (std::size_t i = 0; i < from.size(); ++i)
    // The library's parameter is not const; it only reads inputs.
    binding.inputs.push_back(wrap(inputs[i], batch, const_cast<void*>(from[i])));
  binding.output = wrap(output, batch, to);
  binding.from.assign(from.begin(), from.end());
  binding.to = to;
  binding.batch = batch;
  return binding;
}

// Throws std::exception.
void Session::Impl::call(const Ort::Value* from, Ort::Value* to) {
  const KeepFloatingPointMode keep;
  const char* const output_name = output.name.c_str();
  Watchdog::Watch watch(watchdog);
  try {
    session.Run(run_options, input_names.data(), from, inputs.size(), &output_name, to, 1);
  } catch (...) {
    if (!watch.finish()) throw;
    run_options.UnsetTerminate();
    throw std::runtime_error("it was stopped because one run took longer than " + std::to_string(max_run.count()) +
                             " ms");
  }
  if (watch.finish()) run_options.UnsetTerminate();
}

Session::Session() = default;
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const Source& source, const SessionOptions& options,
                                               std::string* cause) {
  const std::string& path = source.path;
  if (options.threads < 0 || options.threads > 1024)
    return Error{ErrorCode::kInvalid, std::to_string(options.threads) +
                                          " threads cannot be used: give 1 to 1024, or 0 to let the plugin choose"};
  if (Status loaded = load_library(); !loaded) return loaded.error();

  if (Status fits = check_precision(options, this_processor()); !fits) return fits.error();

  std::unique_ptr<Session> session(new Session);
  const LogCapture captured;
  std::string why = "unknown reason";
  try {
    session->impl_ = std::make_unique<Impl>(options);
    session->impl_->load(source, options);
    return session;
  } catch (const std::exception& error) {
    why = reason(error, captured);
  } catch (...) {
    // No message available.
  }
  if (cause) *cause = why;
  if (options.provider == Provider::kCuda)
    return Error{ErrorCode::kUnsupported, "cannot run " + path + " on CUDA device " +
                                              std::to_string(options.device_id) + ": " + why + "; " + kCudaWayOut};
  if (options.provider == Provider::kOpenVino)
    return Error{ErrorCode::kUnsupported, "cannot run " + path + " with OpenVINO: " + why + "; " + kOpenVinoWayOut};
  return Error{ErrorCode::kInvalid, "cannot load the model " + path + ": " + why +
                                        "; fetch or export it again, or update ONNX Runtime (" + version() +
                                        " is in use)"};
}

const std::string& Session::provider() const {
  return impl_->provider;
}
const std::string& Session::precision() const {
  return impl_->precision;
}
bool Session::has_fixed_batch() const {
  return impl_->fixed_batch;
}
int Session::threads() const {
  return impl_->threads;
}

void Session::use(std::vector<TensorInfo> inputs, TensorInfo output) {
  impl_->bindings = {};
  impl_->inputs = std::move(inputs);
  impl_->output = std::move(output);
  impl_->input_names.clear();
  for (const TensorInfo& input : impl_->inputs) impl_->input_names.push_back(input.name.c_str());
}

Status Session::run(std::span<const void* const> inputs, std::int64_t batch, void* output) try {
  Impl::Binding& binding = impl_->bind(inputs, batch, output);
  impl_->call(binding.inputs.data(), &binding.output);
  return ok();
} catch (const std::exception& error) {
  return Error{ErrorCode::kRuntime, "the model failed to run: " + readable(error.what())};
} catch (...) {
  return Error{ErrorCode::kRuntime, "the model failed to run, for an unknown reason"};
}

Result<Session::Output> Session::run_once(std::span<const void* const> inputs, std::int64_t batch) try {
  std::vector<Ort::Value> from;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    from.push_back(impl_->wrap(impl_->inputs[i], batch, const_cast<void*>(inputs[i])));
  Ort::Value to{nullptr};
  impl_->call(from.data(), &to);
  const auto info = to.GetTensorTypeAndShapeInfo();
  Output output{info.GetShape(), std::vector<float>(info.GetElementCount())};
  if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
    std::copy_n(to.GetTensorData<float>(), output.values.size(), output.values.begin());
  } else if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16) {
    to_floats(static_cast<const Eigen::half*>(to.GetTensorRawData()), output.values);
  } else {
    return Error{ErrorCode::kInvalid,
                 "the model's output \"" + impl_->output.name + "\" is not a float tensor: export it again"};
  }
  return output;
} catch (const std::exception& error) {
  return Error{ErrorCode::kRuntime, "the model failed to run: " + readable(error.what())};
} catch (...) {
  return Error{ErrorCode::kRuntime, "the model failed to run, for an unknown reason"};
}

std::string version() {
  return OrtGetApiBase()->GetVersionString();
}

std::vector<std::string> providers() try {
  if (!load_library()) return {};
  return Ort::GetAvailableProviders();
} catch (...) {
  return {};
}

}  // namespace bcp::onnx
