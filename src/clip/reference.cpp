// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file: the sha256 of the rest in hexadecimal, a newline, then JSON with "inputs" (how many), "embeddings" (all
// numbers, input after input) and "cosines".
#include "clip/reference.hpp"

#include <cmath>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"
#include "onnx/processor.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {
namespace {

constexpr std::size_t kMaxFile = std::size_t{4} << 20;
constexpr std::size_t kHexDigits = 64;

std::string path_of(const std::string& identity) {
  if (identity.empty()) return {};
  const onnx::Processor& processor = onnx::this_processor();
  const Result<std::string> name =
      sha256(identity + "\n" + onnx::version() + "\n" + processor.name + "\n" + processor.features);
  return name ? user_cache("reference/" + *name) : std::string();
}

Reference from_json(const nlohmann::json& json) {
  Reference reference;
  const auto numbers = value_of(json, "embeddings").get<std::vector<float>>();
  const auto inputs = value_of(json, "inputs").get<std::size_t>();
  if (inputs == 0 || numbers.empty() || numbers.size() % inputs != 0) return {};
  const auto columns = static_cast<Eigen::Index>(inputs), rows = static_cast<Eigen::Index>(numbers.size() / inputs);
  reference.embeddings = Eigen::Map<const Eigen::MatrixXf>(numbers.data(), rows, columns);
  reference.cosines = value_of(json, "cosines").get<std::map<std::string, double>>();
  return reference.embeddings.allFinite() ? reference : Reference();
}

}  // namespace

Reference load_reference(const std::string& identity) try {
  const std::string path = path_of(identity);
  const Result<std::string> text = path.empty() ? Error{} : read_file(path, kMaxFile);
  if (!text || text->size() <= kHexDigits || (*text)[kHexDigits] != '\n') return {};
  const std::string rest = text->substr(kHexDigits + 1);
  const Result<std::string> sum = sha256(rest);
  if (!sum || !text->starts_with(*sum)) return {};
  const Result<nlohmann::json> json = parse_json(rest);
  return json ? from_json(*json) : Reference();
} catch (const std::exception&) {
  return {};
}

void store_reference(const std::string& identity, const Reference& reference) try {
  const std::string path = path_of(identity);
  if (path.empty() || !reference.known()) return;
  const std::vector<float> numbers(reference.embeddings.data(),
                                   reference.embeddings.data() + reference.embeddings.size());
  const nlohmann::json json = {
      {"inputs", reference.embeddings.cols()}, {"embeddings", numbers}, {"cosines", reference.cosines}};
  const std::string rest = json.dump() + "\n";
  if (const Result<std::string> sum = sha256(rest)) (void)replace_file(path, *sum + "\n" + rest, Durability::kNone);
} catch (const std::exception&) {
  // The next start measures it again.
}

double lowest_cosine(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.size() == 0) return -1;
  const double lowest = (a.cast<double>().array() * b.cast<double>().array()).colwise().sum().minCoeff();
  return std::isfinite(lowest) ? lowest : -1;
}

}  // namespace bcp::clip
