/* The grid and the clue lists: built once per puzzle; then each square is drawn as it changes. */
import { $, make, percent } from "./dom.js";
import { entryAt, game, text } from "./game.js";

const MARKS = { right: "right", wrong: "wrong", unknown: "not judged", told: "revealed" };
const DOUBT = 0.1, DEEP_DOUBT = 0.5;        // doubts marked by a bar, and by a long bar

export function build(onTap, onPick) {
  const { puzzle } = game, width = Math.max(1, ...puzzle.rows.map((row) => row.length));
  document.body.style.setProperty("--columns", String(width));
  document.body.style.setProperty("--rows", String(puzzle.rows.length));
  const key = (row, column) => row + "," + column, keys = (list) => new Set(list.map(([r, c]) => key(r, c)));
  const numbers = new Map(puzzle.numbers.map(([r, c, n]) => [key(r, c), n]));
  const circles = keys(puzzle.circles), shaded = keys(puzzle.shaded), bars = new Set(puzzle.bars.map(String));
  game.squares = [];
  $("grid").replaceChildren(...puzzle.rows.map((row, r) => make("div", { role: "row" }, ...[...row].map((sign, c) => {
    if (sign === "#") return make("div", { role: "gridcell", class: "block", "aria-label": "block" });
    const place = key(r, c), circled = circles.has(place), isShaded = shaded.has(place);
    const classes = ["cell", circled && "circled", isShaded && "shaded", bars.has(place + ",right") && "bar-right",
      bars.has(place + ",below") && "bar-below"].filter(Boolean).join(" ");
    const letter = make("span", { class: "letter" });
    const element = make("div", { role: "gridcell", class: classes, tabindex: "-1" },
      make("span", { class: "number" }, String(numbers.get(place) || "")), letter);
    const square = { row: r, column: c, element, letter, places: new Map(), marks: [circled && "circle", isShaded && "shaded"].filter(Boolean) };
    element.addEventListener("mousedown", (event) => { if (event.button === 0) onTap(square); });
    game.squares.push(square);
    return element;
  }))));
  const byPlace = new Map(game.squares.map((square) => [key(square.row, square.column), square]));
  for (const entry of puzzle.entries) {
    entry.squares = entry.cells.map(([r, c]) => byPlace.get(key(r, c)));
    entry.squares.forEach((square, i) => { square.places.set(entry.across, { entry, i }); });
    entry.number = entry.name.slice(0, -1);
    entry.called = `${entry.number} ${entry.across ? "across" : "down"}`;
    entry.button = make("button", { type: "button", onclick: () => onPick(entry) },
      make("b", {}, entry.number), make("span", { dir: "auto" }, entry.clue || "(no clue)"));
  }
  for (const way of [true, false]) {
    const id = way ? "across" : "down", found = puzzle.entries.filter((entry) => entry.across === way);
    $(id).hidden = !found.length;
    $(id).querySelector("ol").replaceChildren(...found.map((entry) => make("li", {}, entry.button)));
  }
}

export function drawSquare(square) {
  const held = game.letters.get(square), { element, letter } = square;
  letter.textContent = held ? held.text : "";
  letter.style.setProperty("--length", String(Math.max(1, held ? held.text.length : 1)));
  element.classList.toggle("long", Boolean(held) && held.text.length > 1);
  element.classList.toggle("pencil", Boolean(held && held.pencil));
  for (const mark of Object.keys(MARKS)) element.classList.toggle(mark, Boolean(held) && held.mark === mark);
  const doubt = game.sureness ? 1 - game.sureness.get(square.row + "," + square.column) : 0;
  element.classList.toggle("doubt", doubt > DOUBT);
  element.classList.toggle("deep", doubt > DEEP_DOUBT);
  element.setAttribute("aria-label", label(square));
  for (const place of square.places.values()) place.entry.button.classList.toggle("done", place.entry.squares.every(text));
}

export function drawAll() { game.squares.forEach(drawSquare); }

export function label(square) {
  const held = game.letters.get(square), parts = [held ? held.text : "empty"];
  const entry = entryAt(square, game.across) || entryAt(square, !game.across);
  if (entry) parts.push(`${entry.called} letter ${entry.squares.indexOf(square) + 1} of ${entry.squares.length}`);
  parts.push(...square.marks);
  if (held && held.pencil) parts.push("pencil");
  if (held && held.mark) parts.push(MARKS[held.mark]);
  const sure = game.sureness && game.sureness.get(square.row + "," + square.column);
  if (game.sureness) parts.push(sure ? `Regis ${percent(sure)} sure` : "not judged");
  return parts.join(", ");
}
