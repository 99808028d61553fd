// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Unit embeddings of frames, stored by the most probable label of each: the few with the lowest entropy per label.
//
// Memory for a label is allocated with its first embedding, for the full capacity.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bcp::eval {

class Bank {
 public:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Bank(std::size_t labels, std::size_t width, std::size_t capacity)
      : width_(width), capacity_(capacity), shelves_(labels) {}

  // Whether there is room, or its entropy is lower than the highest one stored.
  bool accepts(std::size_t label, double entropy) const;
  // Stores it; if there is no room, it replaces the one with the highest entropy (the newest of equals). Returns its
  // position on the label's shelf. REQUIRES: accepts().
  std::size_t keep(std::size_t label, std::span<const float> embedding, double entropy);

  std::size_t labels() const { return shelves_.size(); }
  std::size_t size() const { return size_; }  // of all shelves
  // The embeddings of a label, one row per position.
  Eigen::Map<const Rows> rows(std::size_t label) const;

 private:
  struct Shelf {
    std::vector<float> rows;
    std::vector<double> entropies;     // by position
    std::vector<std::uint32_t> order;  // positions, lowest entropy first, of equals the newest last
  };

  std::size_t width_, capacity_;
  std::size_t size_ = 0;
  std::vector<Shelf> shelves_;
};

}  // namespace bcp::eval
