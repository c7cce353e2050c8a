/* The person's habits, each a box behind the gear that this browser keeps. As the page has them, so they are at first. */
import { $, panel } from "./dom.js";
import { kept, setKept } from "./kept.js";

const NAME = "settings of regis";           // under which they are kept
const HABITS = $("habits");                 // the page's own, shown in the panel
const BOXES = [...HABITS.querySelectorAll("input")];
/** @type {any} */
export const settings = {};                 // whether each box is ticked, by its name

function read() { for (const box of BOXES) settings[box.name] = box.checked; }

export function recallSettings(usual) {     // usual: what depends on the device
  const held = { ...usual, ...kept(NAME) };
  for (const box of BOXES) if (typeof held[box.name] === "boolean") box.checked = held[box.name];
  read();
}

export function onSetting(changed) {        // here, or in another tab
  HABITS.addEventListener("change", () => { read(); setKept(NAME, settings); changed(); });
  addEventListener("storage", (event) => { if (event.key === NAME) { recallSettings({}); changed(); } });
}

export function showSettings() { panel("Settings", [HABITS]); }
