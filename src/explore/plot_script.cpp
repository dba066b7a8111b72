// SPDX-License-Identifier: MIT
// What the page of plot.cpp does in the browser. Texts of points are only ever set as text, never as HTML.
#include "explore/plot.hpp"

namespace cyclotron::explore {

const char* const plot_script = R"SCRIPT("use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const points = data.points;
const byId = id => document.getElementById(id);
const results = ["cycles", "utilisation", "pes", "memory_bytes_per_pe", "messages", "bytes"];
const parameters = [...new Set(points.flatMap(p => Object.keys(p.parameters)))].sort();
const valueOf = (p, name) => name === "family" || name === "verdict" || results.includes(name) ? p[name] : p.parameters[name];
const isNumber = v => v !== null && v !== undefined && v !== "" && isFinite(Number(v));
const holdsNumbers = name => points.some(p => isNumber(valueOf(p, name))) &&
  points.every(p => [null, undefined].includes(valueOf(p, name)) || isNumber(valueOf(p, name)));
const numbers = new Set(["family", "verdict", ...results, ...parameters].filter(holdsNumbers));
const numeric = name => numbers.has(name);
const smallest = values => values.reduce((a, b) => Math.min(a, b), Infinity);
const largest = values => values.reduce((a, b) => Math.max(a, b), -Infinity);
const axes = [...results, ...parameters.filter(numeric)];
const words = {pes: "PEs", memory_bytes_per_pe: "bytes of memory per PE", bytes: "bytes sent"};
const wordOf = name => words[name] || name.replaceAll("_", " ");
const textOf = v => v === null || v === undefined ? "" : typeof v === "number" && !Number.isInteger(v) ? v.toFixed(3) : String(v);
const state = {x: axes.includes(data.x) ? data.x : "pes", y: axes.includes(data.y) ? data.y : "cycles",
  colour: ["family", ...parameters].includes(data.colour) ? data.colour : "family",
  logX: false, logY: false, each: false, off: new Set(), sort: null, down: false};

function element(tag, attributes = {}, text = "", svg = false) {
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== "") e.textContent = text;
  return e;
}

// --- controls ---

function choice(label, key, names) {
  const box = element("label", {}, label + " ");
  const select = element("select", {"aria-label": label});
  for (const name of names) select.append(element("option", {value: name}, wordOf(name)));
  select.value = state[key];
  select.onchange = () => {
    state[key] = select.value;
    if (key === "colour") state.off.clear(); else suggestLog(key);
    draw();
  };
  box.append(select);
  return box;
}

function tick(label, key) {
  const box = element("label"), input = element("input", {type: "checkbox", id: key});
  input.onchange = () => { state[key] = input.checked; draw(); };
  box.append(input, " " + label);
  return box;
}

byId("controls").append(choice("across", "x", axes), tick("log", "logX"), choice("up", "y", axes), tick("log", "logY"),
  choice("colour", "colour", ["family", ...parameters]), tick("a front per colour", "each"));

// Where values are far apart, few would be told apart on a plain scale.
function suggestLog(axis) {
  const values = points.filter(p => p.verdict === "ok").map(p => Number(valueOf(p, state[axis]))).filter(isFinite);
  const key = axis === "x" ? "logX" : "logY";
  byId(key).checked = state[key] = values.length > 0 && smallest(values) > 0 && largest(values) > 20 * smallest(values);
}

// --- colours ---

function groups() {
  const values = [...new Set(points.map(p => textOf(valueOf(p, state.colour))))];
  const ramped = numeric(state.colour);
  if (ramped) values.sort((a, b) => Number(a) - Number(b)); else values.sort();
  return new Map(values.map((v, i) => {
    const ramp = data.colours.ramp, kinds = data.colours.kinds;
    const at = values.length > 1 ? Math.round(i / (values.length - 1) * (ramp.length - 1)) : 4;
    return [v, ramped ? ramp[at] : kinds[i % kinds.length]];
  }));
}

const groupOf = p => textOf(valueOf(p, state.colour));

// --- the front: smaller is better, but for utilisation ---

const sign = name => name === "utilisation" ? -1 : 1;

function frontOf(list) {
  const key = p => [sign(state.x) * Number(valueOf(p, state.x)), sign(state.y) * Number(valueOf(p, state.y))];
  const sorted = list.map(p => [key(p), p]).sort(([a], [b]) => a[0] - b[0] || a[1] - b[1]);
  const front = [];
  for (const [at, p] of sorted) {
    const last = front.length ? front[front.length - 1][0] : null;
    if (!last || at[1] < last[1] || (at[0] === last[0] && at[1] === last[1])) front.push([at, p]);
  }
  return front.map(([, p]) => p);
}

// --- the plot ---

const area = {left: 76, right: 940, top: 14, bottom: 430};

function scale(name, log, from, to, list) {
  const values = list.map(p => Number(valueOf(p, name)));
  let low = smallest(values), high = largest(values);
  if (!values.length) { low = 0; high = 1; }
  log = log && low > 0;
  if (log) { low /= 1.25; high *= 1.25; }
  else { if (low > 0 && low < 0.6 * high) low = 0; const room = (high - low || Math.abs(high) || 1) * 0.06; high += room; if (low !== 0) low -= room; }
  const f = log ? Math.log : v => v;
  const at = v => from + (f(v) - f(low)) / (f(high) - f(low)) * (to - from);
  const marks = [];
  if (log) {
    for (let p = 10 ** Math.floor(Math.log10(low)); p <= high; p *= 10)
      for (const m of high / low > 1000 ? [1] : [1, 2, 5]) if (m * p >= low && m * p <= high) marks.push(m * p);
  } else {
    const raw = (high - low) / 7, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find(m => m * power >= raw);
    for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) marks.push(Math.abs(v) < 1e-12 ? 0 : v);
  }
  return {at, marks};
}

const markText = v => Math.abs(v) >= 1e6 ? v.toExponential(1) : String(Number(v.toPrecision(6)));

function drawAxes(svg, x, y) {
  const line = (x1, y1, x2, y2) => svg.append(element("line", {class: "grid", x1, y1, x2, y2}, "", true));
  const text = (tx, ty, anchor, words, name) =>
    svg.append(element("text", {x: tx, y: ty, "text-anchor": anchor, class: name || ""}, words, true));
  for (const m of x.marks) { line(x.at(m), area.top, x.at(m), area.bottom); text(x.at(m), area.bottom + 18, "middle", markText(m)); }
  for (const m of y.marks) { line(area.left, y.at(m), area.right, y.at(m)); text(area.left - 8, y.at(m) + 4, "end", markText(m)); }
  text((area.left + area.right) / 2, area.bottom + 40, "middle", wordOf(state.x), "name");
  const middle = (area.top + area.bottom) / 2;
  svg.append(element("text", {x: 18, y: middle, "text-anchor": "middle", class: "name",
    transform: `rotate(-90 18 ${middle})`}, wordOf(state.y), true));
}

function drawFront(svg, front, x, y, attributes) {
  let path = "";
  front.forEach((p, i) => {
    const px = x.at(Number(valueOf(p, state.x))), py = y.at(Number(valueOf(p, state.y)));
    path += i ? `H${px}V${py}` : `M${px} ${py}`;
  });
  if (front.length > 1) svg.append(element("path", {d: path, ...attributes}, "", true));
}

function draw() {
  const svg = byId("plot"), colours = groups();
  const shown = points.filter(p => p.verdict === "ok" && isNumber(valueOf(p, state.x)) && isNumber(valueOf(p, state.y)) &&
    !state.off.has(groupOf(p)));
  const x = scale(state.x, state.logX, area.left, area.right, shown), y = scale(state.y, state.logY, area.bottom, area.top, shown);
  svg.replaceChildren();
  drawAxes(svg, x, y);
  let best = new Set();
  if (state.each) for (const [name, colour] of colours) {
    const front = frontOf(shown.filter(p => groupOf(p) === name));
    front.forEach(p => best.add(p));
    drawFront(svg, front, x, y, {class: "front", stroke: colour});
  } else {
    best = new Set(frontOf(shown));
    drawFront(svg, [...best], x, y, {class: "front all"});
  }
  const order = [...shown].sort((a, b) => best.has(a) - best.has(b));
  for (const p of order) {
    const cx = x.at(Number(valueOf(p, state.x))), cy = y.at(Number(valueOf(p, state.y)));
    p.circle = element("circle", {cx, cy, r: best.has(p) ? 6.5 : 4.5, fill: colours.get(groupOf(p)),
      class: best.has(p) ? "best" : ""}, "", true);
    p.circle.onpointerenter = event => { const same = order.filter(q => q === p || (valueOf(q, state.x) === valueOf(p, state.x) &&
      valueOf(q, state.y) === valueOf(p, state.y))); tip(event, p, same.length - 1); choose(p, true); };
    p.circle.onpointerleave = () => { byId("tip").hidden = true; choose(p, false); };
    p.circle.onclick = () => p.row && p.row.scrollIntoView({block: "center", behavior: "smooth"});
    svg.append(p.circle);
  }
  drawKey(colours);
  drawTable(colours, best);
}

function choose(p, on) {
  if (p.circle) p.circle.classList.toggle("chosen", on);
  if (p.row) p.row.classList.toggle("chosen", on);
}

function tip(event, p, others) {
  const box = byId("tip");
  const lines = [p.family, ...results.map(name => wordOf(name) + " " + textOf(p[name])), "",
    ...Object.entries(p.parameters).map(([name, value]) => name + (value.includes("\n") ? ":\n" : " ") + value)];
  if (others > 0) lines.push("", `and ${others} more at the same place`);
  box.textContent = lines.join("\n");
  box.hidden = false;
  const room = box.getBoundingClientRect();
  box.style.left = Math.max(8, Math.min(event.clientX + 16, innerWidth - room.width - 12)) + "px";
  box.style.top = Math.max(8, Math.min(event.clientY + 12, innerHeight - room.height - 12)) + "px";
}

function drawKey(colours) {
  const key = byId("key");
  key.replaceChildren(wordOf(state.colour) + ":");
  for (const [name, colour] of colours) {
    const button = element("button", {"aria-pressed": !state.off.has(name), title: "show or hide"});
    const dot = element("i");
    dot.style.background = colour;
    button.classList.toggle("off", state.off.has(name));
    button.append(dot, name.split("\n")[0] || "none");
    button.onclick = () => { state.off.has(name) ? state.off.delete(name) : state.off.add(name); draw(); };
    key.append(button);
  }
}

// --- the table ---

const mostRows = 1000;

function sorted(best) {
  if (!state.sort) return [...points].sort((a, b) => best.has(b) - best.has(a));
  const asNumbers = numeric(state.sort), order = state.down ? -1 : 1;
  return [...points].sort((a, b) => {
    const u = valueOf(a, state.sort), v = valueOf(b, state.sort);
    const none = w => w === null || w === undefined;
    if (none(u) || none(v)) return none(u) - none(v);
    return order * (asNumbers ? Number(u) - Number(v) : String(u).localeCompare(String(v)));
  });
}

function drawTable(colours, best) {
  const columns = ["family", "verdict", ...results, ...parameters].filter(name =>
    name !== "verdict" || points.some(p => p.verdict !== "ok"));
  const table = element("table"), head = element("tr");
  for (const name of columns) {
    const mark = state.sort === name ? (state.down ? " ↓" : " ↑") : "";
    const cell = element("th", {tabindex: 0, class: numeric(name) ? "number" : ""}, wordOf(name) + mark);
    cell.onclick = () => { state.down = state.sort === name && !state.down; state.sort = name; draw(); };
    cell.onkeydown = event => { if (event.key === "Enter") cell.onclick(); };
    head.append(cell);
  }
  table.append(head);
  for (const p of sorted(best).slice(0, mostRows)) {
    p.row = element("tr", {class: p.verdict === "ok" ? "" : "bad"});
    for (const name of columns) {
      const value = p.verdict !== "ok" && results.includes(name) && name !== "pes" ? "" : textOf(valueOf(p, name));
      const cell = element("td", {class: numeric(name) ? "number" : name === "verdict" ? "long short" : "long", title: value}, value.split("\n").join("; "));
      if (name === "family") {
        const dot = element("i");
        dot.style.background = p.verdict === "ok" ? colours.get(groupOf(p)) : "transparent";
        cell.prepend(dot);
        if (best.has(p)) cell.append(" ★");
      }
      p.row.append(cell);
    }
    p.row.onpointerenter = () => choose(p, true);
    p.row.onpointerleave = () => choose(p, false);
    table.append(p.row);
  }
  byId("table").replaceChildren(table);
  if (points.length > mostRows) byId("table").append(element("p", {}, `The first ${mostRows} of ${points.length} points.`));
}

suggestLog("x");
suggestLog("y");
draw();
)SCRIPT";

} // namespace cyclotron::explore
