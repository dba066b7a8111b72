// SPDX-License-Identifier: MIT
// The one mechanism behind every IR: nodes are plain structs in a variant, behind an immutable shared `Ref`.
//
// A node struct lists its fields once; walking, rewriting and equality come from that line. `match` has no
// default case, so a forgotten node kind is a compile error. Spans live in the wrapper: rewrites inherit them
// and equality ignores them.
#pragma once

#include "support/span.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cyclotron::ir {

template <class... Fs> struct overload : Fs... { using Fs::operator()...; };
template <class... Fs> overload(Fs...) -> overload<Fs...>;

template <class Node> class Ref {
  std::shared_ptr<const Node> node_;

public:
  Ref() = default;
  template <class Kind>
  requires(!std::is_same_v<std::decay_t<Kind>, Ref>) Ref(Kind kind, Span at = {})
      : node_(std::make_shared<const Node>(Node{at, std::move(kind)})) {}

  const Node& operator*() const { return *node_; }
  const Node* operator->() const { return node_.get(); }
  const Node* get() const { return node_.get(); }
  explicit operator bool() const { return bool(node_); }
  bool same_as(const Ref& other) const { return node_ == other.node_; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.same_as(b) || (a && b && a->kind == b->kind); }
};

// match(expr, [](const Number& n) {...}, [](const Name& n) {...}, ...): one function per kind, all of them.
template <class Node, class... Fs> decltype(auto) match(const Ref<Node>& ref, Fs&&... fs) {
  return std::visit(overload{std::forward<Fs>(fs)...}, ref->kind);
}

// The node as one kind, or null.
template <class Kind, class Node> const Kind* as(const Ref<Node>& ref) { return std::get_if<Kind>(&ref->kind); }

namespace detail {
template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
concept HasFields = requires(T& t) {
  T::fields(t, [](auto&) {});
};

// Calls f on every Ref<Node> inside a field: directly, in vectors and optionals, and in parts with own fields.
template <class Node, class Field, class F> void each_ref(Field& field, const F& f) {
  using T = std::remove_cv_t<Field>;
  if constexpr (std::is_same_v<T, Ref<Node>>) {
    if (field) f(field);
  } else if constexpr (is_vector<T>::value) {
    for (auto& item : field) each_ref<Node>(item, f);
  } else if constexpr (is_optional<T>::value) {
    if (field) each_ref<Node>(*field, f);
  } else if constexpr (HasFields<T>) {
    T::fields(field, [&](auto& part) { each_ref<Node>(part, f); });
  }
}
} // namespace detail

// Calls f on the direct children. Type-erased so that it is instantiated once per IR.
template <class Node> void each_child(const Ref<Node>& ref, const std::function<void(const Ref<Node>&)>& f) {
  std::visit(
      [&](const auto& kind) {
        std::decay_t<decltype(kind)>::fields(kind, [&](const auto& field) { detail::each_ref<Node>(field, f); });
      },
      ref->kind);
}

// Calls f on the node and everything below it, parents first.
template <class Node> void walk(const Ref<Node>& ref, const std::function<void(const Ref<Node>&)>& f) {
  f(ref);
  each_child<Node>(ref, [&](const Ref<Node>& child) { walk(child, f); });
}

// The node with f applied to its direct children; the same node where nothing changed.
template <class Node>
Ref<Node> map_children(const Ref<Node>& ref, const std::function<Ref<Node>(const Ref<Node>&)>& f) {
  return std::visit(
      [&](const auto& kind) -> Ref<Node> {
        auto copy = kind;
        bool changed = false;
        const std::function<void(Ref<Node>&)> replace = [&](Ref<Node>& child) {
          Ref<Node> next = f(child);
          changed |= !next.same_as(child);
          child = std::move(next);
        };
        std::decay_t<decltype(kind)>::fields(copy, [&](auto& field) { detail::each_ref<Node>(field, replace); });
        return changed ? Ref<Node>(std::move(copy), ref->span) : ref;
      },
      ref->kind);
}

} // namespace cyclotron::ir
