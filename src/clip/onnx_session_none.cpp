// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands in for onnx_session.cpp in a build without ONNX Runtime: every open() says so.
#include "clip/onnx_session.hpp"

#include <utility>

namespace bcp::clip {

struct OnnxSession::Impl {
  std::vector<TensorInfo> tensors;
  std::string text;
};

OnnxSession::OnnxSession() = default;
OnnxSession::~OnnxSession() = default;

Result<std::unique_ptr<OnnxSession>> OnnxSession::open(const std::string& path, const EncoderOptions&) {
  return Error{ErrorCode::kUnsupported, "cannot load " + path +
                                            ": this build has no ONNX Runtime; run pipelines/setup.sh or install "
                                            "libonnxruntime-dev, then configure again with -Donnx=enabled"};
}

// Never called: there is no session to call them on.
const std::vector<TensorInfo>& OnnxSession::inputs() const {
  return impl_->tensors;
}
const std::vector<TensorInfo>& OnnxSession::outputs() const {
  return impl_->tensors;
}
const std::string& OnnxSession::provider() const {
  return impl_->text;
}
const std::string& OnnxSession::provider_note() const {
  return impl_->text;
}
int OnnxSession::threads() const {
  return 0;
}
void OnnxSession::use(std::string, std::vector<std::int64_t>, std::string, std::vector<std::int64_t>) {}
Status OnnxSession::run(const float*, std::int64_t, float*) {
  return ok();
}

std::string onnx_version() {
  return {};
}
std::vector<std::string> onnx_providers() {
  return {};
}

}  // namespace bcp::clip
