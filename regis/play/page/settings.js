/* The person's habits, each a setting that this browser keeps, all behind one gear. */
import { make, panel } from "./dom.js";

const NAME = "settings of regis";           // under which they are kept
const TABLE = {                             // what each is called, and what it is where nobody has said
  next: ["At the end of an answer, go on to the next clue", true],
  skip: ["Skip squares that are filled", true],
  back: ["Backspace at the beginning of an answer goes to the one before", true],
  wrap: ["Tab goes round from the last clue to the first", true],
  arrows: ["An arrow across the answer turns first, then moves", true],
  click: ["A click on the current square turns", true],
  lock: ["Letters that are right or revealed stay as they are", true],
  clock: ["Show the clock", true],
  downs: ["Hide the across clues", false],
  keys: ["Keys on the screen", false],
};
/** @type {any} */
export const settings = Object.fromEntries(Object.entries(TABLE).map(([key, [, usual]]) => [key, usual]));
let changed = () => {};                     // what is done when one changes

export function recallSettings(usual) {     // usual: what depends on the device
  Object.assign(settings, usual);
  try {
    const held = JSON.parse(localStorage.getItem(NAME)) || {};
    for (const key of Object.keys(TABLE)) if (typeof held[key] === "boolean") settings[key] = held[key];
  } catch { /* this browser keeps nothing, or something else's */ }
}

export function onSetting(watcher) { changed = watcher; }

function set(key, value) {
  settings[key] = value;
  try { localStorage.setItem(NAME, JSON.stringify(settings)); } catch { /* it holds as long as the page */ }
  changed();
}

export function showSettings() {
  panel("Settings", [...Object.entries(TABLE).map(([key, [sentence]]) => {
    const box = make("input", { type: "checkbox", id: "set-" + key });
    box.checked = settings[key];
    box.addEventListener("change", () => set(key, box.checked));
    return make("label", { class: "setting" }, box, make("span", {}, sentence));
  }), make("button", { type: "button", "data-do": "stop" }, "End Regis")]);
}

addEventListener("storage", (event) => {   // another tab's
  if (event.key !== NAME) return;
  recallSettings({});
  changed();
});
