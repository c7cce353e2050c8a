/* Helpers for elements and messages. No text is parsed as markup: every element is made by `make`, every text is a text
   node. */
/** @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);
const DRAWN = new Set(["svg", "rect", "path", "circle"]);   // parts of a picture

/** @type {(tag: string, attributes?: object, ...children: (Node | string)[]) => any} */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElementNS((DRAWN.has(tag) ? $("icon") : document.body).namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function say(sentence) { $("said").textContent = sentence; }
export function plural(n, word) { return `${n} ${word}${n === 1 ? "" : "s"}`; }

export function percent(p) {                // never "0%": some probability is always left
  return p > 0 && p < 0.005 ? "less than 1%" : Math.round(100 * p) + "%";
}

export function time(seconds) {
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60, two = (n) => String(n).padStart(2, "0");
  return (hours ? `${hours}:${two(minutes)}` : `${minutes}`) + ":" + two(seconds % 60);
}

export function inSight(element) { element.scrollIntoView({ block: "nearest", inline: "nearest" }); }   // no further than needed

/* The panel closes at the moment of the click or key, and waiting code continues then. The browser's own event comes
   later, and keys between the two would be lost. */
export function shut(said = "") {
  if (!$("panel").open) return;
  $("panel").close(said);
  tellShut();
}

function tellShut() { if (!$("panel").open) $("panel").dispatchEvent(new Event("shut")); }

export function buildPanel() {
  $("panel").addEventListener("submit", (event) => { event.preventDefault(); shut(event.submitter.value); });
  $("panel").addEventListener("cancel", (event) => { event.preventDefault(); shut(); });
  $("panel").addEventListener("close", tellShut);   // if the browser closes it
}

export function panel(head, body, yes = "", no = "") {   // whether you say yes, once it's shut
  $("panel-head").textContent = head;
  $("panel-body").replaceChildren(...body);
  $("panel-yes").hidden = !yes;
  $("panel-yes").textContent = yes;
  $("panel-close").textContent = no || (yes ? "No" : "Close");
  $("panel").returnValue = "";
  if (!$("panel").open) $("panel").showModal();
  return new Promise((answer) => $("panel").addEventListener("shut", () => answer($("panel").returnValue === "yes"), { once: true }));
}

export function asked(head, sentence) { return panel(head, [make("p", {}, sentence)], "Yes"); }
