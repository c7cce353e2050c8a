/* Settings, each a field behind the gear that this browser keeps. As the page has them, so they are at first. */
import { $, panel } from "./dom.js";
import { kept, setKept } from "./kept.js";

const NAME = "settings of regis";           // under which they are kept
const HABITS = $("habits");                 // the page's own, shown in the panel
/** @type {any[]} */
const FIELDS = [...HABITS.querySelectorAll("input, select")];
/** @type {any} */
export const settings = {};                 // whether each box is ticked, or what is chosen, by its name

function read() {
  for (const field of FIELDS) settings[field.name] = field.type === "checkbox" ? field.checked : field.value;
  document.documentElement.style.fontSize = settings.size;
  document.body.classList.toggle("large", Boolean(settings.size));
  showTheme(settings.theme);
}

function showTheme(theme) {                 // light or dark: the rules for one of the two count always, or never
  document.documentElement.style.colorScheme = theme || "light dark";
  for (const rule of [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])) {
    if (!(rule instanceof CSSMediaRule) || !/^screen|not all|color-scheme/.test(rule.conditionText)) continue;
    rule.media.mediaText = theme === "dark" ? "screen" : theme === "light" ? "not all" : "(prefers-color-scheme: dark)";
  }
}

export function recallSettings(usual) {     // usual: what depends on the device
  const held = { ...usual, ...kept(NAME) };
  for (const field of FIELDS) {
    if (field.type === "checkbox" && typeof held[field.name] === "boolean") field.checked = held[field.name];
    else if ([...(field.options || [])].some((one) => one.value === held[field.name])) field.value = held[field.name];
  }
  read();
}

export function onSetting(changed) {        // here, or in another tab
  HABITS.addEventListener("change", () => { read(); setKept(NAME, settings); changed(); });
  addEventListener("storage", (event) => { if (event.key === NAME) { recallSettings({}); changed(); } });
}

export function showSettings() { panel("Settings", [HABITS]); }
