// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Unit embeddings of frames, kept under the likeliest label of each: a few a label, the surest (of least entropy).
//
// Memory is taken for a label when its first embedding comes, for as many as there may be.
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

  // Whether there is room, or it is surer than the least sure one.
  bool accepts(std::size_t label, double entropy) const;
  // Keeps it, in place of the least sure one (the newest of such) where there is no room. Returns its place on the
  // label's shelf. REQUIRES: accepts().
  std::size_t keep(std::size_t label, std::span<const float> embedding, double entropy);

  std::size_t labels() const { return shelves_.size(); }
  std::size_t size() const { return size_; }  // of all shelves
  // The embeddings of a label, row for place.
  Eigen::Map<const Rows> rows(std::size_t label) const;

 private:
  struct Shelf {
    std::vector<float> rows;
    std::vector<double> entropies;     // by place
    std::vector<std::uint32_t> order;  // places, the surest first, the newest last of equals
  };

  std::size_t width_, capacity_;
  std::size_t size_ = 0;
  std::vector<Shelf> shelves_;
};

}  // namespace bcp::eval
