// SPDX-License-Identifier: MIT
// Types and formats of the public headers as those of the library, and back.
#pragma once

#include "cyclotron/format.hpp"
#include "tensor/format.hpp"

#include <optional>

namespace cyclotron::api {

// Both list the same things in the same order.
constexpr tensor::ValueType internal(Type type) { return static_cast<tensor::ValueType>(type); }
constexpr Type external(tensor::ValueType type) { return static_cast<Type>(type); }
constexpr tensor::LevelKind internal(Level level) { return static_cast<tensor::LevelKind>(level); }
static_assert(internal(Type::f64) == tensor::ValueType::f64 && internal(Type::f32) == tensor::ValueType::f32 &&
              internal(Type::i32) == tensor::ValueType::i32 && internal(Type::i64) == tensor::ValueType::i64 &&
              internal(Type::boolean) == tensor::ValueType::boolean);
static_assert(internal(Level::dense) == tensor::LevelKind::dense &&
              internal(Level::compressed) == tensor::LevelKind::compressed &&
              internal(Level::singleton) == tensor::LevelKind::singleton &&
              internal(Level::bitvector) == tensor::LevelKind::bitvector);

// Nothing where it does not fit the rank.
std::optional<tensor::Format> internal(const Format& format, int rank);
Format external(const tensor::Format& format);

} // namespace cyclotron::api
