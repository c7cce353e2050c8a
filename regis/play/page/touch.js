/* What a phone needs: the on-screen keys, and a zoom of the grid by two fingers that leaves the clue and the keys alone. */
import { $, make } from "./dom.js";

const ROWS = ["QWERTYUIOP", "ASDFGHJKL", "…✎ZXCVBNM⌫"];
const KEYS = { "⌫": ["Delete", "erase", "⌫"], "…": ["Rebus: several letters", "rebus", "Rebus"], "✎": ["Pencil", "pencil", "✎"] };

export function buildKeys() {
  $("keys").replaceChildren(...ROWS.map((row) => make("div", {}, ...[...row].map(key))));
}

function key(sign) {
  const [called, does, shown] = KEYS[sign] || [null, null, sign];
  return make("button", { type: "button", "data-key": does ? null : sign, "data-do": does, "aria-label": called, title: called,
    class: does === "rebus" ? "word" : null, "aria-pressed": does === "pencil" ? "false" : null }, shown);
}

const MOST = 4;                             // times its width
let size = 1, start = null;                 // current zoom; distance of the fingers and zoom when they touched

export function fitGrid() { size = 1; $("grid").style.width = ""; }

function moved(event) {
  if (event.touches.length !== 2) return;
  event.preventDefault();
  const [one, other] = event.touches, view = $("view"), { left, top } = view.getBoundingClientRect();
  const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  start ||= { apart, size };
  const before = size, x = (one.clientX + other.clientX) / 2 - left, y = (one.clientY + other.clientY) / 2 - top;
  size = Math.min(MOST, Math.max(1, start.size * apart / start.apart));
  $("grid").style.width = 100 * size + "%";
  view.scrollLeft += (view.scrollLeft + x) * (size / before - 1);   // what is between the fingers stays there
  scrollBy(0, y * (size / before - 1));
}

export function startPinch() {
  $("view").addEventListener("touchmove", moved, { passive: false });
  $("view").addEventListener("touchend", () => { start = null; });
}
