/* The first page: a card for each puzzle, with a small picture of its grid and how far the person is. */
import { $, make } from "./dom.js";
import { keptPuzzles } from "./storage.js";

const ENDS = { helped: "finished with help", revealed: "revealed", full: "full" };
const MANY = 12;                            // puzzles from which on there is a search, and months

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

function card(one, kept) {
  if (one.problem) return make("li", { class: "broken" }, `${one.file}: ${one.problem}`);
  const begun = kept.get(one.id), n = begun ? begun.letters.length : 0;
  const about = n ? (begun.finished ? ENDS[begun.finished] || "solved" : `${n} of ${begun.squares} squares`) : one.size || "";
  return make("li", {}, make("a", { href: "#" + one.id, class: "card" }, picture(one.rows || []),
    make("span", { class: "name", dir: "auto" }, one.title || one.file),
    make("span", { class: "about" }, ...(n ? [ring(n / begun.squares)] : []), [one.date, about].filter(Boolean).join(" · "))));
}

function months(puzzles) {                  // [name, puzzles] each, the newest first; one without a name where there are few
  if (puzzles.length <= MANY || !puzzles.some((one) => one.date)) return [["", puzzles]];
  const month = ({ date }) => date ? new Date(date + "T12:00").toLocaleDateString("en", { month: "long", year: "numeric" }) : "Without a date";
  return [...Map.groupBy(puzzles.toSorted((a, b) => (b.date || "").localeCompare(a.date || "")), month)];
}

export function list(where, puzzles) {
  const kept = new Map(keptPuzzles());
  $(where).hidden = !puzzles.length;
  $(where).querySelector(".cards").replaceChildren(...months(puzzles).flatMap(([name, group]) => [
    ...(name ? [make("h3", {}, name)] : []), make("ul", {}, ...group.map((one) => card(one, kept)))]));
  if (where === "named") $("search").hidden = puzzles.length <= MANY;
}

export function listBegun() {
  const begun = keptPuzzles().filter(([, one]) => one.letters.length);
  list("begun", begun.map(([id, one]) => ({ id, title: one.title, rows: one.rows })));
}

export function markThere(ids) {            // which of those begun can be opened without their file
  const there = new Set(ids);
  for (const link of $("begun").querySelectorAll("a")) link.dataset.there = there.has(link.hash.slice(1));
}

export function search(words) {
  const wanted = words.toLowerCase().split(/\s+/);
  for (const item of $("named").querySelectorAll("li")) item.hidden = !wanted.every((word) => item.textContent.toLowerCase().includes(word));
  for (const head of $("named").querySelectorAll("h3")) head.hidden = !head.nextElementSibling.querySelector("li:not([hidden])");
}
