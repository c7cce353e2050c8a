/* The first page: a card for each puzzle, with a small picture of its grid and your progress. */
import { $, make } from "./dom.js";
import { keptPuzzles } from "./storage.js";

const ENDED = new Set(["solved", "helped", "revealed"]);
const text = (name) => (one, other) => (one[name] || "").localeCompare(other[name] || "");
const SORTS = { date: (one, other) => text("date")(other, one), title: text("title"), author: text("author"),
  progress: (one, other) => (other.filled || 0) / other.squares - (one.filled || 0) / one.squares };
const ENDS = { helped: "finished with help", revealed: "revealed" };
const MANY = 12;                            // from this many puzzles on, there are a search field and months

function picture(rows) {
  const blocks = rows.flatMap((row, r) => [...row].map((sign, c) => sign === "#" ? `M${c} ${r}h1v1h-1z` : ""));
  const width = Math.max(1, ...rows.map((row) => row.length));
  return make("svg", { class: "picture", viewBox: `0 0 ${width} ${rows.length}`, "aria-hidden": "true" },
    make("rect", { width, height: rows.length }), make("path", { d: blocks.join("") }));
}

function ring(share) {
  return make("svg", { class: "ring", viewBox: "0 0 20 20", "aria-hidden": "true" }, make("circle", { cx: 10, cy: 10, r: 8 }),
    make("circle", { cx: 10, cy: 10, r: 8, pathLength: 100, "stroke-dasharray": `${Math.round(100 * share)} 100` }));
}

function card(one) {
  if (one.problem) return make("li", { class: "broken" }, `${one.file}: ${one.problem}`);
  const n = one.filled || 0, end = one.finished && one.finished !== "full" ? ENDS[one.finished] || "solved" : "";
  const how = end || (n ? `${n} of ${one.squares} squares` : one.size);
  return make("li", {}, make("a", { href: "#" + one.id, class: "card", "data-there": String(!one.isAway) }, picture(one.rows || []),
    make("span", { class: "name", dir: "auto" }, one.title || one.file), ...(one.author ? [make("span", { class: "author", dir: "auto" }, one.author)] : []),
    make("span", { class: "about" }, ...(n ? [ring(n / one.squares)] : []), [one.date, how].filter(Boolean).join(" · "))));
}

function months(puzzles) {                  // [name, puzzles], newest first; for few puzzles, one group without a name
  if (puzzles.length <= MANY || $("sort").value || !puzzles.some((one) => one.date)) return [["", puzzles]];
  const month = ({ date }) => date ? new Date(date + "T12:00").toLocaleDateString("en", { month: "long", year: "numeric" }) : "No date";
  return [...Map.groupBy(puzzles.toSorted((a, b) => (b.date || "").localeCompare(a.date || "")), month)];
}

function list(where, puzzles) {
  const by = SORTS[$("sort").value], sorted = by ? puzzles.toSorted(by) : puzzles;
  $(where).hidden = !puzzles.length;
  $(where).querySelector(".cards").replaceChildren(...months(sorted).flatMap(([name, group]) => [
    ...(name ? [make("h3", {}, name)] : []), make("ul", {}, ...group.map(card))]));
}

/** @type {any} */
let known = null;                           // the server's list
export function listPuzzles(told = known) { // each puzzle once: under Continue, or else by its origin
  known = told;
  const local = keptPuzzles().map(([id, { title, file, rows, squares, finished, letters }]) => ({ id, title, file, rows, squares, finished, filled: letters.length }));
  const begun = [...new Map([...local, ...(told?.begun || [])].map((one) => [one.id, one])).values()].filter((one) => one.filled);
  const progress = new Map(begun.map((one) => [one.id, one])), there = new Set(told?.there);
  const isOpen = ({ id }) => progress.has(id) && !ENDED.has(progress.get(id).finished);
  const shown = new Set();
  const once = (puzzles) => puzzles.filter(({ id }) => !shown.has(id) && shown.add(id)).map((one) => ({ ...one, ...progress.get(one.id) }));
  const own = (one) => ({ ...one, isAway: told && !there.has(one.id) });
  list("begun", once(begun.filter(isOpen).map(own)));
  const named = once(told?.named || []);
  list("named", named);
  list("examples", once(told?.examples || []));
  list("finished", once(begun.map(own)));
  $("search").hidden = named.length <= MANY;
}

export function search(words) {
  const wanted = words.toLowerCase().split(/\s+/);
  for (const item of $("named").querySelectorAll("li")) item.hidden = !wanted.every((word) => item.textContent.toLowerCase().includes(word));
  for (const head of $("named").querySelectorAll("h3")) head.hidden = !head.nextElementSibling.querySelector("li:not([hidden])");
}
