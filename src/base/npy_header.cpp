// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace bcp::npy {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMostSides = 64;  // NumPy's limit
constexpr const char* kSaveAgain = ": save it again with numpy.save()";

Error refuse(std::string what) {
  return Error{ErrorCode::kInvalid, std::move(what)};
}

Error damaged(const std::string& what) {
  return refuse("has a damaged header, " + what + kSaveAgain);
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Parses the Python dictionary of a header. Every function takes the named item from the front of the text, after
// spaces, or leaves the text unchanged and returns a failure.
class Text {
 public:
  explicit Text(std::string_view rest) : rest_(rest) {}

  bool take(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool next_is(char c) {
    skip_spaces();
    return rest_.starts_with(c);
  }
  std::optional<std::string> quoted() {
    skip_spaces();
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }
  std::optional<bool> truth() {
    if (take("True")) return true;
    if (take("False")) return false;
    return std::nullopt;
  }
  std::optional<std::size_t> whole_number() {
    skip_spaces();
    std::size_t value = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (fault != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // written by Python 2
    return value;
  }
  bool at_end() {
    skip_spaces();
    return rest_.empty();
  }

 private:
  void skip_spaces() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  std::string_view rest_;
};

Status parse_type(Text& text, Header& header) {
  if (text.next_is('[') || text.next_is('('))
    return refuse("holds records of several fields: save one of them with numpy.save(path, a['field'])");
  const std::optional<std::string> code = text.quoted();
  if (!code || code->empty()) return damaged("without the type of its numbers");
  const std::string_view word = *code;
  const bool has_order = std::string_view("<>|=").find(word[0]) != std::string_view::npos;
  const std::string_view type = word.substr(has_order ? 1 : 0);
  const char kind = type.empty() ? '?' : type[0];
  if (kind == 'O')
    return refuse("holds Python objects, which only Python can read: save numpy.array(a, dtype='float32') instead");
  std::size_t size = 0;
  if (!type.empty()) std::from_chars(type.data() + 1, type.data() + type.size(), size);
  const bool known = (kind == 'f' && (size == 2 || size == 4 || size == 8)) ||
                     ((kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8)) ||
                     (kind == 'b' && size == 1);
  if (!known || type.size() != 2)
    return refuse("has the unsupported type \"" + *code + "\" (supported: float16/32/64, int8 to int64, uint8 to " +
                  "uint64, bool): save a.astype('float32') instead");
  header.kind = kind;
  header.size = size;
  header.order = word[0] == '>' ? '>' : '<';
  return ok();
}

Status parse_shape(Text& text, Header& header) {
  if (!text.take("(")) return damaged("without a shape");
  while (!text.take(")")) {
    const std::optional<std::size_t> side = text.whole_number();
    if (!side) return damaged("with a dimension that is not a non-negative integer");
    if (header.shape.size() == kMostSides) return damaged("with more than 64 dimensions");
    header.shape.push_back(*side);
    if (!text.take(",") && !text.next_is(')')) return damaged("with a shape that is not a list of numbers");
  }
  return ok();
}

}  // namespace

Result<Preamble> parse_preamble(std::string_view bytes) {
  if (bytes.empty()) return refuse(std::string("is empty") + kSaveAgain);
  if (bytes.starts_with("PK"))
    return refuse("is an archive of arrays (.npz): save one array with numpy.save(\"one.npy\", archive[name])");
  if (!bytes.starts_with(kMagic)) return refuse("is not a NumPy array: name a .npy file written by numpy.save()");
  if (bytes.size() < kMostPreamble) return refuse(std::string("ends inside its header") + kSaveAgain);
  const int major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    return refuse("has version " + std::to_string(major) + "." + std::to_string(minor) +
                  " of NumPy's format, but only 1.0 to 3.0 are supported" + kSaveAgain);
  const std::size_t width = major == 1 ? 2 : 4;
  const Preamble preamble{8 + width, little_endian(bytes.substr(8, width))};
  if (preamble.length > kMostDescription)
    return damaged("which claims " + std::to_string(preamble.length) + " bytes (at most " +
                   std::to_string(kMostDescription) + " are allowed)");
  return preamble;
}

Result<Header> parse_description(std::string_view bytes) {
  Header header;
  bool has_type = false, has_order = false, has_shape = false;
  Text text(bytes);
  if (!text.take("{")) return damaged("which is not a dictionary");
  while (!text.take("}")) {
    const std::optional<std::string> key = text.quoted();
    if (!key || !text.take(":")) return damaged("which is not a dictionary");
    if (*key != "descr" && *key != "fortran_order" && *key != "shape")
      return damaged("with the unknown key \"" + *key + "\"");
    bool& seen = *key == "descr" ? has_type : *key == "fortran_order" ? has_order : has_shape;
    if (seen) return damaged("which has \"" + *key + "\" twice");
    seen = true;
    if (*key == "descr") {
      if (const Status type = parse_type(text, header); !type) return type.error();
    } else if (*key == "fortran_order") {
      const std::optional<bool> fortran = text.truth();
      if (!fortran) return damaged("whose fortran_order is neither True nor False");
      header.fortran_order = *fortran;
    } else if (const Status shape = parse_shape(text, header); !shape) {
      return shape.error();
    }
    if (!text.take(",") && !text.next_is('}')) return damaged("which is not a dictionary");
  }
  if (!text.at_end()) return damaged("with data after the dictionary");
  if (!has_type || !has_order || !has_shape)
    return damaged(std::string("without \"") + (!has_type ? "descr" : !has_order ? "fortran_order" : "shape") + "\"");
  return header;
}

std::optional<std::size_t> product(const std::vector<std::size_t>& shape) {
  std::size_t all = 1;
  bool empty = false;
  for (const std::size_t side : shape) {
    if (side == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(all, side, &all)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : all;
}

std::string type_name(const Header& header) {
  const std::string bits = std::to_string(header.size * 8);
  switch (header.kind) {
    case 'f':
      return "float" + bits;
    case 'i':
      return "int" + bits;
    case 'u':
      return "uint" + bits;
    default:
      return "bool";
  }
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string encode(const Header& header) {
  std::string text = std::string("{'descr': '") + header.order + header.kind + std::to_string(header.size) +
                     "', 'fortran_order': " + (header.fortran_order ? "True" : "False") +
                     ", 'shape': " + shape_text(header.shape) + ", }";
  constexpr std::size_t kPreamble = 10;
  while ((kPreamble + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes = std::string(kMagic) + std::string("\x01\x00", 2);
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

}  // namespace bcp::npy
