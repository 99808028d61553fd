// SPDX-License-Identifier: LGPL-2.1-or-later
// The time-critical loops, once for each kind of processor.
//
// All of them use integers and give the same bytes; only their speed differs. Highway compiles kernels.cpp once for
// each instruction set, and the best one is selected at run time.
//
// Bytes are weighted four at a time: a "quad" is a 32-bit word with the bytes of four neighbours, columns of one row or
// rows of one column, the first in the lowest byte. Neighbouring words belong to different outputs, so no sum crosses
// the lanes of a register.
//
// Kernels may read inputs and write outputs up to kSlack bytes past their end: callers allocate that much more.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/filter_table.hpp"
#include "image/tone.hpp"
#include "image/yuv_matrix.hpp"

namespace bcp::image {

inline constexpr std::size_t kSlack = 256;
inline constexpr std::size_t kMaxRows = 16;

// One byte for each pixel: red, green, blue.
using PlanarRow = std::array<std::uint8_t*, 3>;

// Quads of columns of Y, U and V.
using PlanarBlocks = std::array<const std::uint32_t*, 3>;

// Chroma samples of a row between two others: near_share quarters of one and the rest of the other.
struct ChromaRows {
  std::array<const std::uint8_t*, 2> near{}, far{};  // U and V; interleaved: U V U V ... from near[0], far[0]
  bool interleaved = false;
  int near_share = 4;
};

// A FilterTable in the layout of the kernels: weights grouped into quads, packed by Kernels::pack.
struct QuadTable {
  struct Entry {
    std::size_t first = 0, count = 0;  // quads
    std::size_t words = 0;             // start of its packed weights
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> words;
  std::size_t quads = 0;  // the largest count
};

struct Kernels {
  const char* name;
  std::size_t rows;  // processed by along() at once: 4, 8 or 16

  // Four weights as `weight_words` words.
  std::size_t weight_words;
  void (*pack)(const std::int32_t* weights, std::uint32_t* words);

  // Splits pixels of two, three or four bytes into one row per byte.
  void (*split_2)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows);
  void (*split_3)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows);
  void (*split_4)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows);

  // Pairs of pixels with common chroma; the first chroma sample is the one before that of the first pair. REQUIRES:
  // count <= kMaxSpan. `cosited`: a sample is at the first pixel of its pair, else between the two.
  void (*halved_chroma)(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, bool cosited,
                        std::size_t count, const PlanarRow& out);
  // Pixels with one chroma sample each, not interleaved.
  void (*full_chroma)(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, std::size_t count,
                      const PlanarRow& out);

  // Quads of columns of `rows` rows, which are `apart` bytes apart: word r of out[q * stride] is quad q of row r.
  // `quads` is rounded up to a multiple of four.
  void (*columns)(const std::uint8_t* first_row, std::size_t apart, std::size_t quads, std::uint32_t* out,
                  std::size_t stride);
  // Quads of rows: out[x] is column x of four rows.
  void (*stack)(const std::uint8_t* const* rows, std::size_t count, std::uint32_t* out);

  // The pass along rows, for `rows` of them at once: outputs begin .. end - 1. block: [quad][colour][row]. Word i of
  // out[g], plus `width` times the colour, is output i of the rows 4 g .. 4 g + 3: a quad of rows.
  void (*along)(const QuadTable& table, std::size_t begin, std::size_t end, const std::uint32_t* block,
                std::size_t width, std::uint32_t* const* out);
  // The pass across rows: one output row of `count` bytes from entry.count rows of quads.
  void (*across)(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows,
                 std::size_t count, std::uint8_t* out);

  // The same pass for a table of rounded() weights.
  void (*across_rounded)(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows,
                         std::size_t count, std::uint8_t* out);
  // The pass along rows of Y, U and V, and the conversion of the result. blocks: [quad][row] each. Tables of rounded()
  // weights; `out` as of along().
  void (*along_yuv)(const YuvMatrix& matrix, const QuadTable& luma, const QuadTable& chroma, const PlanarBlocks& blocks,
                    std::size_t width, std::uint32_t* const* out);

  // Bytes to floats, exactly `count` of them. REQUIRES: count >= kMaxRows.
  void (*tone)(const ToneLine& line, const std::uint8_t* bytes, std::size_t count, float* out);
};

inline constexpr std::size_t kMaxSpan = 512;

const Kernels& plain_kernels();                   // without vector instructions, for any processor
const Kernels& fastest_kernels();                 // for this processor
std::vector<const Kernels*> supported_kernels();  // supported by this processor, the fastest first, plain last

// `lead`: the number of samples between the origin of quads and the table's begin.
QuadTable quad_table(const FilterTable& table, int lead, const Kernels& kernels);

}  // namespace bcp::image
