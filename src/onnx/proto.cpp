// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/proto.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "onnx/wire.hpp"

namespace bcp::onnx::proto {
namespace {

constexpr int kMaxDepth = 16;                            // of graphs in graphs
constexpr std::size_t kMaxItems = std::size_t{4} << 20;  // nodes, names, tensors, ... of a whole model
constexpr std::size_t kMaxName = 4096;                   // bytes
constexpr std::size_t kMaxRank = 64;                     // dimensions of a tensor
constexpr std::size_t kMaxAttributeNumbers = std::size_t{1} << 20;

// The number of items of a packed varint list: each item ends with a byte without the high bit.
std::uint64_t count_varints(std::string_view packed) {
  return static_cast<std::uint64_t>(
      std::count_if(packed.begin(), packed.end(), [](char byte) { return (byte & 0x80) == 0; }));
}

// Names are shown in messages and compared: they must be UTF-8 of limited length.
std::string_view name_from(pbf_reader& reader) {
  const std::string_view name = reader.get_view();
  if (name.size() > kMaxName) throw Damaged("a name has more than " + std::to_string(kMaxName) + " bytes");
  if (utf8::valid_prefix(name) != name.size()) throw Damaged("a name is not UTF-8");
  return name;
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

  // A malicious file could otherwise contain a billion empty nodes, each a few hundred bytes here.
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
          if (function.tag_and_type() == block(1))
            model.functions.back().name = function.get_view();
          else if (function.tag_and_type() == block(10))
            model.functions.back().domain = function.get_view();
          else if (function.tag_and_type() == block(7))
            model.functions.back().nodes.push_back(node(function.get_view()));
          else
            function.skip();
        }
        break;
      }
      default:
        reader.skip();
    }
  }
  if (!has_graph) throw Damaged("it has no graph");
  if (!model.opset) throw Damaged("it does not name the version of ONNX's operators");
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
        node.inputs.push_back(name_from(reader));
        break;
      case block(2):
        node.outputs.push_back(name_from(reader));
        break;
      case block(3):
        node.name = name_from(reader);
        break;
      case block(4):
        node.op_type = name_from(reader);
        break;
      case block(5):
        node.attributes.push_back(attribute(reader.get_view()));
        break;
      case block(7):
        node.domain = name_from(reader);
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
        attribute.name = name_from(reader);
        break;
      case fixed32(2):
        attribute.real = reader.get_float();
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
        tensor.name = name_from(reader);
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
            text = name_from(entry);
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
      if (info.shape.size() == kMaxRank)
        throw Damaged("a tensor has more than " + std::to_string(kMaxRank) + " dimensions");
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
      info.name = name_from(reader);
    } else if (reader.tag_and_type() == block(2)) {
      for (pbf_reader type = reader.get_message(); type.next(1, pbf_wire_type::length_delimited);)
        read_tensor(type.get_message());
    } else {
      reader.skip();
    }
  }
  return info;
}

}  // namespace

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
  throw Damaged("its protobuf data is invalid");
}

}  // namespace bcp::onnx::proto
