// SPDX-License-Identifier: LGPL-2.1-or-later
// Replaces session.cpp in a build without ONNX Runtime: open() always fails.
#include "onnx/session.hpp"

#include <utility>

namespace bcp::onnx {

struct Session::Impl {
  std::string text;
};

Session::Session() = default;
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const Source& source, const SessionOptions&, std::string*) {
  return Error{ErrorCode::kUnsupported, "cannot load " + source.path +
                                            ": this build has no ONNX Runtime; run scripts/setup.sh or install "
                                            "libonnxruntime-dev, then configure again with -Donnx=enabled"};
}

// Never called: no session can exist.
const std::string& Session::provider() const {
  return impl_->text;
}
const std::string& Session::precision() const {
  return impl_->text;
}
bool Session::has_fixed_batch() const {
  return false;
}
int Session::threads() const {
  return 0;
}
void Session::use(std::vector<TensorInfo>, TensorInfo) {}
Status Session::run(std::span<const void* const>, std::int64_t, void*) {
  return ok();
}
Result<Session::Output> Session::run_once(std::span<const void* const>, std::int64_t) {
  return Output{};
}

std::string version() {
  return {};
}
std::vector<std::string> providers() {
  return {};
}

}  // namespace bcp::onnx
