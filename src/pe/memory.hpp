// SPDX-License-Identifier: MIT
// The tensors that programs of PEs load from and store to: dense, row-major, one word per element.
#pragma once

#include "pe/code.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::pe {

class MemoryImage {
public:
  // Takes the inputs, in any format; outputs are zero. Reports inputs that are missing or of another shape or type.
  static std::optional<MemoryImage> make(const Program& program, const std::map<std::string, tensor::Tensor>& inputs,
                                         Diagnostics& diagnostics);

  // The element at these indices, or null where there is none.
  Word* element(const MemoryAccess& access, const std::int64_t* frame);

  // The tile at these indices; null, or false, where there is none or its shape is another.
  TileRef tile(const MemoryAccess& access, const std::int64_t* frame) const;
  bool store(const MemoryAccess& access, const std::int64_t* frame, const recurrence::Tile& tile);

  // All outputs, in the formats of dense tensors.
  std::optional<std::map<std::string, tensor::Tensor>> outputs(const Program& program, Diagnostics& diagnostics) const;

private:
  struct Block {
    tensor::ValueType type = tensor::ValueType::f64;
    std::vector<std::int64_t> dims, tile; // `tile` as Memory::block
    std::vector<Word> words;
  };

  // A box of elements.
  struct Region {
    std::vector<std::int64_t> first, count;
    std::vector<std::int64_t> tile_dims; // without the dimensions that are no part of a tile
  };
  static std::optional<Region> region(const Block& block, const MemoryAccess& access, const std::int64_t* frame);
  template <class Words, class F> static void each_element(Words& block, const Region& region, F&& f);

  std::vector<Block> blocks_; // in the order of the program's tensors
};

} // namespace cyclotron::pe
