/* Typing and erasing letters, in steps that can be undone, and what each key does. */
import { drawSquare } from "./board.js";
import { go, move, neighbor, step, turn } from "./cursor.js";
import { $, make, say } from "./dom.js";
import { look } from "./ending.js";
import { current, firstOpen, game, isLocked, isOver, text } from "./game.js";
import { autocheck } from "./help.js";
import { settings } from "./settings.js";
import { keep } from "./storage.js";

export const LETTER = /^[\p{L}\p{N}]$/u;    // a key, or its letter
const KEYS = {
  " ": space, Backspace: () => erase(true), Delete: () => erase(false), Insert: rebus, Escape: rebus,
  Home: () => go(current()?.squares[0], game.across), End: () => go(current()?.squares.at(-1), game.across),
  ArrowUp: () => move(-1, 0), ArrowDown: () => move(1, 0), ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1),
};
let writing = null;                         // the square and field of a rebus being typed

export function change(steps) {             // steps: [[square, held or null], ...]
  const done = steps.map(([square, after]) => [square, game.letters.get(square) || null, after])
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after));
  if (!done.length) return;
  game.past.push(done);
  game.future = [];
  apply(done, 2);
}

function apply(steps, which) {
  if (game.finished === "full" && steps.some((one) => one[1]?.text !== one[2]?.text)) game.finished = "";   // it continues
  for (const one of steps) {
    game.unsent.add(one[0]);
    if (one[which]) game.letters.set(one[0], one[which]); else game.letters.delete(one[0]);
    drawSquare(one[0]);
  }
  keep();
  look();
  if (settings.auto) autocheck();
}

function again(from, to, which, none) {
  if (isOver()) return say("You finished this puzzle. Clear the grid to start over.");
  const steps = from.pop();
  if (!steps) return say(none);
  to.push(steps);
  apply(steps, which);
  go(steps[0][0], game.across);
}

export function undo() { again(game.past, game.future, 1, "There's nothing to undo."); }
export function redo() { again(game.future, game.past, 2, "There's nothing to redo."); }
function typed(content) { return { text: content, pencil: game.pencil, mark: "" }; }

export function type(letter) {
  if (writing) return insert(letter);
  const { at } = game;
  if (!at) return;
  const wasOpen = !text(at);
  if (!isLocked(at)) change([[at, typed(letter)]]);
  advance(wasOpen);
}

function advance(wasOpen) {                 // to the next square of the entry, or to the next clue
  const place = game.at.places.get(game.across);
  if (!place) return go(game.at, game.across);
  const { entry, i } = place, rest = entry.squares.slice(i + 1);
  const open = wasOpen && settings.skip && rest.find((square) => !text(square));
  const isDone = !rest.length || (wasOpen && settings.skip && entry.squares.every(text));
  if (open) return go(open, game.across);
  if (!isDone || !settings.next) return go(rest[0] || game.at, game.across);
  const next = (settings.skip && neighbor(1, (one) => one !== entry && !one.squares.every(text))) || neighbor(1);
  if (next) go(settings.skip ? firstOpen(next) : next.squares[0], next.across); else go(game.at, game.across);
}

function space() {
  if (!settings.space) return turn();
  erase(false);
  advance(false);
}

export function erase(back) {
  if (writing) return insert("");
  const { at, across } = game;
  if (!at) return;
  if (!back || (text(at) && !isLocked(at))) {
    if (!isLocked(at)) change([[at, null]]);
    return go(at, across);
  }
  const place = at.places.get(across);
  let before = place && place.entry.squares[place.i - 1], way = across;
  if (!before && settings.back && neighbor(-1)) { before = neighbor(-1).squares.at(-1); way = neighbor(-1).across; }
  if (!before) return;
  if (!isLocked(before)) change([[before, null]]);
  go(before, way);
}

export function rebus() {                   // several letters, typed in the square itself
  const { at } = game;
  if (writing) return endRebus(true);
  if (!at || isLocked(at)) return;
  const field = make("input", { id: "letters", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: "40",
    inputmode: settings.keys ? "none" : null, "aria-label": "Several letters in this square; A/B if both are right" });
  writing = { square: at, field, was: text(at) };
  field.value = writing.was;
  field.addEventListener("mousedown", (event) => event.stopPropagation());
  field.addEventListener("blur", () => endRebus(true));
  at.element.append(field);
  at.element.classList.add("writing");
  field.focus();
  field.select();
  say("Type several letters, or A/B if both are right, then Enter.");
}

export function endRebus(isTaken) {         // dropped if the puzzle is closed
  if (!writing) return;
  const { square, field, was } = writing;
  writing = null;
  square.element.classList.remove("writing");
  field.remove();
  if (!isTaken || !game.squares.includes(square)) return;
  say("");
  const content = field.value.toUpperCase().replace(/[^\p{L}\p{N}/]/gu, "");
  if (field.value !== was) change([[square, content ? typed(content) : null]]);
  if (document.activeElement === document.body && game.at) game.at.element.focus({ preventScroll: true });
}

function insert(letter) {                   // from the on-screen keys
  const { field } = writing, { selectionStart: from, selectionEnd: to } = field;
  field.setRangeText(letter, letter || from !== to ? from : Math.max(from - 1, 0), to, "end");
}

function written(event) {                   // a key in that field
  if (!["Enter", "Tab", "Escape", "Insert"].includes(event.key)) return;
  event.preventDefault();
  endRebus(true);
  if (event.key === "Tab") step(event.shiftKey ? -1 : 1);
  else if (event.key === "Enter") advance(true);
  else go(game.at, game.across);
}

export function pressed(event) {
  const control = event.ctrlKey || event.metaKey;
  if (event.target.id === "letters") return written(event);
  if (control && !event.altKey && event.key.toLowerCase() === "z") {
    if (event.shiftKey) redo(); else undo();
  } else if (control && event.key.toLowerCase() === "y") redo();
  else if (control || event.altKey) return;
  else if (event.key === "Tab" || event.key === "Enter") { if (!step(event.shiftKey ? -1 : 1) && event.key === "Tab") return; }
  else if (event.key === "F6") $("tools").querySelector("summary").focus();
  else if (event.key in KEYS) KEYS[event.key]();
  else if (LETTER.test(event.key)) type(event.key.toUpperCase());
  else return;
  event.preventDefault();
}
