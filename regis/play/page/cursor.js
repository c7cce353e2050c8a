/* The cursor: moving, changing direction, going from clue to clue, and showing all that in the grid and the lists. */
import { label } from "./board.js";
import { $, inSight, make, plural } from "./dom.js";
import { current, entryAt, firstOpen, game, squareAt, text } from "./game.js";
import { settings } from "./settings.js";
import { keepSoon } from "./storage.js";

export function go(square, way, scroll = true) {
  if (!square) return;
  const before = current(), old = game.at;
  game.at = square;
  game.across = square.places.has(way) || !square.places.has(!way) ? way : !way;
  const entry = current(), other = entryAt(square, !game.across);
  const refers = entry ? game.puzzle.entries.filter((one) => entry.refers.includes(one.name)) : [];
  for (const marked of $("grid").querySelectorAll(".here, .along, .refers")) {
    marked.classList.remove("here", "along", "refers", "goes-across", "goes-down", "first", "last");
  }
  for (const one of refers) one.squares.forEach(({ element }) => element.classList.add("refers"));
  if (entry) entry.squares.forEach(({ element }) => element.classList.add("along", entry.across ? "goes-across" : "goes-down"));
  if (entry) entry.squares[0].element.classList.add("first");
  if (entry) entry.squares.at(-1).element.classList.add("last");
  square.element.classList.add("here");
  if (old) old.element.tabIndex = -1;
  square.element.tabIndex = 0;
  square.element.setAttribute("aria-label", label(square));
  square.element.focus({ preventScroll: true });
  if (scroll) for (const one of entry ? [entry.squares.at(-1), entry.squares[0], square] : [square]) inSight(one.element);
  if (entry !== before || !$("clue").textContent) announce();
  for (const one of game.puzzle.entries) {
    one.button.classList.toggle("along", one === other);
    one.button.classList.toggle("refers", refers.includes(one));
    if (one === entry) one.button.setAttribute("aria-current", "true"); else one.button.removeAttribute("aria-current");
  }
  for (const one of [entry, other]) if (one) reach(one.button);
  keepSoon();
}

export function announce() {
  const entry = current(), hidden = entry && entry.across && settings.downs;
  const clue = !entry ? "" : hidden ? "(hidden)" : entry.clue || "(no clue)";
  $("clue").replaceChildren(...(entry ? [make("b", {}, entry.name), make("span", { dir: "auto" }, clue)] : []));
  if (entry) $("spoken").textContent = `${entry.called}: ${clue} ${plural(entry.squares.length, "square")}, ` +
    entry.squares.map((square) => text(square) || "blank").join(" ");
}

function reach(button) {                    // scrolls the list, never the page
  const box = [button.closest("ol"), $("lists")].find((one) => one.scrollHeight > one.clientHeight && getComputedStyle(one).overflowY === "auto");
  if (!box) return;
  const { top, bottom } = button.getBoundingClientRect(), seen = box.getBoundingClientRect();
  if (top < seen.top || bottom > seen.bottom) box.scrollTop += (top + bottom - seen.top - seen.bottom) / 2;
}

export function pick(entry) {               // from the list, which may be far below the grid
  inSight($("grid"));
  go(firstOpen(entry), entry.across);
}

export function move(down, right) {
  const way = right !== 0, { at, puzzle } = game;
  if (settings.arrows && at.places.has(way) && way !== game.across) return go(at, way);
  for (let r = at.row + down, c = at.column + right; puzzle.rows[r]?.[c]; r += down, c += right) {
    const square = squareAt(r, c);
    if (square) return go(square, way);
  }
}

export function turn() { if (game.at && game.at.places.has(!game.across)) go(game.at, !game.across); }

export function tap(square) {
  if (square !== game.at) return go(square, game.across, false);
  if (settings.click) turn();
  square.element.focus({ preventScroll: true });
}

export function neighbor(by, isWanted = (_entry) => true) {   // the next or previous entry that is wanted
  const all = game.puzzle.entries.filter((one) => one.across).concat(game.puzzle.entries.filter((one) => !one.across));
  const here = all.indexOf(current());
  for (let i = 1; i <= all.length; i++) {
    const place = here + by * i;
    if (!settings.wrap && (place < 0 || place >= all.length)) return null;
    const entry = all[(place + 2 * all.length) % all.length];
    if (isWanted(entry)) return entry;
  }
  return null;
}

export function step(by) {                  // to another entry; false if there's none
  const next = (settings.tab && neighbor(by, (entry) => !entry.squares.every(text))) || neighbor(by);
  if (next) go(firstOpen(next), next.across);
  return Boolean(next);
}
