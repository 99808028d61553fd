// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands in for onnx_session.cpp in a build without ONNX Runtime: every open() says so.
#include "clip/onnx_session.hpp"

#include <utility>

namespace bcp::clip {

struct OnnxSession::Impl {
  std::string text;
};

OnnxSession::OnnxSession() = default;
OnnxSession::~OnnxSession() = default;

Result<std::unique_ptr<OnnxSession>> OnnxSession::open(const OnnxSource& source, const EncoderOptions&) {
  return Error{ErrorCode::kUnsupported, "cannot load " + source.path +
                                            ": this build has no ONNX Runtime; run pipelines/setup.sh or install "
                                            "libonnxruntime-dev, then configure again with -Donnx=enabled"};
}

// Never called: there is no session to call them on.
const std::string& OnnxSession::provider() const {
  return impl_->text;
}
const std::string& OnnxSession::provider_note() const {
  return impl_->text;
}
int OnnxSession::threads() const {
  return 0;
}
void OnnxSession::use(std::vector<TensorInfo>, TensorInfo) {}
Status OnnxSession::run(std::span<const void* const>, std::int64_t, void*) {
  return ok();
}
Result<OnnxSession::Output> OnnxSession::run_once(std::span<const void* const>, std::int64_t) {
  return Output{};
}

std::string onnx_version() {
  return {};
}
std::vector<std::string> onnx_providers() {
  return {};
}

}  // namespace bcp::clip
