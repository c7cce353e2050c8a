/* Keys on the screen, for a phone. */
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
