// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/onnx_proto.hpp"

#define PROTOZERO_USE_VIEW std::string_view
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/half.hpp"

namespace bcp::clip::onnx {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

constexpr int kMaxDepth = 16;                            // of graphs in graphs
constexpr std::size_t kMaxItems = std::size_t{4} << 20;  // nodes, names, tensors, ... of a whole model
constexpr std::size_t kMaxRank = 64;                     // sides of a tensor
constexpr std::size_t kMaxAttributeNumbers = std::size_t{1} << 20;

// A field's number with how it is stored. The same number stored in another way is another field, and skipped, as
// protobuf wants it.
constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t fixed32(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed32);
}
constexpr std::uint32_t fixed64(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}
constexpr std::uint32_t block(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}

// Repeated numbers come packed or one by one.
void add_numbers(pbf_reader& reader, std::vector<std::int64_t>& numbers, std::size_t most) {
  const auto add = [&](std::int64_t number) {
    if (numbers.size() == most) throw Damaged("a list has more than " + std::to_string(most) + " numbers");
    numbers.push_back(number);
  };
  if (reader.wire_type() == pbf_wire_type::varint) return add(reader.get_int64());
  for (const std::int64_t number : reader.get_packed_int64()) add(number);
}

// Items of a packed list of varints: each ends with the byte that has no high bit.
std::uint64_t count_varints(std::string_view packed) {
  return static_cast<std::uint64_t>(
      std::count_if(packed.begin(), packed.end(), [](char byte) { return (byte & 0x80) == 0; }));
}

class Reader {
 public:
  Model model(std::string_view message);

 private:
  void graph(std::string_view message, Graph& graph);
  Node node(std::string_view message);
  Attribute attribute(std::string_view message);
  Tensor tensor(std::string_view message);
  SparseTensor sparse_tensor(std::string_view message);
  TensorInfo value(std::string_view message);
  void opset(std::string_view message, std::optional<std::int64_t>& version);

  // A hostile file could otherwise hold a thousand million empty nodes, each a few hundred bytes here.
  void count() {
    if (++items_ > kMaxItems) throw Damaged("it has more than " + std::to_string(kMaxItems) + " parts");
  }

  std::size_t items_ = 0;
  int depth_ = 0;
};

Model Reader::model(std::string_view message) {
  Model model;
  bool has_graph = false;
  for (pbf_reader reader(message); reader.next();) {
    count();
    switch (reader.tag_and_type()) {
      case block(7):
        graph(reader.get_view(), model.graph);
        has_graph = true;
        break;
      case block(8):
        opset(reader.get_view(), model.opset);
        break;
      case block(25): {
        model.functions.emplace_back();
        for (pbf_reader function = reader.get_message(); function.next();) {
          if (function.tag_and_type() == block(7))
            model.functions.back().push_back(node(function.get_view()));
          else
            function.skip();
        }
        break;
      }
      default:
        reader.skip();
    }
  }
  if (!has_graph) throw Damaged("it holds no graph");
  if (!model.opset) throw Damaged("it does not say which version of ONNX's operators it uses");
  return model;
}

void Reader::opset(std::string_view message, std::optional<std::int64_t>& version) {
  std::string_view domain;
  std::int64_t number = 0;
  for (pbf_reader reader(message); reader.next();) {
    if (reader.tag_and_type() == block(1))
      domain = reader.get_view();
    else if (reader.tag_and_type() == varint(2))
      number = reader.get_int64();
    else
      reader.skip();
  }
  if (domain.empty() || domain == "ai.onnx") version = number;
}

void Reader::graph(std::string_view message, Graph& graph) {
  if (++depth_ > kMaxDepth) throw Damaged("its graphs are nested more than " + std::to_string(kMaxDepth) + " deep");
  for (pbf_reader reader(message); reader.next();) {
    count();
    switch (reader.tag_and_type()) {
      case block(1):
        graph.nodes.push_back(node(reader.get_view()));
        break;
      case block(5):
        graph.initializers.push_back(tensor(reader.get_view()));
        break;
      case block(11):
        graph.inputs.push_back(value(reader.get_view()));
        break;
      case block(12):
        graph.outputs.push_back(value(reader.get_view()));
        break;
      case block(15):
        graph.sparse_initializers.push_back(sparse_tensor(reader.get_view()));
        break;
      default:
        reader.skip();
    }
  }
  --depth_;
}

Node Reader::node(std::string_view message) {
  Node node;
  for (pbf_reader reader(message); reader.next();) {
    count();
    switch (reader.tag_and_type()) {
      case block(1):
        node.inputs.push_back(reader.get_view());
        break;
      case block(2):
        node.outputs.push_back(reader.get_view());
        break;
      case block(3):
        node.name = reader.get_view();
        break;
      case block(4):
        node.op_type = reader.get_view();
        break;
      case block(5):
        node.attributes.push_back(attribute(reader.get_view()));
        break;
      case block(7):
        node.domain = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return node;
}

Attribute Reader::attribute(std::string_view message) {
  Attribute attribute;
  for (pbf_reader reader(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case block(1):
        attribute.name = reader.get_view();
        break;
      case varint(3):
        attribute.integer = reader.get_int64();
        break;
      case block(5):
      case block(10):
        attribute.tensors.push_back(tensor(reader.get_view()));
        break;
      case block(6):
      case block(11):
        count();
        attribute.graphs.emplace_back();
        graph(reader.get_view(), attribute.graphs.back());
        break;
      case fixed32(7):
        attribute.floats.push_back(reader.get_float());
        break;
      case block(7):
        for (const float number : reader.get_packed_float()) attribute.floats.push_back(number);
        break;
      case varint(8):
      case block(8):
        add_numbers(reader, attribute.integers, kMaxAttributeNumbers);
        break;
      case block(22):
      case block(23):
        attribute.sparse_tensors.push_back(sparse_tensor(reader.get_view()));
        break;
      default:
        reader.skip();
    }
  }
  return attribute;
}

Tensor Reader::tensor(std::string_view message) {
  count();
  Tensor tensor;
  tensor.bytes = message;
  bool is_external = false;
  ExternalData external;
  for (pbf_reader reader(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case varint(1):
      case block(1):
        add_numbers(reader, tensor.dims, kMaxRank);
        break;
      case varint(2):
        tensor.type = reader.get_int32();
        break;
      case block(4):  // float_data
        tensor.typed_items += reader.get_view().size() / sizeof(float);
        break;
      case block(5):   // int32_data
      case block(7):   // int64_data
      case block(11):  // uint64_data
        tensor.typed_items += count_varints(reader.get_view());
        break;
      case block(10):  // double_data
        tensor.typed_items += reader.get_view().size() / sizeof(double);
        break;
      case fixed32(4):
      case varint(5):
      case block(6):  // string_data
      case varint(7):
      case fixed64(10):
      case varint(11):
        ++tensor.typed_items;
        reader.skip();
        break;
      case block(8):
        tensor.name = reader.get_view();
        break;
      case block(9):
        tensor.raw = reader.get_view();
        break;
      case block(13): {
        std::string_view key, text;
        for (pbf_reader entry = reader.get_message(); entry.next();) {
          if (entry.tag_and_type() == block(1))
            key = entry.get_view();
          else if (entry.tag_and_type() == block(2))
            text = entry.get_view();
          else
            entry.skip();
        }
        if (key == "location") external.location = text;
        if (key == "offset") external.offset = text;
        if (key == "length") external.length = text;
        break;
      }
      case varint(14):
        is_external = reader.get_enum() == 1;
        break;
      default:
        reader.skip();
    }
  }
  if (is_external) tensor.external = external;
  return tensor;
}

SparseTensor Reader::sparse_tensor(std::string_view message) {
  SparseTensor sparse;
  for (pbf_reader reader(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case block(1):
        sparse.values = tensor(reader.get_view());
        break;
      case block(2):
        sparse.indices = tensor(reader.get_view());
        break;
      case varint(3):
      case block(3):
        add_numbers(reader, sparse.dims, kMaxRank);
        break;
      default:
        reader.skip();
    }
  }
  return sparse;
}

// ValueInfoProto > TypeProto > Tensor > TensorShapeProto > Dimension.
TensorInfo Reader::value(std::string_view message) {
  TensorInfo info{{}, "not a tensor", {}};
  const auto read_shape = [&](pbf_reader reader) {
    info.shape.clear();
    while (reader.next(1, pbf_wire_type::length_delimited)) {
      if (info.shape.size() == kMaxRank) throw Damaged("a tensor has more than " + std::to_string(kMaxRank) + " sides");
      info.shape.push_back(-1);
      for (pbf_reader side = reader.get_message(); side.next(1, pbf_wire_type::varint);)
        info.shape.back() = std::max<std::int64_t>(side.get_int64(), -1);
    }
  };
  const auto read_tensor = [&](pbf_reader reader) {
    info.type = type_name(0);
    while (reader.next()) {
      if (reader.tag_and_type() == varint(1))
        info.type = type_name(reader.get_int32());
      else if (reader.tag_and_type() == block(2))
        read_shape(reader.get_message());
      else
        reader.skip();
    }
  };
  for (pbf_reader reader(message); reader.next();) {
    if (reader.tag_and_type() == block(1)) {
      info.name = reader.get_view();
    } else if (reader.tag_and_type() == block(2)) {
      for (pbf_reader type = reader.get_message(); type.next(1, pbf_wire_type::length_delimited);)
        read_tensor(type.get_message());
    } else {
      reader.skip();
    }
  }
  return info;
}

template <typename T>
std::vector<T> copy_numbers(std::string_view from) {
  std::vector<T> numbers(from.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), from.data(), numbers.size() * sizeof(T));
  return numbers;
}

// The elements of a tensor, 0 where that is no small number.
std::size_t small_count(const Tensor& tensor, std::size_t most) {
  std::size_t count = 1;
  for (const std::int64_t side : tensor.dims) {
    if (side <= 0 || static_cast<std::uint64_t>(side) > most) return 0;
    count *= static_cast<std::size_t>(side);
    if (count > most) return 0;
  }
  return count;
}

// Adds the fields of `message` that `keep` wants, as they lie in the file. `keep` has to read or skip the field.
template <typename Keep>
void select_fields(std::string_view message, std::vector<std::string_view>& pieces, Keep&& keep) {
  pbf_reader reader(message);
  for (const char* start = reader.data().data(); reader.next(); start = reader.data().data()) {
    const bool wanted = keep(reader);
    if (wanted) pieces.emplace_back(start, static_cast<std::size_t>(reader.data().data() - start));
  }
}

}  // namespace

std::string type_name(std::int32_t type) {
  switch (type) {
    case kFloat:
      return "float";
    case 2:
      return "uint8";
    case 3:
      return "int8";
    case kInt32:
      return "int32";
    case kInt64:
      return "int64";
    case kFloat16:
      return "float16";
    case kDouble:
      return "double";
    case 16:
      return "bfloat16";
    default:
      return "type " + std::to_string(type);
  }
}

unsigned type_bits(std::int32_t type) {
  // By TensorProto.DataType: undefined, float, uint8, int8, uint16, int16, int32, int64, string, bool, float16, double,
  // uint32, uint64, complex64, complex128, bfloat16, four kinds of float8, uint4, int4, float4, float8, uint2, int2.
  constexpr std::array<unsigned, 27> kBits = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                              64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
  return type >= 0 && static_cast<std::size_t>(type) < kBits.size() ? kBits[static_cast<std::size_t>(type)] : 0;
}

const Attribute* Node::attribute(std::string_view wanted) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& attribute) { return attribute.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

Model read_model(std::string_view bytes) try {
  return Reader().model(bytes);
} catch (const protozero::end_of_buffer_exception&) {
  throw Damaged("it ends too early");
} catch (const protozero::exception&) {
  throw Damaged("its bytes make no sense");
}

std::optional<std::vector<std::int64_t>> integers_of(const Tensor& tensor, std::size_t most) {
  const std::size_t count = small_count(tensor, most);
  if (count == 0 || tensor.external || (tensor.type != kInt32 && tensor.type != kInt64)) return {};
  std::vector<std::int64_t> numbers;
  if (tensor.raw && tensor.raw->size() > count * sizeof(std::int64_t)) return {};
  if (tensor.raw && tensor.type == kInt64) {
    numbers = copy_numbers<std::int64_t>(*tensor.raw);
  } else if (tensor.raw) {
    for (const std::int32_t number : copy_numbers<std::int32_t>(*tensor.raw)) numbers.push_back(number);
  } else {
    for (pbf_reader reader(tensor.bytes); reader.next();) {
      const std::uint32_t field = tensor.type == kInt64 ? 7 : 5;
      if (reader.tag_and_type() == varint(field) || reader.tag_and_type() == block(field))
        add_numbers(reader, numbers, count);
      else
        reader.skip();
    }
  }
  if (numbers.size() != count) return {};
  return numbers;
}

std::optional<std::vector<double>> floats_of(const Tensor& tensor, std::size_t most) {
  const std::size_t count = small_count(tensor, most);
  if (count == 0 || tensor.external) return {};
  std::string_view from = tensor.raw.value_or(std::string_view());
  std::vector<double> numbers;
  if (!tensor.raw) {
    const std::uint32_t field = tensor.type == kFloat ? 4 : tensor.type == kDouble ? 10 : 5;
    for (pbf_reader reader(tensor.bytes); reader.next();) {
      if (reader.tag_and_type() == block(field) && tensor.type != kFloat16) {
        from = reader.get_view();
      } else if (reader.tag_and_type() == block(field)) {
        std::vector<std::int64_t> halves;
        add_numbers(reader, halves, count);
        for (const std::int64_t half : halves) numbers.push_back(from_half(static_cast<std::uint16_t>(half)));
      } else if (reader.tag_and_type() == fixed32(field)) {
        numbers.push_back(reader.get_float());
      } else if (reader.tag_and_type() == fixed64(field)) {
        numbers.push_back(reader.get_double());
      } else {
        reader.skip();
      }
      if (numbers.size() > count) return {};
    }
  }
  if (from.size() > count * sizeof(double)) return {};
  if (tensor.type == kFloat) {
    for (const float number : copy_numbers<float>(from)) numbers.push_back(number);
  } else if (tensor.type == kDouble) {
    for (const double number : copy_numbers<double>(from)) numbers.push_back(number);
  } else if (tensor.type == kFloat16) {
    for (const std::uint16_t half : copy_numbers<std::uint16_t>(from)) numbers.push_back(from_half(half));
  }
  if (numbers.size() != count) return {};
  return numbers;
}

std::string cut_model(std::string_view model, const Kept& kept) {
  std::vector<std::string_view> around, inside;
  std::size_t node = 0, initializer = 0, sparse = 0, input = 0, output = 0;
  const auto keep_in_graph = [&](pbf_reader& reader) {
    const std::uint32_t field = reader.tag_and_type();
    reader.skip();
    switch (field) {
      case block(1):
        return static_cast<bool>(kept.nodes[node++]);
      case block(5):
        return static_cast<bool>(kept.initializers[initializer++]);
      case block(11):
        return static_cast<bool>(kept.inputs[input++]);
      case block(12):
        return static_cast<bool>(kept.outputs[output++]);
      case block(15):
        return static_cast<bool>(kept.sparse_initializers[sparse++]);
      case block(13):  // value_info
      case block(14):  // quantization_annotation
        return false;
      default:
        return true;
    }
  };
  select_fields(model, around, [&](pbf_reader& reader) {
    const std::uint32_t field = reader.tag_and_type();
    if (field == block(7)) {
      select_fields(reader.get_view(), inside, keep_in_graph);
      return false;
    }
    reader.skip();
    return field != block(20);  // training_info
  });

  std::size_t graph_size = 0, total = 16;
  for (const std::string_view piece : inside) graph_size += piece.size();
  for (const std::string_view piece : around) total += piece.size();
  std::string cut;
  cut.reserve(total + graph_size);
  for (const std::string_view piece : around) cut += piece;
  protozero::add_varint_to_buffer(&cut, block(7));
  protozero::add_varint_to_buffer(&cut, graph_size);
  for (const std::string_view piece : inside) cut += piece;
  return cut;
}

}  // namespace bcp::clip::onnx
