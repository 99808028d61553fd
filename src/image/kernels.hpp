// SPDX-License-Identifier: LGPL-2.1-or-later
// The loops in which a frame's time is spent, once for each kind of processor.
//
// All of them compute with whole numbers and give the same bytes everywhere; only their speed differs. Highway compiles
// kernels.cpp once for each instruction set, and the processor decides which is used when the program runs.
//
// Bytes are weighted four at a time: a "quad" is a 32-bit word of the bytes of four neighbours, columns of one row or
// rows of one column, the first in the lowest byte. Neighbouring words belong to different outputs, so that no sum ever
// crosses the lanes of a register.
//
// Inputs may be read, and outputs written, up to kSlack bytes past their end: callers leave that much room.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/filter_table.hpp"
#include "image/yuv_matrix.hpp"

namespace bcp::image {

inline constexpr std::size_t kSlack = 256;
inline constexpr std::size_t kMaxRows = 16;

// One byte for each pixel: red, green, blue.
using PlanarRow = std::array<std::uint8_t*, 3>;

// Chroma samples of a row that lies between two others: near_share quarters of one and the rest of the other.
struct ChromaRows {
  std::array<const std::uint8_t*, 2> near{}, far{};  // U and V; interleaved: U V U V ... from near[0], far[0]
  bool interleaved = false;
  int near_share = 4;
};

// A FilterTable as the kernels read it: weights grouped into quads, packed by Kernels::pack.
struct QuadTable {
  struct Entry {
    std::size_t first = 0, count = 0;  // quads
    std::size_t words = 0;             // where its packed weights start
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> words;
  std::size_t quads = 0;  // the largest count
};

struct Kernels {
  const char* name;
  std::size_t rows;  // that along() handles at once: 4, 8 or 16

  // Four weights as `weight_words` words.
  std::size_t weight_words;
  void (*pack)(const std::int32_t* weights, std::uint32_t* words);

  // Pixels of two, three or four bytes: each of the bytes into a row of its own.
  void (*split_2)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows);
  void (*split_3)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows);
  void (*split_4)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows);

  // Pixels that share chroma in pairs; the first chroma sample is the one before that of the first pair.
  // REQUIRES: count <= kMaxSpan. `cosited`: a sample sits on the first pixel of its pair, else between the two.
  void (*halved_chroma)(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, bool cosited,
                        std::size_t count, const PlanarRow& out);
  // Pixels with a chroma sample each, never interleaved.
  void (*full_chroma)(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, std::size_t count,
                      const PlanarRow& out);

  // Quads of columns: word r of out[q * stride] is quad q of row r, for four rows. `quads` is rounded up to a
  // multiple of four.
  void (*columns)(const std::uint8_t* const* rows, std::size_t quads, std::uint32_t* out, std::size_t stride);
  // Quads of rows: out[x] is column x of four rows.
  void (*stack)(const std::uint8_t* const* rows, std::size_t count, std::uint32_t* out);

  // The pass along rows, for `rows` of them at once: outputs begin .. end - 1. block: [quad][colour][row]. Word i of
  // out[g], from `width` times the colour on, is output i of the rows 4 g .. 4 g + 3: a quad of rows.
  void (*along)(const QuadTable& table, std::size_t begin, std::size_t end, const std::uint32_t* block,
                std::size_t width, std::uint32_t* const* out);
  // The pass across rows: one output row of `count` bytes from entry.count rows of quads.
  void (*across)(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows,
                 std::size_t count, std::uint8_t* out);
};

inline constexpr std::size_t kMaxSpan = 512;

const Kernels& plain_kernels();                   // without vector instructions, for any processor
const Kernels& fastest_kernels();                 // for this one
std::vector<const Kernels*> supported_kernels();  // all that this processor can run, the fastest first, plain last

// `lead`: how many samples are in front of the table's begin, from where quads count.
QuadTable quad_table(const FilterTable& table, int lead, const Kernels& kernels);

}  // namespace bcp::image
