/* Small things for making and saying. Nothing is built from text as markup: every element is made by `make`, every text
   is a text node. */
/** @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) { return fill(document.createElement(tag), attributes, children); }

export function draw(tag, attributes = {}, ...children) {   // a part of a picture
  return fill(document.createElementNS($("icon").namespaceURI, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function say(sentence) { $("said").textContent = sentence; }
export function speak(sentence) { $("spoken").textContent = sentence; }
export function plural(n, word) { return `${n} ${word}${n === 1 ? "" : "s"}`; }

export function percent(p) {                // never "0%": of what was judged something is always left
  return p > 0 && p < 0.005 ? "less than 1%" : Math.round(100 * p) + "%";
}

export function time(seconds) {
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60, two = (n) => String(n).padStart(2, "0");
  return (hours ? `${hours}:${two(minutes)}` : `${minutes}`) + ":" + two(seconds % 60);
}

export function inSight(element) { element.scrollIntoView({ block: "nearest", inline: "nearest" }); }   // no further than that

/* The panel closes in the very moment of the click or key, and whoever waits for that goes on then: the browser's own
   event comes later, and keys between the two would be lost. */
let isShown = false;

export function shut(said = "") {
  if ($("panel").open) $("panel").close(said);
  if (!isShown) return;
  isShown = false;
  $("panel").dispatchEvent(new CustomEvent("shut", { detail: said }));
}

export function buildPanel() {
  $("panel").addEventListener("submit", (event) => { event.preventDefault(); shut(event.submitter.value); });
  $("panel").addEventListener("cancel", (event) => { event.preventDefault(); shut(); });
  $("panel").addEventListener("close", () => { if (!$("panel").open) shut(); });
}

export function panel(head, body, yes = "", no = "") {
  $("panel-head").textContent = head;
  $("panel-body").replaceChildren(...body);
  $("panel-yes").hidden = !yes;
  $("panel-yes").textContent = yes;
  $("panel-close").textContent = no || (yes ? "No" : "Close");
  isShown = true;
  if (!$("panel").open) $("panel").showModal();
}

export function asked(head, sentence) {     // whether the person says so
  panel(head, [make("p", {}, sentence)], "Yes");
  return answered();
}

export function answered() {
  return new Promise((answer) => $("panel").addEventListener("shut", (event) => answer(event.detail === "yes"), { once: true }));
}
