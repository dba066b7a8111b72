// SPDX-License-Identifier: MIT
#include "backend/rda/mentions.hpp"

namespace cyclotron::backend::rda {

using namespace pattern;

namespace {

class Collector {
public:
  Mentions found;

  void add(const Body& body) {
    for (const Statement& s : body) add(s);
  }
  void add(const Statement& s) {
    std::visit([&](const auto& kind) { statement(kind); }, s.kind);
  }

private:
  void name(const std::string& text) {
    if (!text.empty()) found.names.insert(text);
  }

  void expression(const Expr& whole) {
    if (!whole) return;
    ir::walk<ExprNode>(whole, [&](const Expr& e) {
      if (const auto* v = ir::as<Variable>(e)) name(v->name);
      if (const auto* d = ir::as<Dequeue>(e)) name(d->fifo);
      if (const auto* r = ir::as<Read>(e)) {
        name(r->memory);
        found.read_at_an_index.insert(r->memory);
      }
    });
  }

  void header(const Range& r) {
    name(r.index);
    expression(r.first);
    expression(r.end);
  }
  void header(const Scan& s) {
    for (const std::string& n : {s.a, s.b, s.position_a, s.position_b, s.out, s.coordinate}) name(n);
    expression(s.extent);
  }

  void statement(const Declare& d) {
    name(d.name);
    expression(d.extent);
    expression(d.initial);
  }
  void statement(const Let& l) {
    name(l.name);
    expression(l.value);
  }
  void statement(const Loop& l) {
    std::visit([&](const auto& h) { header(h); }, l.header);
    expression(l.par);
    name(l.reg);
    add(l.body);
    expression(l.value);
  }
  template <class Transfer> void transfer(const Transfer& t) {
    name(t.to);
    name(t.from);
    for (const Expr& e : {t.first, t.end, t.par}) expression(e);
  }
  void statement(const Load& l) { transfer(l); }
  void statement(const Store& s) { transfer(s); }
  void statement(const Write& w) {
    name(w.memory);
    expression(w.index);
    expression(w.value);
  }
  void statement(const Enqueue& e) {
    name(e.fifo);
    expression(e.value);
  }
  void statement(const SetBits& s) {
    name(s.bits);
    name(s.fifo);
    expression(s.count);
  }
  void statement(const If& i) {
    expression(i.condition);
    add(i.body);
  }
};

} // namespace

Mentions mentions_of(const Body& body) {
  Collector collector;
  collector.add(body);
  return std::move(collector.found);
}

bool mentions(const Statement& statement, const std::string& name) {
  Collector collector;
  collector.add(statement);
  return collector.found.names.count(name) > 0;
}

} // namespace cyclotron::backend::rda
