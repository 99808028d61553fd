// SPDX-License-Identifier: LGPL-2.1-or-later
// Models that several streams share: those who ask by the same id get the same one.
//
// The table holds no model alive: the last stream that lets go of one closes it.
//
// Thread safety: any thread. Who asks for a model that another is opening waits for it; other ids do not.

#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "clip/model.hpp"

namespace bcp::clip {

// The model of this id, opened if nobody has it. With an empty id: one of the caller's own, as Model::open(). An id in
// use with another model, provider, precision, device or number of threads is an error.
Result<std::shared_ptr<Model>> open_shared(const std::string& id, const std::string& name_or_path,
                                           const onnx::SessionOptions& options);

}  // namespace bcp::clip
