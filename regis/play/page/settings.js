/* Settings, which this browser stores. The page's fields have the defaults. */
import { $, panel } from "./dom.js";
import { kept, setKept } from "./kept.js";

const NAME = "settings of regis";           // their storage key
const HABITS = $("habits");                 // part of the page, shown in the panel
/** @type {any[]} */
const FIELDS = [...HABITS.querySelectorAll("input, select")];
/** @type {any} */
export const settings = {};                 // each field's state by name

function read() {
  for (const field of FIELDS) settings[field.name] = field.type === "checkbox" ? field.checked : field.value;
  document.documentElement.style.fontSize = settings.size;
  document.body.classList.toggle("large", Boolean(settings.size));
  showTheme(settings.theme);
}

function showTheme(theme) {                 // light or dark: makes the rules for dark apply always, never, or as the system says
  document.documentElement.style.colorScheme = theme || "light dark";
  for (const rule of [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])) {
    if (!(rule instanceof CSSMediaRule) || !/^screen|not all|color-scheme/.test(rule.conditionText)) continue;
    rule.media.mediaText = theme === "dark" ? "screen" : theme === "light" ? "not all" : "(prefers-color-scheme: dark)";
  }
}

export function recallSettings(usual) {     // usual: defaults for this device
  const held = { ...usual, ...kept(NAME) };
  for (const field of FIELDS) {
    if (field.type === "checkbox" && typeof held[field.name] === "boolean") field.checked = held[field.name];
    else if ([...(field.options || [])].some((one) => one.value === held[field.name])) field.value = held[field.name];
  }
  read();
}

export function onSetting(changed) {        // here or in another tab
  HABITS.addEventListener("change", () => { read(); setKept(NAME, settings); changed(); });
  addEventListener("storage", (event) => { if (event.key === NAME) { recallSettings({}); changed(); } });
}

export function showSettings() { panel("Settings", [HABITS]); }
