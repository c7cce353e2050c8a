/* Small things for making and saying. Nothing is built from text as markup: every element is made by `make`, every text
   is a text node. */
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

export function shut() { for (const open of document.querySelectorAll("dialog[open]")) open.close(""); }

export function panel(head, body, yes = "", no = "") {
  $("panel-head").textContent = head;
  $("panel-body").replaceChildren(...body);
  $("panel-yes").hidden = !yes;
  $("panel-yes").textContent = yes;
  $("panel-close").textContent = no || (yes ? "No" : "Close");
  $("panel").returnValue = "";
  if (!$("panel").open) $("panel").showModal();
}

export function asked(head, sentence) {     // whether the person says so
  panel(head, [make("p", {}, sentence)], "Yes");
  return answered();
}

export function answered() {
  return new Promise((answer) => $("panel").addEventListener("close", () => answer($("panel").returnValue === "yes"), { once: true }));
}
